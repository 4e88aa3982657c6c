"""Toads and Frogs on a strip: toads go right, frogs go left; the player who cannot move loses."""

from __future__ import annotations

import enum
import re
from typing import TYPE_CHECKING, Annotated, NamedTuple

from annotated_types import Interval

from ludus.compiled.bits import extract, lowest, nth, popcount, reverse
from ludus.compiled.compiling import helper
from ludus.compiled.masks import actions
from ludus.face import Note, Page
from ludus.game import Viewpoint
from ludus.svg import Drawing, circle, mirrored, path, rect, text

if TYPE_CHECKING:
    from ludus.game import Observation

MOST_SQUARES = 62


class Strip(NamedTuple):
    """A strip given as text, e.g. TT__FF, T□□F, (TF)^2T_ or T^6_^9F^6."""

    toads: int = 0
    frogs: int = 0
    squares: int = 0

    @classmethod
    def parse(cls, text: str) -> Strip:
        """Parse a strip; raises ValueError when it is none."""
        squares = re.sub(r"\[\]|[□.]", "_", re.sub(r"\s", "", text))
        power_of = re.compile(r"\(([TF_]*)\)(?:\^\{?(\d{1,2})\}?)?|([TF_])\^\{?(\d{1,2})\}?")
        while len(squares) < 1000 and (match := power_of.search(squares)):  # the innermost first: T^3 and (TF)^2
            group, group_power, square, power = match.groups()
            run = square * int(power) if square else group * int(group_power or 1)
            squares = squares[: match.start()] + run + squares[match.end() :]
        if not 1 <= len(squares) <= MOST_SQUARES or set(squares) - set("TF_"):
            raise ValueError(
                f"a strip is 1 to {MOST_SQUARES} squares of T, F and _, with powers as in (TF)^2T_, not {text!r}"
            )
        toads, frogs = (sum(1 << i for i, square in enumerate(squares) if square == animal) for animal in "TF")
        return cls(toads, frogs, len(squares))

    def __str__(self) -> str:
        return "".join("T" if self.toads >> i & 1 else "F" if self.frogs >> i & 1 else "_" for i in range(self.squares))


@helper
def dead_pieces(toads: int, frogs: int, squares: int) -> int:
    """All pieces that stand without a gap from TT, or the left edge, to FF, or the right edge; and those that arrived.

    No frog hops over TT and no toad over FF, so no blank ever comes between.
    """
    pieces, edge = toads | frogs, 1 << squares - 1
    beyond = _joined((toads & toads >> 1) | (pieces & 1), pieces, 1)
    behind = _joined((frogs & frogs << 1) | (pieces & edge), pieces, -1)
    return (beyond & behind) | _joined(frogs & 1, frogs, 1) | _joined(toads & edge, toads, -1)


@helper
def live_span(toads: int, frogs: int, squares: int, number: int) -> tuple[int, int]:
    """Where the n-th part that dead pieces leave begins and ends, counting those with a piece; (0, 0) for none."""
    rest = ((1 << squares) - 1) & ~dead_pieces(toads, frogs, squares)
    while rest:
        start = lowest(rest)
        stop = start + lowest(~(rest >> start))
        inside = (1 << stop) - (1 << start)
        rest &= ~inside
        if (toads | frogs) & inside:
            if number == 0:
                return start, stop
            number -= 1
    return 0, 0


@helper
def _joined(seeds: int, among: int, way: int) -> int:
    """The seeds, and the squares among those given that are joined to them, to the right (way 1) or the left (-1)."""
    before = 0
    while seeds != before:
        before, seeds = seeds, seeds | ((seeds << 1 if way == 1 else seeds >> 1) & among)
    return seeds


MOST_IN_ROW = 16  # longer strips are shown in several rows


class Side(enum.IntEnum):
    """The side that moves first."""

    TOADS = 0
    FROGS = 1


