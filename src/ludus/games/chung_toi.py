"""Chung Toi: tic-tac-toe with three pieces each, which then move the way they point.

0 1 2      placing: action = 2 square + orientation (0 for +, 1 for x)
3 4 5      moving:  action = 18 i + 2 target + orientation on arrival, for own piece i in the order of squares
6 7 8      passing: action 54
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple

from ludus.bits import deposit, lowest, nth, popcount
from ludus.compiling import helper
from ludus.game import Viewpoint
from ludus.games.tic_tac_toe import FULL, LINES, turned_board, turned_square

if TYPE_CHECKING:
    from ludus.game import Observation

PIECES = 3
PASS = 54
BOTH_ORIENTATIONS = 3
EVERY_OTHER_BIT = 0o252525


def _targets(distance: int, *, diagonal: bool) -> tuple[int, ...]:
    """For each square, the squares so far away along rows and columns, or along diagonals."""
    steps = [(1, 1), (1, -1), (-1, 1), (-1, -1)] if diagonal else [(0, 1), (0, -1), (1, 0), (-1, 0)]
    boards = []
    for square in range(9):
        reached = [(square // 3 + distance * y, square % 3 + distance * x) for y, x in steps]
        boards.append(sum(1 << 3 * y + x for y, x in reached if 0 <= y < 3 and 0 <= x < 3))
    return tuple(boards)


# Indexed by 9 * orientation + square.
NEAR = _targets(1, diagonal=False) + _targets(1, diagonal=True)
FAR = _targets(2, diagonal=False) + _targets(2, diagonal=True)


class Reach(enum.IntEnum):
    """How far a piece may move."""

    ONE = 1
    TWO = 2


class Position(NamedTuple):
    """Bitboards seen by the player to move, the squares with an x of either player, and whose turn it is."""

    mine: int
    theirs: int
    diagonal: int
    turn: int


@helper
def with_orientations(squares: int) -> int:
    """Actions onto these squares, in both orientations."""
    return deposit(squares, EVERY_OTHER_BIT) * BOTH_ORIENTATIONS


class ChungToi(NamedTuple):
    """Three in a row with three pieces each, which then move the way they point, and turn."""

    reach: Reach = Reach.TWO
    jump: bool = True
    passing: bool = False

    max_plies = 100
    symmetries = 16
    observation_shape = (20,)
    viewpoint = Viewpoint.PLAYER_0
    reachable = 249_299

    @property
    def num_actions(self) -> int:
        """Piece, square and orientation; and perhaps passing."""
        return PASS + 1 if self.passing else PASS

    def start(self) -> Position:
        """The empty board."""
        return Position(0, 0, 0, 0)

    def player(self, pos: Position) -> int:
        """Whose turn it is."""
        return pos.turn

    def legal(self, pos: Position) -> int:
        """Placing on empty squares, then moving or turning, until somebody has a line."""
        if LINES[pos.theirs]:
            return 0
        if popcount(pos.mine) < PIECES:
            return with_orientations(FULL & ~(pos.mine | pos.theirs))
        mask = 1 << PASS if self.passing else 0
        for piece in range(PIECES):
            square = nth(pos.mine, piece)
            turned = 1 << 2 * square + 1 - (pos.diagonal >> square & 1)
            mask |= (with_orientations(self.targets(pos, square)) | turned) << 18 * piece
        return mask

    def targets(self, pos: Position, square: int) -> int:
        """The empty squares to which the piece on a square may move."""
        empty = FULL & ~(pos.mine | pos.theirs)
        direction = 9 * (pos.diagonal >> square & 1) + square
        result = NEAR[direction] & empty
        if self.reach == Reach.ONE:
            return result
        far = FAR[direction] & empty
        while far:
            target = lowest(far)
            if self.jump or empty >> (square + target) // 2 & 1:
                result |= 1 << target
            far &= far - 1
        return result

    def play(self, pos: Position, action: int) -> Position:
        """Place a piece, move or turn one, or pass."""
        if action == PASS:
            return Position(pos.theirs, pos.mine, pos.diagonal, 1 - pos.turn)
        target, orientation = action % 18 // 2, action % 2
        left = 1 << nth(pos.mine, action // 18) if popcount(pos.mine) == PIECES else 0
        mine = pos.mine & ~left | 1 << target
        diagonal = pos.diagonal & ~(left | 1 << target) | orientation << target
        return Position(pos.theirs, mine, diagonal, 1 - pos.turn)

    def score(self, pos: Position) -> int:
        """Who just moved has made the line."""
        return 1 if pos.turn == 1 else -1

    def observe(self, pos: Position, out: Observation) -> None:
        """The paper's inputs: who stands where (1 for player 0), which way (1 for +), and whose turn it is."""
        sign = 1 if pos.turn == 0 else -1
        for square in range(9):
            owner = (pos.mine >> square & 1) - (pos.theirs >> square & 1)
            out[square] = sign * owner
            out[9 + square] = owner * owner * (1 - 2 * (pos.diagonal >> square & 1))
        out[18 + pos.turn] = 1

    def transform(self, pos: Position, symmetry: int) -> Position:
        """Turn and mirror the board (an orientation stays what it is); bit 3 exchanges the players."""
        board = symmetry & 7
        mine, theirs = turned_board(pos.mine, board), turned_board(pos.theirs, board)
        return Position(mine, theirs, turned_board(pos.diagonal, board), pos.turn ^ symmetry >> 3)

    def transform_action(self, pos: Position, action: int, symmetry: int) -> int:
        """Squares move with the board, which may change the order of the pieces."""
        if action == PASS:
            return PASS
        board = symmetry & 7
        target, orientation = turned_square(action % 18 // 2, board), action % 2
        piece = 0
        if popcount(pos.mine) == PIECES:
            square = turned_square(nth(pos.mine, action // 18), board)
            piece = popcount(turned_board(pos.mine, board) & (1 << square) - 1)
        return 18 * piece + 2 * target + orientation

    def swaps_players(self, symmetry: int) -> bool:
        """The board is seen by the player to move, so exchanging the players only changes whose turn it is."""
        return symmetry >= 8
