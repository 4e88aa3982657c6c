"""Mancala: sow marbles around the board; most marbles in the own store wins.

        1 2 3 4 5 6   their holes      hole n is n steps from its owner's store;
store                         store    action = hole - 1; a side is one int, 7 bits a field:
        6 5 4 3 2 1   own holes        the store lowest, then holes 1, 2, ...
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple

from ludus.bits import extract
from ludus.compiling import helper

if TYPE_CHECKING:
    from ludus.game import Observation

BITS = 7
FIELD = (1 << BITS) - 1
MOST_HOLES = 8
ONES = sum(1 << BITS * hole for hole in range(MOST_HOLES + 1))
HIGH = (ONES - 1) << BITS - 1  # the highest bit of every hole
LOW = HIGH - (ONES - 1)  # all the others


class Capture(enum.IntEnum):
    """Whether a last marble in an own empty hole takes what lies opposite: never, if there is any, or always."""

    NONE = 0
    STANDARD = 1
    EMPTY = 2


class Leftovers(enum.IntEnum):
    """For whom the marbles count that are on the board at the end."""

    NOBODY = 0
    OWNER = 1


class Position(NamedTuple):
    """Both sides with their stores, seen by the player to move."""

    mine: int
    theirs: int
    turn: int


@helper
def row_of_ones(low: int, high: int) -> int:
    """A marble in each of the fields low .. high-1."""
    return ONES & (1 << BITS * high) - (1 << BITS * low)


@helper
def marbles(side: int) -> int:
    """All marbles of a side."""
    total = 0
    while side:
        total += side & FIELD
        side >>= BITS
    return total


class Mancala(NamedTuple):
    """Collect more marbles than the opponent; a last marble in the own store earns another turn."""

    holes: int = 6
    stones: int = 4
    capture: Capture = Capture.NONE
    leftovers: Leftovers = Leftovers.NOBODY

    symmetries = 2
    known = "capture=empty, leftovers=owner (Kalah): the first player wins by 10 (Irving et al. 2000)"

    def validate(self) -> None:
        """All marbles must fit into one hole's seven bits."""
        if not 1 <= self.holes <= MOST_HOLES:
            raise ValueError(f"holes must be 1 to {MOST_HOLES}, not {self.holes}")
        most = FIELD // (2 * self.holes)
        if not 1 <= self.stones <= most:
            raise ValueError(f"stones must be 1 to {most} with {self.holes} holes a side, not {self.stones}")

    @property
    def num_actions(self) -> int:
        """One per hole."""
        return self.holes

    def start(self) -> Position:
        """The same number of marbles in every hole."""
        side = self.stones * row_of_ones(1, self.holes + 1)
        return Position(side, side, 0)

    def player(self, pos: Position) -> int:
        """Whose turn it is."""
        return pos.turn

    def legal(self, pos: Position) -> int:
        """The own holes with marbles, until either side is empty."""
        if pos.mine <= FIELD or pos.theirs <= FIELD:
            return 0
        return extract((pos.mine & LOW) + LOW | pos.mine, HIGH)

    def play(self, pos: Position, action: int) -> Position:
        """Sow; then perhaps capture, perhaps move again."""
        holes, hole, lap = self.holes, action + 1, 2 * self.holes + 1
        mine, theirs = pos.mine, pos.theirs
        left = mine >> BITS * hole & FIELD
        mine ^= left << BITS * hole
        while left > lap:  # rounds that put a marble everywhere
            mine += row_of_ones(0, holes + 1)
            theirs += row_of_ones(1, holes + 1)
            left -= lap
        beyond = max(left - hole, 0)  # marbles that go past the own store
        mine += row_of_ones(max(hole - left, 0), hole)
        theirs += row_of_ones(max(holes + 1 - beyond, 1), holes + 1)
        if beyond > holes:
            mine += row_of_ones(lap + hole - left, holes + 1)
        if left == hole:
            return Position(mine, theirs, pos.turn)
        if self.capture != Capture.NONE and (beyond == 0 or beyond > holes):
            last = hole - left if beyond == 0 else lap + hole - left
            opposite = theirs >> BITS * (holes + 1 - last) & FIELD
            if mine >> BITS * last & FIELD == 1 and (opposite > 0 or self.capture == Capture.EMPTY):
                mine += opposite + 1 - (1 << BITS * last)
                theirs -= opposite << BITS * (holes + 1 - last)
        return Position(theirs, mine, 1 - pos.turn)

    def score(self, pos: Position) -> int:
        """The difference of the stores, with what is left on the board if that counts."""
        if self.leftovers == Leftovers.NOBODY:
            return self.banked(pos)
        margin = marbles(pos.mine) - marbles(pos.theirs)
        return margin if pos.turn == 0 else -margin

    def banked(self, pos: Position) -> int:
        """What lies in the stores stays there."""
        margin = (pos.mine & FIELD) - (pos.theirs & FIELD)
        return margin if pos.turn == 0 else -margin

    def unbanked(self, pos: Position) -> Position:
        """The board with empty stores."""
        return Position(pos.mine & ~FIELD, pos.theirs & ~FIELD, pos.turn)

    @property
    def observation_shape(self) -> tuple[int]:
        """Holes and store of both sides."""
        return (2 * self.holes + 2,)

    def observe(self, pos: Position, out: Observation) -> None:
        """Marbles in the own store and holes 1, 2, ..., then in the opponent's."""
        for field in range(self.holes + 1):
            out[field] = pos.mine >> BITS * field & FIELD
            out[self.holes + 1 + field] = pos.theirs >> BITS * field & FIELD

    def transform(self, pos: Position, symmetry: int) -> Position:
        """Exchange the players: the board is seen by the player to move, so only the turn changes."""
        return Position(pos.mine, pos.theirs, pos.turn ^ symmetry)

    def swaps_players(self, symmetry: int) -> bool:
        """The one symmetry exchanges the players."""
        return symmetry == 1
