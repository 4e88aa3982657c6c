"""Clobber: step onto a neighbouring enemy stone and take it; the player who cannot move loses.

ludus value 'xxo' --game examples/clobber.py     a row; / begins the next, and . is a blank square
ludus play 'examples/clobber.py(stones=xoxo/oxox)'
"""

from __future__ import annotations

from typing import NamedTuple

from ludus import helper
from ludus.compiled.bits import lowest
from ludus.compiled.masks import add

MOST_CELLS = 30  # four actions each, in masks of two words


class Stones(NamedTuple):
    """Stones on a board given as text, such as xox/oxo."""

    x: int
    o: int
    rows: int
    columns: int

    @classmethod
    def parse(cls, text: str) -> Stones:
        """Read a board; raise ValueError when it is none."""
        rows = text.strip().split("/")
        cells = "".join(rows)
        if not 1 <= len(cells) <= MOST_CELLS or set(cells) - set("xo.") or len(set(map(len, rows))) > 1:
            raise ValueError(f"a board is 1 to {MOST_CELLS} squares of x, o and ., with / between rows, not {text!r}")
        x, o = (sum(1 << i for i, cell in enumerate(cells) if cell == sign) for sign in "xo")
        return cls(x, o, len(rows), len(rows[0]))

    def __str__(self) -> str:
        signs = ["x" if self.x >> i & 1 else "o" if self.o >> i & 1 else "." for i in range(self.rows * self.columns)]
        return "/".join("".join(signs[i : i + self.columns]) for i in range(0, len(signs), self.columns))


class Position(NamedTuple):
    """The stones of both, and the side to move: x is player 0."""

    x: int
    o: int
    turn: int


@helper
def shifted(stones: int, direction: int, rows: int, columns: int) -> int:
    """Every stone moved one step: 0 right, 1 left, 2 down, 3 up; those that would leave the board are gone."""
    whole, edge = (1 << rows * columns) - 1, 0
    for row in range(rows):
        edge |= 1 << row * columns
    if direction == 0:
        return stones << 1 & whole & ~edge
    if direction == 1:
        return (stones & ~edge) >> 1
    return stones << columns & whole if direction == 2 else stones >> columns


class Clobber(NamedTuple):
    """Step onto a neighbouring enemy stone and take it; the player who cannot move loses."""

    stones: Stones = Stones.parse("xoxo/oxox/xoxo")

    players = ("x", "o")

    @property
    def num_actions(self) -> int:
        """Four times the square of the stone, plus the direction."""
        return 4 * self.stones.rows * self.stones.columns

    def start(self) -> Position:
        """The stones as they were given, x to move."""
        return Position(self.stones.x, self.stones.o, 0)

    def player(self, pos: Position) -> int:
        """The players alternate."""
        return pos.turn

    def legal(self, pos: Position) -> tuple[int, int]:
        """Every stone beside an enemy, in each direction where one is."""
        mine, theirs = (pos.x, pos.o) if pos.turn == 0 else (pos.o, pos.x)
        mask = (0, 0)
        for direction in range(4):
            movers = mine & shifted(theirs, direction ^ 1, self.stones.rows, self.stones.columns)
            while movers:
                mask = add(mask, 4 * lowest(movers) + direction)
                movers &= movers - 1
        return mask

    def play(self, pos: Position, action: int) -> Position:
        """Take the enemy's place."""
        stone = 1 << action // 4
        target = shifted(stone, action % 4, self.stones.rows, self.stones.columns)
        if pos.turn == 0:
            return Position(pos.x ^ stone ^ target, pos.o ^ target, 1)
        return Position(pos.x ^ target, pos.o ^ stone ^ target, 0)

    def score(self, pos: Position) -> int:
        """The player who cannot move has lost."""
        return 1 if pos.turn == 1 else -1

    def with_mover(self, pos: Position, player: int) -> Position:
        """The same board with this player to move."""
        return Position(pos.x, pos.o, player)

    # ---- the face ----

    def board(self, pos: Position) -> str:
        """The rows, one below the other."""
        return str(self.stones._replace(x=pos.x, o=pos.o)).replace("/", "\n")

    def action_name(self, pos: Position, action: int) -> str:
        """The square of the stone, by row and column, and where it goes."""
        row, column = divmod(action // 4, self.stones.columns)
        return f"{row + 1}-{column + 1} {('right', 'left', 'down', 'up')[action % 4]}"

    def format_position(self, pos: Position) -> str:
        """The rows and the side to move, e.g. xox/oxo x."""
        return f"{self.stones._replace(x=pos.x, o=pos.o)} {self.players[pos.turn]}"

    def parse_position(self, text: str) -> Position:
        """Parse rows, with the side to move, by default x."""
        rows, _, mover = text.strip().partition(" ")
        stones = Stones.parse(rows)
        if stones[2:] != self.stones[2:] or mover.strip() not in ("", "x", "o"):
            raise ValueError(
                f"the board has {self.stones.rows} rows of {self.stones.columns}, then x or o, the side to move"
            )
        return Position(stones.x, stones.o, 1 if mover.strip() == "o" else 0)

    def starting_at(self, text: str) -> Clobber:
        """The game that starts with a board of any size."""
        return Clobber(Stones.parse(text.strip().partition(" ")[0]))
