"""Mancala: sow stones around the board; most stones in the own store wins.

        1 2 3 4 5 6   their holes      hole n is n steps from its owner's store;
store                         store    action = hole - 1; a side is one int, 7 bits a field:
        6 5 4 3 2 1   own holes        the store lowest, then holes 1, 2, ...
"""

from __future__ import annotations

import enum
import math
import re
from typing import TYPE_CHECKING, Annotated, NamedTuple

from annotated_types import Interval

from ludus.compiled.bits import extract
from ludus.compiled.compiling import helper
from ludus.face import Page, counted
from ludus.svg import Drawing, circle, rect, text

if TYPE_CHECKING:
    from ludus.game import Heaps, Observation

BITS = 7
FIELD = (1 << BITS) - 1  # modulo this a side is the sum of its fields
MOST_HOLES = 8
ONES = sum(1 << BITS * hole for hole in range(MOST_HOLES + 1))
HIGH = (ONES - 1) << BITS - 1  # the highest bit of every hole
LOW = HIGH - (ONES - 1)  # all the others
HOLE, STORE, RADIUS = 86, 90, 9  # widths of what is drawn, and half the width of a stone
MOST_IN_HOLE, MOST_IN_STORE = 12, 27  # stones drawn; the number beside them counts all


class Capture(enum.IntEnum):
    """Whether a last stone in an own empty hole takes what lies opposite: never, if there is any, or always."""

    NONE = 0
    STANDARD = 1
    EMPTY = 2


class Leftovers(enum.IntEnum):
    """For whom the stones count that are on the board at the end."""

    NOBODY = 0
    OWNER = 1


BOARD = "Each side has {} with {} in each, and an empty store at its right-hand end. South, below, begins."
NUMBERS = "The number of a hole is its distance in steps from its owner's store."
SOWING = (
    "Take all stones out of one of your holes and drop them one by one: on towards your store, one into it, then into"
    " the holes of the other side, and round again. Only the other side's store is left out."
)
ANOTHER_TURN = "If the last stone drops into your own store, you move again. Here South's hole 1 does that."
NO_CAPTURES = "Wherever else it drops, the other side moves; nothing is captured in this form of the game."
CAPTURES = {
    Capture.STANDARD: (
        "If the last stone drops into a hole of yours that was empty, and stones lie in the hole opposite, all of"
        " them go into your store, the last one too."
    ),
    Capture.EMPTY: (
        "If the last stone drops into a hole of yours that was empty, it goes into your store, and so do the stones"
        " in the hole opposite, if there are any."
    ),
}
END = "The game ends as soon as all holes of one side are empty, even if another turn is due."
LEFTOVERS = {
    Leftovers.NOBODY: "Stones still in holes count for nobody. More stones in the store win.",
    Leftovers.OWNER: "Stones still in holes count for the side that they lie on. More stones win.",
}


class Position(NamedTuple):
    """Both sides with their stores, seen by the player to move."""

    mine: int
    theirs: int
    turn: int


@helper
def row_of_ones(low: int, high: int) -> int:
    """A stone in each of the fields low .. high-1."""
    return ONES & (1 << BITS * high) - (1 << BITS * low)


def ring(count: int, least: float) -> list[tuple[float, float]]:
    """The middles of `count` stones in a ring, the first above, at least `least` from its middle."""
    radius = 0 if count == 1 else max(least, 1.08 * RADIUS / math.sin(math.pi / max(count, 2)))
    turns = [2 * math.pi * n / count for n in range(count)]
    return [(radius * math.sin(turn), -radius * math.cos(turn)) for turn in turns]


def pile(count: int) -> list[tuple[float, float]]:
    """The middles of the stones drawn in a hole: one ring, around one stone or three if there are many."""
    drawn = min(count, MOST_IN_HOLE)
    inner = 0 if drawn < 5 else 1 if drawn < 10 else 3
    turned = [(-right, -down) for right, down in ring(inner, 0)]  # its stones lie in the gaps of the outer ring
    return turned + ring(drawn - inner, (0, 2.15, 0, 3.2)[inner] * RADIUS)


