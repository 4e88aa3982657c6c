"""The numbers of a paper beside ours: curves over training, means over seeds with intervals, and verdicts."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from statistics import NormalDist, fmean, stdev
from typing import Any, NamedTuple

from scipy.stats import binomtest
from scipy.stats import t as student_t

from ludus.learning.runs.history import parse_evaluation
from ludus.report.document import AGREES, DIFFERS, OPEN, REFUTED, SUPPORTED, UNSURE, Curves, Level, Series

SEATS = ("first", "second")
BEST, RANDOM = "what would have worked", "random play"  # as figures name them
Line = dict[str, Any]  # of the metrics of a training
Measure = Callable[[Sequence[Line]], Sequence[float]]  # of a training, at each evaluation
ROUNDS = (1, 2, 4, 8, 16, 32)  # times the seeds of the first round, after each of which a verdict is looked for
_UPPER = 0.975  # below the upper end of an interval of 95 %
_SURE = 1 - 0.05 / len(ROUNDS) / 2  # likewise, with the error of 5 % spent in equal parts on all looks
_MOST_MARGINS = 3  # by which a number of few runs may be off
_MOST_SEEDS = 10_000  # that are said to be needed


# ---- trainings: results of `training` tasks, {"lines": evaluations}, one per seed ----


def games(lines: Sequence[Line]) -> tuple[float, ...]:
    """The games played at each evaluation."""
    return tuple(float(line["games"]) for line in lines)


def accuracy(lines: Sequence[Line]) -> tuple[float, ...]:
    """The share of decisions that were optimal at each evaluation; the training must have been graded."""
    return tuple(float(line["grade"]["optimal"]) / line["grade"]["decisions"] for line in lines)


def won(lines: Sequence[Line], opponent: str = "random", seat: str | None = None) -> tuple[float, ...]:
    """The share of games won against an agent at each evaluation, in one seat or in both."""
    seats = SEATS if seat is None else (seat,)
    counts = [[line["against"][opponent][each] for each in seats] for line in lines]
    return tuple(
        sum(int(one["wins"]) for one in each) / max(sum(sum(one.values()) for one in each), 1) for each in counts
    )


def guaranteed(lines: Sequence[Line], seat: str) -> list[str]:
    """The guaranteed result of the agent in a seat at each evaluation, in words."""
    return [guarantee_in_words((parse_evaluation(line).guarantee or {})[seat]) for line in lines]


def guarantee_in_words(guarantee: Line) -> str:
    """The result, or the expected score where dice decide."""
    score = float(guarantee["score"])
    return guarantee["result"] or {1.0: "win", -1.0: "loss"}.get(score, f"{score:+.2f} on average")


def curve(name: str, trainings: Sequence[Any], measure: Measure) -> Series:
    """A measure of trainings over their games, the mean over seeds."""
    return series(name, games(trainings[0]["lines"]), [measure(one["lines"]) for one in trainings])


def ends(trainings: Sequence[Any], measure: Measure) -> list[float]:
    """A measure at the end of each training."""
    return [measure(one["lines"])[-1] for one in trainings]


def won_figure(key: str, curves: Sequence[Series], random: float | Level, *rest: Any, **options: Any) -> Curves:
    """Games won over training, beside random play; rest: other levels, and the caption; options: fields of Curves."""
    level = random if isinstance(random, Level) else Level(RANDOM, random)
    return Curves(key, "Games won against random play", "games of training", "won", curves, level, *rest)._replace(
        **options
    )


def accuracy_figure(
    key: str, curves: Sequence[Series], random: float | Level, *rest: Any, of: str = "", **options: Any
) -> Curves:
    """Optimal decisions over training likewise; of: whose, or on which board."""
    words = {"title": f"Optimal decisions{of}", "y_title": "optimal"}
    return won_figure(key, curves, random, *rest, **words | options)


# ---- numbers ----


class Number(NamedTuple):
    """A number that a paper reports, and where; unit: share, count, score, or plies.

    games: in how many games a share was counted; off: by how much it may be off by rounding, or by reading a figure;
    until: the other end of a range that holds for several experiments alike; margin: the difference that would matter;
    runs: over how many runs, such as tournaments, it is the mean, where single runs are far apart; else 0.
    """

    value: float
    source: str
    unit: str = "share"
    games: int = 0
    off: float = 0.0
    until: float | None = None
    margin: float = 0.0
    runs: int = 0

    @property
    def bounds(self) -> tuple[float, float]:
        """What the number may stand for: a counted share by its exact 95 % interval, and what was lost in reading."""
        low, high = self.value, self.value if self.until is None else self.until
        if self.games:
            counted = binomtest(round(self.value * self.games), self.games).proportion_ci(method="exact")
            low, high = float(counted.low), float(counted.high)
        return low - self.off, high + self.off

    def __str__(self) -> str:
        first = written(self.value, self.unit)
        return first if self.until is None else f"{first} to {written(self.until, self.unit)}"


def error_of_share(share: float, games: float) -> float:
    """Half of the 95 % interval of a share that was counted in this many games."""
    return NormalDist().inv_cdf(_UPPER) * math.sqrt(share * (1 - share) / games)


class Move(NamedTuple):
    """A move of a game that a paper lists: the position before and after it, and the Q-value of each action."""

    before: str
    after: str
    q: tuple[float, ...]


@cache
def read_numbers(path: Path | None) -> dict[str, dict[str, Any]]:
    """The numbers and the listed games of a paper, by key; none without a file.

    Each number has the margin of its unit, a share of its value for all but shares, unless it has one of its own.
    """
    if path is None:
        return {}
    found = tomllib.loads(path.read_text())
    margins = found.pop("margins", {})
    return {key: each if "moves" in each else _margin(each, margins) | each for key, each in found.items()}


def _margin(number: dict[str, Any], margins: dict[str, float]) -> dict[str, float]:
    unit = number.get("unit", "share")
    part = margins.get(unit, _MARGINS[unit])
    return {"margin": part if unit == "share" else part * abs(number["value"])}


_MARGINS = {"share": 0.03, "score": 0.1, "plies": 0.1, "count": 0.05}  # where a paper's file gives no others


def written(value: float, unit: str) -> str:
    """A value as it is shown."""
    if unit == "share":
        return f"{value:.1%}"
    return f"{value:,.0f}" if unit == "count" else f"{value:,.2f}"


def none_of(some: int, number: int) -> str:
    """How many of a number, in words: none of the 6, 2 of the 6, all 6."""
    return f"all {number}" if some == number else f"{some or 'none'} of the {number}"


class Mean(NamedTuple):
    """A mean over seeds; half: half of its 95 % interval; 0 for a single seed, and where all are alike.

    sure: half of the interval by which verdicts are given, wider since there is a look after each round of seeds.
    """

    mean: float
    half: float
    sure: float
    seeds: int

    @property
    def bounds(self) -> tuple[float, float]:
        """The ends of the interval of a share, which is neither below 0 nor above 1."""
        return max(self.mean - self.half, 0.0), min(self.mean + self.half, 1.0)

    def shown(self, unit: str = "share") -> str:
        """The mean with its interval: a share whose interval would leave 0 to 100 % with the ends of what is left."""
        middle = written(self.mean, unit)
        if self.seeds == 1:
            return middle
        if unit == "share" and self.bounds != (self.mean - self.half, self.mean + self.half):
            low, high = (written(end, unit) for end in self.bounds)
            return f"{middle} ({low} to {high})"
        return f"{middle} ± {written(self.half, unit).removesuffix('%')}"

    def gained(self) -> str:
        """A difference of shares with its interval; one that would leave -100 to 100 % by the ends of what is left."""
        low, high = self.mean - self.half, self.mean + self.half
        if low < -1 or high > 1:
            return f"{self.mean:+.1%} ({max(low, -1):+.1%} to {min(high, 1):+.1%})"
        return f"{self.mean:+.1%} ± {100 * self.half:.1f}"


def mean(values: Sequence[float]) -> Mean:
    """The mean over seeds with both intervals, by Student's t."""
    if len(values) == 1:
        return Mean(float(values[0]), 0.0, 0.0, 1)
    count = len(values)
    error = stdev(values) / math.sqrt(count)
    return Mean(fmean(values), _quantile(_UPPER, count) * error, _quantile(_SURE, count) * error, count)


