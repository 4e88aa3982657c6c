"""Shares and bonds: how much to hold in shares, period by period, when every trade costs.

ludus solve examples/portfolio.py        the expected growth of wealth, as 10,000 times its logarithm
"""

from math import log
from typing import NamedTuple

from ludus import CHANCE

KEEP = 5  # actions 0 to 4 hold so many quarters in shares
UNIT = 10_000  # scores are whole numbers: a score of 100 is about one per cent of wealth


class Position(NamedTuple):
    """The period, the per cent of wealth in shares, whether the market is about to move, and the growth so far."""

    period: int
    shares: int
    moving: int
    growth: int


class Portfolio(NamedTuple):
    """Trade to a share of 0, 25, 50, 75 or 100 per cent, or keep what you have; then shares rise or fall."""

    periods: int = 3
    shares: int = 100  # per cent of wealth at first
    cost: int = 2  # per cent of what is traded
    up: int = 30
    down: int = 22
    rate: int = 1  # of bonds

    num_actions = 6
    players = ("Investor", "nobody")

    def validate(self):
        """Per cents, and periods few enough to list."""
        if not 1 <= self.periods <= 6 or not 0 <= self.shares <= 100 or not 0 <= self.cost <= 50:
            raise ValueError("periods must be 1 to 6, shares 0 to 100, cost 0 to 50")
        if not 1 <= self.up <= 200 or not 1 <= self.down <= 90 or not 0 <= self.rate <= 50:
            raise ValueError("up must be 1 to 200, down 1 to 90, rate 0 to 50")

    def start(self):
        """Before the first trade."""
        return Position(0, self.shares, 0, 0)

    def player(self, pos):
        """The investor trades, chance moves the market."""
        return CHANCE if pos.moving else 0

    def legal(self, pos):
        """Shares rise or fall; any trade, until the last period is over."""
        if pos.moving:
            return 1 << 0 | 1 << 1
        return 0 if pos.period == self.periods else (1 << KEEP + 1) - 1

    def odds(self, pos, action):
        """Shares rise as often as they fall."""
        return 1

    def play(self, pos, action):
        """A trade costs its part of wealth; then both assets grow, and the shares' part of wealth with them."""
        if not pos.moving:
            target = pos.shares if action == KEEP else 25 * action
            paid = round(UNIT * log(1 - self.cost * abs(target - pos.shares) / 10_000))
            return Position(pos.period, target, 1, pos.growth + paid)
        in_shares = pos.shares * (100 + (self.up if action == 0 else -self.down)) / 10_000
        wealth = in_shares + (100 - pos.shares) * (100 + self.rate) / 10_000
        grown = pos.growth + round(UNIT * log(wealth))
        return Position(pos.period + 1, round(100 * in_shares / wealth), 0, grown)

    def score(self, pos):
        """The logarithm of wealth: who maximises it never bets all."""
        return pos.growth

    def action_name(self, pos, action):
        """In words."""
        return ("up", "down")[action] if pos.moving else f"{25 * action} %" if action != KEEP else "keep"
