"""Connect four: drop discs into columns until four stand in a line.

5 12 19 26 33 40 47
4 11 18 25 32 39 46
3 10 17 24 31 38 45
2  9 16 23 30 37 44      bit of a cell, 7 x 6: one column is height + 1 bits, of which the top one
1  8 15 22 29 36 43      stays empty, so that lines do not wrap; action = column
0  7 14 21 28 35 42
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ludus.bits import deposit, extract

if TYPE_CHECKING:
    from ludus.game import Observation

MOST_BITS = 62


class Position(NamedTuple):
    """Bitboards seen by the player to move."""

    mine: int
    theirs: int
    turn: int


class ConnectFour(NamedTuple):
    """Four in a row, discs falling to the bottom of their column."""

    width: int = 7
    height: int = 6
    connect: int = 4

    symmetries = 2
    reachable = 4_531_985_219_092
    known = "the first player wins, by the centre column only (Allen, Allis 1988)"

    def validate(self) -> None:
        """At least a 1x1 board that fits into one word, and a line that it could hold."""
        if self.width < 1 or self.height < 1 or self.width * (self.height + 1) > MOST_BITS:
            raise ValueError(
                f"width and height must be at least 1 with width * (height + 1) at most {MOST_BITS},"
                f" not {self.width} and {self.height}"
            )
        if not 2 <= self.connect <= max(self.width, self.height):
            raise ValueError(f"connect must be 2 to {max(self.width, self.height)} on this board, not {self.connect}")

    @property
    def num_actions(self) -> int:
        """One per column."""
        return self.width

    @property
    def bottom(self) -> int:
        """The lowest cell of every column."""
        return ((1 << self.width * (self.height + 1)) - 1) // ((1 << self.height + 1) - 1)

    def start(self) -> Position:
        """The empty board."""
        return Position(0, 0, 0)

    def player(self, pos: Position) -> int:
        """Whose turn it is."""
        return pos.turn

    def has_line(self, board: int) -> bool:
        """Whether `connect` discs stand in a line: upright, level, falling or rising."""
        upright = level = falling = rising = board
        length = 1
        while length < self.connect:  # double the length of the lines that the boards mark, the last time by less
            step = min(length, self.connect - length)
            upright &= upright >> step
            level &= level >> step * (self.height + 1)
            falling &= falling >> step * self.height
            rising &= rising >> step * (self.height + 2)
            length += step
        return (upright | level | falling | rising) != 0

    def legal(self, pos: Position) -> int:
        """The columns that are not full, until somebody has a line."""
        if self.has_line(pos.theirs):
            return 0
        return extract(~(pos.mine | pos.theirs), self.bottom << self.height - 1)

    def play(self, pos: Position, action: int) -> Position:
        """Drop a disc: adding to the lowest cell of a column carries up to its first empty one."""
        discs = pos.mine | pos.theirs
        dropped = ~discs & (discs + deposit(1 << action, self.bottom))
        return Position(pos.theirs, pos.mine | dropped, 1 - pos.turn)

    def score(self, pos: Position) -> int:
        """Who has the line wins; it is always the player who just moved."""
        if not self.has_line(pos.theirs):
            return 0
        return 1 if pos.turn == 1 else -1

    @property
    def observation_shape(self) -> tuple[int, int, int]:
        """Two planes, the top row first."""
        return 2, self.height, self.width

    def observe(self, pos: Position, out: Observation) -> None:
        """One plane of own discs, one of the opponent's."""
        for column in range(self.width):
            for row in range(self.height):
                cell = column * (self.height + 1) + row
                out[0, self.height - 1 - row, column] = pos.mine >> cell & 1
                out[1, self.height - 1 - row, column] = pos.theirs >> cell & 1

    def mirrored(self, board: int) -> int:
        """A bitboard with its columns in the opposite order."""
        size = self.height + 1
        result = 0
        for column in range(self.width):
            cells = board >> column * size & (1 << size) - 1
            result |= cells << (self.width - 1 - column) * size
        return result

    def transform(self, pos: Position, symmetry: int) -> Position:
        """Mirror left and right."""
        if symmetry == 0:
            return pos
        return Position(self.mirrored(pos.mine), self.mirrored(pos.theirs), pos.turn)

    def transform_action(self, pos: Position, action: int, symmetry: int) -> int:
        """The column moves with the board."""
        return self.width - 1 - action if symmetry else action
