"""What networks see of positions, and where games that teach them begin."""

import numpy as np
import pytest

from ludus.catalog import make_game
from ludus.compiled.masks import actions
from ludus.errors import LudusError
from ludus.game import symmetries, transform
from ludus.learning.loop import lanes
from ludus.learning.loop.settings import Starts
from ludus.networks.inputs import ILLEGAL, encode

SMALL = "toads-and-frogs(toads=2, gaps=2, frogs=2)"


@pytest.fixture(autouse=True)
def in_plain_python(monkeypatch):
    """That is quicker than compiling."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")


def one_game(game):
    """The positions of one game at random, but for the last."""
    rng, pos, met = np.random.default_rng(3), game.start(), []
    while legal := actions(game.legal(pos)):
        met.append(pos)
        pos = game.play(pos, int(rng.choice(legal)))
    return met


def reachable(game):
    """All positions in which there is something to play."""
    found, waiting = set(), [game.start()]
    while waiting:
        pos = waiting.pop()
        after = [game.play(pos, action) for action in actions(game.legal(pos))]
        if after and pos not in found:
            found.add(pos)
            waiting += after
    return found


def shown(game, pos, *, canonical):
    """What is seen of a position, and the outputs that stand for its actions."""
    inputs, outputs = encode(game, np.array([pos]), canonical=canonical)
    return inputs[0].tolist(), set(outputs[0].tolist()) - {ILLEGAL}


@pytest.mark.parametrize("name", ["tic-tac-toe", "chung-toi", "connect-four", SMALL])
def test_positions_that_are_alike_are_seen_as_one(name):
    game = make_game(name)
    for pos in one_game(game):
        views = [shown(game, transform(game, pos, symmetry), canonical=True) for symmetry in range(symmetries(game))]
        assert views == views[:1] * len(views)


def test_else_they_are_seen_as_they_lie():
    game = make_game("tic-tac-toe")
    corner, other = game.play(game.start(), 0), game.play(game.start(), 2)
    assert shown(game, corner, canonical=False) != shown(game, other, canonical=False)


def starts_of(game, starts):
    return [tuple(row) for row in lanes.rows_of(game, starts).tolist()]


def test_games_begin_as_the_game_has_it():
    game = make_game(SMALL)
    assert starts_of(game, Starts.OWN) == [game.start()]


def test_or_anywhere_that_something_can_be_played():
    game = make_game(SMALL)
    assert sorted(starts_of(game, Starts.ANY)) == sorted(map(tuple, reachable(game)))


def test_or_half_and_half():
    game = make_game(SMALL)
    starts = starts_of(game, Starts.BOTH)
    assert starts.count(game.start()) == len(starts) // 2 + 1
    assert set(starts) == set(map(tuple, reachable(game)))


def test_the_starts_of_a_game_that_is_too_large_to_be_listed_are_refused(monkeypatch):
    monkeypatch.setattr(lanes, "_MOST_STARTS", 1000)
    with pytest.raises(LudusError, match="TicTacToe has more than 1,000 positions: starts=own"):
        lanes.rows_of(make_game("tic-tac-toe"), Starts.ANY)
