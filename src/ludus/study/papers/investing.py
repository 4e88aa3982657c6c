"""An option and a portfolio as games against chance, seen as networks see them; the Chung Toi paper aims at such."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, NamedTuple

from ludus.game import CHANCE

if TYPE_CHECKING:
    from ludus.game import Observation

UNIT = 10  # the score of one of money, or of one per cent of growth
DATES, PERIODS = 10, 3
UP, DOWN = 0, 1
HOLD, EXERCISE = 0, 1
KEEP = 5  # of wealth in shares what there is; actions 0 to 4 hold so many quarters


class Holding(NamedTuple):
    """The date, how often the price has risen, whether it is about to move, and whether the option is used."""

    date: int
    ups: int
    moving: int
    used: int


class AmericanPut(NamedTuple):
    """Sell a share for 100 at any of ten dates, or never; between two its price, at first 100, moves by 10 %."""

    num_actions = 2
    players = ("Holder", "nobody")
    observation_shape = (2,)

    def start(self) -> Holding:
        """The first date."""
        return Holding(0, 0, 0, 0)

    def player(self, pos: Holding) -> int:
        """The holder decides, chance moves the price."""
        return CHANCE if pos.moving else 0

    def legal(self, pos: Holding) -> int:
        """Hold or exercise, until the option is used or the last date is over; up or down."""
        return 0 if pos.used or pos.date == DATES else 1 << HOLD | 1 << EXERCISE

    def odds(self, pos: Holding, action: int) -> int:
        """Those by which the price grows as money does, by 1 % from date to date."""
        return 11 if action == UP else 9

    def play(self, pos: Holding, action: int) -> Holding:
        """The price moves between two dates."""
        if pos.moving:
            return Holding(pos.date, pos.ups + (1 if action == UP else 0), 0, 0)
        if action == EXERCISE:
            return Holding(pos.date, pos.ups, 0, 1)
        return Holding(pos.date + 1, pos.ups, 1 if pos.date + 1 < DATES else 0, 0)

    def score(self, pos: Holding) -> int:
        """What exercising brings in money of the first date."""
        return round(UNIT * (100 - self.price(pos)) / 1.01**pos.date) if pos.used else 0

    def price(self, pos: Holding) -> float:
        """The price of the share."""
        return 100 * 1.1**pos.ups * 0.9 ** (pos.date - pos.ups)

    def observe(self, pos: Holding, out: Observation) -> None:
        """The date, and how far the price is from where it began."""
        out[0] = pos.date / DATES
        out[1] = self.price(pos) / 100 - 1


class Wealth(NamedTuple):
    """The period, the per cent of wealth in shares, whether the market is about to move, and the growth so far."""

    period: int
    shares: int
    moving: int
    growth: int


class Portfolio(NamedTuple):
    """Choose what part of wealth to hold in shares, in each of three periods; a trade costs 2 % of it.

    Shares rise by 30 % or fall by 22 %, bonds grow by 1 %; the score is the logarithm of wealth.
    """

    num_actions = 6
    players = ("Investor", "nobody")
    observation_shape = (3,)

    def start(self) -> Wealth:
        """All in shares."""
        return Wealth(0, 100, 0, 0)

    def player(self, pos: Wealth) -> int:
        """The investor trades, chance moves the market."""
        return CHANCE if pos.moving else 0

    def legal(self, pos: Wealth) -> int:
        """Up or down; any part, until the last period is over."""
        if pos.moving:
            return 1 << UP | 1 << DOWN
        return 0 if pos.period == PERIODS else (1 << KEEP + 1) - 1

    def odds(self, pos: Wealth, action: int) -> int:
        """Shares rise as often as they fall."""
        return 1

    def play(self, pos: Wealth, action: int) -> Wealth:
        """A trade costs at once; then both grow, and with them the part that is in shares."""
        if not pos.moving:
            part = pos.shares if action == KEEP else 25 * action
            return Wealth(pos.period, part, 1, pos.growth + self.grown(1 - 0.0002 * abs(part - pos.shares)))
        shares = pos.shares / 100 * (1.3 if action == UP else 0.78)
        wealth = shares + (1 - pos.shares / 100) * 1.01
        return Wealth(pos.period + 1, round(100 * shares / wealth), 0, pos.growth + self.grown(wealth))

    def grown(self, factor: float) -> int:
        """The score of wealth that has grown by a factor."""
        return round(100 * UNIT * log(factor))

    def score(self, pos: Wealth) -> int:
        """Who maximises the logarithm never bets all."""
        return pos.growth

    def observe(self, pos: Wealth, out: Observation) -> None:
        """The period, the part in shares, and the growth so far, each of the size of 1."""
        out[0] = pos.period / PERIODS
        out[1] = pos.shares / 100
        out[2] = pos.growth / (10 * UNIT)
