"""Tic-tac-toe.

0 1 2
3 4 5      action = square
6 7 8
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ludus.compiling import helper

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


class TicTacToe(NamedTuple):
    """Three in a row on a 3x3 board."""

    num_actions = 9
    observation_shape = (2, 3, 3)
    symmetries = 8
    reachable = 5478
    known = "a draw"

    def start(self) -> Position:
        """The empty board."""
        return Position(0, 0, 0)

    def player(self, pos: Position) -> int:
        """Whose turn it is."""
        return pos.turn

    def legal(self, pos: Position) -> int:
        """The empty squares, until somebody has a line."""
        return 0 if LINES[pos.theirs] else FULL ^ (pos.mine | pos.theirs)

    def play(self, pos: Position, action: int) -> Position:
        """Fill a square."""
        return Position(pos.theirs, pos.mine | 1 << action, 1 - pos.turn)

    def score(self, pos: Position) -> int:
        """Who has the line wins; it is always the player who just moved."""
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
