"""`ludus grade`, `prove`, `puzzle`, `book` and `play --hints` through their real entry points."""

import json
import shlex
import subprocess
import sys

import pytest
from test_play import ludus_with_input

from ludus.solving.book_building import DEFAULT_PLIES

OVER = """
from typing import NamedTuple

class Position(NamedTuple):
    number: int

class Over(NamedTuple):
    def start(self):
        return Position(0)

    def player(self, pos):
        return 0

    def legal(self, pos):
        return 0

    def play(self, pos, action):
        return pos

    def score(self, pos):
        return 3
"""
TINY = "mancala(holes=2, stones=2)"
FIRST_BOT = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"action": json.loads(line)["legal"][0]}), flush=True)
"""


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    """These games are small: plain Python is done with them before anything is compiled."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")


@pytest.fixture
def compiled(monkeypatch):
    monkeypatch.delenv("NUMBA_DISABLE_JIT")


@pytest.fixture
def json_of(ludus):
    """Run a command with --json: returns its document."""

    def run(*arguments, **environment):
        done = ludus(*arguments, "--json", **environment)
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)

    return run


@pytest.fixture
def bot(tmp_path):
    """A program that always takes the first action."""
    path = tmp_path / "bot.py"
    path.write_text(FIRST_BOT)
    return f"cmd:{sys.executable} {path}"


# ---- grade ----


def test_a_grade_counts_decisions_and_blunders_and_gives_the_guarantee(json_of):
    document = json_of("grade", "first", "tapnswap")
    counted = {key: document[key] for key in ("agent", "game", "method", "positions", "decisions", "optimal")}
    assert counted == {
        "agent": "first",
        "game": "tapnswap",
        "method": "listed",
        "positions": 1116,
        "decisions": 620,
        "optimal": 320,
    }
    assert document["blunders"] == {"win_to_draw": 22, "win_to_loss": 238, "draw_to_loss": 40}
    assert document["guarantee"] == {seat: {"result": "loss", "score": -1} for seat in ("first", "second")}
    assert document["exploitability"] == {"first": 0, "second": 2}
    assert document["best_response"]["first"]["plies"] == len(document["best_response"]["first"]["line"]) == 6


@pytest.mark.slow
def test_perfect_keeps_the_value_of_every_position_of_tic_tac_toe(json_of, compiled):
    document = json_of("grade", "perfect", "tic-tac-toe")
    assert document["optimal"] == document["fastest"] == document["decisions"] == 3191
    assert document["guarantee"] == {seat: {"result": "draw", "score": 0} for seat in ("first", "second")}
    assert document["exploitability"] == {"first": 0, "second": 0}
    assert document["mistakes"] == []


def test_a_program_that_somebody_vouches_for_is_graded_like_its_twin(json_of, bot):
    unlike = {"agent": "", "seconds": 0}
    as_program, as_agent = json_of("grade", bot, TINY, "--vouch"), json_of("grade", "first", TINY)
    assert as_program["agent"] == bot
    assert as_program | unlike == as_agent | unlike


# ---- prove ----


def claims(document):
    return [(claim["player"], claim["result"], claim["at_least"]) for claim in document["claims"]]


def test_the_command_that_is_printed_checks_the_proof(json_of, tmp_path):
    document = json_of("prove", "tapnswap", "--out", str(tmp_path / "proof.json.gz"))
    assert claims(document) == [(1, "win", 1)]
    done = subprocess.run(shlex.split(document["check"]), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout[:7]) == (0, "holds: "), done.stderr


@pytest.mark.parametrize(
    ("seat", "proved"),
    [("first", [(0, "win", 2)]), ("second", [(1, "loss", -2)]), ("both", [(0, "win", 2), (1, "loss", -2)])],
)
def test_without_an_agent_the_seat_says_whose_strategy_is_proved(json_of, tmp_path, seat, proved):
    assert claims(json_of("prove", TINY, "--seat", seat, "--out", str(tmp_path / "proof.json"))) == proved


