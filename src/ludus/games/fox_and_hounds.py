"""Fox and Hounds on the dark squares of a board: the fox runs up, the hounds come down and close in.

row 7   . 28 . 29 . 30 . 31      hounds start here and go down
row 6   24 . 25 . 26 . 27 .
  ...                            number of a dark square = size/2 * row + column
row 1   .  4 .  5 .  6 .  7      action of the fox: 0 down left, 1 down right, 2 up left, 3 up right,
row 0   0  . 1  . 2  . 3  .        or the square of row 0 on which it begins
                                 action of the hounds: 2 i down left, 2 i + 1 down right, for hound i by square
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Annotated, NamedTuple

from annotated_types import Interval

from ludus.compiled.bits import deposit, extract, highest, lowest, nth, popcount
from ludus.compiled.compiling import helper
from ludus.compiled.masks import actions
from ludus.face import Page
from ludus.game import Viewpoint
from ludus.svg import Drawing, path, rect, text

if TYPE_CHECKING:
    from ludus.game import Observation

EVEN_BITS = 0x15555555_55555555
LEFT, RIGHT = 0, 1
MARK = rect(-28, -28, 56, 56, "mark", corner=8) + rect(-25, -25, 50, 50, "mark", corner=6)
LETTERS = "abcdefghij"
EYES = "M-11 -3a3 3 0 0 0 6 0a3 3 0 0 0 -6 0ZM5 -3a3 3 0 0 0 6 0a3 3 0 0 0 -6 0Z"
FOX = (
    path("M-23 -25L-8 -13Q0 -15 8 -13L23 -25Q27 -6 22 5L3 25Q0 27 -3 25L-22 5Q-27 -6 -23 -25Z", "first rim"),
    path("M-22 5Q-8 3 -3 25ZM22 5Q8 3 3 25ZM-20 -18L-12 -12L-20 -6ZM20 -18L12 -12L20 -6Z", "white"),
    path(EYES + "M-5 20Q0 17 5 20Q4 26 0 26Q-4 26 -5 20Z", "black"),
)
HOUND = (
    path("M-13 -22Q0 -27 13 -22Q19 0 14 14Q9 25 0 25Q-9 25 -14 14Q-19 0 -13 -22Z", "second rim"),
    path("M0 -24Q3 -6 5 1Q13 6 12 14Q8 24 0 24Q-8 24 -12 14Q-13 6 -5 1Q-3 -6 0 -24Z", "white"),
    path("M-12 -22Q-27 -20 -27 2Q-26 14 -20 14Q-13 8 -12 -22M12 -22Q27 -20 27 2Q26 14 20 14Q13 8 12 -22", "second rim"),
    path(EYES + "M-7 5Q0 1 7 5Q5 12 0 13Q-5 12 -7 5Z", "black"),
)
WAYS_TO_WIN = (
    "The fox wins as soon as it stands level with the rearmost hound, or past it.",
    "The fox wins as soon as it reaches the top row, where the hounds began.",
    "The fox wins once no hound can ever again get to its square, nor to at least one of the squares beside it.",
    "To get past the hounds is not enough: the fox has to last until they run out of steps.",
)


class Goal(enum.IntEnum):
    """When the fox has won, besides when the hounds cannot move; `WAYS_TO_WIN` describes each."""

    LEVEL = 0
    HOME = 1
    SAFE = 2
    NONE = 3


class Position(NamedTuple):
    """The squares of the hounds, that of the fox (`squares` while it is off the board), and whose turn it is."""

    hounds: int
    fox: int
    turn: int


@helper
def binomial(n: int, k: int) -> int:
    """The number of k-subsets of n things."""
    result = 1
    for i in range(k):
        result = result * (n - i) // (i + 1)
    return result


@helper
def subset_rank(subset: int) -> int:
    """The number of a subset among those of its size: with elements e_1 < e_2 < ..., the sum of C(e_i, i)."""
    rank = 0
    i = 1
    while subset:
        rank += binomial(lowest(subset), i)
        subset &= subset - 1
        i += 1
    return rank


@helper
def subset_at(rank: int, size: int, largest: int) -> int:
    """The subset of this rank, with `size` elements up to `largest`."""
    subset, element = 0, largest
    for i in range(size, 0, -1):
        while binomial(element, i) > rank:
            element -= 1
        subset |= 1 << element
        rank -= binomial(element, i)
        element -= 1
    return subset


class FoxAndHounds(NamedTuple):
    """The hounds win by trapping the fox, the fox by getting past them; the player who cannot move loses."""

    size: Annotated[int, Interval(ge=4, le=10), "Squares in a row: 4, 6, 8 or 10."] = 8
    goal: Annotated[Goal, "What wins for the fox: level with the last hound, home, safe, or only a block."] = Goal.LEVEL

    title = "Fox and Hounds"
    players = ("Fox", "Hounds")
    variants = (("Small board", "size=6"), ("Tiny board", "size=4"), ("Run home", "goal=home"))
    viewpoint = Viewpoint.PLAYER_0
    reachable = 783_268
    known = "the hounds win, in 45 plies; with goal=safe and the fox on column 4 in 44 (gilith/solve)"
    sources = "J. Bakhshi and M. Budriunas, 2012; Winning Ways 2, pages 635-645; J. Leslie-Hurd, gilith/solve"

    def validate(self) -> None:
        """Boards of the sizes people play."""
        if self.size not in (4, 6, 8, 10):
            raise ValueError(f"size must be 4, 6, 8 or 10, not {self.size}")

    # ---- geometry ----

    @property
    def half(self) -> int:
        """Dark squares in a row, which is also the number of hounds."""
        return self.size // 2

    @property
    def squares(self) -> int:
        """Dark squares of the board."""
        return self.size * self.size // 2

    @property
    def all_squares(self) -> int:
        """All dark squares, as a bitboard."""
        return (1 << self.squares) - 1

    @property
    def even_rows(self) -> int:
        """The dark squares of rows 0, 2, 4, ..."""
        return self.all_squares // ((1 << self.half) + 1)

    @property
    def first_column(self) -> int:
        """The leftmost dark square of every row."""
        return self.all_squares // ((1 << self.half) - 1)

    def down(self, squares: int, side: int) -> int:
        """Where one step down to that side leads from these squares."""
        half, even = self.half, squares & self.even_rows
        odd = squares ^ even
        if side == LEFT:
            return odd >> half | (even & ~self.first_column) >> half + 1
        return (odd & ~(self.first_column << half - 1)) >> half - 1 | even >> half

    def up(self, squares: int, side: int) -> int:
        """Where one step up to that side leads from these squares."""
        half, even = self.half, squares & self.even_rows
        odd = squares ^ even
        if side == LEFT:
            return self.all_squares & (odd << half | (even & ~self.first_column) << half - 1)
        return self.all_squares & ((odd & ~(self.first_column << half - 1)) << half + 1 | even << half)

    def fox_step(self, fox: int, direction: int) -> int:
        """The square, as a bitboard, to which the fox steps; 0 off the board."""
        return self.down(1 << fox, direction) if direction < 2 else self.up(1 << fox, direction - 2)

    # ---- the rules ----

    @property
    def num_actions(self) -> int:
        """Two for each hound; the fox has no more."""
        return max(self.size, 4)

    def start(self) -> Position:
        """Hounds on their row; the fox chooses its square, then moves."""
        home = ((1 << self.half) - 1) << self.squares - self.half
        return Position(home, self.squares, 0)

    def player(self, pos: Position) -> int:
        """The fox is player 0."""
        return pos.turn

    def legal(self, pos: Position) -> int:
        """The squares to begin on, or the steps of the side to move, until somebody has won."""
        if pos.fox == self.squares:
            return (1 << self.half) - 1
        if self.has_arrived(pos):
            return 0
        mask = self.steps(pos)
        return 0 if mask and self.goal == Goal.SAFE and self.is_safe(pos) else mask

    def steps(self, pos: Position) -> int:
        """The steps onto free squares of the side to move."""
        free = self.all_squares & ~(pos.hounds | 1 << pos.fox)
        mask = 0
        if pos.turn == 0:
            for direction in range(4):
                if self.fox_step(pos.fox, direction) & free:
                    mask |= 1 << direction
            return mask
        to_left = extract(self.up(free, RIGHT), pos.hounds)
        to_right = extract(self.up(free, LEFT), pos.hounds)
        return deposit(to_left, EVEN_BITS) | deposit(to_right, EVEN_BITS) << 1

    def has_arrived(self, pos: Position) -> bool:
        """Whether the fox stands where it wants to be."""
        if self.goal == Goal.LEVEL:
            return pos.hounds >> (pos.fox // self.half + 1) * self.half == 0
        return self.goal == Goal.HOME and pos.fox >= self.squares - self.half

    def is_safe(self, pos: Position) -> bool:
        """Whether the fox and a square next to it are out of reach of all hounds for good."""
        reach = pos.hounds
        for _ in range(self.size - 1):
            reach |= self.down(reach, LEFT) | self.down(reach, RIGHT)
        around = 0
        for direction in range(4):
            around |= self.fox_step(pos.fox, direction)
        return not reach >> pos.fox & 1 and (around & ~reach) != 0

    def play(self, pos: Position, action: int) -> Position:
        """Put the fox on the board, or take a step."""
        if pos.fox == self.squares:
            return Position(pos.hounds, action, 0)
        if pos.turn == 0:
            return Position(pos.hounds, lowest(self.fox_step(pos.fox, action)), 1)
        hound = 1 << nth(pos.hounds, action // 2)
        return Position(pos.hounds ^ (hound | self.down(hound, action % 2)), pos.fox, 0)

    def score(self, pos: Position) -> int:
        """The hounds have won exactly if the fox is to move and cannot, before it has arrived."""
        return -1 if pos.turn == 0 and not self.has_arrived(pos) and self.steps(pos) == 0 else 1

    def with_mover(self, pos: Position, player: int) -> Position:
        """The same board with this side to move."""
        return Position(pos.hounds, pos.fox, player)

    @property
    def observation_shape(self) -> tuple[int, int, int]:
        """Three planes of dark squares, row 0 first."""
        return 3, self.size, self.half

    def observe(self, pos: Position, out: Observation) -> None:
        """The fox, the hounds, and a plane of ones when the hounds are to move."""
        for square in range(self.squares):
            row, column = square // self.half, square % self.half
            out[0, row, column] = square == pos.fox
            out[1, row, column] = pos.hounds >> square & 1
            out[2, row, column] = pos.turn

    # ---- the paper's index: the hounds as a subset, the fox among the free squares, last the fox off the board ----

    @property
    def num_positions(self) -> int:
        """All ways to place the pieces; whose turn it is follows from them."""
        return binomial(self.squares, self.half) * (self.squares - self.half) + 1

    def index(self, pos: Position) -> int:
        """The paper's number of a position."""
        if pos.fox == self.squares:
            return self.num_positions - 1
        below = popcount(pos.hounds & (1 << pos.fox) - 1)
        return subset_rank(pos.hounds) * (self.squares - self.half) + pos.fox - below

    def position_at(self, index: int) -> Position:
        """The position of an index."""
        if index == self.num_positions - 1:
            return self.start()
        free = self.squares - self.half
        hounds = subset_at(index // free, self.half, self.squares - 1)
        fox = nth(self.all_squares & ~hounds, index % free)
        odd_pieces = popcount((hounds | 1 << fox) & ~self.even_rows)
        return Position(hounds, fox, (odd_pieces + self.half * (self.size - 1)) % 2)

    def tier(self, pos: Position) -> int:
        """The square of the rearmost hound: hounds only go down, to positions of lower numbers."""
        return highest(pos.hounds)

    # ---- its half for one player: a step changes the parity of the sum of rows; counted by hounds on odd rows ----

    def num_seat_positions(self, player: int) -> int:
        """Half of all positions; for the fox one more, off the board."""
        return self.first_with(self.half + 1, player) + (1 - player)

    def fox_on_odd_row(self, odd_hounds: int, player: int) -> int:
        """The parity of the fox's row when so many hounds stand on odd rows and this player is to move."""
        return (self.half * (self.size - 1) + player + odd_hounds) % 2

    def fox_squares(self, odd_hounds: int, player: int) -> int:
        """How many squares of that parity the hounds leave to the fox."""
        in_its_way = odd_hounds if self.fox_on_odd_row(odd_hounds, player) else self.half - odd_hounds
        return self.squares // 2 - in_its_way

    def first_with(self, odd_hounds: int, player: int) -> int:
        """The first number of the positions with so many hounds on odd rows."""
        each, total = self.squares // 2, 0
        for odd in range(odd_hounds):
            hounds = binomial(each, odd) * binomial(each, self.half - odd)
            total += hounds * self.fox_squares(odd, player)
        return total

    def seat_index(self, pos: Position) -> int:
        """The number of a position among those with the same player to move."""
        if pos.fox == self.squares:
            return self.num_seat_positions(0) - 1
        even_rows, odd_rows = self.even_rows, self.all_squares ^ self.even_rows
        odd, even = extract(pos.hounds, odd_rows), extract(pos.hounds, even_rows)
        count = popcount(odd)
        hounds = subset_rank(odd) * binomial(self.squares // 2, self.half - count) + subset_rank(even)
        free = (odd_rows if odd_rows >> pos.fox & 1 else even_rows) & ~pos.hounds
        fox = popcount(free & (1 << pos.fox) - 1)
        return self.first_with(count, pos.turn) + hounds * self.fox_squares(count, pos.turn) + fox

    def seat_position_at(self, player: int, index: int) -> Position:
        """The position of a player's number."""
        if player == 0 and index == self.num_seat_positions(0) - 1:
            return self.start()
        count = 0
        while self.first_with(count + 1, player) <= index:
            count += 1
        index -= self.first_with(count, player)
        each, foxes = self.squares // 2, self.fox_squares(count, player)
        evens = binomial(each, self.half - count)
        hounds, even_rows, odd_rows = index // foxes, self.even_rows, self.all_squares ^ self.even_rows
        odd = deposit(subset_at(hounds // evens, count, each - 1), odd_rows)
        even = deposit(subset_at(hounds % evens, self.half - count, each - 1), even_rows)
        rows = odd_rows if self.fox_on_odd_row(count, player) else even_rows
        return Position(odd | even, nth(rows & ~(odd | even), index % foxes), player)

    # ---- the face ----

    def square_name(self, square: int) -> str:
        """a1 is the dark square at the lower left, - is off the board."""
        row, column = divmod(square, self.half)
        return f"{LETTERS[2 * column + row % 2]}{row + 1}" if row < self.size else "-"

    def board(self, pos: Position) -> str:
        """Chequered, the hounds' row above; F and H stand on dark squares."""
        signs = [":F:" if i == pos.fox else ":H:" if pos.hounds >> i & 1 else ":::" for i in range(self.squares)]
        rows = ["   " * (n % 2) + "   ".join(signs[n * self.half :][: self.half]) for n in range(self.size)]
        numbered = [f"{n:2}  {row}" for n, row in enumerate(rows, 1)]
        below = "\n     F waits below" if pos.fox == self.squares else ""
        return "\n".join([*numbered[::-1], "     " + "  ".join(LETTERS[: self.size]) + below])

    def draw(self, pos: Position) -> Drawing:
        """The board, the fox's den below, and heads; marked are those that can move."""
        edge = 60 * self.size
        drawing = Drawing(edge + 80, edge + 130, self.title, corner=16)
        den = path(f"M{edge / 2 - 2:g} {edge + 130}v-40a42 42 0 0 1 84 0v40Z", "hole")
        drawing.add(rect(39, 19, edge + 2, edge + 2, "line"), den)
        for n in range(self.size):
            drawing.add(text(70 + 60 * n, edge + 38, LETTERS[n], 20), text(20, edge - 10 - 60 * n, str(n + 1), 20))
        places = [(70 + 120 * x + 60 * (y % 2), edge - 10 - 60 * y) for y in range(self.size) for x in range(self.half)]
        for square, (x, y) in enumerate(places):
            drawing.add(rect(x - 30, y - 30, 60, 60, "alternate"))
            drawing.target(self.square_name(square), x - 30, y - 30, 60, 60)
        places.append((edge // 2 + 40, edge + 90))
        movable = {nth(pos.hounds, action // 2) if pos.turn else pos.fox for action in actions(self.legal(pos))}
        for square in [pos.fox, *actions(pos.hounds)]:
            kind, head = ("fox", FOX) if square == pos.fox else ("hound", HOUND)
            drawing.piece(kind, self.square_name(square), *places[square], MARK if square in movable else "", *head)
        return drawing

    def action_name(self, pos: Position, action: int) -> str:
        """The square to begin on, or from where to where, e.g. e1-d2."""
        return "-".join(self.action_path(pos, action))

    def action_path(self, pos: Position, action: int) -> tuple[str, ...]:
        """Touch the square to begin on, or the piece and where it goes."""
        before, after = (one.hounds | 1 << one.fox for one in (pos, self.play(pos, action)))
        squares = lowest(before & ~after), lowest(after & ~before)
        return tuple(self.square_name(square) for square in squares if square < self.squares)

    def format_position(self, pos: Position) -> str:
        """The fox, the hounds and the side to move, e.g. e1 b8 d8 f8 h8 fox; a fox off the board is -."""
        return " ".join([*map(self.square_name, [pos.fox, *actions(pos.hounds)]), self.players[pos.turn].lower()])

    def parse_position(self, words: str) -> Position:
        """Parse such a list."""
        *names, mover = words.lower().split() or [""]
        numbers = {self.square_name(square): square for square in range(self.squares + 1)}
        if not len(names) == len({*names} & {*numbers}) == self.half + 1 or mover not in ("fox", "hounds"):
            raise ValueError(f"{words!r} is not dark squares for a fox and {self.half} hounds, and the side to move")
        fox, *hounds = (numbers[name] for name in names)
        pos = Position(sum(1 << square for square in hounds), fox, int(mover == "hounds"))
        if pos != self.position_at(self.index(pos)):
            raise ValueError(f"{words!r} cannot arise: no number of steps gets here with the {mover} to move")
        return pos

    def rules(self) -> list[Page]:
        """The start, the steps, and how either side wins."""
        trapped, line = Position(((1 << self.half) - 1) << self.half, 0, 0), [self.start()]
        while legal := actions(self.legal(line[-1])):  # last actions all along let the fox through
            line.append(self.play(line[-1], legal[-1]))
        titles = "The start", "The steps", "How the hounds win", "How the fox wins"
        words = (
            f"{self.half} hounds fill the top row. The fox picks a dark square of the bottom row and then steps first.",
            "In turn, step to a free square that touches yours at a corner: the fox up or down, one hound only down.",
            "The hounds win if the fox is to move and every square around it is taken. Keep them side by side!",
            f"{WAYS_TO_WIN[self.goal]} In any case it wins when the hounds are to move and none of them can.",
        )
        return [Page(*page) for page in zip(titles, words, (line[0], line[3], trapped, line[-1]), strict=True)]
