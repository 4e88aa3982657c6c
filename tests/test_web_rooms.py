"""Rooms: two people on two devices play one game, and others watch."""

import json
import threading
import time

import httpx
import pytest
from conftest import EXAMPLES
from web_server import serving, web_home  # noqa: F401

from ludus import LudusError, catalog
from ludus.web.registry import MissingError
from ludus.web.rooms import Rooms

GAME = "tic-tac-toe"
TOP_ROW = [0, 3, 1, 4, 2]  # the first player completes the top row


@pytest.fixture(scope="module")
def ask(web_home):  # noqa: F811
    pig = catalog.make_game(str(EXAMPLES / "pig.py"))
    with serving([("pig", pig)]) as address, httpx.Client(base_url=f"{address}api/", timeout=60) as client:
        yield client


class Person:
    """Somebody with a key."""

    def __init__(self, ask, key):
        self.ask, self.key = ask, key

    def see(self):
        return self.ask.get(f"rooms/{self.key}").json()

    def do(self, what, **more):
        return self.ask.post(f"rooms/{self.key}", json={"do": what, **more})

    def move(self, action):
        return self.do("move", ply=len(self.see()["actions"]), action=action)


@pytest.fixture
def people(ask):
    """The maker of a room, the friend, and somebody who watches."""
    made = ask.post("rooms", json={"game": GAME, "name": "Ada"})
    assert made.status_code == 201
    host = Person(ask, made.json()["key"])
    return host, Person(ask, host.see()["join"]), Person(ask, host.see()["watch"])


def play(host, friend, actions):
    for ply, action in enumerate(actions):
        (host, friend)[ply % 2].move(action).raise_for_status()


def problem(answer, status=400):
    assert answer.status_code == status, answer.text
    return answer.json()["detail"]


def test_each_sees_the_same_game_from_the_own_seat(people):
    assert [person.see()["you"] for person in people] == [0, 1, None]
    play(*people[:2], [4])
    assert [person.see()["actions"] for person in people] == [[4]] * 3


def test_the_maker_alone_gets_the_friends_key_and_all_get_the_one_to_watch(people):
    _, friend, watcher = people
    assert [person.see()["join"] for person in people] == [friend.key, None, None]
    assert {person.see()["watch"] for person in people} == {watcher.key}


def test_names_are_shown_to_all(people):
    people[1].do("name", name="  Bob ")
    assert people[2].see()["names"] == ["Ada", "Bob"]


def test_nobody_moves_out_of_turn(people):
    host, friend, watcher = people
    assert problem(friend.move(4)) == "it is not your turn"
    assert "watching" in problem(watcher.move(4))
    host.move(4)
    assert problem(host.move(0)) == "it is not your turn"


def test_an_action_that_is_not_allowed_is_refused(people):
    people[0].move(4)
    assert "not allowed" in problem(people[1].move(4))


def test_a_move_in_a_position_that_has_changed_is_refused(people):
    play(*people[:2], [4])
    assert "changed" in problem(people[1].do("move", ply=0, action=0), 409)


def test_a_game_ends_with_a_winner_and_a_point(people):
    play(*people[:2], TOP_ROW)
    seen = people[1].see()
    assert (seen["winner"], seen["won"], seen["drawn"]) == (0, [1, 0], 0)
    assert problem(people[1].move(5)) == "the game is over"


def test_whoever_resigns_loses(people):
    people[0].do("resign")
    assert (people[1].see()["winner"], people[1].see()["resigned"]) == (1, 0)
    assert problem(people[1].do("resign")) == "the game is over"


def test_an_undo_needs_consent_and_takes_back_to_the_own_last_move(people):
    host, friend, _ = people
    play(host, friend, [4, 0])
    host.do("undo")
    assert host.see()["offer"] == {"what": "undo", "by": 0}
    assert host.see()["actions"] == [4, 0]
    friend.do("undo")
    assert (host.see()["actions"], host.see()["offer"]) == ([], None)


def test_asking_twice_is_no_consent(people):
    host, friend, _ = people
    play(host, friend, [4, 0])
    host.do("undo")
    host.do("undo")
    assert host.see()["actions"] == [4, 0]


def test_an_undo_is_declined_or_forgotten_with_the_next_move(people):
    host, friend, _ = people
    play(host, friend, [4, 0])
    for end in (lambda: friend.do("decline"), lambda: host.move(8)):
        host.do("undo")
        end()
        assert host.see()["offer"] is None


def test_whoever_has_not_moved_cannot_ask_for_an_undo(people):
    people[0].move(4)
    assert "not moved" in problem(people[1].do("undo"))


def test_whoever_has_not_moved_can_agree_to_an_undo(people):
    host, friend, _ = people
    play(host, friend, [4])
    host.do("undo")
    friend.do("undo").raise_for_status()
    assert host.see()["actions"] == []


def test_a_lost_game_can_be_taken_back_by_consent(people):
    host, friend, _ = people
    play(host, friend, TOP_ROW)
    friend.do("undo")
    host.do("undo")
    assert (host.see()["actions"], host.see()["result"]) == (TOP_ROW[:3], "")
    assert host.see()["won"] == [0, 0]


