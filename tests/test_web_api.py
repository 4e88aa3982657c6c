"""The API of the page: games, hints, moves, saved games, and what it refuses."""

import asyncio
import json
import os
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import NamedTuple

import httpx
import pytest
from conftest import TESTS
from web_server import server, serving, web_home  # noqa: F401

from ludus import catalog
from ludus.agents.agent import Level
from ludus.learning.runs import train
from ludus.web import computing, guard
from ludus.web.access import Access
from ludus.web.api import agents, solutions
from ludus.web.jobs import JobQueue

GAME = "tic-tac-toe"
LARGE, UNBOOKED = "connect-four", "connect-four(width=8, height=6)"  # both searched, one without a book


@pytest.fixture(scope="module")
def ask(server):  # noqa: F811
    with httpx.Client(base_url=f"{server}api/", timeout=60) as client:
        yield client


@pytest.fixture(scope="module")
def run(web_home):  # noqa: F811
    return train(GAME, "q-table", games=2000, grade="no", eval_against="none", out=web_home / "runs" / "learned")


def patient(ask, path, **query):
    """The response once the work is done."""
    end = time.monotonic() + 60
    while (answer := ask.get(path, params=query).json())["state"] == "working":
        assert time.monotonic() < end, answer
        time.sleep(0.05)
    return answer


def problem(answer):
    assert answer.status_code == 400, answer.text
    assert "\n" not in answer.json()["detail"]
    return answer.json()["detail"]


# ---- games and positions ----


def test_every_listed_game_can_be_shown_and_its_tutorial_read(ask):
    for card in ask.get("games").json():
        view = ask.get("game", params={"game": card["name"]}).json()
        assert view["game"] == card["name"]
        assert view["rules"][0]["words"]
        assert ask.get("position", params={"game": card["name"], "at": view["start"]}).json()["actions"]


def test_boards_hold_no_style_of_their_own_because_the_policy_forbids_it(ask):
    for card in ask.get("games").json():
        assert "style" not in card["svg"]


def test_a_position_after_an_action_is_shown(ask):
    view = ask.get("position", params={"game": GAME, "action": 4}).json()
    assert (view["at"], view["player"], view["over"]) == (".../.X./...", 1, False)


def test_an_ended_game_has_a_result(ask):
    view = ask.get("position", params={"game": GAME, "at": "XXX/OO./..."}).json()
    assert view["over"]
    assert view["result"] == {"score": 1, "winner": 0, "words": "Crosses won."}


def test_an_action_that_is_not_allowed_is_refused(ask):
    assert "not allowed" in problem(ask.get("position", params={"game": GAME, "at": ".../.X./...", "action": 4}))


def test_parameters_make_a_variant_under_its_own_name(ask):
    view = ask.get("game", params={"game": "mancala( stones = 2,holes=3)"}).json()
    assert view["game"] == "mancala(holes=3, stones=2)"
    assert view["parameters"]["stones"] == "2"


def test_games_from_files_are_offered_when_the_server_gets_them(web_home):  # noqa: F811
    own = catalog.make_game(str(TESTS / "user_games" / "nim.py"))
    with serving([("own", own)]) as address:
        view = httpx.get(f"{address}api/game", params={"game": "own(a=5)"}).json()
    assert (view["name"], view["game"]) == ("own", "own(a=5)")


def test_the_variants_that_the_server_gets_are_in_the_list_of_games(web_home):  # noqa: F811
    nim = str(TESTS / "user_games" / "nim.py")
    with serving([("own", catalog.make_game(f"{nim}(a=5)")), ("own", catalog.make_game(f"{nim}(b=1)"))]) as address:
        cards = httpx.get(f"{address}api/games").json()[-2:]
    assert [(card["name"], card["game"], card["title"]) for card in cards] == [
        ("own", "own(a=5)", "Own (a=5)"),
        ("own", "own(b=1)", "Own (b=1)"),
    ]


