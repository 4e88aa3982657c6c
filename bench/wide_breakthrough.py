"""Breakthrough on boards with more than 63 steps: an action is a pawn, counted from its own left, and a direction."""

from __future__ import annotations

from pathlib import Path

import ludus
from ludus.compiled.bits import extract, nth

EXAMPLE = Path(__file__).parent.parent / "examples" / "breakthrough.py"
GAME = ludus.make_game(str(EXAMPLE))
Breakthrough, Position = type(GAME), type(GAME.start())


class WideBreakthrough(Breakthrough):
    """The same game for a search; its face is not made for these actions."""

    def validate(self):
        """Boards whose squares fit one int."""
        if not (self.rows >= 4 and self.columns >= 2 and self.rows * self.columns <= 62):
            raise ValueError("rows must be 4 or more, columns 2 or more, and rows x columns at most 62")

    @property
    def pawns_at_most(self):
        """The pawns of one side at the start."""
        return 2 * self.columns

    @property
    def num_actions(self):
        """Three directions for each pawn."""
        return 3 * self.pawns_at_most

    def steps(self, pos, onto):
        """The steps onto these squares: straight, to the left, to the right."""
        left, width = self.first_column, self.columns
        free = onto & ~pos.mine & self.everywhere
        straight = pos.mine & (free & ~pos.theirs) >> width
        to_left = pos.mine & ~left & free >> (width - 1)
        to_right = pos.mine & ~(left << (width - 1)) & free >> (width + 1)
        count = self.pawns_at_most
        beside = extract(to_left, pos.mine) << count | extract(to_right, pos.mine) << 2 * count
        return extract(straight, pos.mine) | beside

    def play(self, pos, action):
        """Step, capture what stands there, and turn the board."""
        origin, to = 1 << self.origin(pos, action), 1 << self.goal(pos, action)
        mine, theirs = pos.mine & ~origin | to, pos.theirs & ~to
        return Position(self.turned(theirs), self.turned(mine), 1 - pos.turn)

    def origin(self, pos, action):
        """The square that a step leads from."""
        return nth(pos.mine, action % self.pawns_at_most)

    def goal(self, pos, action):
        """The square that a step leads to."""
        direction = action // self.pawns_at_most
        aside = -1 if direction == 1 else 1 if direction == 2 else 0
        return self.origin(pos, action) + self.columns + aside

    def promise(self, pos, action):
        """Captures first, then the pawns that are far ahead."""
        to = self.goal(pos, action)
        return 8 * (pos.theirs >> to & 1) + to // self.columns
