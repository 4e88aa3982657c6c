"""TapnSwap: tap the enemy's hands until both are dead, or swap fingers between your own.

action   0..3   tap with own hand i (0 left, 1 right) on enemy hand j: 2 i + j
         4..7   move n fingers (1 or 2) away from own hand i: 4 + 2 i + n - 1
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ludus.game import Observation


class Position(NamedTuple):
    """Fingers on each hand, seen by the player to move; 0 is a dead hand."""

    left: int
    right: int
    their_left: int
    their_right: int
    turn: int


class TapnSwap(NamedTuple):
    """Tap the enemy's hands, or swap fingers between your own; a hand above the limit is dead, two dead hands lose."""

    limit: int = 4
    tap_dead: bool = False

    num_actions = 8
    max_plies = 100
    symmetries = 8
    observation_shape = (4,)
    reachable = 1116

    def validate(self) -> None:
        """At least one finger a hand, and an index that fits."""
        if not 1 <= self.limit <= 99:
            raise ValueError(f"limit must be 1 to 99, not {self.limit}")

    def start(self) -> Position:
        """One finger on every hand."""
        return Position(1, 1, 1, 1, 0)

    def player(self, pos: Position) -> int:
        """Whose turn it is."""
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
        return mask | self.swaps(pos.left, pos.right) << 4 | self.swaps(pos.right, pos.left) << 6

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
            moved = action % 2 + 1 if action < 6 else -(action % 2 + 1)
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

    def transform(self, pos: Position, symmetry: int) -> Position:
        """Bit 0 mirrors the hands of player 0, bit 1 those of player 1; bit 2 exchanges the players."""
        left, right, their_left, their_right = pos.left, pos.right, pos.their_left, pos.their_right
        if symmetry >> pos.turn & 1:
            left, right = right, left
        if symmetry >> 1 - pos.turn & 1:
            their_left, their_right = their_right, their_left
        turn = 1 - pos.turn if symmetry & 4 else pos.turn
        return Position(left, right, their_left, their_right, turn)

    def transform_action(self, pos: Position, action: int, symmetry: int) -> int:
        """Hands move with their mirror."""
        own_mirrored, enemy_mirrored = symmetry >> pos.turn & 1, symmetry >> 1 - pos.turn & 1
        return action ^ 2 * own_mirrored ^ (enemy_mirrored if action < 4 else 0)

    def swaps_players(self, symmetry: int) -> bool:
        """Hands are seen by the player to move, so exchanging the players only changes whose turn it is."""
        return symmetry >= 4

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
