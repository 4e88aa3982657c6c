"""Whether play can come back to a position is found by random games, whatever the cap."""

from typing import NamedTuple

import pytest

import ludus
from ludus.loops import cycle_in, recurring_position

NEVER_BACK = ("tic-tac-toe", "connect-four", "toads-and-frogs", "mancala", "fox-and-hounds")


class Squares(NamedTuple):
    white: int
    black: int
    plies: int
    turn: int


class Kings(NamedTuple):
    """Two kings walk on a large board; a clock, if there is one, counts the plies."""

    clocked: int = 0

    def start(self):
        return Squares(10, 2020, 0, 0)

    def player(self, pos):
        return pos.turn

    def legal(self, pos):
        own = pos.white if pos.turn == 0 else pos.black
        return 0 if pos.white == pos.black or pos.plies == 400 else (own >= 45) | 2 * (own < 1980) | 12

    def play(self, pos, action):
        step = (-45, 45, -1, 1)[action]
        white, black = (pos.white + step, pos.black) if pos.turn == 0 else (pos.white, pos.black + step)
        return Squares(white, black, pos.plies + self.clocked, 1 - pos.turn)

    def score(self, pos):
        return 0


@pytest.mark.parametrize("name", NEVER_BACK)
def test_a_game_that_always_ends_shows_no_position_that_comes_back(name):
    assert recurring_position(ludus.make_game(name)) is None


@pytest.mark.parametrize("name", ["tapnswap", "chung-toi"])
def test_a_game_of_few_positions_comes_back_in_a_random_game(name):
    assert recurring_position(ludus.make_game(name)) is not None


def test_moves_that_can_be_taken_back_are_found_in_a_game_of_millions_of_positions():
    assert recurring_position(Kings()) is not None


def test_a_clock_in_the_position_keeps_it_from_coming_back():
    assert recurring_position(Kings(clocked=1)) is None


def test_a_cycle_is_given_in_the_order_of_play():
    assert cycle_in({1: [2], 2: [3], 3: [1], 4: [1]})[:-1] in ([1, 2, 3], [2, 3, 1], [3, 1, 2])
    assert cycle_in({1: [2, 3], 2: [3]}) == []
