"""`ludus check` accepts games that keep the contract and says of each broken one what to write instead."""

import broken_games
import pytest
from broken_games import BROKEN, Countdown

from ludus import catalog
from ludus.checking import check


def problem_of(game):
    return check(game, positions=500, games=5)[-1].problem


@pytest.mark.parametrize(("game", "method", "wrong", "instead"), BROKEN, ids=[entry[0].__name__ for entry in BROKEN])
def test_a_broken_game_is_told_what_to_write_instead(game, method, wrong, instead):
    problem = problem_of(game())
    assert problem.startswith(f"{game.__name__}.{method}")
    assert wrong in problem
    assert instead in problem
    assert "\n" not in problem
    assert "numba" not in problem.lower()


def test_every_broken_game_is_listed():
    classes = {value for value in vars(broken_games).values() if isinstance(value, type) and hasattr(value, "start")}
    assert classes - {Countdown, catalog} == {entry[0] for entry in BROKEN}


def test_the_sound_game_they_derive_from_is_accepted():
    assert problem_of(Countdown()) == ""


def test_a_small_game_is_explored_whole_and_a_large_one_sampled():
    assert check(catalog.make_game("toads-and-frogs"), games=1)[2].detail.startswith("all 819 positions")
    assert check(catalog.make_game("mancala"), positions=50, games=1)[2].detail.startswith("a sample of")


@pytest.mark.slow
@pytest.mark.parametrize("name", catalog.GAMES.built_in)
def test_every_built_in_game_keeps_the_contract(name):
    assert problem_of(catalog.make_game(name)) == ""
