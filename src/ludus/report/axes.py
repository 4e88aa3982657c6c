"""Axes of figures: which part of the numbers they show, where they are marked, and how."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

_MARKS = 6  # on an axis, about


class Axis(NamedTuple):
    """From which number to which, and whether it is logarithmic."""

    low: float
    high: float
    log: bool = False

    def place(self, number: float) -> float:
        """Where a number stands, from 0 to 1; what lies beyond an end stands there."""
        within = min(max(number, self.low), self.high)
        if self.log:
            return math.log(within / self.low) / math.log(self.high / self.low)
        return (within - self.low) / (self.high - self.low)

    def marks(self) -> list[float]:
        """Round numbers to mark: powers of ten on a long logarithmic axis, 1, 2, 5, 10 on a short one."""
        if self.log:
            powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            every = [factor * 10.0**power for power in powers for factor in (1, 2, 5)]
            marks = [mark for mark in every if self.low * (1 - 1e-9) <= mark <= self.high * (1 + 1e-9)]
            return marks if len(marks) <= _MARKS + 2 else [mark for mark in marks if math.log10(mark) % 1 < 1e-9]
        step = _step((self.high - self.low) / _MARKS)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [step * number for number in range(first, last + 1)]


def _step(about: float) -> float:
    """The least of 1, 2, 5, 10, ... that is no less."""
    power = 10.0 ** math.floor(math.log10(about))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= about * (1 - 1e-9))


def axis_over(numbers: Iterable[float], *, log: bool = False, from_zero: bool = False) -> Axis:
    """An axis that shows all of some numbers."""
    found = [number for number in numbers if number > 0 or not log] or [0.0 if not log else 1.0]
    low, high = min(found), max(found)
    if log:
        return Axis(low, high if high > low else 10 * low, log=True)
    if from_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    return Axis(low, high) if high > low else Axis(low - 0.5, high + 0.5)


SHARES = Axis(0.0, 1.0)


def written(number: float, *, percent: bool) -> str:
    """A mark in words."""
    if percent:
        return f"{100 * number:.4g} %"
    for power, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(number) >= power:
            return f"{number / (1e3 if letter == 'k' else power):.4g} {letter}"
    return f"{number:.4g}"
