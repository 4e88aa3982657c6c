"""Toads and Frogs on a strip: toads go right, frogs left, by one step or a hop over one enemy.

T T T _ _ _ F F F      bit of a square: its distance from the left edge
0 1 2 3 4 5 6 7 8      action = which own piece, 0 for the most advanced
"""

from __future__ import annotations

import enum
import re
from typing import TYPE_CHECKING, NamedTuple

from ludus.bits import extract, nth, popcount, reverse
from ludus.game import Viewpoint

if TYPE_CHECKING:
    from ludus.game import Observation

MOST_SQUARES = 62


class Side(enum.IntEnum):
    """Who moves first."""

    TOADS = 0
    FROGS = 1


class Strip(NamedTuple):
    """A strip given as text, e.g. TT__FF, T□□F, (TF)^2T_ or T^6_^9F^6."""

    toads: int = 0
    frogs: int = 0
    squares: int = 0

    @classmethod
    def parse(cls, text: str) -> Strip:
        """Read a strip; raise ValueError when it is none."""
        squares = _expand(re.sub(r"\[\]|[□.]", "_", re.sub(r"\s", "", text)))
        if not 1 <= len(squares) <= MOST_SQUARES or set(squares) - set("TF_"):
            raise ValueError(
                f"a strip is 1 to {MOST_SQUARES} squares of T, F and _, with powers as in (TF)^2T_, not {text!r}"
            )
        return cls(_squares_of("T", squares), _squares_of("F", squares), len(squares))

    def __str__(self) -> str:
        return "".join("T" if self.toads >> i & 1 else "F" if self.frogs >> i & 1 else "_" for i in range(self.squares))


def _expand(text: str) -> str:
    """Write out powers, the innermost first: T^3 and (TF)^2."""
    while match := re.search(r"\(([TF_]*)\)(?:\^\{?(\d{1,2})\}?)?|([TF_])\^\{?(\d{1,2})\}?", text):
        group, group_power, square, power = match.groups()
        written_out = square * int(power) if square else group * int(group_power or 1)
        text = text[: match.start()] + written_out + text[match.end() :]
    return text


def _squares_of(animal: str, squares: str) -> int:
    return sum(1 << i for i, square in enumerate(squares) if square == animal)


class Position(NamedTuple):
    """Bitboards of both kinds, and who moves."""

    toads: int
    frogs: int
    turn: int


class ToadsAndFrogs(NamedTuple):
    """Toads go right and frogs left, by a step or a hop over one enemy; who cannot move loses."""

    toads: int = 3
    gaps: int = 3
    frogs: int = 3
    first: Side = Side.TOADS
    strip: Strip = Strip()

    symmetries = 2
    viewpoint = Viewpoint.PLAYER_0
    reachable = 819
    known = "T^3_^3F^3 is 0: who moves first loses (Erickson 1996)"

    def validate(self) -> None:
        """A strip in text overrides the three counts."""
        if self.strip.squares:
            return
        if min(self.toads, self.gaps, self.frogs) < 0 or not 1 <= self.squares <= MOST_SQUARES:
            raise ValueError(
                f"toads, gaps and frogs must be at least 0 and 1 to {MOST_SQUARES} squares together,"
                f" not {self.toads}, {self.gaps} and {self.frogs}"
            )

    @property
    def squares(self) -> int:
        """The length of the strip."""
        return self.strip.squares if self.strip.squares else self.toads + self.gaps + self.frogs

    @property
    def num_actions(self) -> int:
        """As many as the larger side has pieces."""
        start = self.start()
        return max(popcount(start.toads), popcount(start.frogs), 1)

    def start(self) -> Position:
        """All toads left and all frogs right, or the strip that was given."""
        if self.strip.squares:
            return Position(self.strip.toads, self.strip.frogs, self.first)
        frogs = ((1 << self.frogs) - 1) << (self.toads + self.gaps)
        return Position((1 << self.toads) - 1, frogs, self.first)

    def player(self, pos: Position) -> int:
        """Toads are player 0, frogs player 1, whoever starts."""
        return pos.turn

    def empty(self, pos: Position) -> int:
        """The blank squares."""
        return ((1 << self.squares) - 1) & ~(pos.toads | pos.frogs)

    def legal(self, pos: Position) -> int:
        """The pieces that can step or hop, the most advanced first."""
        empty = self.empty(pos)
        if pos.turn == 1:
            movers = pos.frogs & (empty << 1 | (pos.toads << 1 & empty << 2))
            return extract(movers, pos.frogs)
        movers = pos.toads & (empty >> 1 | (pos.frogs >> 1 & empty >> 2))
        return reverse(extract(movers, pos.toads), popcount(pos.toads))

    def play(self, pos: Position, action: int) -> Position:
        """Step into the blank ahead, or hop over the enemy there."""
        empty = self.empty(pos)
        if pos.turn == 1:
            square = nth(pos.frogs, action)
            target = square - 1 if empty >> square - 1 & 1 else square - 2
            return Position(pos.toads, pos.frogs ^ (1 << square | 1 << target), 0)
        square = nth(pos.toads, popcount(pos.toads) - 1 - action)
        target = square + 1 if empty >> square + 1 & 1 else square + 2
        return Position(pos.toads ^ (1 << square | 1 << target), pos.frogs, 1)

    def score(self, pos: Position) -> int:
        """Who cannot move has lost."""
        return 1 if pos.turn == 1 else -1

    @property
    def observation_shape(self) -> tuple[int]:
        """One number per square."""
        return (self.squares,)

    def observe(self, pos: Position, out: Observation) -> None:
        """Toads are 1, frogs -1, whoever moves."""
        for square in range(self.squares):
            out[square] = (pos.toads >> square & 1) - (pos.frogs >> square & 1)

    def transform(self, pos: Position, symmetry: int) -> Position:
        """Mirror the strip, toads becoming frogs."""
        if symmetry == 0:
            return pos
        return Position(reverse(pos.frogs, self.squares), reverse(pos.toads, self.squares), 1 - pos.turn)

    def swaps_players(self, symmetry: int) -> bool:
        """The mirror exchanges toads and frogs."""
        return symmetry == 1

    def with_mover(self, pos: Position, player: int) -> Position:
        """The same strip with this side to move."""
        return Position(pos.toads, pos.frogs, player)

    def shaping(self, pos: Position) -> float:
        """1 where the Death Leap Principle makes the strip zero: only hops into isolated squares are left."""
        empty = self.empty(pos)
        slides = (pos.toads & empty >> 1) | (pos.frogs & empty << 1)
        landings = empty & ((pos.toads << 1 & pos.frogs) << 1 | (pos.frogs >> 1 & pos.toads) >> 1)
        return 1.0 if not slides and not landings & (empty << 1 | empty >> 1) else 0.0