OUTLINE = "M-40 34C-46 4 -20 -18 2 -24C2 -42 26 -42 29 -26C42 -24 46 -10 38 -3C33 1 26 3 22 4C26 14 27 24 36 34Z"
WARTS = ((2, -15), (-11, -12), (-22, -5), (-30, 5))
STRIP_WORDS = (
    "Toads look right and go right; frogs look left and go left. The sides take turns, one piece a turn."
    " Piece 1 of a side is the one that has come furthest."
)
SLIDING_WORDS = "A piece may slide to the next square ahead if that square is blank. Nobody ever goes back."
HOPPING_WORDS = (
    "If an enemy stands on the next square ahead and the square beyond is blank, a piece may hop there."
    " It hops over one enemy only and never over a friend. Nobody is taken off the strip."
)
WINNING_WORDS = (
    "Whoever has to move and cannot has lost. So keep some moves in store for later,"
    " and stand where the others run out of theirs."
)
DEAD_WORDS = (
    "Pieces without a gap between them that begin with two toads and end with two frogs are stuck for ever."
    " They cut the strip into parts that have nothing to do with each other: count your moves in each."
)
LEAP_WORDS = "every move of either side is a hop into a blank that has no blank beside it"


class Position(NamedTuple):
    """Bitboards of both kinds, and the side to move."""

    toads: int
    frogs: int
    turn: int


def portrait(side: int, number: int) -> list[str]:
    """A toad with warts that looks right, or a smooth frog that looks left, with its number on the flank."""
    way, look = (1, "first rim") if side == Side.TOADS else (-1, "second rim")
    eye = [circle(15 * way, -26, 7.5, "paper"), circle(17.5 * way, -26, 3.5, "ink")]
    warts = [circle(x, y, 2.8, "paper") for x, y in WARTS] if side == Side.TOADS else []
    digits = text(-2 * way, 13, str(number), 40 if number < 10 else 34, "paper")
    return [path(mirrored(OUTLINE, way, 1), look), *eye, *warts, digits]


def squares_in_words(start: int, stop: int) -> str:
    """The squares from `start` up to but not `stop`, as people count them."""
    return f"square {stop}" if stop - start == 1 else f"squares {start + 1} to {stop}"


def square_targets(start: int, stop: int) -> tuple[str, ...]:
    """The names of the squares from `start` up to but not `stop`."""
    return tuple(str(square + 1) for square in range(start, stop))


