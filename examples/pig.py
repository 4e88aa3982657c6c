"""Pig: roll a die as often as you dare; a one loses the turn's points, holding banks them; first to the target wins.

ludus solve examples/pig.py              the first player wins 53 games of 100
ludus play 'examples/pig.py(target=50)' --hints
"""

from typing import NamedTuple

from ludus import CHANCE

ROLL, HOLD = 0, 1


class Position(NamedTuple):
    """Points seen by the player whose turn it is, and those that a one would lose."""

    mine: int
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
        """A die and something to reach."""
        if not 1 <= self.target <= 1000 or not 2 <= self.faces <= 20:
            raise ValueError(f"target must be 1 to 1000 and faces 2 to 20, not {self.target} and {self.faces}")

    @property
    def num_actions(self):
        """As many as the die has faces; a player has two."""
        return self.faces

    def start(self):
        """No points."""
        return Position(0, 0, 0, 0, 0)

    def player(self, pos):
        """Chance, while the die rolls."""
        return CHANCE if pos.rolling else pos.turn

    def legal(self, pos):
        """Roll or hold, until somebody is there."""
        if pos.theirs >= self.target:
            return 0
        return (1 << self.faces) - 1 if pos.rolling else 1 << ROLL | 1 << HOLD

    def odds(self, pos, action):
        """A fair die."""
        return 1

    def play(self, pos, action):
        """A one loses the pot and the turn."""
        if pos.rolling and action == 0:
            return Position(pos.theirs, pos.mine, 0, 1 - pos.turn, 0)
        if pos.rolling:
            return Position(pos.mine, pos.theirs, min(pos.pot + action + 1, self.target - pos.mine), pos.turn, 0)
        if action == ROLL:
            return Position(pos.mine, pos.theirs, pos.pot, pos.turn, 1)
        return Position(pos.theirs, pos.mine + pos.pot, 0, 1 - pos.turn, 0)

    def score(self, pos):
        """Who has just banked has won."""
        return 1 if pos.turn == 1 else -1

    def action_name(self, pos, action):
        """What the die shows, or what the player does."""
        return str(action + 1) if pos.rolling else ("roll", "hold")[action]
