"""TapnSwap: tap the enemy's hands until both are dead, or swap fingers between your own.

action   0..3   tap with own hand i (0 left, 1 right) on enemy hand j: 2 i + j
         4..7   move n fingers (1 or 2) away from own hand i: 4 + 2 i + n - 1
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, NamedTuple

from annotated_types import Interval

from ludus.compiled.masks import actions
from ludus.face import Page, counted
from ludus.svg import Drawing, circle, mirrored, path, rect, text

if TYPE_CHECKING:
    from ludus.game import Observation

MOST_STROKES = 5  # hands with more fingers show a number
MOVERS = ("first", "second")
HANDS = ("first-left", "first-right", "second-left", "second-right")
PLACES = ((100, 326), (300, 326), (100, 110), (300, 110))  # of the hands in a drawing
FINGERS = ((28.5, 52), (9.5, 66), (-9.5, 60), (-28.5, 44))  # offset and length, the index finger first
THUMB = "M30 46C50 44 64 18 68 -4C69 -16 56 -19 51 -9C47 0 42 6 34 8Z"
FOLDED_THUMB = "M30 46C46 46 50 20 34 10Z"

TAPPING_WORDS = (
    "With one of your living hands, tap a hand of the enemy."
    " As many fingers as your hand shows are added to that hand; your own hand stays as it is."
)
SWAPPING_WORDS = (
    "Instead of tapping you may move one or two fingers from one of your hands to the other, as long as neither"
    " goes above the limit and the pair really changes: 2-0 may become 1-1, but not 0-2."
    " So a dead hand can come back to life, and you may also give away all fingers of a hand."
)
WINNING_WORDS = (
    "Kill both hands of the enemy and you win. No rule stops a game that goes round in circles;"
    " matches call it a draw after {plies} moves."
)


class Position(NamedTuple):
    """Fingers on each hand, seen by the player to move; 0 is a dead hand."""

    left: int
    right: int
    their_left: int
    their_right: int
    turn: int


def strokes(fingers: int) -> str:
    """A hand in text: ||| or, with too many fingers to count at a glance, a number."""
    return ("|" * fingers or "dead") if fingers <= MOST_STROKES else str(fingers)


def portrait(hand: int, fingers: int) -> list[str]:
    """A hand seen from its back, with raised fingers and their number; a dead one is a crossed-out fist."""
    side, way = (1, -1)[hand % 2], (1, -1)[hand // 2]
    look = ("first rim", "second rim")[hand // 2] if fingers else "hole rim"
    raised = fingers if fingers <= MOST_STROKES else 0
    thumb = path(mirrored(THUMB if raised == MOST_STROKES else FOLDED_THUMB, side, way), look)
    palm = rect(-39, -14 if way == 1 else -56, 78, 70, look, corner=18)
    sign, size, ink = (str(fingers), 50, "paper") if fingers else ("\N{MULTIPLICATION SIGN}", 60, "faint")
    long = [(side * offset, 20 + (length if n < raised else 8)) for n, (offset, length) in enumerate(FINGERS)]
    shown = [rect(x - 9.5, 6 - height if way == 1 else -6, 19, height, look, corner=9.5) for x, height in long]
    return [thumb, *shown, palm, text(0, 21 * way, sign, size, ink)]


class TapnSwap(NamedTuple):
    """Tap the enemy's hands, or swap fingers between your own; a hand above the limit is dead, two dead hands lose."""

    limit: Annotated[int, Interval(ge=1, le=99), "The most fingers that a living hand has."] = 4
    tap_dead: Annotated[bool, "Whether a dead hand may be tapped."] = False
    distinct: Annotated[bool, "Whether actions of the same name count once, as in the paper's program."] = False

    title = "TapnSwap"
    players = ("First", "Second")
    variants = (("Three fingers", "limit=3"), ("Six fingers", "limit=6"), ("The paper's program", "distinct=true"))
    num_actions = 8
    max_plies = 100
    observation_shape = (4,)
    reachable = 1116
    known = "the second player wins, in 26 plies"
    sources = "J.-R. Conti, TapnSwap: Reinforcement Learning implementation, 2020"

    def validate(self) -> None:
        """At least one finger a hand, and an index that fits."""
        if not 1 <= self.limit <= 99:
            raise ValueError(f"limit must be 1 to 99, not {self.limit}")

    def start(self) -> Position:
        """One finger on every hand."""
        return Position(1, 1, 1, 1, 0)

    def player(self, pos: Position) -> int:
        """The player to move."""
        return pos.turn

    def legal(self, pos: Position) -> int:
        """Taps with and (unless `tap_dead`) on living hands; swaps that change the pair of hands."""
        if pos.left == 0 and pos.right == 0:
            return 0
        mask = 0
        for action in range(4):
            own = pos.left if action < 2 else pos.right
            enemy = pos.their_left if action % 2 == 0 else pos.their_right
            mask |= (own > 0 and (enemy > 0 or self.tap_dead)) << action
        mask |= self.swaps(pos.left, pos.right) << 4 | self.swaps(pos.right, pos.left) << 6
        return mask & ~self.repeated(pos, mask) if self.distinct else mask

    def repeated(self, pos: Position, mask: int) -> int:
        """Taps with as many fingers on as many as one before, and swaps to the same pair as one of a lower rank."""
        found = 0
        for action in range(1, 4):
            for other in range(action):
                own = pos.left == pos.right or (action < 2) == (other < 2)
                enemy = pos.their_left == pos.their_right or action % 2 == other % 2
                found |= (own and enemy and (mask >> other & 1) == 1) << action
        for action in range(4, 8):
            for other in range(4, 8):
                given, before = self.given(action), self.given(other)
                same = given == before or pos.left - given == pos.right + before
                earlier = self.rank(other) < self.rank(action)
                found |= (same and earlier and (mask >> other & 1) == 1) << action
        return found & mask

    def rank(self, action: int) -> int:
        """The place of a swap in the program's list: one finger before two, and the left hand before the right."""
        return 2 * (action % 2) + action // 6

    def given(self, action: int) -> int:
        """How many fingers a swap takes from the left hand; fewer than 0 where it gives them."""
        return action - 3 if action < 6 else 5 - action

    def swaps(self, giver: int, taker: int) -> int:
        """Which of one finger (bit 0) and two fingers (bit 1) may go from one hand to the other."""
        mask = 0
        for n in range(1, 3):
            mask |= (giver >= n and taker + n <= self.limit and giver - n != taker) << n - 1
        return mask

    def play(self, pos: Position, action: int) -> Position:
        """Tap or swap; the other player moves next."""
        left, right, their_left, their_right = pos.left, pos.right, pos.their_left, pos.their_right
        if action >= 4:
            moved = self.given(action)
            left, right = left - moved, right + moved
        elif action % 2 == 0:
            their_left = self.tapped(their_left, left if action == 0 else right)
        else:
            their_right = self.tapped(their_right, left if action == 1 else right)
        return Position(their_left, their_right, left, right, 1 - pos.turn)

    def tapped(self, hand: int, fingers: int) -> int:
        """A hand after a tap: dead above the limit."""
        return hand + fingers if hand + fingers <= self.limit else 0

    def score(self, pos: Position) -> int:
        """The player to move has no hand left and has lost."""
        return 1 if pos.turn == 1 else -1

    def observe(self, pos: Position, out: Observation) -> None:
        """Own hands, then the enemy's, each between 0 and 1."""
        out[0] = pos.left / self.limit
        out[1] = pos.right / self.limit
        out[2] = pos.their_left / self.limit
        out[3] = pos.their_right / self.limit

    @property
    def symmetries(self) -> int:
        """All that `transform` has; where one of several actions counts, hands cannot be mirrored."""
        return 2 if self.distinct else 8

    def transform(self, pos: Position, symmetry: int) -> Position:
        """Bit 0 mirrors the hands of player 0, bit 1 those of player 1; bit 2 exchanges the players."""
        symmetry = self.symmetry(symmetry)
        left, right, their_left, their_right = pos.left, pos.right, pos.their_left, pos.their_right
        if symmetry >> pos.turn & 1:
            left, right = right, left
        if symmetry >> 1 - pos.turn & 1:
            their_left, their_right = their_right, their_left
        turn = 1 - pos.turn if symmetry & 4 else pos.turn
        return Position(left, right, their_left, their_right, turn)

    def transform_action(self, pos: Position, action: int, symmetry: int) -> int:
        """Hands move with their mirror."""
        symmetry = self.symmetry(symmetry)
        own_mirrored, enemy_mirrored = symmetry >> pos.turn & 1, symmetry >> 1 - pos.turn & 1
        return action ^ 2 * own_mirrored ^ (enemy_mirrored if action < 4 else 0)

    def swaps_players(self, symmetry: int) -> bool:
        """Hands are seen by the player to move, so exchanging the players only changes whose turn it is."""
        return self.symmetry(symmetry) >= 4

    def symmetry(self, number: int) -> int:
        """The bits of the symmetry of this number."""
        return 4 * number if self.distinct else number

    @property
    def num_positions(self) -> int:
        """All hands, and whose turn it is."""
        return 2 * (self.limit + 1) ** 4

    def index(self, pos: Position) -> int:
        """The hands as digits, the turn last."""
        size = self.limit + 1
        own = pos.left * size + pos.right
        enemy = pos.their_left * size + pos.their_right
        return (own * size * size + enemy) * 2 + pos.turn

    def position_at(self, index: int) -> Position:
        """The digits back as hands."""
        size = self.limit + 1
        hands = index // 2
        own, enemy = hands // (size * size), hands % (size * size)
        return Position(own // size, own % size, enemy // size, enemy % size, index % 2)

    def num_seat_positions(self, player: int) -> int:
        """All hands."""
        return (self.limit + 1) ** 4

    def seat_index(self, pos: Position) -> int:
        """The hands as the player to move sees them, alike for both."""
        return self.index(pos) // 2

    def seat_position_at(self, player: int, index: int) -> Position:
        """The hands with this player to move."""
        return self.position_at(2 * index + player)

    def with_mover(self, pos: Position, player: int) -> Position:
        """The same board with this player to move."""
        return pos if player == pos.turn else Position(pos.their_left, pos.their_right, pos.left, pos.right, player)

    # ---- the face ----

    def hands(self, pos: Position) -> tuple[int, int, int, int]:
        """The fingers of player 0, left and right, and those of player 1."""
        own, enemy = (pos.left, pos.right), (pos.their_left, pos.their_right)
        return own + enemy if pos.turn == 0 else enemy + own

    def board(self, pos: Position) -> str:
        """The paper's screen: fingers as strokes, player 0 below, left hands on the left."""
        standing = " (to move)" if self.legal(pos) else " (lost)"
        first, second = (name + (standing if n == pos.turn else "") for n, name in enumerate(self.players))
        left, right, their_left, their_right = (strokes(fingers) for fingers in self.hands(pos))
        between = " " * 12 + "|"
        above = [second.center(25), between, f"{their_left:>9}   |   {their_right}", between]
        below = [between, f"{left:>9}   |   {right}", between, first.center(25)]
        return "\n".join([*above, "L --------------------- R", *below])

    def draw(self, pos: Position) -> Drawing:
        """Four hands that face each other across a line, and between the mover's the numbers of fingers to swap."""
        drawing = Drawing(400, 436, self.title, corner=16)
        drawing.add(path("M40 218H360", "line"), text(22, 218, "L", 22, "faint"), text(378, 218, "R", 22, "faint"))
        drawing.add(*(text(200, y, name, 20, "faint") for y, name in zip((406, 30), self.players, strict=True)))
        for hand, fingers in enumerate(self.hands(pos)):
            x, y = PLACES[hand]
            drawing.piece("hand", HANDS[hand], x, y, *portrait(hand, fingers))
            drawing.target(HANDS[hand], x - 72, y - 90, 144, 180)
        legal, top = self.legal(pos), 236 if pos.turn == 0 else 10
        if legal:
            drawing.add(rect(10, top, 380, 190, "mark", corner=14))
        if legal >> 4:
            y = top + (30 if pos.turn == 0 else 160)
            drawing.add(path(f"M176 {y}H224M184 {y - 8}L176 {y}L184 {y + 8}M216 {y - 8}L224 {y}L216 {y + 8}", "line"))
        for number in (1, 2):
            if legal >> 3 + number & 0b101:
                y = top + (25 if pos.turn == 0 else 9) + 52 * number
                drawing.add(circle(200, y, 22, "paper rim"), text(200, y, str(number), 28))
                drawing.target(str(number), 173, y - 26, 54, 52)
        return drawing

    def describe(self, pos: Position, target: str) -> str:
        """Whose hand it is and its fingers, e.g. First, left hand, two fingers; or how many fingers to swap."""
        if target.isdecimal():
            return f"swap {counted(int(target), 'finger')}"
        name, side = target.title().split("-")
        fingers = self.hands(pos)[HANDS.index(target)]
        return f"{name}, {side.lower()} hand, {counted(fingers, 'finger') if fingers else 'dead'}"

    def swapped(self, pos: Position, action: int) -> tuple[int, int]:
        """The mover's hands after a swap."""
        after = self.play(pos, action)
        return after.their_left, after.their_right

    def action_name(self, pos: Position, action: int) -> str:
        """As on the paper's screen; actions of one name have the same result up to mirrored hands."""
        if action < 4:
            own, enemy = (pos.left, pos.right)[action // 2], (pos.their_left, pos.their_right)[action % 2]
            return f"Tap with {own} on {enemy}"
        pair = sorted(self.swapped(pos, action))
        pairs = [self.swapped(pos, other) for other in actions(self.legal(pos)) if other >= 4]
        left, right = next(other for other in pairs if sorted(other) == pair)
        return f"Swap {pos.left}-{pos.right} for {left}-{right}"

    def action_path(self, pos: Position, action: int) -> tuple[str, ...]:
        """Own hand and enemy hand to tap; giving hand, taking hand and number of fingers to swap."""
        own, enemy = (HANDS[:2], HANDS[2:]) if pos.turn == 0 else (HANDS[2:], HANDS[:2])
        if action < 4:
            return own[action // 2], enemy[action % 2]
        giver = action // 2 - 2
        return own[giver], own[1 - giver], str(action % 2 + 1)

    def format_position(self, pos: Position) -> str:
        """The hands of player 0, those of player 1, and the side to move, e.g. 1-1 1-1 first."""
        left, right, their_left, their_right = self.hands(pos)
        return f"{left}-{right} {their_left}-{their_right} {MOVERS[pos.turn]}"

    def parse_position(self, words: str) -> Position:
        """Parse such hands; the first player moves where none is named."""
        pattern = r"(\d{1,3})-(\d{1,3})\s+(\d{1,3})-(\d{1,3})(?:\s+(first|second))?"
        match = re.fullmatch(pattern, words.strip().lower(), re.ASCII)
        if not match:
            raise ValueError(f"{words!r} is not the hands of both players and the side to move")
        first, second, turn = (int(match[1]), int(match[2])), (int(match[3]), int(match[4])), match[5] == "second"
        if max(first + second) > self.limit:
            raise ValueError(f"a hand has at most {self.limit} fingers, not {max(first + second)}")
        own, enemy = (second, first) if turn else (first, second)
        if not any(enemy):
            raise ValueError("only the player to move can have two dead hands")
        return Position(*own, *enemy, int(turn))

    def rules(self) -> list[Page]:
        """Tapping, killing, winning, and swapping where the limit leaves room for it."""
        words = "Each player has two hands with one finger up on each. First, who sits below, begins."
        turns = " Then you take turns: tap an enemy hand, or swap fingers between your own." if self.limit > 1 else ""
        most = f"{self.limit} finger{'s' if self.limit > 1 else ''}"
        killing = f"A hand can hold {most} at most. When a tap takes it above that, it is dead: here 1 on {self.limit}."
        dead = "but tapping it brings it back to life" if self.tap_dead else "and nobody may tap it"
        swapping = Page("Swapping", SWAPPING_WORDS, Position(2, 0, 1, 1, 0))
        return [
            Page("The hands", words + turns, self.start()),
            Page("Tapping", TAPPING_WORDS, self.play(self.start(), 0) if self.limit > 1 else self.start()),
            Page("Dead hands", f"{killing} A dead hand cannot tap, {dead}.", Position(1, 1, self.limit, 1, 0)),
            *([swapping] if self.limit > 1 else []),
            Page("Winning", WINNING_WORDS.format(plies=self.max_plies), Position(0, 0, 1, 1, 1)),
        ]