class ToadsAndFrogs(NamedTuple):
    """Toads go right and frogs left, by a step or a hop over one enemy; the player who cannot move loses."""

    toads: Annotated[int, Interval(ge=0, le=MOST_SQUARES), "Toads at the left."] = 3
    gaps: Annotated[int, Interval(ge=0, le=MOST_SQUARES), "Blank squares between them."] = 3
    frogs: Annotated[int, Interval(ge=0, le=MOST_SQUARES), "Frogs at the right."] = 3
    first: Annotated[Side, "Who moves first."] = Side.TOADS
    strip: Annotated[Strip, "Any strip in place of these numbers, such as TT__FF or (TF)^2T_."] = Strip()

    title = "Toads and Frogs"
    players = ("Toads", "Frogs")
    variants = (
        ("Short strip", "toads=2, gaps=2, frogs=2"),
        ("Long strip", "toads=4, gaps=6, frogs=4"),
        ("Frogs first", "first=frogs"),
    )
    symmetries = 2
    viewpoint = Viewpoint.PLAYER_0
    reachable = 819
    known = "the first player loses: T^3_^3F^3 is 0 (Erickson; Thanatipanonda)"
    sources = "L. Garwood; Winning Ways 1; J. Erickson, Games of No Chance, 1996; T. Thanatipanonda, arXiv:0804.0640"

    def validate(self) -> None:
        """A strip in text overrides the three counts."""
        if self.strip != Strip():
            toads, frogs, squares = self.strip
            if (self.toads, self.gaps, self.frogs) != (3, 3, 3):
                raise ValueError("give either a strip or the numbers of toads, gaps and frogs, not both")
            if not 1 <= squares <= MOST_SQUARES or toads & frogs or not 0 <= (toads | frogs) < 1 << squares:
                raise ValueError(f"{tuple(self.strip)} is no strip; make one with Strip.parse")
        elif min(self.toads, self.gaps, self.frogs) < 0 or not 1 <= self.squares <= MOST_SQUARES:
            raise ValueError(
                f"toads, gaps and frogs must be at least 0 and 1 to {MOST_SQUARES} squares together,"
                f" not {self.toads}, {self.gaps} and {self.frogs}"
            )

    @property
    def squares(self) -> int:
        """The length of the strip."""
        return self.strip.squares if self.strip.squares else self.toads + self.gaps + self.frogs

    @property
    def num_actions(self) -> int:
        """As many as the larger side has pieces."""
        start = self.start()
        return max(popcount(start.toads), popcount(start.frogs), 1)

    def start(self) -> Position:
        """All toads left and all frogs right, or the strip that was given."""
        if self.strip.squares:
            return Position(self.strip.toads, self.strip.frogs, self.first)
        frogs = ((1 << self.frogs) - 1) << (self.toads + self.gaps)
        return Position((1 << self.toads) - 1, frogs, self.first)

    def player(self, pos: Position) -> int:
        """Toads are player 0, frogs player 1, whoever starts."""
        return pos.turn

    def empty(self, pos: Position) -> int:
        """The blank squares."""
        return ((1 << self.squares) - 1) & ~(pos.toads | pos.frogs)

    def legal(self, pos: Position) -> int:
        """The pieces that can step or hop, the most advanced first."""
        empty = self.empty(pos)
        if pos.turn == 1:
            movers = pos.frogs & (empty << 1 | (pos.toads << 1 & empty << 2))
            return extract(movers, pos.frogs)
        movers = pos.toads & (empty >> 1 | (pos.frogs >> 1 & empty >> 2))
        return reverse(extract(movers, pos.toads), popcount(pos.toads))

    def play(self, pos: Position, action: int) -> Position:
        """Step into the blank ahead, or hop over the enemy there."""
        empty = self.empty(pos)
        if pos.turn == 1:
            square = nth(pos.frogs, action)
            target = square - 1 if empty >> square - 1 & 1 else square - 2
            return Position(pos.toads, pos.frogs ^ (1 << square | 1 << target), 0)
        square = nth(pos.toads, popcount(pos.toads) - 1 - action)
        target = square + 1 if empty >> square + 1 & 1 else square + 2
        return Position(pos.toads ^ (1 << square | 1 << target), pos.frogs, 1)

    def score(self, pos: Position) -> int:
        """The player who cannot move has lost."""
        return 1 if pos.turn == 1 else -1

    @property
    def observation_shape(self) -> tuple[int]:
        """One number per square."""
        return (self.squares,)

    def observe(self, pos: Position, out: Observation) -> None:
        """Toads are 1, frogs -1, whoever moves."""
        for square in range(self.squares):
            out[square] = (pos.toads >> square & 1) - (pos.frogs >> square & 1)

    def transform(self, pos: Position, symmetry: int) -> Position:
        """Mirror the strip, toads becoming frogs."""
        if symmetry == 0:
            return pos
        return Position(reverse(pos.frogs, self.squares), reverse(pos.toads, self.squares), 1 - pos.turn)

    def swaps_players(self, symmetry: int) -> bool:
        """The mirror exchanges toads and frogs."""
        return symmetry == 1

    def with_mover(self, pos: Position, player: int) -> Position:
        """The same strip with this side to move."""
        return Position(pos.toads, pos.frogs, player)

    def num_parts(self, pos: Position) -> int:
        """As many as dead pieces leave."""
        number = 0
        while live_span(pos.toads, pos.frogs, self.squares, number)[1]:
            number += 1
        return number

    def part(self, pos: Position, number: int) -> Position:
        """The part alone at the left edge; toads that have arrived fill the rest of the strip."""
        start, stop = live_span(pos.toads, pos.frogs, self.squares, number)
        inside = (1 << stop - start) - 1
        arrived = ((1 << self.squares) - 1) & ~inside
        return Position(pos.toads >> start & inside | arrived, pos.frogs >> start & inside, pos.turn)

    def shaping(self, pos: Position) -> float:
        """1 where the Death Leap Principle makes the strip zero: only hops into isolated squares are left."""
        empty = self.empty(pos)
        slides = (pos.toads & empty >> 1) | (pos.frogs & empty << 1)
        landings = empty & ((pos.toads << 1 & pos.frogs) << 1 | (pos.frogs >> 1 & pos.toads) >> 1)
        return 1.0 if not slides and not landings & (empty << 1 | empty >> 1) else 0.0

    # ---- the face ----

    def signs(self, pos: Position) -> str:
        """The strip as text, e.g. TTT___FFF."""
        return str(Strip(pos.toads, pos.frogs, self.squares))

    def part_name(self, pos: Position, number: int) -> str:
        """A part without what is dead beside it."""
        return self.signs(pos)[slice(*live_span(pos.toads, pos.frogs, self.squares, number))]

    def pieces(self, pos: Position, side: int) -> list[int]:
        """The squares of a side's pieces, the most advanced first."""
        return actions(pos.frogs) if side == Side.FROGS else actions(pos.toads)[::-1]

    def landing(self, pos: Position, action: int) -> int:
        """The square that a piece moves to."""
        after = self.play(pos, action)
        return actions((after.toads | after.frogs) & ~(pos.toads | pos.frogs))[0]

    def hops(self, pos: Position, action: int) -> bool:
        """Whether the move is a hop."""
        return abs(self.landing(pos, action) - self.pieces(pos, pos.turn)[action]) == 2

    def row_length(self) -> int:
        """How many squares a row shows: as few rows as can be, about equally long."""
        rows = -(-self.squares // MOST_IN_ROW)
        return -(-self.squares // rows)

    def board(self, pos: Position) -> str:
        """The strip with the numbers of the mover's pieces above and those of the squares below."""
        signs, length = self.signs(pos), self.row_length()
        numbers = {square: str(number) for number, square in enumerate(self.pieces(pos, pos.turn), 1)}
        lines = []
        for start in range(0, self.squares, length):
            row = range(start, min(start + length, self.squares))
            lines.append(f"{'toad' if pos.turn == 0 else 'frog':6}" + "".join(f"{numbers.get(i, ''):>3}" for i in row))
            lines.append(" " * 6 + "".join(f"{signs[i]:>3}" for i in row))
            lines.append("square" + "".join(f"{i + 1:>3}" for i in row) + "\n")
        return "\n".join(lines).rstrip()

    def draw(self, pos: Position) -> Drawing:
        """Rows of squares; the animals look where they go, and those that can move are marked."""
        length = self.row_length()
        rows = -(-self.squares // length)
        drawing = Drawing(100 * length + 80, 136 * rows + 44, self.title, corner=16)
        places = [(90 + 100 * (i % length), 80 + 136 * (i // length)) for i in range(self.squares)]
        for square, (x, y) in enumerate(places):
            drawing.add(rect(x - 47, y - 50, 94, 100, "hole", corner=14))
            drawing.add(text(x, y + 65, str(square + 1), 24, "faint"))
            drawing.target(str(square + 1), x - 50, y - 54, 100, 132)
        for action in actions(self.legal(pos)):
            x, y = places[self.pieces(pos, pos.turn)[action]]
            drawing.add(rect(x - 45, y - 48, 90, 96, "mark", corner=13))
        (x, y), way = (
            (places[0], 1) if pos.turn == Side.TOADS else (places[-1], -1)
        )  # the edge that the mover comes from
        drawing.add(path(f"M{x - 72 * way} {y - 16}L{x - 60 * way} {y}L{x - 72 * way} {y + 16}", "mark"))
        for side, kind in enumerate(("toad", "frog")):
            for number, square in enumerate(self.pieces(pos, side), 1):
                drawing.piece(kind, str(square + 1), *places[square], *portrait(side, number))
        return drawing

    def describe(self, pos: Position, target: str) -> str:
        """The square and the animal on it, e.g. square 3, toad 1."""
        for side, kind in enumerate(("toad", "frog")):
            pieces = self.pieces(pos, side)
            if int(target) - 1 in pieces:
                return f"square {target}, {kind} {pieces.index(int(target) - 1) + 1}"
        return f"square {target}, empty"

    def action_name(self, pos: Position, action: int) -> str:
        """The number of the piece and where it goes, e.g. 2 slides to 5."""
        how = "hops" if self.hops(pos, action) else "slides"
        return f"{action + 1} {how} to {self.landing(pos, action) + 1}"

    def action_path(self, pos: Position, action: int) -> tuple[str, ...]:
        """Touch the piece, which has one move at most."""
        return (str(self.pieces(pos, pos.turn)[action] + 1),)

    def format_position(self, pos: Position) -> str:
        """The strip and the side to move, e.g. TTT___FFF toads."""
        return f"{self.signs(pos)} {self.players[pos.turn].lower()}"

    def parse_position(self, words: str) -> Position:
        """Parse a strip as people write it, with the side to move, by default the side that moves first."""
        strip, turn = self.strip_and_mover(words)
        if strip.squares != self.squares:
            raise ValueError(f"the strip has {strip.squares} squares, but this game has {self.squares}")
        if max(popcount(strip.toads), popcount(strip.frogs)) > self.num_actions:
            raise ValueError(f"this game has at most {self.num_actions} toads and {self.num_actions} frogs")
        return Position(strip.toads, strip.frogs, int(turn))

    def starting_at(self, words: str) -> ToadsAndFrogs:
        """The game that starts with a strip of any length, read likewise."""
        strip, first = self.strip_and_mover(words)
        return self._replace(toads=3, gaps=3, frogs=3, first=first, strip=strip)

    def strip_and_mover(self, words: str) -> tuple[Strip, Side]:
        """Parse a strip and the side to move."""
        mover = re.search(r"\s(toads|frogs)\s*$", words, re.IGNORECASE)
        strip = Strip.parse(words[: mover.start()] if mover else words)
        return strip, Side[mover[1].upper()] if mover else self.first

    def rules(self) -> list[Page]:
        """The moves, the end, and dead pieces."""
        line = [self.start()]
        while legal := actions(self.legal(line[-1])):  # the most advanced piece that can move
            line.append(self.play(line[-1], legal[0]))
        hop = next((pos for pos in line if any(self.hops(pos, action) for action in actions(self.legal(pos)))), None)
        pages = [
            Page("The strip", f"{self.players[self.first]} move first. {STRIP_WORDS}", line[0]),
            Page("Sliding", SLIDING_WORDS, line[1] if len(line) > 1 else None),
            Page("Hopping", HOPPING_WORDS, hop),
            Page("Winning", WINNING_WORDS, line[-1]),
        ]
        toads, frogs = (popcount(pieces) for pieces in self.start()[:2])
        if min(toads, frogs) >= 2:
            blanks = self.squares - toads - frogs
            left, right = "T" * (toads - 2) + "_" * (blanks - blanks // 2), "_" * (blanks // 2) + "F" * (frogs - 2)
            pages.append(Page("Dead pieces", DEAD_WORDS, self.parse_position(f"{left}TTFF{right}")))
        return pages

    def notes(self, pos: Position) -> list[Note]:
        """Dead pieces, the parts between them, and the Death Leap Principle."""
        dead = dead_pieces(pos.toads, pos.frogs, self.squares)
        runs = [run.span() for run in re.finditer("1+", f"{dead:b}"[::-1])]
        verbs = ("holds a dead piece, which never moves", "hold dead pieces, which never move")
        words = [f"{squares_in_words(*run).capitalize()} {verbs[run[1] - run[0] > 1]} again." for run in runs]
        notes = [Note(one, square_targets(*run)) for one, run in zip(words, runs, strict=True)]
        return notes + (self.notes_on_parts(pos) if dead else []) + self.notes_on_leaps(pos)

    def notes_on_parts(self, pos: Position) -> list[Note]:
        """What the dead pieces leave of the strip."""
        numbers = range(self.num_parts(pos))
        spans = [live_span(pos.toads, pos.frogs, self.squares, number) for number in numbers]
        if not spans:
            return []
        named = " + ".join(self.part_name(pos, number) for number in numbers)
        where = ", ".join(squares_in_words(*span) for span in spans)
        ending = ": parts that no longer touch each other." if len(spans) > 1 else "."
        targets = tuple(name for span in spans for name in square_targets(*span))
        return [Note(f"The rest of the strip is {named} ({where}){ending}", targets)]

    def notes_on_leaps(self, pos: Position) -> list[Note]:
        """The Death Leap Principle, where it holds of the strip or of a part, with the pieces that can hop."""
        if not self.shaping(pos):
            return [note for number in range(self.num_parts(pos)) for note in self.notes_on_part(pos, number)]
        hoppers = self.movable(pos)
        nobody = "No piece of either side can move: the value of the strip is 0, and the player to move has lost."
        leap = f"Death Leap Principle: {LEAP_WORDS}, so the value of the strip is 0 and the player to move loses."
        return [Note(leap if hoppers else nobody, hoppers)]

    def notes_on_part(self, pos: Position, number: int) -> list[Note]:
        """The same for one of the parts that dead pieces leave."""
        if not self.shaping(self.part(pos, number)):
            return []
        start, stop = live_span(pos.toads, pos.frogs, self.squares, number)
        named, inside = f"{self.part_name(pos, number)} ({squares_in_words(start, stop)})", square_targets(start, stop)
        hoppers = tuple(name for name in self.movable(pos) if name in inside)
        if not hoppers:
            return [Note(f"No piece in {named} can move: the value of this part is 0.", inside)]
        return [Note(f"Death Leap Principle in {named}: {LEAP_WORDS}, so the value of this part is 0.", hoppers)]

    def movable(self, pos: Position) -> tuple[str, ...]:
        """The squares of the pieces of either side that can move."""
        both = [self.with_mover(pos, side) for side in Side]
        return tuple(self.action_path(one, action)[0] for one in both for action in actions(self.legal(one)))
