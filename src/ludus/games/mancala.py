"""Mancala: sow marbles around the board; most marbles in the own store wins.

      their holes 1 2 3 4 5 6        hole n is n steps from its owner's store;
store                         store  action = hole - 1; a side is one int, 7 bits a hole,
      6 5 4 3 2 1 own holes          hole 1 lowest
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple

from ludus.bits import extract
from ludus.compiling import helper

if TYPE_CHECKING:
    from ludus.game import Observation

BITS = 7
HOLE = (1 << BITS) - 1
MOST_HOLES = 8
ONES = sum(1 << BITS * hole for hole in range(MOST_HOLES))
HIGH = ONES << BITS - 1  # the highest bit of every hole
LOW = HIGH - ONES  # all the others


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
    """Both sides and stores, seen by the player to move."""

    mine: int
    theirs: int
    store: int
    their_store: int
    turn: int


@helper
def row_of_ones(low: int, high: int) -> int:
    """A marble in each of the holes low .. high-1."""
    return ONES & (1 << BITS * high) - (1 << BITS * low)


@helper
def marbles(side: int) -> int:
    """All marbles of a side."""
    total = 0
    while side:
        total += side & HOLE
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
        most = HOLE // (2 * self.holes)
        if not 1 <= self.stones <= most:
            raise ValueError(f"stones must be 1 to {most} with {self.holes} holes a side, not {self.stones}")

    @property
    def num_actions(self) -> int:
        """One per hole."""
        return self.holes

    def start(self) -> Position:
        """The same number of marbles in every hole."""
        side = self.stones * row_of_ones(0, self.holes)
        return Position(side, side, 0, 0, 0)

    def player(self, pos: Position) -> int:
        """Whose turn it is."""
        return pos.turn

    def legal(self, pos: Position) -> int:
        """The own holes with marbles, until either side is empty."""
        if pos.mine == 0 or pos.theirs == 0:
            return 0
        return extract((pos.mine & LOW) + LOW | pos.mine, HIGH)

    def play(self, pos: Position, action: int) -> Position:
        """Sow; then perhaps capture, perhaps move again."""
        holes, lap = self.holes, 2 * self.holes + 1
        left = pos.mine >> BITS * action & HOLE
        mine = pos.mine ^ left << BITS * action
        theirs, store = pos.theirs, pos.store
        while left > lap:  # rounds that put a marble everywhere
            mine += row_of_ones(0, holes)
            theirs += row_of_ones(0, holes)
            store += 1
            left -= lap
        mine += row_of_ones(max(action - left, 0), action)
        if left > action:
            store += 1
            theirs += row_of_ones(max(holes - (left - action - 1), 0), holes)
        if left > action + 1 + holes:
            mine += row_of_ones(lap + action - left, holes)
        if left == action + 1:
            return Position(mine, theirs, store, pos.their_store, pos.turn)
        if self.capture != Capture.NONE and (left <= action or left > action + 1 + holes):
            last = action - left if left <= action else lap + action - left
            opposite = theirs >> BITS * (holes - 1 - last) & HOLE
            if mine >> BITS * last & HOLE == 1 and (opposite > 0 or self.capture == Capture.EMPTY):
                mine -= 1 << BITS * last
                theirs -= opposite << BITS * (holes - 1 - last)
                store += opposite + 1
        return Position(theirs, mine, pos.their_store, store, 1 - pos.turn)

    def score(self, pos: Position) -> int:
        """The difference of the stores, with what is left on the board if that counts."""
        margin = pos.store - pos.their_store
        if self.leftovers == Leftovers.OWNER:
            margin += marbles(pos.mine) - marbles(pos.theirs)
        return margin if pos.turn == 0 else -margin

    def banked(self, pos: Position) -> int:
        """What lies in the stores stays there."""
        margin = pos.store - pos.their_store
        return margin if pos.turn == 0 else -margin

    def unbanked(self, pos: Position) -> Position:
        """The board with empty stores."""
        return Position(pos.mine, pos.theirs, 0, 0, pos.turn)

    @property
    def observation_shape(self) -> tuple[int]:
        """Holes and store of both sides."""
        return (2 * self.holes + 2,)

    def observe(self, pos: Position, out: Observation) -> None:
        """Marbles in the own holes 1, 2, ... and store, then in the opponent's."""
        for hole in range(self.holes):
            out[hole] = pos.mine >> BITS * hole & HOLE
            out[self.holes + 1 + hole] = pos.theirs >> BITS * hole & HOLE
        out[self.holes] = pos.store
        out[2 * self.holes + 1] = pos.their_store

    def transform(self, pos: Position, symmetry: int) -> Position:
        """Exchange the players: the board is seen by the player to move, so only the turn changes."""
        return Position(pos.mine, pos.theirs, pos.store, pos.their_store, pos.turn ^ symmetry)

    def swaps_players(self, symmetry: int) -> bool:
        """The one symmetry exchanges the players."""
        return symmetry == 1
