"""Chung Toi: tic-tac-toe with three pieces each, which then move the way they point.

0 1 2      placing: action = 2 square + orientation (0 for +, 1 for x)
3 4 5      moving:  action = 18 i + 2 target + orientation on arrival, for own piece i in the order of squares
6 7 8      passing: action 54
"""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

from ludus.compiled.bits import deposit, lowest, nth, popcount
from ludus.compiled.compiling import helper
from ludus.compiled.masks import actions
from ludus.face import Page, counted
from ludus.game import Viewpoint
from ludus.games.tic_tac_toe import FULL, LINES, square_name, turned_board, turned_square
from ludus.svg import Drawing, path, rect, text

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


WAYS = {"+": "straight", "x": "slanting"}  # in which a piece points
ARROW = ((5, 5), (5, -17), (12, -17), (0, -32), (-12, -17), (-5, -17), (-5, 5))
OCTAGON = ((0.41, -1), (1, -0.41), (1, 0.41), (0.41, 1), (-0.41, 1), (-1, 0.41), (-1, -0.41), (-0.41, -1))


def polygon(points: Sequence[tuple[float, float]], x: float = 0, y: float = 0, eighths: int = 0) -> str:
    """The commands of a path through points around a middle, turned by eighths of a circle."""
    cos, sin = math.cos(eighths * math.pi / 4), math.sin(eighths * math.pi / 4)
    turned = [(x + a * cos - b * sin, y + a * sin + b * cos) for a, b in points]
    return "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in turned) + "Z"


def arrows(orientation: int, x: float = 0, y: float = 0) -> str:
    """The commands of the four arrows on a piece, around a middle."""
    return "".join(polygon(ARROW, x, y, orientation + quarter) for quarter in (0, 2, 4, 6))


def octagon(owner: int, radius: int, *, marked: bool) -> list[str]:
    """A piece without its arrows."""
    edge = polygon([(radius * x, radius * y) for x, y in OCTAGON])
    shapes = [path(edge, f"{('white', 'first')[owner]} rim")]
    return [*shapes, path(edge, "mark")] if marked else shapes


