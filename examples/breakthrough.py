"""Breakthrough: the worked example of docs/search-hooks.md, a game that is solved by search.

ludus solve examples/breakthrough.py
ludus play 'examples/breakthrough.py(columns=4)' --hints
"""

from typing import NamedTuple

from ludus.compiled.bits import highest, lowest, popcount, reverse
from ludus.svg import Drawing, circle, rect


class Position(NamedTuple):
    """The board as the side to move sees it: square 0 is the left one of its own first row."""

    mine: int
    theirs: int
    turn: int


class Breakthrough(NamedTuple):
    """Pawns step forward, straight or diagonally, and capture diagonally; whoever reaches the last row wins."""

    rows: int = 5
    columns: int = 5

    title = "Breakthrough"
    players = ("White", "Black")

    def validate(self):
        """Boards whose actions fit one int."""
        if not (4 <= self.rows <= 7 and 2 <= self.columns <= 7 and self.num_actions <= 63):
            raise ValueError("rows must be 4 to 7, columns 2 to 7, and 3 x columns x (rows - 1) at most 63")

    @property
    def origins(self):
        """The squares that a pawn can move from: all but the last row."""
        return self.columns * (self.rows - 1)

    @property
    def num_actions(self):
        """Three directions from each origin."""
        return 3 * self.origins

    def start(self):
        """Two rows of pawns on either side."""
        two_rows = (1 << 2 * self.columns) - 1
        return Position(two_rows, two_rows << self.columns * (self.rows - 2), 0)

    def player(self, pos):
        """White moves first."""
        return pos.turn

    def legal(self, pos):
        """Bit s for a step straight from square s, then as many for steps to the left, then to the right."""
        if self.is_over(pos):
            return 0
        return self.steps(pos, self.everywhere)

    def steps(self, pos, onto):
        """The steps onto these squares."""
        left, width = self.first_column, self.columns
        free = onto & ~pos.mine & self.everywhere
        straight = pos.mine & (free & ~pos.theirs) >> width
        to_left = pos.mine & ~left & free >> (width - 1)
        to_right = pos.mine & ~(left << (width - 1)) & free >> (width + 1)
        return straight | to_left << self.origins | to_right << 2 * self.origins

    @property
    def everywhere(self):
        """All squares."""
        return (1 << self.rows * self.columns) - 1

    @property
    def first_column(self):
        """The squares of the left column."""
        return self.everywhere // ((1 << self.columns) - 1)

    @property
    def own_row(self):
        """The first row of the side to move."""
        return (1 << self.columns) - 1

    def is_over(self, pos):
        """Whether the other side has broken through, or captured all pawns."""
        return pos.mine == 0 or pos.theirs & self.own_row != 0

    def play(self, pos, action):
        """Step, capture what stands there, and turn the board."""
        square = action % self.origins
        to = 1 << self.target(action)
        mine, theirs = pos.mine & ~(1 << square) | to, pos.theirs & ~to
        return Position(self.turned(theirs), self.turned(mine), 1 - pos.turn)

    def target(self, action):
        """The square that a step leads to."""
        direction = action // self.origins
        aside = -1 if direction == 1 else 1 if direction == 2 else 0
        return action % self.origins + self.columns + aside

    def turned(self, board):
        """The board as the other side sees it."""
        return reverse(board, self.rows * self.columns)

    def score(self, pos):
        """The side to move has lost."""
        return 1 if pos.turn == 1 else -1

    # ---- hooks for search ----

    def candidates(self, pos):
        """A step that wins; else the captures of a pawn that would win; else all."""
        wins = self.steps(pos, self.own_row << self.origins)
        if wins:
            return wins
        defences = self.steps(pos, pos.theirs & self.own_row << self.columns)
        return defences if defences else self.legal(pos)

    def promise(self, pos, action):
        """Captures first, then the pawns that are far ahead."""
        to = self.target(action)
        return 8 * (pos.theirs >> to & 1) + to // self.columns

    def plies_left(self, pos):
        """At least the way of the first pawn, or the capture of all pawns; at most all steps of all pawns."""
        width, last = self.columns, self.rows - 1
        ours, others = last - highest(pos.mine) // width, lowest(pos.theirs) // width
        fewest = min(2 * min(ours, popcount(pos.theirs)) - 1, 2 * min(others, popcount(pos.mine)))
        most = 0
        for row in range(last):
            most += (last - row) * popcount(pos.mine >> row * width & self.own_row)
            most += (row + 1) * popcount(pos.theirs >> (row + 1) * width & self.own_row)
        return max(fewest, 1), most

    # ---- symmetry ----

    symmetries = 2

    def transform(self, pos, symmetry):
        """The mirror image."""
        if symmetry == 0:
            return pos
        return Position(self.mirrored(pos.mine), self.mirrored(pos.theirs), pos.turn)

    def mirrored(self, board):
        """The same with left and right exchanged."""
        whole = 0
        for row in range(self.rows):
            whole |= reverse(board >> row * self.columns & self.own_row, self.columns) << row * self.columns
        return whole

    def transform_action(self, pos, action, symmetry):
        """The same step in the mirror."""
        if symmetry == 0:
            return action
        square, direction = action % self.origins, action // self.origins
        row, column = square // self.columns, square % self.columns
        mirrored = direction if direction == 0 else 3 - direction
        return mirrored * self.origins + row * self.columns + self.columns - 1 - column

    # ---- the face ----

    def pawns(self, pos):
        """The pawns of White and of Black on the squares as White sees them."""
        return (pos.mine, pos.theirs) if pos.turn == 0 else (self.turned(pos.theirs), self.turned(pos.mine))

    def board(self, pos):
        """White X below, Black O above."""
        white, black = self.pawns(pos)
        rows = [range(row * self.columns, (row + 1) * self.columns) for row in reversed(range(self.rows))]
        marks = [["X" if white >> s & 1 else "O" if black >> s & 1 else "." for s in row] for row in rows]
        return "\n".join(map(" ".join, marks))

    def squares(self, pos, action):
        """The squares that a step leads from and to, as White sees them."""
        seen = action % self.origins, self.target(action)
        last = self.rows * self.columns - 1
        return seen if pos.turn == 0 else (last - seen[0], last - seen[1])

    def square_name(self, square):
        """A column and a row, a1 for the square on the left of White's first row."""
        return f"{'abcdefg'[square % self.columns]}{square // self.columns + 1}"

    def action_name(self, pos, action):
        """From and to: b2-b3."""
        return "-".join(map(self.square_name, self.squares(pos, action)))

    def action_path(self, pos, action):
        """Touch the pawn, then the square that it steps onto."""
        origin, target = self.squares(pos, action)
        return (f"from-{self.square_name(origin)}", f"to-{self.square_name(target)}")

    def draw(self, pos):
        """The board with White below."""
        drawing = Drawing(100 * self.columns, 100 * self.rows, self.title)
        pawns = self.pawns(pos)
        for square in range(self.rows * self.columns):
            name, row, column = self.square_name(square), square // self.columns, square % self.columns
            x, y = 100 * column, 100 * (self.rows - 1 - row)
            drawing.add(rect(x, y, 100, 100, "hole" if (row + column) % 2 else "alternate"))
            drawing.target(f"to-{name}", x, y, 100, 100)
            for player, look in enumerate(("white", "black")):
                if pawns[player] >> square & 1:
                    drawing.piece(look, name, x + 50, y + 50, circle(0, 0, 34, f"{look} rim"))
                    drawing.target(f"from-{name}", x, y, 100, 100)
        return drawing