def test_an_agent_is_proved_in_its_seat_as_seen_from_the_position(json_of, tmp_path):
    arguments = ("--agent", "first", "--seat", "second", "--from", "X.X/.O./X.O")  # crosses have two threats
    document = json_of("prove", "tic-tac-toe", *arguments, "--out", str(tmp_path / "proof.json"))
    assert (document["agent"], document["from"], claims(document)) == ("first", "X.X/.O./X.O", [(0, "win", 1)])
    assert (document["claims"][0]["answers"], document["claims"][0]["positions"]) == (4, 9)


def test_a_program_that_somebody_vouches_for_is_proved(json_of, bot, tmp_path):
    document = json_of("prove", TINY, "--agent", bot, "--vouch", "--out", str(tmp_path / "proof.json"))
    assert (document["agent"], claims(document)) == (bot, [(0, "loss", -1)])


# ---- what is refused ----


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["grade", "human", TINY], "may remember earlier moves"),
        (["grade", "cmd:./bot", TINY], "cmd:./bot may remember earlier moves; say --vouch if it does not remember"),
        (["prove", TINY, "--agent", "cmd:./bot"], "say --vouch if it does not remember"),
        (["prove", TINY, "--vouch"], "--vouch is for an outside program: name it with --agent"),
        (["prove", TINY, "--agent", "first", "--seat", "both"], "say --seat first or --seat second"),
        (["prove", "mancala", "--out", "/nowhere/proof.json"], "/nowhere/proof.json cannot be written"),
        (["book", "tapnswap", "--plies", "40"], "cannot be searched"),
    ],
)
def test_what_cannot_be_done_is_reported_in_one_line(ludus, arguments, words):
    done = ludus(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("ludus: ")
    assert done.stderr.count("\n") == 1
    assert words in done.stderr


def test_no_hint_to_vouch_is_given_where_it_would_not_help(ludus):
    assert "--vouch" not in ludus("grade", "human", TINY).stderr


# ---- puzzle, book, play ----


def test_puzzles_go_from_easy_to_hard(json_of):
    document = json_of("puzzle", TINY)
    assert (document["game"], document["seed"]) == (TINY, 0)
    positions = [puzzle["position"] for puzzle in document["puzzles"]]
    assert len(set(positions)) == 4
    opening = document["puzzles"][positions.index("2 2 (0) / 2 2 (0) South")]
    assert (opening["player"], opening["name"], opening["plies"]) == (0, "2", 2)
    efforts = [puzzle["simulations"] for puzzle in document["puzzles"]]
    assert efforts == sorted(efforts)


def test_puzzles_are_shown_with_their_solutions(ludus):
    done = ludus("puzzle", TINY, "--show")
    assert "South to move, 2 2 (0) / 2 2 (0) South" in done.stdout
    assert "2: win by 2 in 2, found by" in done.stdout


@pytest.mark.slow
def test_a_book_holds_all_positions_up_to_symmetry_and_is_kept(json_of, compiled, tmp_path):
    arguments = ("book", "connect-four(width=4, height=4)", "--plies", "2")
    document = json_of(*arguments, LUDUS_HOME=str(tmp_path))
    assert document == {"game": "connect-four(width=4, height=4)", "plies": 2, "nodes": 0, "positions": 1 + 2 + 8}
    assert any(tmp_path.rglob("*"))
    assert json_of(*arguments, LUDUS_HOME=str(tmp_path)) == document


def test_a_book_goes_as_deep_as_building_one_does_by_default(json_of, tmp_path):
    assert json_of("book", TINY, LUDUS_HOME=str(tmp_path))["plies"] == DEFAULT_PLIES


def test_a_game_that_is_over_at_its_start_has_nothing_to_work_out(ludus, tmp_path):
    path = tmp_path / "over.py"
    path.write_text(OVER)
    done = ludus("book", str(path), LUDUS_HOME=str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "ludus: Over is over at its start: there is nothing to search\n"


def test_hints_show_the_value_of_each_action():
    done = ludus_with_input("2\nquit\n", "play", TINY, "--hints", "--against", "first")
    assert "1 (loss in 9)   2 (win by 2 in 2)" in done.stdout
    assert "Goodbye." in done.stdout
