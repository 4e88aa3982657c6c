"""Alone on two squares: step round for ever, or leave and win."""

from typing import NamedTuple

ROUND, LEAVE = 0, 1
OUTSIDE = 2


class Place(NamedTuple):
    square: int


class Loop(NamedTuple):
    """Step to the other square, or leave and win."""

    num_actions = 2
    max_plies = 10

    def start(self):
        return Place(0)

    def player(self, pos):
        return 0

    def legal(self, pos):
        return 0 if pos.square == OUTSIDE else 1 << ROUND | 1 << LEAVE

    def play(self, pos, action):
        return Place(OUTSIDE if action == LEAVE else 1 - pos.square)

    def score(self, pos):
        return 1
