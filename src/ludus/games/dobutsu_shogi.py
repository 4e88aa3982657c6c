"""Dobutsu shogi: catch the lion on a board of three by four squares.

The board as the side to move sees it, its own first row below:

 9 10 11     moving:   action = number of (origin, target) in MOVES, eight directions one after another
 6  7  8     dropping: action = 58 + 12 (kind - 1) + square
 3  4  5
 0  1  2
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, NamedTuple

from ludus.compiled.bits import deposit, extract, popcount, reverse
from ludus.compiled.compiling import helper
from ludus.compiled.masks import WORD, actions
from ludus.face import Page, counted
from ludus.svg import Drawing, circle, mirrored, path, rect, text

if TYPE_CHECKING:
    from ludus.game import Observation

SQUARES = 12
ALL = (1 << SQUARES) - 1
FIRST_ROW = 3  # squares below this are the own first row
LAST_ROW = 9  # squares from here on are the last row, where a chick becomes a hen
OFF = SQUARES  # the square of a captured lion
LION, CHICK, ELEPHANT, GIRAFFE = range(4)
KINDS = 3  # small animals, two of each
EACH_TWO = 0b101010  # two of each kind, two bits a kind
LEFT_COLUMN = 0o11111111  # of both bits of all squares

LETTERS = "LCEGH"  # as the board is written: the last one is the hen
NAMES = ("lion", "chick", "elephant", "giraffe", "hen")
HEN = 4  # in letters and names alone: on the board a hen is a chick with a mark

# Forward, backward, left, right, and the four diagonals: columns and rows.
STEPS = ((0, 1), (0, -1), (-1, 0), (1, 0), (-1, 1), (1, 1), (-1, -1), (1, -1))


def _moves(column: int, row: int) -> list[tuple[int, int]]:
    """All moves of one step: origin and target."""
    squares = [(s, s % 3 + column, s // 3 + row) for s in range(SQUARES)]
    return [(s, 3 * y + x) for s, x, y in squares if 0 <= x < 3 and 0 <= y < 4]


MOVES = [move for step in STEPS for move in _moves(*step)]
NUM_MOVES = len(MOVES)
ORIGINS, TARGETS = (bytes(move[end] for move in MOVES) for end in (0, 1))
FROM = tuple(sum(1 << s for s, _ in _moves(*step)) for step in STEPS)  # origins of each direction
FIRST = tuple(MOVES.index(_moves(*step)[0]) for step in STEPS)  # the first move of each direction
ONTO = tuple(sum(1 << n for n, move in enumerate(MOVES) if move[1] == s) for s in range(SQUARES))  # moves to a square
TURNED = bytes([*range(SQUARES - 1, -1, -1), OFF])  # each square as the other side sees it
MIRRORED = bytes([*(s + 2 - 2 * (s % 3) for s in range(SQUARES)), OFF])
MIRRORED_MOVES = bytes(MOVES.index((MIRRORED[a], MIRRORED[b])) for a, b in MOVES)

# Which of STEPS each animal takes, and the dots on its tile that show them.
REACHES = (range(8), range(1), range(4, 8), range(4), range(6))
DOTS = ((0, -35), (0, 36), (-36, 3), (36, 3), (-35, -29), (35, -29), (-35, 36), (35, 36))
TILE = "M0 -45L42 -36L42 43L-42 43L-42 -36Z"
EYES = "M-12 -3a3 3 0 0 0 6 0a3 3 0 0 0 -6 0ZM6 -3a3 3 0 0 0 6 0a3 3 0 0 0 -6 0Z"
BEAK = "M-7 5Q0 1 7 5L0 14Z"
LION_HEAD = (
    path(
        "M0 -28L8 -22L18 -23L21 -13L29 -7L25 3L28 12L19 17L16 27L6 24L0 30L-6 24L-16 27L-19 17L-28 12L-25 3L-29 -7"
        "L-21 -13L-18 -23L-8 -22Z",
        "black",
    ),
    path("M-17 0Q-18 -17 0 -17Q18 -17 17 0Q18 21 0 21Q-18 21 -17 0Z", "white"),
    path(EYES + "M-6 6Q0 3 6 6L0 12ZM-9 16Q-4 18 0 13Q4 18 9 16Q4 21 0 17Q-4 21 -9 16Z", "black"),
)
CHICK_HEAD = (
    path("M-3 -16Q-8 -24 -3 -28Q-1 -22 0 -18Q2 -24 7 -25Q6 -19 3 -16Z", "white"),
    path("M-22 4Q-22 -18 0 -18Q22 -18 22 4Q22 25 0 25Q-22 25 -22 4Z", "white"),
    path(EYES + BEAK, "black"),
)
ELEPHANT_HEAD = (
    path("M-12 -16Q-30 -24 -30 -4Q-30 14 -14 12ZM12 -16Q30 -24 30 -4Q30 14 14 12Z", "white rim"),
    path("M0 -20Q17 -20 17 -2Q17 8 8 10L8 20Q8 28 0 28Q-8 28 -8 20L-8 10Q-17 8 -17 -2Q-17 -20 0 -20Z", "white rim"),
    path(EYES + "M-6 14H6V15H-6ZM-6 19H6V20H-6Z", "black"),
)
GIRAFFE_HEAD = (
    path("M-9 -14L-11 -27L-6 -28L-4 -15ZM9 -14L11 -27L6 -28L4 -15Z", "white"),
    path("M-13 -12L-25 -16L-16 -4ZM13 -12L25 -16L16 -4Z", "white"),
    path("M0 -19Q16 -19 15 -4L11 18Q9 28 0 28Q-9 28 -11 18L-15 -4Q-16 -19 0 -19Z", "white"),
    path(EYES + "M-5 21a2 2 0 0 0 4 0a2 2 0 0 0 -4 0ZM1 21a2 2 0 0 0 4 0a2 2 0 0 0 -4 0Z", "black"),
    path("M-4 -14L3 -15L5 -9L-2 -8ZM-3 4L4 3L3 10L-3 9Z", "black"),
)
HEN_HEAD = (
    path("M-22 6Q-22 -14 0 -14Q22 -14 22 6Q22 27 0 27Q-22 27 -22 6Z", "white"),
    path("M-13 -13Q-17 -26 -7 -23Q-4 -32 2 -24Q12 -30 13 -13Q0 -18 -13 -13ZM-4 15Q-7 25 0 25Q7 25 4 15L0 18Z", "black"),
    path(EYES + BEAK, "black"),
)
HEADS = (LION_HEAD, CHICK_HEAD, ELEPHANT_HEAD, GIRAFFE_HEAD, HEN_HEAD)
TOP, LEFT, STAND = 44, 152, 100  # where the board begins, and how wide the stand of a hand is


class Position(NamedTuple):
    """As the side to move sees it. The six small animals are two of each kind, on the board or in a hand."""

    lions: int  # the square of the own lion, and that of the other in the next four bits
    animals: int  # the kind of the small animal on each square, 0 for none: all low bits, then all high bits
    owners: int  # two bits a kind, set for own ones: first those on the board in order of squares, then those in hand
    hens: int  # which chicks, in order of squares, are hens
    turn: int


@helper
def standing(animals: int, kind: int) -> int:
    """The squares on which this kind of small animal stands, a hen being a chick."""
    low, high = animals & ALL, animals >> SQUARES
    return (low if kind & 1 else ALL ^ low) & (high if kind & 2 else ALL ^ high)


@helper
def kind_on(animals: int, square: int) -> int:
    """The kind of small animal on a square, 0 for none."""
    return animals >> square & 1 | (animals >> SQUARES + square & 1) << 1


@helper
def own(pos: Position) -> int:
    """The squares of the own small animals."""
    squares = 0
    for kind in range(1, KINDS + 1):
        squares |= deposit(pos.owners >> 2 * kind - 2 & 3, standing(pos.animals, kind))
    return squares


@helper
def hens(pos: Position) -> int:
    """The squares of the hens."""
    return deposit(pos.hens, standing(pos.animals, CHICK))


@helper
def hand(pos: Position) -> int:
    """How many of each kind the side to move holds, two bits a kind."""
    held = 0
    for kind in range(1, KINDS + 1):
        held |= popcount((pos.owners >> 2 * kind - 2 & 3) >> popcount(standing(pos.animals, kind))) << 2 * kind - 2
    return held


@helper
def on_board(animals: int) -> int:
    """How many of each kind stand on the board, two bits a kind."""
    count = 0
    for kind in range(1, KINDS + 1):
        count |= popcount(standing(animals, kind)) << 2 * kind - 2
    return count


@helper
def packed(lions: int, animals: int, mine: int, promoted: int, held: int, turn: int) -> Position:
    """The position in which own animals stand on `mine`, hens on `promoted`, and the side to move holds `held`."""
    owners = 0
    for kind in range(1, KINDS + 1):
        squares = standing(animals, kind)
        in_hand = (1 << (held >> 2 * kind - 2 & 3)) - 1
        owners |= (extract(mine, squares) | in_hand << popcount(squares)) << 2 * kind - 2
    return Position(lions, animals, owners, extract(promoted, standing(animals, CHICK)), turn)


@helper
def going(movers: int, free: int, direction: int) -> int:
    """The moves of these animals in one direction onto free squares."""
    step = STEPS[direction][0] + 3 * STEPS[direction][1]
    return extract(movers & free << 4 >> step + 4, FROM[direction]) << FIRST[direction]


@helper
def mirror_image(squares: int) -> int:
    """The same squares with left and right exchanged, for one or two bits of all squares."""
    middle, right = squares & LEFT_COLUMN << 1, squares >> 2 & LEFT_COLUMN
    return (squares & LEFT_COLUMN) << 2 | middle | right


class DobutsuShogi(NamedTuple):
    """Catch the lion: shogi for animals, on three by four squares."""

    drops: Annotated[bool, "Whether captured animals can be dropped; otherwise they leave the game."] = True

    title = "Dobutsu shogi"
    players = ("First", "Second")
    num_actions = NUM_MOVES + KINDS * SQUARES
    max_plies = 200
    symmetries = 4
    observation_shape = (16, 4, 3)
    variants = (("Without drops", "drops=false"),)
    reachable = 246_803_305  # up to symmetry; 138 of them after the capture of a lion
    known = "the second player wins, in 78 plies (Tanaka 2009); positions are counted up to symmetry"
    sources = "T. Tanaka, Analysis of Dobutsu Shogi, IPSJ SIG 2009; M. Kitao and M. Fujita, 2008"

    def start(self) -> Position:
        """Elephant, lion and giraffe on the first row, a chick before the lion; the same for the other side."""
        low = 1 << 2 | 1 << 4 | 1 << 7 | 1 << 9
        high = 1 << 0 | 1 << 2 | 1 << 9 | 1 << 11
        return packed(1 | 10 << 4, low | high << SQUARES, 1 << 0 | 1 << 2 | 1 << 4, 0, 0, 0)

    def player(self, pos: Position) -> int:
        """The player to move."""
        return pos.turn

    def legal(self, pos: Position) -> tuple[int, int]:
        """Captures of the lion if there are any; nothing once a lion is captured or has arrived; else all there is."""
        lion = pos.lions >> 4
        if lion == OFF or pos.lions & 15 == OFF:
            return 0, 0
        moves = self.moves(pos)
        if moves & ONTO[lion]:
            return moves & ONTO[lion], 0
        if lion < FIRST_ROW:
            return 0, 0
        drops = self.dropping(pos)
        return moves | drops << NUM_MOVES & (1 << WORD) - 1, drops >> WORD - NUM_MOVES

    def moves(self, pos: Position) -> int:
        """The moves onto squares without an own animal."""
        mine, promoted, lion = own(pos), hens(pos), 1 << (pos.lions & 15)
        chicks, elephants = mine & standing(pos.animals, CHICK), mine & standing(pos.animals, ELEPHANT)
        straight = lion | promoted & mine | mine & standing(pos.animals, GIRAFFE)
        slanting = lion | elephants
        ahead = slanting | promoted & mine
        free = ALL & ~(mine | lion)
        return (
            going(straight | chicks, free, 0)
            | going(straight, free, 1)
            | going(straight, free, 2)
            | going(straight, free, 3)
            | going(ahead, free, 4)
            | going(ahead, free, 5)
            | going(slanting, free, 6)
            | going(slanting, free, 7)
        )

    def dropping(self, pos: Position) -> int:
        """The drops, as actions counted from the first drop."""
        held = hand(pos)
        taken = pos.animals | pos.animals >> SQUARES | 1 << (pos.lions & 15) | 1 << (pos.lions >> 4)
        drops = 0
        for kind in range(KINDS):
            if held >> 2 * kind & 3:
                drops |= (ALL & ~taken) << SQUARES * kind
        return drops

    def play(self, pos: Position, action: int) -> Position:
        """Move an animal, capture what stands there, or drop one; then turn the board."""
        if action >= NUM_MOVES:
            return self.drop(pos, (action - NUM_MOVES) // SQUARES + 1, (action - NUM_MOVES) % SQUARES)
        return self.move(pos, ORIGINS[action], TARGETS[action])

    def drop(self, pos: Position, kind: int, square: int) -> Position:
        """Put an animal from the hand onto the board."""
        animals = pos.animals | (kind & 1) << square | (kind >> 1) << SQUARES + square
        held = hand(pos) - (1 << 2 * kind - 2)
        return self.turned(pos.lions, animals, own(pos) | 1 << square, hens(pos), held, 1 - pos.turn)

    def move(self, pos: Position, origin: int, target: int) -> Position:
        """Move an animal; a chick that reaches the last row becomes a hen."""
        mine, promoted, held = own(pos), hens(pos), hand(pos)
        kind, captured = kind_on(pos.animals, origin), kind_on(pos.animals, target)
        hen = promoted >> origin & 1 | (kind == CHICK and target >= LAST_ROW)
        arrived = (kind & 1) << target | (kind >> 1) << SQUARES + target
        lions = pos.lions & ~15 | target if kind == LION else pos.lions
        if target == pos.lions >> 4:
            lions, mine = lions & 15 | OFF << 4, (kind != LION) << target
            return self.turned(lions, arrived, mine, hen << target, self.rest(arrived, 0), 1 - pos.turn)
        ends = 1 << origin | 1 << target
        animals = pos.animals & ~(ends | ends << SQUARES) | arrived
        mine = mine & ~ends | (kind != LION) << target
        if captured != 0 and self.drops:
            held += 1 << 2 * captured - 2
        return self.turned(lions, animals, mine, promoted & ~ends | hen << target, held, 1 - pos.turn)

    def rest(self, animals: int, held: int) -> int:
        """What the other side holds."""
        return EACH_TWO - on_board(animals) - held if self.drops else 0

    def turned(self, lions: int, animals: int, mine: int, promoted: int, held: int, turn: int) -> Position:
        """The board as the other side sees it."""
        theirs = (animals | animals >> SQUARES) & ALL & ~mine
        lions = TURNED[lions >> 4] | TURNED[lions & 15] << 4
        held = self.rest(animals, held)
        backwards = reverse(animals, 2 * SQUARES)
        animals = backwards >> SQUARES | (backwards & ALL) << SQUARES
        return packed(lions, animals, reverse(theirs, SQUARES), reverse(promoted, SQUARES), held, turn)

    def score(self, pos: Position) -> int:
        """The side to move has lost: its lion is captured, the other lion has arrived, or it cannot move."""
        return 1 if pos.turn == 1 else -1

    def observe(self, pos: Position, out: Observation) -> None:
        """Five planes of the animals of the mover, five of the other side, then three for what each of them holds."""
        mine, promoted, held = own(pos), hens(pos), hand(pos)
        other = self.rest(pos.animals, held)
        for square in range(SQUARES):
            row, column = square // 3, square % 3
            kind, side = kind_on(pos.animals, square), 0 if mine >> square & 1 else 5
            out[0, row, column] = square == pos.lions & 15
            out[5, row, column] = square == pos.lions >> 4
            if kind != 0:
                out[side + (4 if promoted >> square & 1 else kind), row, column] = 1
            for small in range(KINDS):
                out[10 + small, row, column] = (held >> 2 * small & 3) / 2
                out[13 + small, row, column] = (other >> 2 * small & 3) / 2

    def transform(self, pos: Position, symmetry: int) -> Position:
        """Bit 0 exchanges left and right; bit 1 exchanges the players."""
        turn = pos.turn ^ symmetry >> 1
        if symmetry & 1 == 0:
            return Position(pos.lions, pos.animals, pos.owners, pos.hens, turn)
        lions = MIRRORED[pos.lions & 15] | MIRRORED[pos.lions >> 4] << 4
        return packed(
            lions, mirror_image(pos.animals), mirror_image(own(pos)), mirror_image(hens(pos)), hand(pos), turn
        )

    def transform_action(self, pos: Position, action: int, symmetry: int) -> int:
        """A move goes the other way in the mirror, a drop to the other square."""
        if symmetry & 1 == 0:
            return action
        if action < NUM_MOVES:
            return MIRRORED_MOVES[action]
        square = (action - NUM_MOVES) % SQUARES
        return action - square + MIRRORED[square]

    def swaps_players(self, symmetry: int) -> bool:
        """The board is seen by the side to move, so exchanging the players only changes whose turn it is."""
        return symmetry >= 2

    def with_mover(self, pos: Position, player: int) -> Position:
        """The same board with this player to move."""
        if player == pos.turn:
            return pos
        return self.turned(pos.lions, pos.animals, own(pos), hens(pos), hand(pos), player)

    # ---- the face ----

    def first_side(self, pos: Position) -> Position:
        """The position as the first player sees it, which is how people see it."""
        return self.with_mover(pos, 0)

    def signs(self, pos: Position) -> list[str]:
        """A letter for each square as the first player sees it, small ones for the second player, or a dot."""
        seen = self.first_side(pos)
        mine, promoted = own(seen), hens(seen)
        found = ["."] * SQUARES + [""]
        for square in range(SQUARES):
            kind = kind_on(seen.animals, square)
            if kind != 0:
                letter = LETTERS[HEN if promoted >> square & 1 else kind]
                found[square] = letter if mine >> square & 1 else letter.lower()
        found[seen.lions & 15], found[seen.lions >> 4] = "L", "l"
        return found[:SQUARES]

    def hands(self, pos: Position) -> tuple[list[int], list[int]]:
        """How many chicks, elephants and giraffes the first and the second player hold."""
        seen = self.first_side(pos)
        held = hand(seen)
        first, second = ([both >> 2 * n & 3 for n in range(KINDS)] for both in (held, self.rest(seen.animals, held)))
        return first, second

    def square_name(self, square: int) -> str:
        """Columns from the left, rows from above, as the first player sees them: a4 is square 0."""
        return f"{'abc'[square % 3]}{4 - square // 3}"

    def hand_letters(self, pos: Position) -> str:
        """The animals in hand as letters, those of the first player first; - if there are none."""
        first, second = ("".join(LETTERS[n + 1] * count for n, count in enumerate(held)) for held in self.hands(pos))
        return first + second.lower() or "-"

    def board(self, pos: Position) -> str:
        """Rows 1 to 4 from above, columns a to c, the hands beside them, and what the letters mean."""
        signs = self.signs(pos)
        rows = [f"{4 - row}  {'  '.join(signs[3 * row : 3 * row + 3])}" for row in (3, 2, 1, 0)]
        if self.drops:
            first, second = (self.hand_in_words(held) for held in self.hands(pos))
            rows[0] += f"     Second holds {second}"
            rows[3] += f"     First holds {first}"
        legend = "L lion, C chick, H hen, E elephant, G giraffe; small letters are Second's"
        return "\n".join(["   a  b  c", *rows, "", legend])

    def hand_in_words(self, held: list[int]) -> str:
        """What a player holds, e.g. one chick, two giraffes."""
        return ", ".join(counted(count, NAMES[n + 1]) for n, count in enumerate(held) if count) or "nothing"

    def draw(self, pos: Position) -> Drawing:
        """The board between the hands of both players: Second's on the left, First's on the right."""
        aside = 0 if self.drops else STAND + 16
        drawing = Drawing(596 - 2 * aside, 460, self.title, corner=16)
        left = LEFT - aside
        movable = {self.action_path(pos, action)[0] for action in actions(self.legal(pos))}
        for square, sign in enumerate(self.signs(pos)):
            x, y, name = left + 50 + 100 * (square % 3), TOP + 350 - 100 * (square // 3), self.square_name(square)
            look = "alternate" if 3 <= square < 9 else "hole"
            drawing.add(rect(x - 48, y - 48, 96, 96, look, corner=8))
            drawing.target(name, x - 50, y - 50, 100, 100)
            if sign != ".":
                self.draw_animal(drawing, sign, name, (x, y), marked=name in movable)
        for n in range(3):
            drawing.add(text(left + 50 + 100 * n, TOP - 22, "abc"[n], 20, "faint"))
        for n in range(4):
            drawing.add(text(left - 16, TOP + 50 + 100 * n, str(n + 1), 20, "faint"))
        if self.drops:
            self.draw_hands(drawing, pos, movable)
        return drawing

    def draw_hands(self, drawing: Drawing, pos: Position, movable: set[str]) -> None:
        """Beside the board, a place for each kind of animal in hand, and one for a captured lion."""
        for player, held in enumerate(self.hands(pos)):
            x, way = ((526, -1), (70, 1))[player]
            owner = self.players[player].lower()
            drawing.add(rect(x - STAND // 2, TOP, STAND, 400, "hole", corner=12))
            for n, count in enumerate(held):
                y, name = TOP + 200 - way * (150 - 100 * n), f"{owner}-{NAMES[n + 1]}"
                sign = LETTERS[n + 1] if player == 0 else LETTERS[n + 1].lower()
                drawing.target(name, x - 50, y - 50, STAND, 100)
                for copy in range(count):
                    at = (x - 4 + 8 * copy, y - 4 + 8 * copy) if count > 1 else (x, y)
                    self.draw_animal(drawing, sign, f"{name} {copy + 1}", at, marked=name in movable)
            captured = "lL"[player]
            if captured not in self.signs(pos):
                self.draw_animal(drawing, captured, "hand", (x, TOP + 200 + way * 150), marked=False)

    def draw_animal(self, drawing: Drawing, sign: str, place: str, at: tuple[int, int], *, marked: bool) -> None:
        """A tile that points forward, with dots where the animal goes and its head."""
        player, animal, owner = int(sign.islower()), LETTERS.index(sign.upper()), ("first", "second")[sign.islower()]
        way = (1, -1)[player]
        tile = mirrored(TILE, 1, way)
        dots = [circle(DOTS[step][0], way * DOTS[step][1], 4, "paper") for step in REACHES[animal]]
        shapes = [path(tile, f"{owner} rim"), *dots, *HEADS[animal], path(tile, "mark") if marked else ""]
        kind = NAMES[CHICK if animal == HEN else animal]
        drawing.piece(f"{owner}-{kind}", place, *at, *shapes)

    def describe(self, pos: Position, target: str) -> str:
        """The square and its animal, e.g. b3, first chick; or how many of a kind are in a hand."""
        owner, _, kind = target.partition("-")
        if kind:
            count = self.hands(pos)[owner == "second"][NAMES.index(kind) - 1]
            return f"{owner.capitalize()}, {counted(count, kind)} in hand"
        found = {self.square_name(square): sign for square, sign in enumerate(self.signs(pos))}[target]
        if found == ".":
            return f"{target}, empty"
        return f"{target}, {'second' if found.islower() else 'first'} {NAMES[LETTERS.index(found.upper())]}"

    def seen_square(self, pos: Position, square: int) -> str:
        """The name of a square that the side to move counts from its own first row."""
        return self.square_name(TURNED[square] if pos.turn else square)

    def action_name(self, pos: Position, action: int) -> str:
        """From where to where, b2-b1+ if a chick becomes a hen; or the animal and where it is dropped, C*b3."""
        if action >= NUM_MOVES:
            kind, square = (action - NUM_MOVES) // SQUARES + 1, (action - NUM_MOVES) % SQUARES
            return f"{LETTERS[kind]}*{self.seen_square(pos, square)}"
        origin, target = ORIGINS[action], TARGETS[action]
        is_chick = kind_on(pos.animals, origin) == CHICK and not hens(pos) >> origin & 1
        return "-".join(self.action_path(pos, action)) + ("+" if is_chick and target >= LAST_ROW else "")

    def action_kind(self, pos: Position, action: int) -> str:
        """The animal that moves, or the animal that is dropped."""
        if action >= NUM_MOVES:
            return f"drop {NAMES[(action - NUM_MOVES) // SQUARES + 1]}"
        origin = ORIGINS[action]
        return NAMES[HEN if hens(pos) >> origin & 1 else kind_on(pos.animals, origin)]

    def action_path(self, pos: Position, action: int) -> tuple[str, ...]:
        """Touch the animal on the board or in the hand, then the square that it goes to."""
        if action < NUM_MOVES:
            return self.seen_square(pos, ORIGINS[action]), self.seen_square(pos, TARGETS[action])
        kind, square = (action - NUM_MOVES) // SQUARES + 1, (action - NUM_MOVES) % SQUARES
        return f"{self.players[pos.turn].lower()}-{NAMES[kind]}", self.seen_square(pos, square)

    def format_position(self, pos: Position) -> str:
        """Rows from above, the animals in hand and the side to move, e.g. gle/.c./.C./ELG - First."""
        signs = "".join(self.signs(pos))
        rows = "/".join(signs[3 * row : 3 * row + 3] for row in (3, 2, 1, 0))
        return f"{rows} {self.hand_letters(pos)} {self.players[pos.turn]}"

    def parse_position(self, words: str) -> Position:
        """Parse such rows."""
        found = re.fullmatch(r"((?:[a-z.]{3}/){3}[a-z.]{3}) (-|[a-z]+) (first|second)", words.strip(), re.IGNORECASE)
        if not found or set(found[1].upper()) - set("/.LCEGH") or set(found[2].upper()) - set("-CEG"):
            raise ValueError(
                f"{words!r} is no board of four rows of three squares, animals in hand and the side to move"
            )
        signs = [sign for row in found[1].split("/")[::-1] for sign in row]
        turn = int(found[3].lower() == "second")
        lions = [signs.index(lion) if lion in signs else OFF for lion in "Ll"]
        if not self.are_all(signs, found[2]) or lions[1 - turn] == OFF:
            raise ValueError("each player has one lion, and there are two chicks, elephants and giraffes in all")
        low, high, mine, promoted = (
            sum(1 << square for square, sign in enumerate(signs) if sign in letters)
            for letters in ("CHGchg", "EGeg", "CHEG", "Hh")
        )
        held = sum(found[2].count(letter) << 2 * n for n, letter in enumerate("CEG"))
        seen = packed(lions[0] | lions[1] << 4, low | high << SQUARES, mine, promoted, held, 0)
        pos = self.with_mover(seen, turn)
        if not self.can_arise(pos):
            raise ValueError(f"{words!r} cannot arise: {self.players[1 - turn]} would have lost, or won otherwise")
        return pos

    def are_all(self, signs: list[str], held: str) -> bool:
        """Whether there are as many animals as the rules allow."""
        everywhere = "".join(signs)
        counts = [(everywhere + held).upper().replace("H", "C").count(letter) for letter in "CEG"]
        complete = counts == [2, 2, 2] if self.drops else max(counts) <= 2 and held == "-"
        return complete and everywhere.count("L") <= 1 and everywhere.count("l") <= 1

    def can_arise(self, pos: Position) -> bool:
        """Whether the own lion has not arrived yet; once it is captured, all else is the winner's."""
        lion = pos.lions & 15
        if lion == OFF:
            return own(pos) == 0 and hand(pos) == 0 and popcount(on_board(pos.animals)) <= 1
        return lion < LAST_ROW

    def rules(self) -> list[Page]:
        """The start, the animals, captures, the hen, and the two ways to win."""
        captured = (
            "What you capture changes sides and lies in your hand. Instead of moving, you may drop one of these animals"
            " on any empty square."
        )
        again = " A captured hen is a chick again; a chick that is dropped on the last row stays one."
        words = {
            "The start": "Each player has a lion, an elephant, a giraffe and a chick. First, who sits below, begins;"
            " then you take turns.",
            "The animals": "An animal moves one square, the way the dots on its tile show: the giraffe along rows and"
            " columns, the elephant along diagonals, the lion both ways, the chick only forward. It may not step onto"
            " an animal of its own side, and captures one of the other side.",
            "Capturing": captured if self.drops else "A captured animal leaves the game.",
            "The hen": "A chick that moves onto the last row becomes a hen, which goes everywhere but diagonally"
            " backward." + (again if self.drops else ""),
            "Catching the lion": "Whoever captures the lion wins, and all other animals are cleared away. If you can"
            " capture it, you must: so before you move, look whether your own lion is safe.",
            "Arriving": "You also win when your lion reaches the last row and cannot be captured there at once. Nobody"
            f" wins if play goes on for ever: after {self.max_plies} moves of both players together, call it a draw.",
        }
        boards = (
            *("gle/.c./.C./ELG -", ".le/g../.C./ELG c", "gl./.e./.../ELG Cc"),
            *(".lH/g../.../ELG ce", ".G./.../.../.L. CCEEG", "L../..l/.c./EgG Ce"),
        )
        shown = [board if self.drops else f"{board.split()[0]} -" for board in boards]
        movers = "First", "First", "First", "Second", "Second", "Second"
        positions = [self.parse_position(f"{board} {mover}") for board, mover in zip(shown, movers, strict=True)]
        return [Page(*page, pos) for page, pos in zip(words.items(), positions, strict=True)]
