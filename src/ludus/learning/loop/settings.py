"""Settings that learners share: schedules, learning rates, random opening plies, and their help texts."""

from __future__ import annotations

import enum
import math
import re
from typing import Annotated, Any, NamedTuple

from ludus.compiled.compiling import helper

CONSTANT, LINEAR, ROOT, RESULTS = range(4)
_NUMBER = r"([0-9]*\.?[0-9]+(?:e-?[0-9]+)?)"


class Schedule(NamedTuple):
    """A share that depends on the games played so far, or on their results.

    Written `0.1`, constant; `1..0.05@20000`, linear over 20,000 games; `0.9/sqrt`, divided by the square root of the
    games; `0.5..0.01@results`, near the first number while games are lost, near the second while they are won.
    """

    kind: int
    start: float
    end: float
    games: int

    @classmethod
    def parse(cls, text: str) -> Schedule:
        """Parse this notation."""
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
            return _format(self.start)
        if self.kind == ROOT:
            return f"{_format(self.start)}/sqrt"
        until = "results" if self.kind == RESULTS else self.games
        return f"{_format(self.start)}..{_format(self.end)}@{until}"


class SecondShare(NamedTuple):
    """The share of the player who moves second: `same` as that of the first, or a schedule of its own."""

    is_same: bool
    schedule: Schedule

    @classmethod
    def parse(cls, text: str) -> SecondShare:
        """Parse this notation."""
        return cls(text == "same", Schedule.parse("0" if text == "same" else text))

    def __str__(self) -> str:
        return "same" if self.is_same else str(self.schedule)


class Rate(NamedTuple):
    """A learning rate, the step size of an update.

    Written `0.5`, constant; `1/n`, by the number n of updates of the value, so that it is the mean of its targets;
    `1/n^0.7`, which forgets early targets.
    """

    constant: float
    power: float

    @classmethod
    def parse(cls, text: str) -> Rate:
        """Parse this notation."""
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
            return _format(self.constant)
        return "1/n" if self.power == 1 else f"1/n^{_format(self.power)}"


def _format(number: float) -> str:
    """All digits of a number, so that it is parsed to the same."""
    return repr(number).removesuffix(".0")


@helper
def share_now(schedule: Schedule, games: int, lost: float) -> float:
    """The share after a number of games, of which lately the part `lost` was lost."""
    if schedule.kind == LINEAR:
        progress = min(games / max(schedule.games, 1), 1.0)
        return schedule.start + (schedule.end - schedule.start) * progress
    if schedule.kind == ROOT:
        return schedule.start / math.sqrt(1 + games)
    if schedule.kind == RESULTS:
        return schedule.end + (schedule.start - schedule.end) * lost
    return schedule.start


@helper
def rate_now(rate: Rate, updates: int) -> float:
    """The learning rate of the n-th update of a value."""
    if rate.constant > 0:
        return rate.constant
    return 1.0 / updates if rate.power == 1 else math.pow(updates, -rate.power)


class RandomSide(enum.IntEnum):
    """The side that plays the random opening plies; the other plays greedily."""

    FIRST = 0
    SECOND = 1
    BOTH = 2
    ANY = 3


class Starts(enum.Enum):
    """Where games start: at the game's own start, at any reachable position, or half and half."""

    OWN = 0
    ANY = 1
    BOTH = 2


class Ties(enum.IntEnum):
    """Which of several equally good actions is taken."""

    RANDOM = 0
    FIRST = 1


class Tables(enum.IntEnum):
    """One table for both players, one for each role, or one in which positions are seen by the side to move."""

    SHARED = 0
    ROLES = 1
    MOVER = 2


Epsilon = Annotated[Schedule, "The probability of a random action: 0.1, 1..0.05@20000, 0.9/sqrt, or 0.5..0.01@results."]
Alpha = Annotated[Rate, "The learning rate: 0.5, 1/n, or 1/n^0.7."]
Gamma = Annotated[float, "The discount factor per own move."]
TieBreak = Annotated[Ties, "Which of equally good actions it takes."]
Layout = Annotated[Tables, "One table for both players, one for each role, or one seen by the side to move."]
Symmetry = Annotated[bool, "Treat symmetric positions as one."]
RandomPlies = Annotated[int, "Open each game with up to this many random plies, which are not learned from."]
RandomOpener = Annotated[RandomSide, "The side that plays them; any: one side or both, drawn for each game."]
Win = Annotated[float, "The reward of a win."]
Loss = Annotated[float, "The reward of a loss."]
Draw = Annotated[float, "The reward of a draw."]
Margin = Annotated[bool, "Take the score as the reward instead."]


def validate_ranges(learner: Any) -> None:
    """Raise ValueError for a discount, a number of random plies or a reward out of range."""
    for name in ("gamma", "lam"):
        if not 0 <= getattr(learner, name, 0) <= 1:
            raise ValueError(f"{name} must be 0 to 1, not {getattr(learner, name):g}")
    if not 0 <= learner.random_plies < 1 << 31:
        raise ValueError(f"random_plies must be 0 or more plies, not {learner.random_plies}")
    for name in ("win", "loss", "draw", "shaping"):
        if not math.isfinite(getattr(learner, name, 0)):
            raise ValueError(f"{name} must be a finite number, not {getattr(learner, name)}")
