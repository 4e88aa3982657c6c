"""Pig: roll a die as often as you dare; a one loses the turn's points, holding banks them; first to the target wins."""

from typing import NamedTuple

from ludus import CHANCE

ROLL, HOLD = 0, 1


class Position(NamedTuple):
    mine: int  # the player whose turn it is
    theirs: int
    pot: int
    turn: int
    rolling: int


class Pig(NamedTuple):
    """Roll as often as you dare; a one loses the pot, holding banks it; first to the target wins."""

    target: int = 100
    faces: int = 6

    max_plies = 10_000  # nobody need ever hold

    def validate(self):
        if self.target < 1 or not 2 <= self.faces <= 63:
            raise ValueError(f"target must be at least 1 and faces 2 to 63, not {self.target} and {self.faces}")

    @property
    def num_actions(self):
        return self.faces

    def start(self):
        return Position(0, 0, 0, 0, 0)

    def player(self, pos):
        return CHANCE if pos.rolling else pos.turn

    def legal(self, pos):
        if pos.theirs >= self.target:
            return 0
        return (1 << self.faces) - 1 if pos.rolling else 1 << ROLL | 1 << HOLD

    def odds(self, pos, action):
        return 1

    def play(self, pos, action):
        if pos.rolling:
            if action == 0:
                return Position(pos.theirs, pos.mine, 0, 1 - pos.turn, False)
            return Position(pos.mine, pos.theirs, min(pos.pot + action + 1, self.target - pos.mine), pos.turn, False)
        if action == ROLL:
            return Position(pos.mine, pos.theirs, pos.pot, pos.turn, True)
        return Position(pos.theirs, pos.mine + pos.pot, 0, 1 - pos.turn, False)

    def score(self, pos):
        return 1 if pos.turn == 1 else -1
