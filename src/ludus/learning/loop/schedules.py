"""Numbers that change while a learner trains: how often it explores, and how much it takes from each episode."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from ludus.compiled.compiling import helper

CONSTANT, LINEAR, ROOT, RESULTS = range(4)


_NUMBER = r"([0-9]*\.?[0-9]+(?:e-?[0-9]+)?)"


class Schedule(NamedTuple):
    """A share by the number of games played so far, or by their results.

    Written `0.1`, always; `1..0.05@20000`, from one to the other in so many games; `0.9/sqrt`, divided by the square
    root of the games; `0.5..0.01@results`, near the first while games are lost, near the second while they are won.
    """

    kind: int
    start: float
    end: float
    games: int

    @classmethod
    def parse(cls, text: str) -> Schedule:
        """Read such words."""
        if match := re.fullmatch(_NUMBER, text):
            made = cls(CONSTANT, float(match[1]), float(match[1]), 0)
        elif match := re.fullmatch(rf"{_NUMBER}/sqrt", text):
            made = cls(ROOT, float(match[1]), 0.0, 0)
        elif match := re.fullmatch(rf"{_NUMBER}\.\.{_NUMBER}@([0-9]+|results)", text):
            kind, games = (RESULTS, 0) if match[3] == "results" else (LINEAR, int(match[3]))
            made = cls(kind, float(match[1]), float(match[2]), games)
        else:
            raise ValueError(f"write 0.1, 1..0.05@20000, 0.9/sqrt or 0.5..0.01@results, not {text!r}")
        if made.games > 1 << 62:
            raise ValueError(f"there are not that many games: {text}")
        if not (0 <= made.start <= 1 and 0 <= made.end <= 1):
            raise ValueError(f"shares are 0 to 1, not {text}")
        return made

    def __str__(self) -> str:
        if self.kind == CONSTANT:
            return _written(self.start)
        if self.kind == ROOT:
            return f"{_written(self.start)}/sqrt"
        until = "results" if self.kind == RESULTS else self.games
        return f"{_written(self.start)}..{_written(self.end)}@{until}"


class SecondShare(NamedTuple):
    """The share of who moves second: `same` as that of who moves first, or a schedule of its own."""

    schedule: Schedule | None

    @classmethod
    def parse(cls, text: str) -> SecondShare:
        """Read such words."""
        return cls(None if text == "same" else Schedule.parse(text))

    def __str__(self) -> str:
        return "same" if self.schedule is None else str(self.schedule)


class Rate(NamedTuple):
    """How far a value moves towards what a lesson says.

    Written `0.5`, always; `1/n`, by how often the value was taught, so that it is their mean; `1/n^0.7`, forgetting
    early lessons.
    """

    constant: float
    power: float

    @classmethod
    def parse(cls, text: str) -> Rate:
        """Read such words."""
        if match := re.fullmatch(_NUMBER, text):
            made = cls(float(match[1]), 0.0)
        elif match := re.fullmatch(rf"1/n(?:\^{_NUMBER})?", text):
            made = cls(0.0, float(match[1] or 1))
        else:
            raise ValueError(f"write 0.5, 1/n or 1/n^0.7, not {text!r}")
        if not (0 < made.constant <= 1 or 0 < made.power <= 1):
            raise ValueError(f"a rate is above 0 and at most 1, and so is its power, not {text}")
        return made

    def __str__(self) -> str:
        if self.constant:
            return _written(self.constant)
        return "1/n" if self.power == 1 else f"1/n^{_written(self.power)}"


def _written(number: float) -> str:
    """All digits of a number, so that it is read back as the same."""
    return repr(number).removesuffix(".0")


@helper
def share_now(schedule: Schedule, games: int, lost: float) -> float:
    """The share after so many games, of which lately this part was lost."""
    if schedule.kind == LINEAR:
        progress = min(games / max(schedule.games, 1), 1.0)
        return schedule.start + (schedule.end - schedule.start) * progress
    if schedule.kind == ROOT:
        return schedule.start / math.sqrt(1 + games)
    if schedule.kind == RESULTS:
        return schedule.end + (schedule.start - schedule.end) * lost
    return schedule.start


@helper
def rate_now(rate: Rate, times: int) -> float:
    """The rate when a value is taught for the n-th time."""
    if rate.constant > 0:
        return rate.constant
    return 1.0 / times if rate.power == 1 else math.pow(times, -rate.power)