def _quantile(below: float, seeds: int) -> float:
    return float(student_t.ppf(below, seeds - 1))


class Compared(NamedTuple):
    """Our mean beside the paper's number: how far inside the margin it is, negative if outside; and how sure."""

    inside: float
    sure: float

    @property
    def verdict(self) -> str:
        """AGREES if our mean is surely within the margin, DIFFERS if surely not, else UNSURE."""
        if self.inside >= self.sure:
            return AGREES
        return DIFFERS if -self.inside > self.sure else UNSURE


def compared(number: Number, values: Sequence[float], tested: int | None = None) -> Compared:
    """The paper's number beside the mean of ours, as equivalence is tested.

    The margin is the difference that would matter, fixed beforehand, on both sides of what the paper's number may stand
    for; a number of few runs that are far apart may be off as theirs are, by the spread of ours. Shares counted in
    `tested` games each are taken to differ by chance at least as much as such counts do.
    """
    found = mean(values)
    low, high = number.bounds
    chance = error_of_share(found.mean, tested) / math.sqrt(found.seeds) if tested else 0.0
    few = error_of_runs(number, values)
    inside = min(found.mean - (low - few - number.margin), high + few + number.margin - found.mean)
    return Compared(inside, max(found.sure, chance))


def error_of_runs(number: Number, values: Sequence[float]) -> float:
    """Half of the 95 % interval of the mean of as many runs as the paper's number has, 0 where it does not say.

    At most a few margins: from runs that are further apart an agreement would say nothing.
    """
    if not number.runs or len(values) == 1:
        return 0.0
    half = _quantile(_UPPER, len(values)) * stdev(values) / math.sqrt(number.runs)
    return min(half, _MOST_MARGINS * number.margin)