def middle(square: int) -> tuple[int, int]:
    """Where a square is drawn."""
    return 74 + 100 * (square % 3), 74 + 100 * (square // 3)


@helper
def with_orientations(squares: int) -> int:
    """Actions onto these squares, in both orientations."""
    return deposit(squares, EVERY_OTHER_BIT) * BOTH_ORIENTATIONS


class ChungToi(NamedTuple):
    """Three in a row with three pieces each, which then move the way they point, and turn."""

    reach: Annotated[Reach, "How far a piece moves: one square, or one or two."] = Reach.TWO
    jump: Annotated[bool, "Whether it may jump over a piece."] = True
    passing: Annotated[bool, "Whether a player may pass, once all pieces are placed."] = False

    title = "Chung Toi"
    players = ("White", "Red")
    variants = (("Short steps", "reach=one"), ("No jumps", "jump=false"), ("With passing", "passing=true"))
    max_plies = 100
    symmetries = 16
    observation_shape = (20,)
    viewpoint = Viewpoint.PLAYER_0
    reachable = 249_299
    known = "a draw: both sides can play on for ever"
    sources = "C. J. Gatti, J. D. Linton and M. J. Embrechts, ESANN 2011; GamesCrafters, Berkeley; W. R. Chung"

    @property
    def num_actions(self) -> int:
        """Piece, square and orientation; and perhaps passing."""
        return PASS + 1 if self.passing else PASS

    def start(self) -> Position:
        """The empty board."""
        return Position(0, 0, 0, 0)

    def player(self, pos: Position) -> int:
        """The player to move."""
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
        """The player who just moved has made the line."""
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

    def with_mover(self, pos: Position, player: int) -> Position:
        """The same board with this player to move."""
        return pos if player == pos.turn else Position(pos.theirs, pos.mine, pos.diagonal, player)

    # ---- the face ----

    def sides(self, pos: Position) -> tuple[int, int]:
        """The squares of White and those of Red."""
        return (pos.mine, pos.theirs) if pos.turn == 0 else (pos.theirs, pos.mine)

    def signs(self, pos: Position) -> list[str]:
        """W+, Wx, R+, Rx or a dot for each square."""
        white, red = self.sides(pos)
        owners = ["W" if white >> i & 1 else "R" if red >> i & 1 else "." for i in range(9)]
        return [owner if owner == "." else owner + "+x"[pos.diagonal >> i & 1] for i, owner in enumerate(owners)]

    def board(self, pos: Position) -> str:
        """Rows 3 to 1 from above, columns a to c, and what the signs mean."""
        signs = [f"{sign:4}" for sign in self.signs(pos)]
        rows = [f"{3 - row}  {''.join(signs[3 * row : 3 * row + 3])}" for row in range(3)]
        legend = "W White, R Red; + points along rows and columns, x along diagonals"
        return "\n".join([*rows, "   a   b   c", "", legend])

    def draw(self, pos: Position) -> Drawing:
        """Octagons with arrows; beside the board Red's tray, the two orientations to choose from, and White's tray."""
        drawing = Drawing(516, 348, self.title, corner=16)
        for square in range(9):
            x, y = middle(square)
            drawing.add(rect(x - 47, y - 47, 94, 94, "alternate", corner=10))
            drawing.add(text(x - 37, y + 38, square_name(square), 14))
            drawing.target(square_name(square), x - 50, y - 50, 100, 100)
        if LINES[pos.theirs]:  # all three pieces of the winner stand in the line
            ends = "L".join("{} {}".format(*middle(nth(pos.theirs, piece))) for piece in (0, PIECES - 1))
            drawing.add(path(f"M{ends}", "mark"))
        self.draw_buttons(drawing, pos)
        for owner, squares in enumerate(self.sides(pos)):
            self.draw_pieces(drawing, pos, owner, squares)
        return drawing

    def draw_buttons(self, drawing: Drawing, pos: Position) -> None:
        """What can be touched beside the board: an orientation, and perhaps passing."""
        y = 112 if self.passing else 132
        for orientation, x in enumerate((345, 421)):
            drawing.add(rect(x, y, 68, 76, "hole rim", corner=12))
            drawing.add(path(arrows(orientation, x + 34, y + 38), "ink"))
            drawing.target("+x"[orientation], x, y, 68, 76)
        if self.passing:
            drawing.add(rect(345, y + 84, 144, 40, "hole rim", corner=12))
            drawing.add(text(417, y + 104, "pass", 22, "ink" if self.legal(pos) >> PASS & 1 else "faint"))
            drawing.target("pass", 345, y + 84, 144, 40)

    def draw_pieces(self, drawing: Drawing, pos: Position, owner: int, squares: int) -> None:
        """A player's pieces on the board and those in hand; marked are those that may go now."""
        kind, waiting = self.players[owner].lower(), PIECES - popcount(squares)
        to_move = owner == pos.turn and self.legal(pos) != 0
        for square in actions(squares):
            orientation = pos.diagonal >> square & 1
            shapes = octagon(owner, 40, marked=to_move and not waiting)
            shapes.append(path(arrows(orientation), ("black", "paper")[owner]))
            drawing.piece(kind, square_name(square), *middle(square), *shapes)
        y = (288, 60)[owner]
        drawing.add(rect(345, y - 33, 144, 66, "hole", corner=14))
        drawing.target(f"{kind}-hand", 345, y - 33, 144, 66)
        for place in range(waiting):
            shapes = octagon(owner, 19, marked=to_move)
            drawing.piece(kind, f"hand {place + 1}", 373 + 44 * place, y, *shapes)

    def describe(self, pos: Position, target: str) -> str:
        """The square and its piece, e.g. b2, white, straight; a way to point; or the pieces in a hand."""
        if target in WAYS:
            return f"point {WAYS[target]}"
        if target.endswith("-hand"):
            player = int(target == "red-hand")
            waiting = PIECES - popcount(self.sides(pos)[player])
            return f"{self.players[player]}, {counted(waiting, 'piece')} in hand"
        signs = {square_name(square): sign for square, sign in enumerate(self.signs(pos))}
        if target not in signs:
            return target
        owner, way = signs[target][0], signs[target][1:]
        return f"{target}, " + (f"{'white' if owner == 'W' else 'red'}, {WAYS[way]}" if way else "empty")

    def action_name(self, pos: Position, action: int) -> str:
        """A square and an orientation to place or turn, e.g. a1+; from where to where to move, e.g. a1-b2x; or pass."""
        *squares, last = self.action_path(pos, action)
        return "-".join(squares) + last

    def action_path(self, pos: Position, action: int) -> tuple[str, ...]:
        """Touch the piece if it lies on the board, the square that it goes to if any, and the orientation."""
        if action == PASS:
            return ("pass",)
        target, sign = square_name(action % 18 // 2), "+x"[action % 2]
        if popcount(pos.mine) < PIECES:
            return target, sign
        square = square_name(nth(pos.mine, action // 18))
        return (square, sign) if square == target else (square, target, sign)

    def format_position(self, pos: Position) -> str:
        """Rows from above and the side to move, e.g. W+.Rx/.../..Wx Red."""
        signs = self.signs(pos)
        return "/".join("".join(signs[i : i + 3]) for i in (0, 3, 6)) + f" {self.players[pos.turn]}"

    def parse_position(self, words: str) -> Position:
        """Parse such rows."""
        found = re.fullmatch(r"((?:w[+x]|r[+x]|\.|/)+)\s+(white|red)", words.strip().lower())
        rows = [re.findall(r"[wr.][+x]?", row) for row in found[1].split("/")] if found else []
        signs = [sign for row in rows for sign in row]
        if found is None or [len(row) for row in rows] != [3, 3, 3]:
            raise ValueError(
                f"{words!r} is no board of nine squares (W+, Wx, R+, Rx or a dot each) and the side to move"
            )
        white, red, diagonal = (sum(1 << i for i, sign in enumerate(signs) if mark in sign) for mark in "wrx")
        turn = int(found[2] == "red")
        pos = Position(red, white, diagonal, 1) if turn else Position(white, red, diagonal, 0)
        mine, theirs = popcount(pos.mine), popcount(pos.theirs)
        if max(mine, theirs) > PIECES:
            raise ValueError(f"a player has at most {PIECES} pieces")
        if theirs - mine != turn and not mine == theirs == PIECES:
            raise ValueError(f"it is not the turn of {self.players[turn]} with these pieces on the board")
        if LINES[pos.mine]:
            raise ValueError(f"{self.players[turn]} has three in a row already, and so is not to move")
        return pos

    def rules(self) -> list[Page]:
        """Placing, moving, turning, winning."""
        squares = "one square" if self.reach == Reach.ONE else "one or two squares"
        over = " It may jump over any piece on its way." if self.jump else " It may not jump over other pieces."
        may_pass = (
            " Or you may pass: once your three pieces lie on the board, you need not move." if self.passing else ""
        )
        words = {
            "Placing": "White begins. In turn, each player puts a piece on an empty square, until both have placed"
            " three. You choose how your piece points: + is straight, x is slanting.",
            "Moving": "Then you move one of your pieces a turn, the way its arrows point: a + along its row or column,"
            f" an x along a diagonal. It goes {squares} and must land on an empty square."
            + ("" if self.reach == Reach.ONE else over),
            "Turning": "A piece that has moved may be turned where it lands, and will go the other way next time."
            f" Instead of moving, you may also turn one of your pieces where it stands.{may_pass}",
            "Winning": "Three of your pieces in a row, upright, level or slanting, win at once, even while pieces are"
            " still being placed. How they point does not matter. Nobody is ever stuck, so play continues until"
            f" somebody wins; after {self.max_plies} moves of both players together, call it a draw.",
        }
        boards = "..R+/.Wx./... White", "W+R+./.WxRx/RxW+. White", "WxR+./.WxRx/RxW+. Red", "W+RxRx/.Wx./R+.W+ Red"
        return [Page(*page, self.parse_position(board)) for page, board in zip(words.items(), boards, strict=True)]
