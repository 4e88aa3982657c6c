"""Trainings from the page: started by its form, controlled, changed, stopped, resumed, and followed live."""

import json
import re
import time
from threading import Event

import httpx
import pytest
from conftest import TESTS
from trained import contents
from web_server import browser, plain_home, serving, watched_page  # noqa: F401

from ludus.catalog import make_game, make_learner
from ludus.learning.runs import read_run, train
from ludus.web import trainings
from ludus.web.api.trainings import _updates
from ludus.web.registry import Registry

pytestmark = pytest.mark.slow

GAME = "nim(a=2, b=2, c=1)"
ENDLESS = {"games": "100000000", "eval_every": "200", "eval_games": "4", "eval_against": "random"}


WIDE = """
from typing import NamedTuple

class Position(NamedTuple):
    turn: int

class Wide(NamedTuple):
    limit: int = 3
    num_actions = 60
    num_positions = 1 << 24

    def start(self): return Position(0)
    def player(self, pos): return pos.turn % 2
    def legal(self, pos): return int(pos.turn < self.limit)
    def play(self, pos, action): return Position(pos.turn + 1)
    def score(self, pos): return 1
    def index(self, pos): return pos.turn
    def position_at(self, index): return Position(index)
"""  # a game whose tables would take 12 GiB


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder for what is kept; rules run as plain Python, which needs no compiling."""
    with plain_home(tmp_path_factory) as folder:
        yield folder


@pytest.fixture(scope="module")
def address(home):
    (home / "wide.py").write_text(WIDE)
    files = {"nim": f"{TESTS}/user_games/nim.py", "wide": f"{home}/wide.py"}
    with serving([(name, make_game(file)) for name, file in files.items()]) as address:
        yield address


@pytest.fixture(scope="module")
def ask(address):
    with httpx.Client(base_url=f"{address}api/", timeout=60) as client:
        yield client


@pytest.fixture(autouse=True)
def stop_all(ask):
    yield
    for one in ask.get("trainings").json():
        ask.post(f"trainings/{one['run']}", json={"do": "stop"})
        until(ask, one["run"], lambda now: now["state"] in trainings.ENDED)


def started(ask, **settings):
    answer = ask.post("trainings", json={"game": GAME, "learner": "q-table", "settings": ENDLESS | settings})
    assert answer.status_code == 200, answer.text
    return answer.json()["run"]


def until(ask, run, is_so, seconds=60):
    end = time.monotonic() + seconds
    while not is_so(now := ask.get(f"trainings/{run}").json()):
        assert time.monotonic() < end, now
        time.sleep(0.03)
    return now


def order(ask, run, **what):
    answer = ask.post(f"trainings/{run}", json=what)
    assert answer.status_code == 200, answer.text


def problem(answer, status=400):
    assert answer.status_code == status, answer.text
    assert "\n" not in answer.json()["detail"]
    return answer.json()["detail"]


def updates(answer):
    """The events of a stream."""
    for line in answer.iter_lines():
        if line.startswith("data:"):
            yield json.loads(line.removeprefix("data:"))


def is_running(now):
    return now["state"] == "running" and now["games"] > 0


# ---- the form ----


def test_the_form_has_every_setting_with_its_meaning_and_presets_where_there_are_some(ask):
    form = ask.get("training-form", params={"game": "tic-tac-toe"}).json()
    learners = {one["name"]: one for one in form["learners"]}
    assert set(learners) >= {"q-table", "move-weights", "td-lambda", "dqn", "alphazero"}
    for one in [*form["plan"], *(setting for learner in learners.values() for setting in learner["settings"])]:
        assert one["help"], one
    assert [one["name"] for one in learners["q-table"]["presets"]] == ["perfect"]
    assert {one["name"] for one in learners["q-table"]["settings"] if one["changeable"]} >= {
        "epsilon",
        "alpha",
        "gamma",
    }
    kinds = {one["name"]: (one["kind"], one["choices"]) for one in form["plan"]}
    assert kinds["games"] == ("whole", [])
    assert kinds["grade"] == ("choice", ["auto", "yes", "no"])


# ---- control ----


def test_a_training_is_an_ordinary_run_with_the_same_bytes_as_one_from_the_command_line(ask, home, tmp_path):
    settings = {"games": "60", "eval_every": "20", "eval_games": "4", "eval_against": "random"}
    run = started(ask, **settings)
    now = until(ask, run, lambda now: now["state"] in trainings.ENDED)
    assert (now["state"], now["games"], now["planned"]) == ("finished", 60, 60)
    game = make_game(f"{TESTS}/user_games/nim.py(a=2, b=2, c=1)")
    assert contents(read_run(home / "runs" / run)) == contents(train(game, "q-table", out=tmp_path / "run", **settings))


def test_a_watched_training_starts_slowly_and_early_with_the_same_bytes_as_an_unwatched_one(ask, home, tmp_path):
    settings = {"games": "60", "eval_early": "true", "eval_every": "20", "eval_games": "4", "eval_against": "random"}
    asked = {"game": GAME, "learner": "q-table", "settings": settings, "slow_start": True}
    run, boards = ask.post("trainings", json=asked).json()["run"], []
    with ask.stream("GET", f"trainings/{run}/stream") as answer:
        for update in updates(answer):
            if update["board"]:
                boards.append(update["board"])
                if len(boards) == 4:
                    assert update["status"]["is_slow"]
                    order(ask, run, do="pace", pace=0)
    assert not update["status"]["is_slow"]
    assert update["status"]["state"] == "finished"
    games = [one["games"] for one in ask.get(f"runs/{run}").json()["evaluations"]]
    assert games == [1, 3, 10, 20, 40, 60]
    assert len({board["view"]["at"] for board in boards}) > 2
    for board in boards:
        legal = {one["action"] for one in board["view"]["actions"]}
        assert board["preferred"] in (legal or {None})
        assert {int(action) for action in board["actions"]} == legal
        if legal:
            best = max(value["own"] for value in board["actions"].values())
            assert board["is_optimal"] == (board["actions"][str(board["preferred"])]["own"] == best)
    game = make_game(f"{TESTS}/user_games/nim.py(a=2, b=2, c=1)")
    assert contents(read_run(home / "runs" / run)) == contents(train(game, "q-table", out=tmp_path / "run", **settings))


def test_a_training_pauses_steps_slows_down_and_continues(ask):
    run = started(ask)
    until(ask, run, is_running)
    order(ask, run, do="pause")
    paused = until(ask, run, lambda now: now["state"] == "paused")
    assert paused["saved"] == paused["games"]
    order(ask, run, do="step", games=3)
    stepped = until(ask, run, lambda now: now["state"] == "paused" and now["games"] > paused["games"])
    assert stepped["games"] == paused["games"] + 3
    order(ask, run, do="pace", pace=20)
    order(ask, run, do="go")
    time.sleep(1)
    slow = ask.get(f"trainings/{run}").json()
    assert slow["pace"] == 20
    assert 5 <= slow["games"] - stepped["games"] <= 40
    order(ask, run, do="pace", pace=0)
    until(ask, run, lambda now: now["games"] > slow["games"] + 100)


def test_a_stopped_training_is_resumed_from_where_it_was(ask):
    run = started(ask)
    until(ask, run, is_running)
    order(ask, run, do="stop")
    stopped = until(ask, run, lambda now: now["state"] == "stopped")
    assert problem(ask.post(f"trainings/{run}", json={"do": "pause"})) == f"{run} is stopped: resume it first"
    assert ask.post(f"trainings/{run}/resume", json={}).status_code == 200
    assert until(ask, run, is_running)["games"] >= stopped["games"]


def test_a_stopped_run_shows_all_games_that_it_has_played_not_those_of_the_last_evaluation(ask):
    run = started(ask, eval_every="100000000")
    until(ask, run, is_running)
    order(ask, run, do="pause")
    until(ask, run, lambda now: now["state"] == "paused")
    order(ask, run, do="stop")
    now = until(ask, run, lambda now: now["state"] == "stopped")
    card = next(one for one in ask.get("runs").json() if one["run"] == run)
    assert (card["state"], card["games"]) == ("stopped", now["games"])
    assert now["games"] > 0


def test_a_finished_run_is_resumed_to_more_games(ask):
    run = started(ask, games="20", eval_every="10")
    until(ask, run, lambda now: now["state"] == "finished")
    refusal = problem(ask.post(f"trainings/{run}/resume", json={}))
    assert refusal == f"{run} is finished: give a larger number of games"
    ask.post(f"trainings/{run}/resume", json={"games": 40})
    assert until(ask, run, lambda now: now["state"] == "finished")["games"] == 40


# ---- changes ----


def test_a_change_is_recorded_and_replayed_to_the_same_bytes(ask, home, tmp_path):
    settings = {"games": "600", "eval_every": "100", "eval_games": "4"}
    run = started(ask, **settings)
    order(ask, run, do="pace", pace=1000)
    until(ask, run, is_running)
    order(ask, run, do="change", settings={"epsilon": "0.75", "gamma": "0.5"})
    changed = until(ask, run, lambda now: now["changes"])
    assert (changed["now"]["epsilon"], changed["now"]["gamma"]) == ("0.75", "0.5")
    order(ask, run, do="stop")
    until(ask, run, lambda now: now["state"] in trainings.ENDED)
    ask.post(f"trainings/{run}/resume", json={})
    until(ask, run, lambda now: now["state"] == "finished")
    made = read_run(home / "runs" / run)
    assert re.fullmatch(r"epsilon=0.75@(\d+),gamma=0.5@\1", str(made.plan.changes))
    game = make_game(f"{TESTS}/user_games/nim.py(a=2, b=2, c=1)")
    again = train(game, "q-table", out=tmp_path / "run", changes=str(made.plan.changes), **ENDLESS | settings)
    assert contents(made) == contents(again)
    found = ask.get(f"runs/{run}").json()["changes"]
    assert [(one["name"], one["value"]) for one in found] == [("epsilon", "0.75"), ("gamma", "0.5")]


def test_an_invalid_change_is_reported_and_the_training_continues(ask):
    run = started(ask)
    before = until(ask, run, is_running)
    order(ask, run, do="change", settings={"gamma": "7"})
    now = until(ask, run, lambda now: now["problem"])
    assert now["problem"] == "QTable: gamma must be 0 to 1, not 7"
    assert now["changes"] == []
    until(ask, run, lambda now: now["games"] > before["games"] + 200)


# ---- what is refused ----


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ({"game": "chess"}, "no game is called 'chess'"),
        ({"game": f"{TESTS}/user_games/nim.py"}, "no game is called"),
        ({"learner": "genius"}, "no learner is called 'genius'; there are: "),
        ({"learner": f"{TESTS}/trained.py:Bold"}, "no learner is called"),
        ({"preset": "perfect"}, "no preset perfect is known for q-table"),
        ({"settings": {"games": "many"}}, "games must be a whole number, not 'many'"),
        ({"settings": {"colour": "red"}}, "q-table has no setting colour"),
        ({"settings": {"opponent": "cmd:touch /tmp/started"}}, "is not allowed on the page"),
        ({"settings": {"opponent": "random:5,/etc/passwd"}}, "is not allowed on the page"),
        ({"settings": {"eval_against": "../run"}}, "is not allowed on the page"),
        ({"settings": {"opponent": "human"}}, "is not allowed on the page"),
    ],
)
def test_what_a_page_may_not_train_is_refused_in_one_line(ask, what, words):
    asked = {"game": GAME, "learner": "q-table", "settings": {}} | what
    assert words in problem(ask.post("trainings", json=asked))


def test_a_run_to_initialise_from_is_named_by_its_id_only(ask):
    asked = {"game": GAME, "learner": "q-table", "settings": {"init_from": "/etc"}}
    assert problem(ask.post("trainings", json=asked), 404) == "there is no run '/etc'"


def test_what_the_learner_refuses_is_reported_and_leaves_no_run(ask, home):
    run = started(ask, init_from="none", opponent="twin", seats="first", forbid="first:action Fly")
    now = until(ask, run, lambda now: now["state"] in trainings.ENDED)
    assert (now["state"], "Fly" in now["words"]) == ("refused", True)
    assert not (home / "runs" / run).exists()


def test_a_training_that_takes_more_memory_than_it_may_have_is_ended_with_a_message(ask):
    run = ask.post("trainings", json={"game": "wide", "learner": "q-table", "settings": {"grade": "no"}}).json()["run"]
    now = until(ask, run, lambda now: now["state"] in trainings.ENDED)
    assert (now["state"], now["words"]) == ("refused", "it takes more than 4 GiB of memory")


def test_the_number_of_active_trainings_is_bounded(ask):
    for _ in range(trainings.MOST_ACTIVE):
        started(ask)
    answer = ask.post("trainings", json={"game": GAME, "learner": "q-table", "settings": ENDLESS})
    assert problem(answer, 429) == f"{trainings.MOST_ACTIVE} trainings are active already: stop one first"


def test_another_site_cannot_start_or_control_a_training(ask, address):
    theirs = {"origin": "http://evil.example", "sec-fetch-site": "cross-site"}
    assert ask.post("trainings", json={"game": GAME, "learner": "q-table"}, headers=theirs).status_code == 403
    assert all(one["state"] in trainings.ENDED for one in ask.get("trainings").json())


def test_only_a_training_of_this_server_can_be_controlled(ask):
    assert problem(ask.post("trainings/nobody", json={"do": "stop"}), 404) == "'nobody' is not being trained"
    assert ask.get("trainings/..%2F..%2Fetc").status_code in (404, 422)


def test_trainings_stop_with_the_server_and_can_be_resumed(home):
    games = [("nim", make_game(f"{TESTS}/user_games/nim.py"))]
    with serving(games) as address, httpx.Client(base_url=f"{address}api/", timeout=60) as client:
        run = started(client)
        until(client, run, is_running)
    made = read_run(home / "runs" / run)
    assert not made.is_finished
    assert made.parameters()[1] > 0


# ---- live ----


def test_a_stream_sends_all_evaluations_and_then_each_new_one(ask):
    run = started(ask)
    until(ask, run, is_running)
    seen = []
    with ask.stream("GET", f"trainings/{run}/stream") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        for update in updates(answer):
            assert update["begin"] == len(seen)
            seen += update["evaluations"]
            if len(seen) > 3:
                break
    assert [one["games"] for one in seen[:3]] == [200, 400, 600]
    assert all(0 <= one["accuracy"] <= 1 and "random" in one["against"] for one in seen)


def test_a_stream_sends_the_end_of_a_training_that_ends_while_it_sends_the_state_before(tmp_path):
    found = trainings.TrainingProcess(tmp_path / "run", make_game("tic-tac-toe"), make_learner("q-table"))
    found._receive({"state": "running", "games": 5})
    stream = _updates(found, Registry(), Event())
    assert next(stream).status.state == "running"
    found._receive({"state": "finished", "games": 6})
    assert next(stream).status.state == "finished"
    assert list(stream) == []


def test_a_person_trains_an_agent_in_the_page_and_plays_against_it(browser, address):  # noqa: F811
    with watched_page(browser) as page:
        page.goto(f"{address}#/train?game=nim")
        page.get_by_text("Rules").click()
        page.get_by_label("A", exact=True).fill("2")
        page.locator("[data-setting=games]").fill("100000000")
        page.get_by_text("More settings of the training").click()
        page.locator("[data-setting=eval_every]").fill("150")
        page.get_by_role("button", name="Start training").click()
        page.wait_for_url("**/#/training?run=nim**")
        curve = page.locator("figure", has_text="Optimal decisions").locator(".curve")
        curve.wait_for()
        points = curve.get_attribute("points")
        page.wait_for_function(
            "points => document.querySelector('.curve').getAttribute('points') !== points", arg=points
        )
        page.get_by_role("button", name="Pause").click()
        page.get_by_text("Paused", exact=True).wait_for()
        page.locator("[data-setting=epsilon]").fill("0.6")
        page.get_by_role("button", name="Apply").click()
        page.get_by_text("epsilon = 0.6", exact=True).wait_for()
        page.get_by_role("button", name="Step one game").click()
        page.get_by_role("button", name="Continue").click()
        page.get_by_text("Learning", exact=True).wait_for()
        page.get_by_role("button", name="Play against it").click()
        page.wait_for_url("**/#/play?**agent=nim**")
        page.get_by_role("heading", name="Players").wait_for()
        assert "nim" in page.locator("output.chosen strong").inner_text()
        page.go_back()
        page.get_by_role("button", name="Stop").click()
        page.get_by_role("button", name="Resume").wait_for()


def test_a_person_watches_the_board_move_and_an_evaluation_appear(browser, address):  # noqa: F811
    with watched_page(browser) as page:
        page.goto(f"{address}#/train?game=nim")
        page.locator("[data-setting=games]").fill("300")
        page.get_by_role("button", name="Start training").click()
        page.wait_for_url("**/#/training?run=nim**")
        board = page.locator(".training-board")
        board.locator(".target.pointed").first.wait_for()
        board.locator(".badge-mark").first.wait_for()
        board.get_by_text(re.compile("^The agent prefers")).wait_for()
        before = board.locator("svg").inner_html()
        page.wait_for_function(
            "before => document.querySelector('.training-board svg').innerHTML !== before", arg=before
        )
        page.get_by_text("slow at first, so that").wait_for()
        page.locator("dl.facts", has_text="After").get_by_text(re.compile(r"^1 game$|^3 games$")).first.wait_for()
        board.get_by_role("button", name="Full speed now").click()
        page.get_by_text("Finished", exact=True).wait_for()


def test_the_values_of_a_position_too_large_to_grade_are_searched_when_a_person_pauses(browser, address):  # noqa: F811
    with watched_page(browser) as page:
        page.goto(f"{address}#/train?game=nim")
        page.locator("[data-setting=games]").fill("100000")
        page.get_by_text("More settings of the training").click()
        page.locator("[data-setting=grade]").select_option("no")
        page.get_by_role("button", name="Start training").click()
        board = page.locator(".training-board")
        board.get_by_text("too large to be solved beforehand").wait_for()
        assert board.locator(".badge-mark").count() == 0
        page.get_by_role("button", name="Pause").click()
        page.get_by_text("Paused", exact=True).wait_for()
        while board.locator(".target.pointed").count() == 0:  # the game was over there
            page.get_by_role("button", name="Continue").click()
            page.get_by_role("button", name="Pause").click()
            page.get_by_text("Paused", exact=True).wait_for()
        board.locator(".badge-mark").first.wait_for()


def test_a_training_cannot_be_started_before_its_form_is_there(browser, address):  # noqa: F811
    with watched_page(browser) as page:
        held = []
        page.route("**/api/training-form**", lambda route: held.append(route))
        with page.expect_request("**/api/training-form**"):
            page.goto(f"{address}#/train?game=nim")
        start = page.get_by_role("button", name="Start training")
        start.wait_for()
        assert start.is_disabled()
        held.pop().continue_()
        page.locator("[data-setting=games]").wait_for()
        assert start.is_enabled()


def test_a_mistake_in_the_form_is_shown_beside_the_button(browser, address):  # noqa: F811
    with watched_page(browser, refusals=True) as page:
        page.goto(f"{address}#/train?game=nim")
        page.locator("[data-setting=games]").fill("many")
        with page.expect_response("**/api/trainings"):
            page.get_by_role("button", name="Start training").click()
        page.get_by_text("games must be a whole number").wait_for()


def test_a_lost_connection_is_shown_and_after_a_restart_the_run_can_be_resumed(browser, home):  # noqa: F811
    games = [("nim", make_game(f"{TESTS}/user_games/nim.py"))]
    context = browser.new_context()  # the browser itself reports what the server does not answer
    page = context.new_page()
    with serving(games) as address:
        with httpx.Client(base_url=f"{address}api/", timeout=60) as client:
            run = started(client)
            until(client, run, is_running)
        page.goto(f"{address}#/training?run={run}")
        page.wait_for_selector("text=Pause")
    page.wait_for_selector("text=The connection is lost", timeout=60_000)
    assert page.get_by_role("button", name="Pause").count() == 0
    with serving(games, port=int(address.rstrip("/").rpartition(":")[2])):
        page.get_by_role("button", name="Resume").click(timeout=60_000)
        page.get_by_role("button", name="Pause").wait_for(timeout=60_000)
        context.close()
