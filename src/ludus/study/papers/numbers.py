"""The papers' own numbers that ours are compared with, all in one data file with their sources."""

from __future__ import annotations

import math
import tomllib
from functools import cache
from importlib import resources
from statistics import NormalDist
from typing import Any, NamedTuple

from ludus.errors import LudusError


class Number(NamedTuple):
    """A number that a paper tells, and where; unit: share, count, score, or plies.

    until: the other end, of a range that holds for several experiments alike;
    games: in how many games a share was counted; off: by how much it may be off by rounding, or by reading a figure.
    """

    value: float
    source: str
    unit: str = "share"
    games: int = 0
    off: float = 0.0
    until: float | None = None

    def distance(self, found: float) -> float:
        """How far a number of ours is from it."""
        if self.until is None:
            return abs(found - self.value)
        return max(self.value - found, found - self.until, 0.0)

    def __str__(self) -> str:
        first = written(self.value, self.unit)
        return first if self.until is None else f"{first} to {written(self.until, self.unit)}"

    @property
    def error(self) -> float:
        """By how much it may be off: the 95 % error of a share found in so many games, and what was lost in reading."""
        if not self.games:
            return self.off
        share = min(max(self.value, 1 / self.games), 1 - 1 / self.games)
        return error_of_share(share, self.games) + self.off


def error_of_share(share: float, games: float) -> float:
    """Half of the 95 % interval of a share that was found in so many games."""
    return NormalDist().inv_cdf(0.975) * math.sqrt(share * (1 - share) / games)


class Move(NamedTuple):
    """A move of a game that a paper lists: the position before and after it, and what each action was worth."""

    before: str
    after: str
    q: tuple[float, ...]


@cache
def _all() -> dict[str, dict[str, Any]]:
    return tomllib.loads(resources.files(__package__).joinpath("numbers.toml").read_text())


def number(paper: str, key: str) -> Number:
    """A number of a paper; LudusError if the file does not hold it."""
    try:
        return Number(**_all()[paper][key])
    except KeyError:
        raise LudusError(f"numbers.toml holds no {key} of {paper}") from None


def moves(paper: str, key: str) -> tuple[Move, ...]:
    """A game that a paper lists."""
    return tuple(Move(each["before"], each["after"], tuple(each["q"])) for each in _all()[paper][key]["moves"])


def written(value: float, unit: str) -> str:
    """A value as it is shown."""
    if unit == "share":
        return f"{value:.1%}"
    return f"{value:,.0f}" if unit == "count" else f"{value:,.2f}"