def test_a_variant_that_breaks_the_rules_is_refused_in_the_words_of_check(web_home, tmp_path):  # noqa: F811
    source = (
        (TESTS / "user_games" / "nim.py").read_text().replace("return pos.turn", "return 2 if self.a > 6 else pos.turn")
    )
    (tmp_path / "odd.py").write_text(source)
    with serving([("odd", catalog.make_game(str(tmp_path / "odd.py")))]) as address:
        found = httpx.get(f"{address}api/game", params={"game": "odd(a=7)"})
    assert "Nim.player at" in problem(found)


@pytest.mark.parametrize("name", catalog.GAMES.built_in)
def test_every_built_in_game_has_a_title(name):
    assert catalog.make_game(name).title[0].isupper()


def test_a_game_without_a_title_has_its_name_in_words(web_home):  # noqa: F811
    with serving([("take-away", catalog.make_game(str(TESTS / "user_games" / "nim.py")))]) as address:
        assert httpx.get(f"{address}api/games").json()[-1]["title"] == "Take away"


# ---- exact values ----


def test_hints_are_the_values_of_every_action_for_the_side_to_move(ask):
    hints = patient(ask, "hints", game=GAME, at="XX./OO./...")
    assert hints["value"] == {
        "outcome": "win", "own": 1, "score": 1, "plies": 1,
        "low": None, "high": None, "margin": False, "words": "win in 1",
    }  # fmt: skip
    assert hints["actions"]["2"]["outcome"] == "win"
    assert hints["actions"]["8"]["outcome"] == "loss"


@pytest.mark.slow
def test_values_of_a_game_that_ends_with_margins_are_all_shown_as_margins(ask):
    hints = patient(ask, "hints", game="mancala(holes=2, stones=2)")
    assert {abs(value["own"]) for value in hints["actions"].values()} & {0, 1}
    assert all(value["margin"] for value in hints["actions"].values())


def test_hints_of_a_searched_game_are_streamed_until_they_are_known(ask):
    found = [json.loads(line[6:]) for line in _lines(ask, game=LARGE, at=_late(ask)) if line.startswith("data: ")]
    assert found[-1]["state"] == "ready"
    assert all(value["low"] is None for value in found[-1]["actions"].values())
    assert any(update["state"] == "searching" for update in found)


def test_hints_that_time_does_not_suffice_for_have_bounds_and_say_that_they_are_not_proven(ask, monkeypatch):
    monkeypatch.setattr(solutions, "_HINT_SECONDS", 0.0)
    found = [json.loads(line[6:]) for line in _lines(ask, game=UNBOOKED) if line.startswith("data: ")]
    assert (found[-1]["state"], found[-1]["words"]) == ("ready", solutions.NOT_PROVEN)
    assert {(value["low"], value["high"]) for value in found[-1]["actions"].values()} == {(-1, 1)}


def _late(ask):
    """A position of connect four near its end."""
    view = ask.get("position", params={"game": LARGE}).json()
    for column in (0, 1, 0, 1, 1, 0, 2, 3, 2, 3, 3, 2, 4, 5, 4, 5, 5, 4, 0, 1, 0, 1, 1, 0, 2, 3, 2, 3, 3, 2):
        view = ask.get("position", params={"game": LARGE, "at": view["at"], "action": column}).json()
    return view["at"]


def _lines(ask, **query):
    with ask.stream("GET", "hints/stream", params=query) as answer:
        yield from answer.iter_lines()


def test_the_values_along_a_game_are_those_for_player_0(ask):
    patient(ask, "hints", game=GAME)
    found = ask.post("values", json={"game": GAME, "at": [".../.../...", "XX./OO./...", "XX./OO./X.."]}).json()
    assert [value["score"] for value in found["values"]] == [0, 1, -1]


def test_the_best_line_ends_with_the_end_of_the_game(ask):
    line = patient(ask, "line", game=GAME, at="XX./OO./...")
    assert [move["name"] for move in line["moves"]] == ["c3"]
    assert line["view"]["over"]


@pytest.mark.slow
def test_a_position_out_of_reach_is_solved_from_there(ask):
    hints = patient(ask, "hints", game="tapnswap", at="4-4 1-0 first")
    while hints["state"] == "working":
        hints = patient(ask, "hints", game="tapnswap", at="4-4 1-0 first")
    assert hints["value"]["outcome"] == "win"