def test_a_rematch_needs_consent_and_exchanges_the_seats(people):
    host, friend, _ = people
    assert "not over" in problem(host.do("rematch"))
    play(host, friend, TOP_ROW)
    friend.do("rematch")
    host.do("rematch")
    seen = host.see()
    assert (seen["you"], seen["actions"], seen["round"], seen["names"]) == (1, [], 2, ["", "Ada"])
    assert seen["won"] == [0, 1]  # the maker, who is second now, has won a round
    friend.move(4).raise_for_status()


def test_chance_draws_by_itself_after_a_move(ask):
    host = Person(ask, ask.post("rooms", json={"game": "pig"}).json()["key"])
    actions = host.see()["actions"]
    view = ask.get("position", params={"game": "pig"}).json()
    for action in actions:
        view = ask.get("position", params={"game": "pig", "at": view["at"], "action": action}).json()
    assert view["player"] < 2
    before = len(actions)
    roll = next(one["action"] for one in view["actions"] if "roll" in one["name"].lower())
    mover = host if host.see()["you"] == view["player"] else Person(ask, host.see()["join"])
    mover.do("move", ply=before, action=roll).raise_for_status()
    assert len(host.see()["actions"]) >= before + 2


def test_a_room_begins_where_its_maker_says(ask):
    made = ask.post("rooms", json={"game": GAME, "start": "XX./OO./...", "player": 1}).json()
    assert Person(ask, made["key"]).see()["you"] == 1
    assert "over" in problem(ask.post("rooms", json={"game": GAME, "start": "XXX/OO./..."}))


def test_a_key_that_nobody_has_given_finds_nothing(ask):
    assert ask.get(f"rooms/{'x' * 22}").status_code == 404
    assert ask.get(f"rooms/{'x' * 22}/stream").status_code == 404


def test_rooms_survive_a_restart_of_the_server(web_home):  # noqa: F811
    with serving() as address:
        key = httpx.post(f"{address}api/rooms", json={"game": GAME}).json()["key"]
        httpx.post(f"{address}api/rooms/{key}", json={"do": "move", "ply": 0, "action": 4})
    with serving() as address:
        assert httpx.get(f"{address}api/rooms/{key}").json()["actions"] == [4]


@pytest.fixture
def two_servers(home):
    """What two servers keep of rooms in one folder."""
    servers = Rooms(), Rooms()
    yield servers
    for server in servers:
        server.close()


def test_a_room_that_two_servers_know_loses_no_change(two_servers):
    here, there = two_servers
    host, friend, _ = here.create(GAME, "", 0, "Ada").keys
    for server in (here, there, there, here):
        server.change(host, lambda room, person: room._replace(actions=(*room.actions, len(room.actions))))
    assert there.find(friend).actions == here.find(friend).actions == (0, 1, 2, 3)


def test_a_room_that_another_server_has_deleted_is_gone(two_servers):
    here, there = two_servers
    room = here.create(GAME, "", 0, "Ada")
    assert there.is_invited(room.keys[1])
    there.remove(room.id)
    with pytest.raises(MissingError):
        here.change(room.keys[0], lambda room, person: room)
    assert here.latest() == there.latest() == []


def test_a_change_that_is_refused_changes_nothing(two_servers):
    here, there = two_servers
    room = here.create(GAME, "", 0, "Ada")

    def refused(room, person):
        raise LudusError("not now")

    with pytest.raises(LudusError, match="not now"):
        here.change(room.keys[0], refused)
    assert there.change(room.keys[0], lambda room, person: room._replace(resigned=0)).resigned == 0


class Follower:
    """What somebody receives who follows a room."""

    def __init__(self, ask, key):
        self.received = []
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self._follow, args=(ask, key), daemon=True)
        self.thread.start()

    def _follow(self, ask, key):
        with httpx.stream("GET", f"{ask.base_url}rooms/{key}/stream", timeout=30) as stream:
            for line in stream.iter_lines():
                if line.startswith("data: "):
                    self.received.append(json.loads(line[6:]))
                if self.stop.is_set():
                    return

    def wait(self, condition):
        end = time.monotonic() + 20
        while not any(map(condition, list(self.received))):
            assert time.monotonic() < end, self.received
            time.sleep(0.01)


def test_a_move_arrives_live_at_the_other_and_at_those_who_watch(people, ask):
    host, friend, watcher = people
    followers = [Follower(ask, one.key) for one in (friend, watcher)]
    for follower in followers:
        follower.wait(lambda view: view["actions"] == [])
    host.move(4)
    for follower in followers:
        follower.wait(lambda view: view["actions"] == [4])
        follower.stop.set()


def test_who_is_there_is_shown_while_the_page_is_open(people, ask):
    host, friend, watcher = people
    assert host.see()["here"] == [False, False]
    follower, other = Follower(ask, friend.key), Follower(ask, watcher.key)
    follower.wait(lambda view: view["here"] == [False, True])
    follower.wait(lambda view: view["watching"] == 1)
    for one in (follower, other):
        one.stop.set()
    host.move(4)  # the next line ends the streams
    for one in (follower, other):
        one.thread.join(20)
    end = time.monotonic() + 20
    while host.see()["here"] != [False, False]:
        assert time.monotonic() < end
        time.sleep(0.05)