def verdict(number: Number, values: Sequence[float], tested: int | None = None) -> str:
    """AGREES or DIFFERS; UNSURE if seeds are so few, or so unlike, that neither is sure."""
    return compared(number, values, tested).verdict


def seeds_needed(number: Number, values: Sequence[float]) -> int | None:
    """About how many seeds would decide, if they go on as these do; None if that is beyond reach."""
    left, spread = abs(compared(number, values).inside), stdev(values) if len(values) > 1 else 0.0
    most = _MOST_SEEDS * left * left
    needed = (NormalDist().inv_cdf(_SURE) * spread) ** 2
    return max(len(values) + 1, math.ceil(needed / (left * left))) if 0 < needed <= most else None


def share_as_far(number: Number, values: Sequence[float]) -> float:
    """The share of our seeds that lie on the paper's side of our mean at least as far away as its number may."""
    low, high = number.bounds
    as_far = [value >= low if number.value >= fmean(values) else value <= high for value in values]
    return fmean(as_far)


def series(name: str, x: Sequence[float], ys: Sequence[Sequence[float]]) -> Series:
    """The mean of curves over seeds, ys[seed][point], with the lowest and the highest of several."""
    points = list(zip(*ys, strict=True))
    middle = tuple(fmean(point) for point in points)
    if len(ys) == 1:
        return Series(name, tuple(x), middle)
    return Series(name, tuple(x), middle, tuple(map(min, points)), tuple(map(max, points)))


def over_width(curve: Series, width: float) -> Series:
    """A curve of another length over the same width as others."""
    return curve._replace(x=tuple(each / curve.x[-1] * width for each in curve.x))


def difference(a: Sequence[float], b: Sequence[float]) -> Mean:
    """The mean difference over the same seeds, with its 95 % interval; half is 0 for one seed."""
    return mean([x - y for x, y in zip(a, b, strict=True)])


def by_sign(found: Mean) -> str:
    """SUPPORTED if a difference is surely above 0, REFUTED if surely below, else OPEN."""
    if found.seeds == 1 or abs(found.mean) <= found.sure:
        return OPEN
    return SUPPORTED if found.mean > 0 else REFUTED


def by_margin(found: Mean, margin: float) -> str:
    """SUPPORTED if a difference is surely within a margin that would matter, REFUTED if surely beyond, else OPEN."""
    if found.seeds == 1:
        return OPEN
    if abs(found.mean) + found.sure <= margin:
        return SUPPORTED
    return REFUTED if abs(found.mean) - found.sure > margin else OPEN


def all_above(found: Sequence[tuple[Mean, float]]) -> str:
    """SUPPORTED if all means are surely above their levels, REFUTED if one is surely not, else OPEN."""
    if any(value.seeds == 1 for value, _ in found):
        return OPEN
    if all(value.mean - value.sure > level for value, level in found):
        return SUPPORTED
    return REFUTED if any(value.mean + value.sure <= level for value, level in found) else OPEN