@pytest.mark.slow
def test_canonical_forms_are_given_where_there_are_any(ask):
    assert patient(ask, "canonical-form", game="toads-and-frogs(toads=1, gaps=1, frogs=1)")["form"] == "*"
    assert patient(ask, "canonical-form", game=GAME)["state"] == "refused"


@pytest.mark.slow
def test_puzzles_have_one_winning_action(ask):
    puzzle = patient(ask, "puzzles", game=GAME)["puzzles"][0]
    assert [value["outcome"] for value in puzzle["actions"].values()].count("win") == 1


# ---- agents ----


def test_agents_and_their_levels_are_listed_from_the_catalogue(ask, monkeypatch):
    assert {one["name"] for one in ask.get("agents").json()} == set(catalog.agents()) - {"human"}

    class Own(NamedTuple):
        depth: int = 1

        @staticmethod
        def levels():
            return (Level(0.4, "Mine", "as deep as you like", {"depth": 3}),)

    monkeypatch.setattr(catalog, "agents", lambda known=catalog.agents(): known | {"own": Own})  # noqa: B008
    titles = [one["title"] for one in ask.get("opponents", params={"game": GAME}).json()]
    assert titles.index("Careful") < titles.index("Mine") < titles.index("Perfect")


@pytest.mark.slow
def test_opponents_range_from_random_over_runs_to_perfect(ask, run):
    agents = [one["agent"] for one in ask.get("opponents", params={"game": GAME}).json()]
    assert (agents[0], agents[-1]) == ("random", "perfect")
    assert "learned" in agents


@pytest.mark.parametrize("agent", ["random", "perfect", pytest.param("mcts(sims=10)", marks=pytest.mark.slow)])
def test_agents_answer_with_the_position_after_their_move(ask, agent):
    answer = ask.post("move", json={"game": GAME, "at": "XX./OO./...", "agent": agent}).json()
    assert answer["view"]["player"] == 1
    assert answer["name"]


def test_perfect_wins_when_it_can(ask):
    assert ask.post("move", json={"game": GAME, "at": "XX./OO./...", "agent": "perfect"}).json()["name"] == "c3"


@pytest.mark.slow
def test_a_run_evaluates_positions_now_and_at_its_checkpoints(ask, run):
    games = [one["games"] for one in ask.get("checkpoints", params={"run": "learned"}).json()]
    assert games == [200 * number for number in range(1, 11)]
    asked = {"game": GAME, "agent": "learned"}
    early, late = (ask.get("evaluation", params=asked | {"games": number}).json() for number in (200, 2000))
    now = ask.get("evaluation", params=asked).json()
    assert early["actions"] != late["actions"] == now["actions"]
    assert now["kind"] == "values"


@pytest.mark.slow
def test_tree_search_reports_its_visits(ask):
    evaluation = ask.get("evaluation", params={"game": GAME, "agent": "mcts(sims=50)"}).json()
    assert sum(one["visits"] for one in evaluation["actions"].values()) <= 50


@pytest.mark.slow
def test_the_worst_mistakes_of_an_agent_are_found(ask):
    found = patient(ask, "mistakes", game=GAME, agent="random")
    while found["state"] == "working":
        found = patient(ask, "mistakes", game=GAME, agent="random")
    assert found["mistakes"][0]["loss"] > 0
    assert found["mistakes"][0]["optimal"]


# ---- saved games ----


def test_a_game_is_saved_at_every_ply_and_found_by_another_server(web_home):  # noqa: F811
    with serving() as address, httpx.Client(base_url=f"{address}api/") as ask:
        saved = ask.post("saved-games", json={"game": GAME, "seats": ["person", "perfect"]}).json()
        progress = {"actions": [4, 0], "seats": ["person", "perfect"]}
        assert ask.put(f"saved-games/{saved['id']}", json=progress).json()["result"] == ""
    with serving() as address:
        again = httpx.get(f"{address}api/saved-games/{saved['id']}").json()
    assert (again["actions"], again["seats"]) == ([4, 0], ["person", "perfect"])