def stack(count: int) -> list[tuple[float, float]]:
    """The middles of the stones drawn in a store, seen from its foot: rows of three."""
    return [(22 * (n % 3 - 1), -22 * (n // 3)) for n in range(min(count, MOST_IN_STORE))]


def add_stones(drawing: Drawing, name: str, x: float, y: float, spots: list[tuple[float, float]]) -> None:
    """Balls at spots around a point."""
    for slot, (right, down) in enumerate(spots):
        drawing.piece("stone", f"{name}.{slot}", x + right, y + down, circle(0, 0, RADIUS, "neutral rim"))


def some(count: int, noun: str) -> str:
    """A number of things in words."""
    return f"{count} {noun}{'s' if count > 1 else ''}"


def field_name(player: int, field: int) -> str:
    """What targets and places call a hole or, with 0, a store."""
    return f"{Mancala.players[player].lower()}-{field or 'store'}"


class Mancala(NamedTuple):
    """Collect more stones than the opponent; a last stone in the own store earns another turn."""

    holes: Annotated[int, Interval(ge=1, le=MOST_HOLES), "Holes on each side."] = 6
    stones: Annotated[int, Interval(ge=1, le=FIELD // 2), "Stones in each hole at the start."] = 4
    capture: Annotated[Capture, "Captures by a last stone in an own empty hole; empty: also of nothing."] = Capture.NONE
    leftovers: Annotated[Leftovers, "For whom the stones count that are left on the board."] = Leftovers.NOBODY

    title = "Mancala"
    players = ("South", "North")
    variants = (
        ("Kalah", "capture=empty, leftovers=owner"),
        ("With captures", "capture=standard, leftovers=owner"),
        ("Small board", "holes=4, stones=3"),
        ("Tiny board", "holes=3, stones=2"),
    )
    symmetries = 2
    known = "the first player wins by 5; with capture=empty, leftovers=owner (Kalah) by 10 (Irving et al. 2000)"
    sources = "T. Birrell, Padawan to Jedi, 2019; G. Irving et al., Solving Kalah, ICGA 2000; M. Rawlings, 2015"

    def validate(self) -> None:
        """All stones must fit into one hole's seven bits."""
        if not 1 <= self.holes <= MOST_HOLES:
            raise ValueError(f"holes must be 1 to {MOST_HOLES}, not {self.holes}")
        most = FIELD // (2 * self.holes)
        if not 1 <= self.stones <= most:
            raise ValueError(f"stones must be 1 to {most} with {self.holes} holes a side, not {self.stones}")

    @property
    def num_actions(self) -> int:
        """One per hole."""
        return self.holes

    def start(self) -> Position:
        """The same number of stones in every hole."""
        side = self.stones * row_of_ones(1, self.holes + 1)
        return Position(side, side, 0)

    def player(self, pos: Position) -> int:
        """The player to move."""
        return pos.turn

    def legal(self, pos: Position) -> int:
        """The own holes with stones, until either side is empty."""
        if pos.mine <= FIELD or pos.theirs <= FIELD:
            return 0
        return extract((pos.mine & LOW) + LOW | pos.mine, HIGH)

    def play(self, pos: Position, action: int) -> Position:
        """Sow; then perhaps capture, perhaps move again."""
        holes, hole, lap = self.holes, action + 1, 2 * self.holes + 1
        mine, theirs = pos.mine, pos.theirs
        left = mine >> BITS * hole & FIELD
        mine ^= left << BITS * hole
        while left > lap:  # rounds that put a stone everywhere
            mine += row_of_ones(0, holes + 1)
            theirs += row_of_ones(1, holes + 1)
            left -= lap
        beyond = max(left - hole, 0)  # stones that go past the own store
        mine += row_of_ones(max(hole - left, 0), hole)
        theirs += row_of_ones(max(holes + 1 - beyond, 1), holes + 1)
        if beyond > holes:
            mine += row_of_ones(lap + hole - left, holes + 1)
        if left == hole:
            return Position(mine, theirs, pos.turn)
        if self.capture != Capture.NONE and (beyond == 0 or beyond > holes):
            last = hole - left if beyond == 0 else lap + hole - left
            opposite = theirs >> BITS * (holes + 1 - last) & FIELD
            if mine >> BITS * last & FIELD == 1 and (opposite > 0 or self.capture == Capture.EMPTY):
                mine += opposite + 1 - (1 << BITS * last)
                theirs -= opposite << BITS * (holes + 1 - last)
        return Position(theirs, mine, 1 - pos.turn)

    def score(self, pos: Position) -> int:
        """The difference of the stores, with what is left on the board if that counts."""
        if self.leftovers == Leftovers.NOBODY:
            return self.banked(pos)
        margin = pos.mine % FIELD - pos.theirs % FIELD
        return margin if pos.turn == 0 else -margin

    def banked(self, pos: Position) -> int:
        """What lies in the stores stays there."""
        margin = (pos.mine & FIELD) - (pos.theirs & FIELD)
        return margin if pos.turn == 0 else -margin

    def unbanked(self, pos: Position) -> Position:
        """The board with empty stores."""
        return Position(pos.mine & ~FIELD, pos.theirs & ~FIELD, pos.turn)

    def bounds(self, pos: Position) -> tuple[int, int]:
        """No more than the stones in the holes."""
        most = (pos.mine >> BITS) % FIELD + (pos.theirs >> BITS) % FIELD
        return -most, most

    def promise(self, pos: Position, action: int) -> int:
        """The holes near the store first, and where stones are captured, another turn before that."""
        again = pos.mine >> BITS * (action + 1) & FIELD == action + 1
        return -4 * action if self.capture == Capture.NONE else 12 * again - 2 * action

    @property
    def endgame_heaps(self) -> int:
        """The holes of both sides."""
        return 2 * self.holes

    def endgame_heap(self, pos: Position, number: int) -> int:
        """Stones in the own holes 1, 2, ..., then in the opponent's."""
        side, hole = (pos.mine, number) if number < self.holes else (pos.theirs, number - self.holes)
        return side >> BITS * (hole + 1) & FIELD

    def endgame_position(self, sizes: Heaps) -> Position:
        """The board with empty stores."""
        mine = theirs = 0
        for hole in range(1, self.holes + 1):
            mine |= int(sizes[hole - 1]) << BITS * hole
            theirs |= int(sizes[self.holes + hole - 1]) << BITS * hole
        return Position(mine, theirs, 0)

    @property
    def observation_shape(self) -> tuple[int]:
        """Holes and store of both sides."""
        return (2 * self.holes + 2,)

    def observe(self, pos: Position, out: Observation) -> None:
        """Stones in the own store and holes 1, 2, ..., then in the opponent's."""
        for field in range(self.holes + 1):
            out[field] = pos.mine >> BITS * field & FIELD
            out[self.holes + 1 + field] = pos.theirs >> BITS * field & FIELD

    def transform(self, pos: Position, symmetry: int) -> Position:
        """Exchange the players: the board is seen by the player to move, so only the turn changes."""
        return Position(pos.mine, pos.theirs, pos.turn ^ symmetry)

    def swaps_players(self, symmetry: int) -> bool:
        """The one symmetry exchanges the players."""
        return symmetry == 1

    def with_mover(self, pos: Position, player: int) -> Position:
        """The same board with this player to move."""
        return pos if player == pos.turn else Position(pos.theirs, pos.mine, player)

    # ---- the face ----

    def counts(self, pos: Position) -> list[list[int]]:
        """The stones in the store and holes 1, 2, ... of South, then of North."""
        sides = (pos.mine, pos.theirs) if pos.turn == 0 else (pos.theirs, pos.mine)
        return [[side >> BITS * field & FIELD for field in range(self.holes + 1)] for side in sides]

    def placed(self, south: list[int], north: list[int], turn: int) -> Position:
        """The position with such stones in the stores and holes 1, 2, ..."""
        sides = [sum(count << BITS * field for field, count in enumerate(side)) for side in (south, north)]
        return Position(sides[turn], sides[1 - turn], turn)

    def board(self, pos: Position) -> str:
        """South's holes below, counted from its store at the right; North's above; a star beside the side to move."""
        south, north = self.counts(pos)
        numbers = [f"{hole:^5}" for hole in range(1, self.holes + 1)]
        star = ["*" if self.legal(pos) and pos.turn == player else " " for player in (0, 1)]
        bars = "----+" * self.holes
        lines = [
            f" {star[1]}North  {''.join(numbers)}",
            f"+-------+{bars}-------+",
            f"|       |{''.join(f'{count:3} |' for count in north[1:])}       |",
            f"|{north[0]:4}   +{bars}{south[0]:4}   |",
            f"|       |{''.join(f'{count:3} |' for count in south[:0:-1])}       |",
            f"+-------+{bars}-------+",
            f"         {''.join(reversed(numbers))}{star[0]}South",
        ]
        return "\n".join(lines)

    def draw(self, pos: Position) -> Drawing:
        """A wooden board with South's holes below and a store at either end."""
        width = self.drawn_width
        drawing = Drawing(width, 420, self.title, corner=12)
        drawing.add(rect(12, 54, width - 24, 312, "alternate rim", corner=44))
        for player, counts in enumerate(self.counts(pos)):
            x = self.across(player, 0)
            drawing.add(rect(x - 39, 68, 78, 284, "hole rim", corner=37))
            drawing.add(text(x, 103, str(counts[0]), 43, "ink" if counts[0] else "faint"))
            drawing.target(field_name(player, 0), x - STORE / 2, 66, STORE, 288)
            add_stones(drawing, field_name(player, 0), x, 327, stack(counts[0]))
            for hole, count in enumerate(counts[1:], 1):
                x, up, name = self.across(player, hole), 1 if player else -1, field_name(player, hole)
                drawing.add(rect(x - 39, 142.5 - 74.5 * up, 78, 135, "hole rim", corner=37))
                drawing.add(text(x, 210 - 37 * up, str(count), 43, "ink" if count else "faint"))
                drawing.target(name, x - HOLE / 2, 138 - 72 * up, HOLE, 144)
                add_stones(drawing, name, x, 210 - 102 * up, pile(count))
        self.draw_names(drawing, pos)
        return drawing

    @property
    def drawn_width(self) -> int:
        """Holes, stores and margins."""
        return HOLE * self.holes + 2 * STORE + 48

    def across(self, player: int, field: int) -> float:
        """How far from the left the middle of a hole is drawn or, with 0, of a store."""
        depth = 24 + (STORE + HOLE * (field - 0.5) if field else STORE / 2)
        return depth if player else self.drawn_width - depth

    def draw_names(self, drawing: Drawing, pos: Position) -> None:
        """Names and numbers along the edges, with a mark around the side to move; at the end the result below."""
        going = self.legal(pos) != 0
        for player, y in ((0, 393), (1, 27)):
            drawing.add(text(self.across(player, 0), y, self.players[player], 31))
            numbers = range(1, self.holes + 1) if going or player else ()
            drawing.add(*(text(self.across(player, number), y, str(number), 31, "faint") for number in numbers))
            if going and player == pos.turn:
                drawing.add(rect(self.across(player, 0) - 54, y - 21, 108, 42, "mark", corner=21))
        if not going:
            drawing.add(text((self.drawn_width - STORE) / 2, 393, self.result(pos), 31))

    def result(self, pos: Position) -> str:
        """How a finished game ended."""
        score = self.score(pos)
        return f"{self.players[0 if score > 0 else 1]} wins by {abs(score)}" if score else "A tie"

    def describe(self, pos: Position, target: str) -> str:
        """Whose hole or store it is and the stones in it, e.g. South, hole 3, four stones."""
        name, field = target.title().split("-")
        is_store = field == "Store"
        count = self.counts(pos)[self.players.index(name)][0 if is_store else int(field)]
        return f"{name}, {'store' if is_store else f'hole {field}'}, {counted(count, 'stone')}"

    def action_name(self, pos: Position, action: int) -> str:
        """The hole, counted from the own store."""
        return str(action + 1)

    def action_path(self, pos: Position, action: int) -> tuple[str, ...]:
        """Touch the hole."""
        return (field_name(pos.turn, action + 1),)

    def format_position(self, pos: Position) -> str:
        """South's holes 1, 2, ... and store, North's, and the side to move: 4 4 4 4 4 4 (0) / 4 4 4 4 4 4 (0) South."""
        sides = [f"{' '.join(map(str, side[1:]))} ({side[0]})" for side in self.counts(pos)]
        return f"{' / '.join(sides)} {self.players[pos.turn]}"

    def parse_side(self, words: str) -> list[int]:
        """The stones in the store and holes 1, 2, ... of one side."""
        found = re.fullmatch(r"((?:[0-9]{1,3} +)+)\( *([0-9]{1,3}) *\)", words.strip())
        if not found:
            raise ValueError(f"a side is stones in holes 1, 2, ... and in brackets the store, not {words.strip()!r}")
        holes = [int(count) for count in found[1].split()]
        if len(holes) != self.holes:
            raise ValueError(f"the side {words.strip()!r} has {len(holes)} holes instead of {self.holes}")
        return [int(found[2]), *holes]

    def parse_position(self, words: str) -> Position:
        """Parse such sides."""
        board, _, name = words.strip().rpartition(" ")
        if name.title() not in self.players:
            raise ValueError(f"the last word must be the side to move, South or North, not {name!r}")
        sides = [self.parse_side(side) for side in board.split("/")]
        if len(sides) != 2:
            raise ValueError(f"there must be two sides with / between them, not {len(sides)}")
        found, total = sum(map(sum, sides)), 2 * self.holes * self.stones
        if found != total:
            raise ValueError(f"there are {found} stones instead of {total}")
        return self.placed(sides[0], sides[1], self.players.index(name.title()))

    def example(self, south: list[int], north: list[int]) -> Position:
        """South to move with such first holes and a full measure in the others; the rest lies in the stores."""
        sides = [side + [self.stones] * (self.holes - len(side)) for side in (south, north)]
        rest = 2 * self.holes * self.stones - sum(map(sum, sides))
        return self.placed([(rest + 1) // 2, *sides[0]], [rest // 2, *sides[1]], 0)

    def rules(self) -> list[Page]:
        """The board, sowing, another turn, captures if there are any, and the end."""
        first = self.play(self.start(), self.holes - 1)
        ended = self.example([0] * self.holes, [1] + [0] * (self.holes - 1))
        board = BOARD.format(some(self.holes, "hole"), some(self.stones, "stone"))
        here, taking = "", self.start()  # one hole a side is too few to show a capture
        if self.holes > 1:
            here = f" Here South's hole 2 ends in hole 1 and takes {some(self.stones, 'stone')}."
            taking = self.example([0, 1], [])
        return [
            Page("The board", f"{board} {NUMBERS}", self.start()),
            Page("Sowing", f"{SOWING} Here South began with hole {self.holes}.", first),
            Page("Another turn", ANOTHER_TURN + ("" if self.capture else f" {NO_CAPTURES}"), self.example([1], [])),
            *([Page("Capturing", CAPTURES[self.capture] + here, taking)] if self.capture else []),
            Page("The end", f"{END} {LEFTOVERS[self.leftovers]} Here: {self.result(ended)}.", ended),
        ]
