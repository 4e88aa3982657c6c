"""Fox and Hounds on the dark squares of a board: the fox runs up, the hounds come down and close in.

row 7   . 28 . 29 . 30 . 31      hounds start here and go down
row 6   24 . 25 . 26 . 27 .
  ...                            number of a dark square = size/2 * row + column
row 1   .  4 .  5 .  6 .  7      action of the fox: 0 down left, 1 down right, 2 up left, 3 up right,
row 0   0  . 1  . 2  . 3  .        or the square of row 0 on which it begins
                                 action of the hounds: 2 i down left, 2 i + 1 down right, for hound i in the
                                   order of their squares
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple

from ludus.bits import deposit, extract, lowest, nth, popcount
from ludus.compiling import helper
from ludus.game import Viewpoint

if TYPE_CHECKING:
    from ludus.game import Observation

EVEN_BITS = 0x15555555_55555555
LEFT, RIGHT = 0, 1


class Goal(enum.IntEnum):
    """When the fox has won, besides when the hounds cannot move.

    Level with the rearmost hound; on the hounds' home row; out of their reach for good; never else.
    """

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
    subset = 0
    element = largest
    for i in range(size, 0, -1):
        while binomial(element, i) > rank:
            element -= 1
        subset |= 1 << element
        rank -= binomial(element, i)
        element -= 1
    return subset


class FoxAndHounds(NamedTuple):
    """The hounds win by trapping the fox, the fox by getting past them; who cannot move loses."""

    size: int = 8
    goal: Goal = Goal.LEVEL

    viewpoint = Viewpoint.PLAYER_0
    reachable = 783_268
    known = "goal=safe, fox on column 4: the hounds win in 44 plies (gilith/solve)"

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

    # ---- its half for one player: every step changes the parity of the sum of rows, so a player to move sees half the
    # positions; they are counted by the number of hounds on odd rows, which fixes the parity of the fox's row ----

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
        even_rows = self.even_rows
        odd_rows = self.all_squares ^ even_rows
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
        hounds, even_rows = index // foxes, self.even_rows
        odd_rows = self.all_squares ^ even_rows
        odd = deposit(subset_at(hounds // evens, count, each - 1), odd_rows)
        even = deposit(subset_at(hounds % evens, self.half - count, each - 1), even_rows)
        rows = odd_rows if self.fox_on_odd_row(count, player) else even_rows
        return Position(odd | even, nth(rows & ~(odd | even), index % foxes), player)
