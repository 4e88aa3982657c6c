"""Connect four: drop discs into columns until four stand in a line.

5 12 19 26 33 40 47
4 11 18 25 32 39 46
3 10 17 24 31 38 45
2  9 16 23 30 37 44      bit of a cell, 7 x 6: one column is height + 1 bits, of which the top one
1  8 15 22 29 36 43      stays empty, so that lines do not wrap; action = column
0  7 14 21 28 35 42
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, NamedTuple

from annotated_types import Interval

from ludus.compiled.bits import deposit, extract, popcount
from ludus.compiled.compiling import helper
from ludus.compiled.masks import actions
from ludus.face import Page, counted
from ludus.svg import Drawing, circle, rect, text

if TYPE_CHECKING:
    from ludus.game import Observation

MOST_BITS = 62
CELL = 60  # width of a drawn cell
TOP = 78  # where the drawn cells begin, under the names
DROPPING = "Red begins. In turn, each player drops a disc into a column that is not full."
FALLING = "A disc falls to the lowest free cell of its column, so discs pile up on each other."


class Position(NamedTuple):
    """Bitboards seen by the player to move."""

    mine: int
    theirs: int
    turn: int


@helper
def missing_of_four(board: int, step: int) -> int:
    """The cells of all lines of four in one direction of which the other three are there."""
    up, down = board << step, board >> step
    above, below = up & up << step, down & down >> step
    return above & (down | above << step) | below & (up | below >> step)


def disc(player: int, radius: float) -> str:
    """A disc with an inner edge, a wide one for player 0 and a narrow one for player 1."""
    look = "second rim" if player else "first rim"
    return circle(0, 0, radius, look) + circle(0, 0, radius * (0.4 if player else 0.7), look)


def tag(x: float, half: float, player: int, words: str, marked: bool) -> list[str]:
    """A small disc and words, `half` as wide to either side of the middle, perhaps with a mark around them."""
    dot = circle(x - half + 23, 35, 14, "second rim" if player else "first rim")
    mark = rect(x - half, 13, 2 * half, 44, "mark", corner=22)
    return [dot, text(x + 17, 35, words, 29), mark if marked else ""]


class ConnectFour(NamedTuple):
    """Four in a row, discs falling to the bottom of their column."""

    width: Annotated[int, Interval(ge=1, le=20), "Columns."] = 7
    height: Annotated[int, Interval(ge=1, le=20), "Discs that fit into a column."] = 6
    connect: Annotated[int, Interval(ge=2, le=20), "Discs in a line that win."] = 4

    title = "Connect four"
    players = ("Red", "Blue")
    variants = (
        ("Small board", "width=5, height=4"),
        ("Tiny board", "width=4, height=4"),
        ("Connect three", "width=5, height=4, connect=3"),
        ("Connect five", "width=9, height=5, connect=5"),
    )
    symmetries = 2
    reachable = 4_531_985_219_092
    known = "the first player wins, by the centre column only (Allen, Allis 1988)"
    sources = "V. Allis, thesis, 1988; J. D. Allen, 1989; S. Edelkamp and P. Kissmann, 2008; J. Tromp; OEIS A212693"

    def validate(self) -> None:
        """At least a 1x1 board that fits into one word, and a line that it could hold."""
        if self.width < 1 or self.height < 1 or self.width * (self.height + 1) > MOST_BITS:
            raise ValueError(
                f"width and height must be at least 1 with width * (height + 1) at most {MOST_BITS},"
                f" not {self.width} and {self.height}"
            )
        if max(self.width, self.height) < 2:
            raise ValueError("no line fits a board of one cell")
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
        """The player to move."""
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
    def cells(self) -> int:
        """All cells of the board."""
        return self.bottom * ((1 << self.height) - 1)

    def threats(self, board: int) -> int:
        """The cells that would complete a line on a bitboard."""
        cells = 0
        for step in (1, self.height, self.height + 1, self.height + 2):
            cells |= missing_of_four(board, step) if self.connect == 4 else self.missing(board, step)
        return cells & ~board & self.cells

    def missing(self, board: int, step: int) -> int:
        """The cells of all lines in one direction of which at most one cell is not there."""
        full, but_one = board, -1  # where lines begin of which all is there, or all but one; first of length 1
        length = 1
        while length < self.connect:  # join lines of one length, or add a cell
            joined = 2 * length <= self.connect
            more_full, more_but_one = (full, but_one) if joined else (board, -1)
            shift = step * length
            but_one = but_one & more_full >> shift | full & more_but_one >> shift
            full &= more_full >> shift
            length += length if joined else 1
        length = 1
        while length < self.connect:
            more = min(length, self.connect - length)
            but_one |= but_one << step * more
            length += more
        return but_one

    def columns(self, cells: int) -> int:
        """The columns of cells: adding them to full columns carries into the empty bits on top."""
        return extract(cells + self.cells, self.bottom << self.height)

    def free(self, pos: Position) -> int:
        """The cells that a disc can fall into."""
        return (pos.mine | pos.theirs) + self.bottom & self.cells

    def wins(self, pos: Position) -> int:
        """The free cells that make a line of the player to move."""
        return self.free(pos) & self.threats(pos.mine)

    def safe(self, pos: Position) -> int:
        """The free cells that leave the other player no line at once."""
        free, dangers = self.free(pos), self.threats(pos.theirs)
        forced = free & dangers
        if forced:
            free = forced if forced & forced - 1 == 0 else 0
        return free & ~(dangers >> 1)

    def candidates(self, pos: Position) -> int:
        """A winning column; or else those that do not lose at once; or else any."""
        wins, safe = self.wins(pos), self.safe(pos)
        if wins == 0 and safe:
            return self.columns(safe)
        cells = wins if wins else self.free(pos)
        return self.columns(cells & -cells)

    def promise(self, pos: Position, action: int) -> int:
        """The threats that the disc leaves, and the middle rather than the sides; last the cell below an own threat."""
        discs = pos.mine | pos.theirs
        dropped = ~discs & (discs + deposit(1 << action, self.bottom))
        useless = discs | self.threats(pos.theirs) << 1  # above a threat of the other player
        given_up = dropped << 1 & self.threats(pos.mine) != 0
        side = abs(2 * action + 1 - self.width)
        return 64 * (popcount(self.threats(pos.mine | dropped) & ~useless) - 3 * given_up) - side

    def bounds(self, pos: Position) -> tuple[int, int]:
        """A win is one point: for the player to move if that takes one disc, else for the other if nothing stops it.

        Who cannot complete a line any more does not win.
        """
        mover = 1 - 2 * pos.turn
        if self.wins(pos):
            return mover, mover
        if self.safe(pos) == 0:
            return -mover, -mover
        empty = self.cells & ~(pos.mine | pos.theirs)
        low = -int(self.has_line(pos.theirs | empty))
        high = int(self.has_line(pos.mine | empty & self.within_reach(pos)))
        return (low, high) if mover == 1 else (-high, -low)

    def within_reach(self, pos: Position) -> int:
        """The cells that the player to move can get against the other's best defence, as far as that is easy to see.

        Where an even number of cells is left in each column, the other player can answer each disc by one on top of it.
        """
        lower = self.bottom * (((1 << self.height) - 1) // 3)  # every other cell, from the second from the top
        return lower if self.free(pos) & ~lower == 0 else self.cells

    def plies_left(self, pos: Position) -> tuple[int, int]:
        """One if the player to move can win, two if the other cannot be stopped, or else more."""
        if self.wins(pos):
            return 1, 1
        if self.safe(pos) == 0:
            return 2, 2
        return 3, self.width * self.height

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
        for column in range(self.width // 2):
            across = (self.width - 1 - 2 * column) * size
            unlike = (board ^ board >> across) & ((1 << size) - 1) << column * size
            board ^= unlike | unlike << across
        return board

    def transform(self, pos: Position, symmetry: int) -> Position:
        """Mirror left and right."""
        if symmetry == 0:
            return pos
        return Position(self.mirrored(pos.mine), self.mirrored(pos.theirs), pos.turn)

    def transform_action(self, pos: Position, action: int, symmetry: int) -> int:
        """The column moves with the board."""
        return self.width - 1 - action if symmetry else action

    def with_mover(self, pos: Position, player: int) -> Position:
        """The same board with this player to move."""
        return pos if player == pos.turn else Position(pos.theirs, pos.mine, player)

    # ---- the face ----

    def signs(self, pos: Position) -> list[str]:
        """X, O or a dot for each cell, rows from above."""
        red, blue = (pos.mine, pos.theirs) if pos.turn == 0 else (pos.theirs, pos.mine)
        signs = ["X" if red >> i & 1 else "O" if blue >> i & 1 else "." for i in range(self.width * (self.height + 1))]
        return ["".join(signs[row :: self.height + 1]) for row in reversed(range(self.height))]

    def board(self, pos: Position) -> str:
        """The cells above the numbers of their columns, of which wide boards show the last digit only."""
        step = min(58 // self.width, 3)
        names = [str(column + 1) if step == 3 else str((column + 1) % 10) for column in range(self.width)]
        lines = ["".join(f"{sign:>{step}}" for sign in row) for row in [*self.signs(pos), names]]
        return "\n".join([*lines, "", "  X Red, O Blue"])

    def line_cells(self, board: int) -> int:
        """The cells of all lines on a bitboard."""
        cells = 0
        for step in (1, self.height, self.height + 1, self.height + 2):
            starts = board
            for length in range(1, self.connect):
                starts &= board >> step * length
            for length in range(self.connect):
                cells |= starts << step * length
        return cells

    def draw(self, pos: Position) -> Drawing:
        """A rack of round windows with the discs in it, the names above and the columns' numbers below."""
        width, height = CELL * self.width, CELL * self.height
        drawing = Drawing(max(width, 280) + 48, TOP + height + 58, self.title, corner=12)
        left = (drawing.size[0] - width) / 2
        drawing.add(*self.banner(pos, drawing.size[0] / 2))
        drawing.add(rect(left - 9, TOP - 9, width + 18, height + 18, "alternate rim", corner=16))
        for column in range(self.width):
            name = str(column + 1)
            drawing.add(text(left + CELL * (column + 0.5), TOP + height + 33, name, 27, "faint"))
            drawing.target(name, left + CELL * column, TOP - 9, CELL, height + 62)
        self.draw_cells(drawing, pos, left + CELL / 2)
        return drawing

    def draw_cells(self, drawing: Drawing, pos: Position, left: float) -> None:
        """Windows and discs; a ring marks the discs of a finished line."""
        line = self.line_cells(pos.theirs)
        for row, signs in enumerate(self.signs(pos)):
            for column, sign in enumerate(signs):
                x, y, floor = left + CELL * column, TOP + CELL * (row + 0.5), self.height - 1 - row
                drawing.add(circle(x, y, 25, "paper rim"))
                if sign != ".":
                    kind, player = ("red-disc", 0) if sign == "X" else ("blue-disc", 1)
                    ring = circle(0, 0, 25, "mark") if line >> column * (self.height + 1) + floor & 1 else ""
                    drawing.piece(kind, f"{column + 1}.{floor + 1}", x, y, disc(player, 25), ring)

    def banner(self, pos: Position, middle: float) -> list[str]:
        """Both names with a mark around the mover's, or how the game ended."""
        turn = pos.turn
        if self.legal(pos):
            return tag(middle - 70, 61, 0, "Red", turn == 0) + tag(middle + 70, 61, 1, "Blue", turn == 1)
        if self.score(pos):
            return tag(middle, 97, 1 - turn, f"{self.players[1 - turn]} wins", True)
        return [text(middle, 35, "A draw", 29)]

    def describe(self, pos: Position, target: str) -> str:
        """The column and its discs from above, e.g. column 4, three discs, red on top, then blue, red."""
        column = "".join(row[int(target) - 1] for row in self.signs(pos)).strip(".")
        colours = ["red" if sign == "X" else "blue" for sign in column]
        below = f", then {', '.join(colours[1:])}" if len(colours) > 1 else ""
        discs = f"{counted(len(colours), 'disc')}, {colours[0]} on top{below}" if colours else "empty"
        return f"column {target}, {discs}{', full' if len(colours) == self.height else ''}"

    def action_name(self, pos: Position, action: int) -> str:
        """The column, counted from 1 at the left."""
        return str(action + 1)

    def action_path(self, pos: Position, action: int) -> tuple[str, ...]:
        """Touch the column."""
        return (str(action + 1),)

    def format_position(self, pos: Position) -> str:
        """Rows from above with numbers for runs of blanks, e.g. 7/7/7/7/3O3/3X3; the counts give the side to move."""
        return "/".join(re.sub(r"\.+", lambda blanks: str(len(blanks[0])), row) for row in self.signs(pos))

    def parse_position(self, words: str) -> Position:
        """Parse such rows."""
        rows = []
        for row in words.strip().upper().split("/"):
            if not re.fullmatch(r"([XO.]|[1-9][0-9]?(?![0-9]))*", row):
                raise ValueError(f"a row holds X, O and numbers of blanks, not {row!r}")
            rows.append(re.sub(r"[0-9]+", lambda blanks: "." * int(blanks[0]), row))
            if len(rows[-1]) != self.width:
                raise ValueError(f"the row {row!r} has {len(rows[-1])} cells instead of {self.width}")
        if len(rows) != self.height:
            raise ValueError(f"{words.strip()!r} has {len(rows)} rows instead of {self.height}")
        cells = ".".join("".join(column)[::-1] for column in zip(*rows, strict=True))  # with a dot on top of each
        red, blue = (sum(1 << cell for cell, sign in enumerate(cells) if sign == kind) for kind in "XO")
        if (red | blue) & (red | blue) + self.bottom:
            raise ValueError(f"a disc floats above a blank in {words.strip()!r}")
        extra = red.bit_count() - blue.bit_count()
        if extra not in (0, 1):
            raise ValueError(f"there must be as many X as O, or one more, not {red.bit_count()} and {blue.bit_count()}")
        if self.has_line(blue if extra else red):
            raise ValueError(f"{self.players[extra]} cannot be to move with a line already made")
        return Position(red, blue, 0) if extra == 0 else Position(blue, red, 1)

    def lined_up(self, count: int) -> Position:
        """Red has laid `count` discs side by side and Blue has followed on top, as far as the board allows."""
        pos = self.start()
        level = self.height > 1 and count <= self.width
        for turn in range(2 * count - 1):
            columns = actions(self.legal(pos))
            if columns:
                pos = self.play(pos, (self.width - count) // 2 + turn // 2 if level else columns[-(turn % 2)])
        return pos

    def rules(self) -> list[Page]:
        """Dropping, winning, and a first trick where the board has room for it."""
        width, height, connect = self
        size = f"The board is {width} wide and {height} high."
        winning = f"{connect} of your discs in a line win: level, upright or slanting. A full board is a draw."
        trick = f"Both ends of Red's row are free. Blue can stop only one, so Red makes {connect} at the other."
        pages = [
            Page("Dropping", f"{size} {DROPPING}", self.start()),
            Page("Falling", FALLING, self.lined_up(2)),
            Page("Winning", winning, self.lined_up(connect)),
            Page("Two ways at once", trick, self.lined_up(connect - 1)),
        ]
        return pages if height > 1 and width > connect > 2 else pages[:3]
