"""`ludus solve` through its real entry point."""

import json
import signal
import time

import pytest
from conftest import EXAMPLES, TESTS
from test_play import Terminal

from ludus import catalog
from ludus.commands import solve as command
from ludus.solving import alpha_beta, solver
from ludus.solving.value import Value

OPENING = {"value": "draw", "plies": 9, "score": 0}


UNLIKE = {"seconds": 0, "memory": 0}  # in every run


def solve(ludus, *arguments, **environment):
    """The document that `ludus solve --json` prints."""
    done = ludus("solve", *arguments, "--json", **environment)
    assert done.returncode == 0, done.stderr
    assert all(line.startswith("compiling") for line in done.stderr.splitlines())  # on a busy machine
    return json.loads(done.stdout)


def test_the_document_of_tic_tac_toe(ludus):
    document = solve(ludus, "tic-tac-toe", "--verify")
    assert document.pop("seconds") > 0
    assert document.pop("memory") > 0
    names = ["a3", "b3", "c3", "a2", "b2", "c2", "a1", "b1", "c1"]
    assert document == {
        "game": "tic-tac-toe",
        "params": {},
        "from": ".../.../...",
        "player": 0,
        "method": "listed",
        "symmetry": False,
        "positions": 5478,
        "terminal": 958,
        "wins": 2836,
        "losses": 1574,
        "draws": 1068,
        "value": "draw",
        "score": 0,
        "plies": 9,
        "longest": 5,
        "gap": None,
        "actions": [{"action": action, "name": name, **OPENING} for action, name in enumerate(names)],
        "verified": True,
    }


def test_values_are_for_the_side_to_move_and_scores_for_player_0(ludus):
    document = solve(ludus, "tic-tac-toe", "--from", "XX./OO./..X")
    assert (document["player"], document["value"], document["score"], document["plies"]) == (1, "win", -1, 1)
    actions = {entry["name"]: (entry["value"], entry["score"], entry["plies"]) for entry in document["actions"]}
    assert actions == {"c3": ("win", -1, 3), "c2": ("win", -1, 1), "a1": ("loss", 1, 2), "b1": ("loss", 1, 2)}


def test_an_ended_position_has_no_actions(ludus):
    document = solve(ludus, "tic-tac-toe", "--from", "XXX/OO./...")
    assert (document["value"], document["score"], document["plies"], document["actions"]) == ("loss", 1, 0, [])


def test_a_solution_up_to_symmetry_is_saved_and_loaded(ludus, tmp_path):
    path, again = tmp_path / "solution", tmp_path / "again"
    saved = solve(ludus, "tic-tac-toe", "--symmetry", "--save", str(path))
    assert (saved["positions"], saved["symmetry"], saved["value"]) == (765, True, "draw")
    loaded = solve(ludus, "tic-tac-toe", "--load", str(path))
    assert {**loaded, **UNLIKE} == {**saved, **UNLIKE}
    corner = solve(ludus, "tic-tac-toe", "--load", str(path), "--verify", "--from", "X../.O./..X", "--save", str(again))
    assert (corner["verified"], corner["value"], corner["player"], corner["positions"]) == (True, "draw", 1, None)
    assert again.read_bytes() == path.read_bytes()


def test_parameters_are_numbers_truth_values_and_words(ludus):
    document = solve(ludus, "mancala(holes=2, stones=2, capture=empty)", NUMBA_DISABLE_JIT="1")
    params = {name: document["params"][name] for name in ("holes", "stones", "capture")}
    assert params == {"holes": 2, "stones": 2, "capture": "empty"}
    document = solve(ludus, f"{TESTS}/user_games/nim.py(a=1, b=1, c=1, misere=true)", NUMBA_DISABLE_JIT="1")
    assert document["params"]["misere"] is True


def test_symmetry_changes_nothing_in_a_game_that_has_none(ludus):
    document = solve(ludus, f"{TESTS}/user_games/nim.py(a=1, b=1, c=1)", "--symmetry", NUMBA_DISABLE_JIT="1")
    assert (document["symmetry"], document["positions"]) == (False, 8)


def test_where_chance_plays_scores_are_expected_and_nothing_is_won(ludus):
    document = solve(ludus, str(EXAMPLES / "pig.py(target=8, faces=4)"))
    unknown = ("wins", "losses", "draws", "longest", "value", "plies")
    assert [document[key] for key in unknown] == [None] * len(unknown)
    assert 0 < document["score"] < 1
    assert 0 <= document["gap"] < 1e-6