def test_a_saved_game_has_its_result(ask):
    saved = ask.post("saved-games", json={"game": GAME, "seats": ["person", "person"]}).json()
    path, seats = f"saved-games/{saved['id']}", ["person", "person"]
    assert ask.put(path, json={"actions": [0, 3, 1, 4, 2], "seats": seats}).json()["result"] == "Crosses won."
    resigned = ask.put(path, json={"actions": [0], "seats": seats, "resigned": 1}).json()
    assert resigned["result"] == "Noughts resigned: Crosses won."


def test_a_saved_game_with_an_action_that_is_not_allowed_is_refused(ask):
    saved = ask.post("saved-games", json={"game": GAME, "seats": ["person", "person"]}).json()
    answer = ask.put(f"saved-games/{saved['id']}", json={"actions": [0, 0], "seats": ["person", "person"]})
    assert "not allowed" in problem(answer)


def test_a_deleted_game_is_gone(ask):
    saved = ask.post("saved-games", json={"game": GAME, "seats": ["person", "person"]}).json()
    assert ask.delete(f"saved-games/{saved['id']}").status_code == 204
    assert ask.get(f"saved-games/{saved['id']}").status_code == 404


# ---- what is refused ----


@pytest.mark.parametrize("agent", ["cmd:./bot", "human", "./agent.py", "../runs/learned", "/etc/passwd", "x.py:Y"])
def test_programs_files_and_paths_are_refused(ask, agent):
    assert problem(ask.post("move", json={"game": GAME, "agent": agent}))


def test_a_search_as_large_as_the_memory_is_refused(ask):
    assert "20,000" in problem(ask.post("move", json={"game": GAME, "agent": "mcts(sims=9000000)"}))


@pytest.mark.parametrize("game", ["./nim.py", "/tmp/nim.py", "nim.py:Nim", "chess"])
def test_games_from_files_are_out_of_reach_of_the_page(ask, game):
    assert "there are: tic-tac-toe" in problem(ask.get("game", params={"game": game}))


@pytest.mark.parametrize("name", ["../learned", "..", ".", "a/b", "%2e%2e"])
def test_runs_are_found_by_their_ids_only(ask, name):
    assert ask.get("checkpoints", params={"run": name}).status_code in (404, 422)


def test_requests_of_other_sites_are_refused(ask):
    for headers in (
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "http://evil.example"},
    ):
        assert ask.get("hints", params={"game": GAME}, headers=headers).status_code == 403
        assert ask.post("move", json={"game": GAME, "agent": "random"}, headers=headers).status_code == 403


def test_another_name_for_this_machine_is_refused(ask):
    assert ask.get("games", headers={"host": "evil.example"}).status_code == 421


@pytest.mark.parametrize("host", ["192.168.1.5", "127.0.0.2", "[::1]", "1.1.1.1:8765"])
def test_an_address_at_which_a_request_did_not_arrive_is_refused(ask, host):
    assert ask.get("games", headers={"host": host}).status_code == 421


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("trainings/learned", '{"do": "pace", "pace": NaN}'),
        ("saved-games", '{"game": "tic-tac-toe", "seats": ["\\ud800", "random"]}'),
        ("move", '{"game": "\\udfff", "agent": "random"}'),
        ("values", '{"game": "tic-tac-toe", "at": ["\\ud800"]}'),
    ],
)
def test_what_is_no_number_or_no_text_is_refused_in_one_line(ask, path, body):
    found = ask.post(path, content=body, headers={"content-type": "application/json"})
    assert found.status_code == 422
    assert "\n" not in found.json()["detail"]


@pytest.mark.parametrize("headers", [{"host": "[::1"}, {"origin": "http://["}, {"host": "127.0.0.1.evil.example"}])
def test_what_is_no_address_is_refused(ask, headers):
    assert ask.get("games", headers=headers).status_code in (403, 421)


@pytest.mark.parametrize("at", ["9,9,9,9", "99999999999999999999,0,0,0", "-5,1,1,0", "1,1"])
def test_numbers_that_are_no_position_are_refused_in_one_line(web_home, at):  # noqa: F811
    own = catalog.make_game(str(TESTS / "user_games" / "nim.py"))
    with serving([("own", own)]) as address:
        assert problem(httpx.get(f"{address}api/position", params={"game": "own", "at": at}))


def test_a_large_request_is_refused(ask):
    assert ask.post("values", content=b"x" * 100_000).status_code == 413


