"""Dobutsu shogi: catch the lion on a board of three by four squares.

The board as the side to move sees it, its own first row below:

 9 10 11     moving:   action = number of (origin, target) in MOVES, eight directions one after another
 6  7  8     dropping: action = 58 + 12 (kind - 1) + square
 3  4  5
 0  1  2
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

from ludus.compiled.bits import deposit, extract, popcount, reverse
from ludus.compiled.compiling import helper
from ludus.compiled.masks import WORD

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


class Position(NamedTuple):
    """As the side to move sees it. The six small animals are two of each kind, on the board or in a hand."""

    lions: int  # the square of the own lion, and that of the other in the next four bits
    animals: (
        int  # the kind of the small animal on each square, 0 for none: bits 0 to 11 its low bits, then its high bits
    )
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
def mirrored(squares: int) -> int:
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
        """Planes of the lion, chicks, elephants, giraffes and hens of the mover and of the other side, then of hands."""
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
        return packed(lions, mirrored(pos.animals), mirrored(own(pos)), mirrored(hens(pos)), hand(pos), turn)

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
