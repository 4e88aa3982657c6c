"""An American put on a binomial tree: when to sell a share at the strike price, at any of some dates, or never.

ludus solve examples/american_put.py     the price of the option, in hundredths of a cent
"""

from typing import NamedTuple

from ludus import CHANCE

HOLD, EXERCISE = 0, 1
UP, DOWN = 0, 1
UNIT = 10_000  # a score of 1 is a hundredth of a cent


class Position(NamedTuple):
    """The date, how often the price has risen, whether it is about to move, and whether the option is used."""

    date: int
    ups: int
    moving: int
    used: int


class AmericanPut(NamedTuple):
    """Hold the option or exercise it; between two dates the price rises or falls by some per cent."""

    dates: int = 10  # the last one is the last chance to exercise
    price: int = 100
    strike: int = 100
    up: int = 10
    down: int = 10
    rate: int = 1  # per cent, from date to date

    num_actions = 2
    players = ("Holder", "nobody")

    def validate(self):
        """Without arbitrage: the rate lies between the fall and the rise."""
        if not (1 <= self.dates <= 60 and 0 < self.down < 100 and -self.down < self.rate < self.up <= 100):
            raise ValueError("dates must be 1 to 60, down 1 to 99, up at most 100, and rate between -down and up")
        if not (1 <= self.price <= 1000 and 1 <= self.strike <= 1000):
            raise ValueError(f"price and strike must be 1 to 1000, not {self.price} and {self.strike}")

    def start(self):
        """At the first date, with the option unused."""
        return Position(0, 0, 0, 0)

    def player(self, pos):
        """The holder decides, chance moves the price."""
        return CHANCE if pos.moving else 0

    def legal(self, pos):
        """Up or down; hold or exercise, until the option is used or the last date is over."""
        return 0 if pos.used or pos.date == self.dates else 1 << 0 | 1 << 1

    def odds(self, pos, action):
        """The risk-neutral odds: on average the price grows by the rate."""
        return self.rate + self.down if action == UP else self.up - self.rate

    def play(self, pos, action):
        """The price moves only between two dates."""
        if pos.moving:
            return Position(pos.date, pos.ups + (1 if action == UP else 0), 0, 0)
        if action == EXERCISE:
            return Position(pos.date, pos.ups, 0, 1)
        return Position(pos.date + 1, pos.ups, 1 if pos.date + 1 < self.dates else 0, 0)

    def score(self, pos):
        """What exercising brings, discounted to the first date; an option that was never used has the value 0."""
        if not pos.used:
            return 0
        price = self.price * (1 + self.up / 100) ** pos.ups * (1 - self.down / 100) ** (pos.date - pos.ups)
        return round(UNIT * (self.strike - price) / (1 + self.rate / 100) ** pos.date)

    def action_name(self, pos, action):
        """In words."""
        return ("up", "down")[action] if pos.moving else ("hold", "exercise")[action]
