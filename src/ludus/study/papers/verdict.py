"""Our numbers beside a paper's: means with intervals over seeds, and whether they agree."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import NamedTuple

from scipy.stats import t as student_t

from ludus.report.parts import AGREES, DIFFERS, UNSURE, Series
from ludus.study.papers.numbers import Number

_SURE = 0.975  # below the upper end of an interval of 95 %
_WIDE = {"share": 0.1}  # half of an interval that tells nothing; of other units a part of the number:
_WIDE_PART = 0.25


class Mean(NamedTuple):
    """A mean over seeds; half: half of its 95 % interval, spread: half of that of one more seed; 0 for a single one."""

    mean: float
    half: float
    spread: float


def mean(values: Sequence[float]) -> Mean:
    """The mean over seeds with both intervals, by Student's t."""
    if len(values) == 1:
        return Mean(float(values[0]), 0.0, 0.0)
    count = len(values)
    wide = float(student_t.ppf(_SURE, count - 1)) * stdev(values)
    return Mean(fmean(values), wide / math.sqrt(count), wide * math.sqrt(1 + 1 / count))


def agrees(number: Number, values: Sequence[float]) -> bool:
    """Whether the paper's number lies where one more of our seeds would, widened by the paper's own sampling error.

    The paper's is one training, so it is compared with the 95 % interval of a single further seed, not with that of our
    mean. It is widened by the 95 % error of a share found in so many games, and by what was lost in rounding and in
    reading figures. With a single seed only these are left.
    """
    found = mean(values)
    return number.distance(found.mean) <= found.spread + number.error


def verdict(number: Number, values: Sequence[float]) -> str:
    """The same in a word; UNSURE if it agrees only since seeds are so few, or so unlike, that nothing could differ."""
    if not agrees(number, values):
        return DIFFERS
    wide = _WIDE.get(number.unit, _WIDE_PART * abs(number.value))
    return AGREES if mean(values).spread <= wide else UNSURE


def series(name: str, x: Sequence[float], ys: Sequence[Sequence[float]]) -> Series:
    """The mean of curves over seeds, ys[seed][point], with the lowest and the highest of several."""
    points = list(zip(*ys, strict=True))
    middle = tuple(fmean(point) for point in points)
    if len(ys) == 1:
        return Series(name, tuple(x), middle)
    return Series(name, tuple(x), middle, tuple(map(min, points)), tuple(map(max, points)))


def difference(a: Sequence[float], b: Sequence[float]) -> Mean:
    """By how much one mean over the same seeds is above another, with its 95 % interval; half is 0 for one seed."""
    return mean([x - y for x, y in zip(a, b, strict=True)])