def test_pages_may_load_nothing_but_their_own(server):  # noqa: F811
    policy = httpx.get(server).headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_too_many_requests_at_once_are_refused_until_some_time_has_gone_by(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(guard.time, "monotonic", lambda: now[0])
    watch = guard.Guard(None, Access())
    for _ in range(2 * guard.MOST_REQUESTS):
        watch._count("one")
    with pytest.raises(guard.Refused, match="too many"):
        watch._count("one")
    watch._count("another")
    now[0] = 1.0
    watch._count("one")


# ---- heavy questions ----


def test_heavy_questions_leave_room_for_light_ones_and_are_refused_if_too_many_wait(ask, server, monkeypatch):  # noqa: F811
    end, probabilities = threading.Event(), agents.probabilities
    question, many = {"game": GAME, "agent": "minimax(depth=1)"}, computing.MOST_WAITING + 20
    assert ask.post("move", json=question).status_code == 200
    monkeypatch.setattr(agents, "probabilities", lambda *args: end.wait(60) and probabilities(*args))
    with ThreadPoolExecutor(many) as pool:
        answers = [pool.submit(httpx.post, f"{server}api/move", json=question, timeout=60) for _ in range(many)]
        refused = next(as_completed(answers)).result()
        light = [ask.get(path, params={"game": GAME}, timeout=20).status_code for path in ("games", "hints", "runs")]
        end.set()
    assert (refused.status_code, "the server is busy" in refused.json()["detail"]) == (429, True)
    assert light == [200] * 3
    assert Counter(answer.result().status_code for answer in answers)[200] >= computing.MOST_WAITING


def test_threads_of_heavy_questions_and_of_jobs_give_way_to_light_ones():
    def niceness(*_):
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    jobs, heavy = JobQueue(), computing.Computing()
    assert jobs.submit("form", "niceness", niceness).done.result(20) is None
    assert jobs.find("form")[0].result > niceness()
    assert asyncio.run(heavy(niceness)) > niceness()
    for queue in (jobs, heavy):
        queue.close()


@pytest.mark.parametrize("game", [GAME, UNBOOKED])
def test_perfect_answers_while_a_game_is_being_solved_and_says_so(game, web_home, monkeypatch):  # noqa: F811
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.setattr(agents, "_SOON", 0.01)
    end, solve = threading.Event(), solutions.solve
    monkeypatch.setattr(solutions, "solve", lambda *args, **more: end.wait(60) and solve(*args, **more))
    question = {"game": game, "agent": "perfect"}
    with serving() as address:
        answer = httpx.post(f"{address}api/move", json=question, timeout=30).json()
        end.set()
    assert "not proven: the game is still being solved" in answer["words"]
    assert answer["action"] is not None


# ---- a saved game on two pages ----


@pytest.fixture
def saved(ask):
    return ask.post("saved-games", json={"game": GAME, "seats": ["person", "random"]}).json()


def continued(ask, saved, actions, since):
    body = {"actions": actions, "seats": saved["seats"], "since": since}
    return ask.put(f"saved-games/{saved['id']}", json=body)


def test_a_game_that_was_continued_elsewhere_is_not_overwritten(ask, saved):
    later = continued(ask, saved, [4], saved["changed"])
    assert later.status_code == 200
    refused = continued(ask, saved, [0], saved["changed"])
    assert (refused.status_code, ask.get(f"saved-games/{saved['id']}").json()["actions"]) == (409, [4])
    assert continued(ask, saved, [4, 0], later.json()["changed"]).status_code == 200


def test_of_many_who_continue_a_game_at_once_one_does(ask, saved):
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda action: continued(ask, saved, [action], saved["changed"]), range(8)))
    assert Counter(answer.status_code for answer in answers) == {200: 1, 409: 7}


def test_a_page_that_follows_a_saved_game_hears_of_every_change(ask, saved, server):  # noqa: F811
    with httpx.stream("GET", f"{server}api/saved-games/{saved['id']}/stream", timeout=30) as stream:
        heard = (json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: "))
        assert next(heard)["actions"] == []
        continued(ask, saved, [4], saved["changed"])
        assert next(heard)["actions"] == [4]
