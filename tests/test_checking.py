"""`ludus check` accepts games that keep the contract and says of each broken one what to write instead."""

import re
from pathlib import Path

import broken_games
import pytest
from broken_games import BROKEN, Countdown, Heaps, Position
from count_perft import VARIANTS

from ludus import catalog
from ludus.checking import check


class ManySymmetries(Countdown):
    """Too many symmetries to try all pairs."""

    symmetries = 300

    def transform(self, pos, symmetry):
        return pos


class Prints(Countdown):
    """Prints whenever it is played."""

    def play(self, pos, action):
        print("playing")  # noqa: T201
        return Position(pos.heap - action - 1, 1 - pos.turn)


def verdicts_of(game):
    return check(game, positions=500, games=5).verdicts


def problem_of(game):
    return verdicts_of(game)[-1].problem


def line_is_in_method(problem):
    """Whether the line that a problem names, if it does, stands in the method that it names, in the game's file."""
    found = re.match(r"\w+\.(\w+) .*\(line (\d+)", problem)
    if found is None:
        return True
    lines = Path(broken_games.__file__).read_text().splitlines()[: int(found[2])]
    return [line for line in lines if line.lstrip().startswith("def ")][-1].lstrip().startswith(f"def {found[1]}(")


@pytest.mark.slow
@pytest.mark.parametrize(("game", "method", "wrong", "instead"), BROKEN, ids=[entry[0].__name__ for entry in BROKEN])
def test_a_broken_game_is_reported_with_what_to_write_instead(game, method, wrong, instead):
    problem = problem_of(game())
    assert problem.startswith(f"{game.__name__}.{method}".rstrip("."))
    assert wrong in problem
    assert instead in problem
    for machinery in ("\n", "numba", "chooser", "Function(<", "0x"):
        assert machinery not in problem.lower() + problem
    assert line_is_in_method(problem)


def test_every_broken_game_is_listed():
    classes = {value for value in vars(broken_games).values() if isinstance(value, type) and hasattr(value, "start")}
    assert classes - {Countdown, Heaps, catalog} == {entry[0] for entry in BROKEN}


@pytest.mark.parametrize("game", [Countdown, Heaps, ManySymmetries])
def test_a_sound_game_is_accepted(game):
    assert problem_of(game()) == ""


def test_what_a_game_prints_does_not_reach_stdout(capfd):
    assert problem_of(Prints()) == ""
    printed = capfd.readouterr()
    assert printed.out == ""
    assert "playing" in printed.err


def test_without_the_jit_compiled_code_is_not_compared(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    details = {verdict.rule: verdict.detail for verdict in verdicts_of(Countdown())}
    assert details["compiled and plain rules agree"] == "skipped: the JIT is off"
    assert details["compiled and plain hooks agree"] == "skipped: the JIT is off"


@pytest.mark.slow
def test_a_small_game_is_explored_whole_and_a_large_one_sampled():
    assert check(catalog.make_game("toads-and-frogs"), games=1).verdicts[2].detail.startswith("all 819 positions")
    assert check(catalog.make_game("mancala"), positions=50, games=1).verdicts[2].detail.startswith("a sample of")


@pytest.mark.parametrize(
    ("game", "detail"),
    [
        ("connect-four(width=3, height=3, connect=3)", ""),
        ("mancala(holes=2, stones=2)", ""),
        ("connect-four(width=4, height=4)", "not proved: the game is too large, or has chance"),
    ],
)
def test_hooks_of_a_search_are_proved_by_solving_where_the_game_is_small(game, detail, monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    verdicts = {verdict.rule: verdict for verdict in check(catalog.make_game(game), positions=2000, games=1).verdicts}
    verdict = verdicts["perfect play keeps to candidates and bounds"]
    assert (verdict.problem, verdict.detail) == ("", detail)


def test_a_sample_without_an_end_proves_nothing_about_ends():
    verdict = check(catalog.make_game("mancala"), positions=5, games=0).verdicts[2]
    assert verdict.problem == ""
    assert "no end was seen; " in verdict.detail


@pytest.mark.slow
@pytest.mark.parametrize("name", catalog.GAMES.built_in)
def test_every_built_in_game_keeps_the_contract(name):
    assert problem_of(catalog.make_game(name)) == ""


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_keeps_the_contract(name):
    for parameters in VARIANTS[name]:
        game = catalog.make_game(f"{name}({parameters})" if parameters else name)
        assert check(game, positions=60, games=1).problem == ""
