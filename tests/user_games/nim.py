"""Nim with three heaps: take any number from one heap; who takes the last wins, or loses in misere play."""

from typing import NamedTuple


class Position(NamedTuple):
    a: int
    b: int
    c: int
    turn: int


class Nim(NamedTuple):
    """Take from one heap; the last to take wins, or loses when misere."""

    a: int = 3
    b: int = 4
    c: int = 5
    misere: bool = False

    num_actions = 21  # seven times the heap, plus how many are taken less one

    def validate(self):
        if not all(0 <= heap <= 7 for heap in (self.a, self.b, self.c)):
            raise ValueError(f"heaps must be 0 to 7, not {self.a}, {self.b} and {self.c}")

    def start(self):
        return Position(self.a, self.b, self.c, 0)

    def player(self, pos):
        return pos.turn

    def legal(self, pos):
        return (1 << pos.a) - 1 | (1 << pos.b) - 1 << 7 | (1 << pos.c) - 1 << 14

    def play(self, pos, action):
        heap, taken = action // 7, action % 7 + 1
        return Position(
            pos.a - taken * (heap == 0), pos.b - taken * (heap == 1), pos.c - taken * (heap == 2), 1 - pos.turn
        )

    def score(self, pos):
        last = 1 if pos.turn == 1 else -1
        return -last if self.misere else last

    def with_mover(self, pos, player):
        return Position(pos.a, pos.b, pos.c, player)
