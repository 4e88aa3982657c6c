"""Tic-tac-toe.

0 1 2
3 4 5      action = square
6 7 8
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ludus.compiled.compiling import helper
from ludus.face import Page
from ludus.svg import Drawing, circle, path, text

if TYPE_CHECKING:
    from ludus.game import Observation

FULL = 0o777


class Position(NamedTuple):
    """Bitboards seen by the player to move."""

    mine: int
    theirs: int
    turn: int


def _has_line(board: int) -> bool:
    """Whether three in a row stand on a 3x3 bitboard."""
    rows = board & board >> 1 & board >> 2 & 0o111
    columns = board & board >> 3 & board >> 6 & 0o007
    diagonals = (board & board >> 4 & board >> 8 & 1) | (board >> 2 & board >> 4 & board >> 6 & 1)
    return (rows | columns | diagonals) != 0


LINES = bytes(_has_line(board) for board in range(512))  # 1 for every 3x3 bitboard with three in a row


@helper
def turned_square(square: int, symmetry: int) -> int:
    """Where one of the eight symmetries of the 3x3 board sends a square: bit 0 mirrors, bits 1 and 2 turn."""
    row, column = square // 3, square % 3
    if symmetry & 1:
        column = 2 - column
    for _ in range(symmetry >> 1):
        row, column = column, 2 - row
    return 3 * row + column


@helper
def turned_board(board: int, symmetry: int) -> int:
    """A 3x3 bitboard as the symmetry maps it."""
    result = 0
    for square in range(9):
        if board >> square & 1:
            result |= 1 << turned_square(square, symmetry)
    return result


def square_name(square: int) -> str:
    """a1 is the square at the lower left."""
    return f"{'abc'[square % 3]}{3 - square // 3}"


class TicTacToe(NamedTuple):
    """Three in a row on a 3x3 board."""

    title = "Tic-tac-toe"
    players = ("Crosses", "Noughts")
    num_actions = 9
    observation_shape = (2, 3, 3)
    symmetries = 8
    reachable = 5478
    known = "a draw"
    sources = "OEIS A008907; J. Leslie-Hurd, gilith/solve; S. Schaefer, Tic-Tac-Toe, mathrec.org 2002"

    def start(self) -> Position:
        """The empty board."""
        return Position(0, 0, 0)

    def player(self, pos: Position) -> int:
        """The player to move."""
        return pos.turn

    def legal(self, pos: Position) -> int:
        """The empty squares, until somebody has a line."""
        return 0 if LINES[pos.theirs] else FULL ^ (pos.mine | pos.theirs)

    def play(self, pos: Position, action: int) -> Position:
        """Fill a square."""
        return Position(pos.theirs, pos.mine | 1 << action, 1 - pos.turn)

    def score(self, pos: Position) -> int:
        """The player with the line wins; it is always the one who just moved."""
        if not LINES[pos.theirs]:
            return 0
        return 1 if pos.turn == 1 else -1

    def observe(self, pos: Position, out: Observation) -> None:
        """One plane of own squares, one of the opponent's."""
        for square in range(9):
            out[0, square // 3, square % 3] = pos.mine >> square & 1
            out[1, square // 3, square % 3] = pos.theirs >> square & 1

    def transform(self, pos: Position, symmetry: int) -> Position:
        """Turn and mirror the board."""
        return Position(turned_board(pos.mine, symmetry), turned_board(pos.theirs, symmetry), pos.turn)

    def transform_action(self, pos: Position, action: int, symmetry: int) -> int:
        """The square moves with the board."""
        return turned_square(action, symmetry)

    def with_mover(self, pos: Position, player: int) -> Position:
        """The same board with this player to move."""
        return pos if player == pos.turn else Position(pos.theirs, pos.mine, player)

    # ---- the face ----

    def signs(self, pos: Position) -> list[str]:
        """X, O or a dot for each square."""
        crosses, noughts = (pos.mine, pos.theirs) if pos.turn == 0 else (pos.theirs, pos.mine)
        return ["X" if crosses >> i & 1 else "O" if noughts >> i & 1 else "." for i in range(9)]

    def board(self, pos: Position) -> str:
        """Rows 3 to 1 from above, columns a to c."""
        signs = self.signs(pos)
        rows = [f"{3 - row}  {'  '.join(signs[3 * row : 3 * row + 3])}" for row in range(3)]
        return "\n".join([*rows, "   a  b  c"])

    def line(self, pos: Position) -> str:
        """The winning line as a stroke from square to square; nothing while there is none."""
        for a, b, c in ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)):
            if all(pos.theirs >> square & 1 for square in (a, b, c)):
                ends = [(70 + 100 * (square % 3), 70 + 100 * (square // 3)) for square in (a, c)]
                return f"M{ends[0][0]} {ends[0][1]}L{ends[1][0]} {ends[1][1]}"
        return ""

    def draw(self, pos: Position) -> Drawing:
        """A grid with thick crosses and rings."""
        drawing = Drawing(340, 340, self.title, corner=12)
        mover = circle(170, 12, 5, "second" if pos.turn else "first") if self.legal(pos) else ""
        grid = [path(f"M{place} 26V314M26 {place}H314", "line") for place in (120, 220)]
        drawing.add(mover, path(self.line(pos), "mark"), *grid)
        for square, sign in enumerate(self.signs(pos)):
            x, y = 70 + 100 * (square % 3), 70 + 100 * (square // 3)
            drawing.add(text(x - 36, y + 39, square_name(square), 15, "faint"))
            drawing.target(square_name(square), x - 50, y - 50, 100, 100)
            if sign == "X":
                drawing.piece("cross", square_name(square), x, y, path("M-24 -24L24 24M-24 24L24 -24", "first-line"))
            elif sign == "O":
                drawing.piece("nought", square_name(square), x, y, circle(0, 0, 27, "second-line"))
        return drawing

    def describe(self, pos: Position, target: str) -> str:
        """The square and its sign, e.g. b2, cross."""
        signs = {"X": "cross", "O": "nought", ".": "empty"}
        named = {square_name(square): signs[sign] for square, sign in enumerate(self.signs(pos))}
        return f"{target}, {named[target]}"

    def action_name(self, pos: Position, action: int) -> str:
        """The square."""
        return square_name(action)

    def action_path(self, pos: Position, action: int) -> tuple[str, ...]:
        """Touch the square."""
        return (square_name(action),)

    def format_position(self, pos: Position) -> str:
        """Rows from above, e.g. X.O/.X./...; the counts give the side to move."""
        signs = "".join(self.signs(pos))
        return "/".join(signs[i : i + 3] for i in (0, 3, 6))

    def parse_position(self, words: str) -> Position:
        """Parse such rows."""
        rows = words.strip().upper().split("/")
        signs = "".join(rows)
        crosses, noughts = (sum(1 << i for i, sign in enumerate(signs) if sign == kind) for kind in "XO")
        extra = crosses.bit_count() - noughts.bit_count()
        if [len(row) for row in rows] != [3, 3, 3] or set(signs) - set("XO.") or extra not in (0, 1):
            raise ValueError(f"{words!r} is no board of three by three with as many X as O, or one more")
        pos = Position(crosses, noughts, 0) if extra == 0 else Position(noughts, crosses, 1)
        if LINES[pos.mine]:
            raise ValueError(f"{words!r} cannot arise: the side to move has a line already")
        return pos

    def rules(self) -> list[Page]:
        """The whole game on two pages."""
        won = self.parse_position("X.O/XO./X..")
        return [
            Page("Placing", "Crosses begin. In turn, each player fills one empty square.", self.start()),
            Page("Winning", "Three in a row, upright, level or slanting, win. A full board is a draw.", won),
        ]