def test_a_proof_finds_who_wins_without_counting_plies(ludus):
    document = solve(ludus, "tic-tac-toe", "--method", "proof", "--from", "XX./OO./..X", NUMBA_DISABLE_JIT="1")
    assert (document["method"], document["value"], document["score"], document["plies"]) == ("proof", "win", -1, None)
    assert (document["positions"], document["longest"]) == (None, None)
    actions = {entry["name"]: (entry["value"], entry["score"], entry["plies"]) for entry in document["actions"]}
    assert actions == dict.fromkeys(("c3", "c2"), ("win", -1, None)) | dict.fromkeys(("a1", "b1"), ("loss", 1, None))


def test_people_see_that_a_proof_counts_no_plies(ludus):
    done = ludus("solve", "tic-tac-toe", "--method", "proof", "--from", "XX./OO./...", NUMBA_DISABLE_JIT="1")
    headline, cost, *_ = done.stdout.splitlines()
    assert headline == "tic-tac-toe: Crosses, to move, can force a win"
    assert cost.startswith("Proof-number and alpha-beta search, plies not counted: ")


@pytest.mark.parametrize(("patience", "method", "plies"), [(1 << 20, "search", 5), (10, "proof", None)])
def test_auto_finds_who_wins_where_counting_plies_takes_long(plain, home, monkeypatch, patience, method, plies):
    monkeypatch.setattr(solver, "PATIENCE", patience)
    monkeypatch.setattr(alpha_beta, "SLICE", 10)
    monkeypatch.setattr(solver._Enumeration, "explore", lambda *_, **__: None)  # as if there were too many positions
    game = catalog.make_game("tic-tac-toe")
    report = command.solved(game, game.parse_position("XO./.../..."), command.Options("tic-tac-toe"))
    assert (report.method, report.value) == (method, Value(1, plies))


def test_people_see_who_wins_and_the_value_of_each_action(ludus):
    done = ludus("solve", "tapnswap", COLUMNS="200")
    assert done.stderr == ""
    headline, counted, side_to_move, cost, _, *table = done.stdout.splitlines()
    assert headline == "tapnswap: Second can force a win in 26 plies"
    assert counted == "1,116 positions, 48 terminal; longest win 33 plies."
    assert side_to_move == "Side to move: 744 won, 320 lost, 52 drawn."
    assert cost.startswith("Retrograde analysis: ")
    assert [line.split("  ")[-1].strip() for line in table[1:]] == ["loss in 26", "loss in 16"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["tic-tac-toe", "--from", "XX"], "'XX' is no board of three by three"),
        (["tic-tac-toe", "--load", "nowhere"], "nowhere cannot be read: No such file or directory"),
        (["tic-tac-toe", "--load", __file__], "is no solution that this version of Ludus reads"),
        (["tic-tac-toe", "--save", f"{__file__}/solution"], "cannot be written: there is no folder"),
        (["tic-tac-toe", "--memory", "nan"], "Invalid value for '--memory': nan is no number to count with"),
        (["mancala", "--method", "proof"], "Mancala cannot be searched for proofs: its scores are margins"),
        (["chung-toi", "--method", "proof"], "ChungToi cannot be searched for proofs: play can come back to"),
        (["tic-tac-toe", "--method", "proof", "--verify"], "only what is listed can be verified or saved"),
        (["chung-toi", "--memory", "0.01", "--disk", "0"], "with 0 kB to use; likely"),
        (["tic-tac-toe", "--load", "file", "--symmetry"], "--load reads what is there: --symmetry, --method"),
        (["tic-tac-toe", "--load", "file", "--method", "search"], "--load reads what is there"),
        (["tic-tac-toe", "--load", "file", "--memory", "1"], "--load reads what is there"),
    ],
)
def test_what_cannot_be_done_is_reported_in_one_line(ludus, arguments, words):
    done = ludus("solve", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("ludus: ")
    assert done.stderr.count("\n") == 1
    assert words in done.stderr


def test_an_interrupt_stops_a_long_listing_within_seconds():
    window = Terminal("solve", "fox-and-hounds(size=10)")
    try:
        window.wait_for("exploring")
        time.sleep(1)
        window.process.send_signal(signal.SIGINT)
        began = time.monotonic()
        assert window.rest().strip().endswith("ludus: stopped")
        assert window.process.wait(timeout=20) == 130
        assert time.monotonic() - began < 10
        assert "Traceback" not in window.seen
    finally:
        window.close()
