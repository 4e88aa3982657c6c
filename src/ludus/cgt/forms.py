"""Canonical forms as Python objects that add, compare and print, and their thermographs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from numbers import Rational, Real
from typing import Any, NamedTuple, TypeAlias, Union

import numpy as np

from ludus.cgt import calculus, evaluation
from ludus.cgt.calculus import FIRST, LARGEST, LAST, LEFT_STOP, MIDDLE, NUMBER, RIGHT_STOP, STORE, Arena
from ludus.compiled.compiling import kernel
from ludus.compiled.rows import borrowed
from ludus.errors import LudusError

Formlike: TypeAlias = Union["CanonicalForm", int, float, Fraction, Decimal, str]
Options: TypeAlias = Formlike | Iterable[Formlike]
MOST_UPS, LARGEST_NIMBER = 1000, 1023  # that have names


@kernel(work=lambda arena, one, other: evaluation.work_of(arena, 1))
def _at_most(arena: Arena, one: int, other: int) -> int:
    return 1 if calculus.at_most(borrowed(arena), one, other) else 0


def _calculated(work: evaluation.Work) -> CanonicalForm:
    while STORE.run(evaluation.evaluate, work, 1) != 0:
        pass
    return CanonicalForm(int(work.forms[-1]))


def _sum(known: Sequence[CanonicalForm], terms: Sequence[int]) -> CanonicalForm:
    """The sum of terms: twice the number of a form, plus one if it is negative."""
    return _calculated(evaluation.calculation([form.handle for form in known], [terms], evaluation.IS_SUM))


class CanonicalForm:
    """The canonical form of a short game; Left is player 0. Forms of equal games are equal, and numbers equal theirs.

    `<=` and the like compare, with numbers of any kind too; where neither `a <= b` nor `b <= a`, they are confused.
    """

    __slots__ = ("handle",)

    def __init__(self, handle: int) -> None:
        self.handle = handle

    # ---- structure ----

    @property
    def left(self) -> tuple[CanonicalForm, ...]:
        """Left's options."""
        return self._options(FIRST, MIDDLE)

    @property
    def right(self) -> tuple[CanonicalForm, ...]:
        """Right's options."""
        return self._options(MIDDLE, LAST)

    def _options(self, begin: int, end: int) -> tuple[CanonicalForm, ...]:
        arena, shape = STORE.arena, STORE.arena.shapes[self.handle]
        return tuple(CanonicalForm(int(option)) for option in arena.options[shape[begin] : shape[end]])

    @property
    def number(self) -> Fraction | None:
        """The number that it is, or None."""
        number = float(STORE.arena.stops[self.handle, NUMBER])
        return None if np.isnan(number) else Fraction(number)

    @property
    def stops(self) -> tuple[Fraction, Fraction]:
        """The numbers that play comes to when Left begins, and when Right does."""
        stops = STORE.arena.stops[self.handle]
        return Fraction(float(stops[LEFT_STOP])), Fraction(float(stops[RIGHT_STOP]))

    @property
    def outcome(self) -> str:
        """The outcome class: L, R, N (the next player wins) or P (the previous player wins)."""
        if self >= 0:
            return "P" if self <= 0 else "L"
        return "R" if self <= 0 else "N"

    def followers(self) -> list[CanonicalForm]:
        """The form and all its subpositions, options first."""
        arena, waiting, found = STORE.arena, [self.handle], {self.handle}
        while waiting:
            form = waiting.pop()
            new = set(arena.options[arena.shapes[form, FIRST] : arena.shapes[form, LAST]].tolist()) - found
            found |= new
            waiting += new
        return [CanonicalForm(form) for form in sorted(found)]

    @property
    def birthday(self) -> int:
        """The height of its tree of options."""
        days: dict[int, int] = {}
        for form in self.followers():
            days[form.handle] = 1 + max((days[option.handle] for option in form.left + form.right), default=-1)
        return days[self.handle]

    @property
    def stop_count(self) -> int:
        """The number of leaves of its tree of options, where play stops at numbers."""
        counts: dict[int, int] = {}
        for form in self.followers():
            options = () if form.number is not None else form.left + form.right
            counts[form.handle] = sum(counts[option.handle] for option in options) or 1
        return counts[self.handle]

    @property
    def mean(self) -> Fraction:
        """The mean value: of many copies, the value of each."""
        return thermograph(self).mean

    @property
    def temperature(self) -> Fraction:
        """The temperature; below 0 for numbers."""
        return thermograph(self).temperature

    # ---- arithmetic and order ----

    def __add__(self, other: Formlike) -> CanonicalForm:
        return _sum([self, form(other)], [0, 2])

    __radd__ = __add__

    def __neg__(self) -> CanonicalForm:
        return _sum([self], [1])

    def __sub__(self, other: Formlike) -> CanonicalForm:
        return _sum([self, form(other)], [0, 3])

    def __rsub__(self, other: Formlike) -> CanonicalForm:
        return form(other) - self

    def __mul__(self, times: int) -> CanonicalForm:
        """The sum of `times` copies."""
        if not isinstance(times, int):
            return NotImplemented
        one, total = self if times >= 0 else -self, ZERO
        for bit in bin(abs(times))[2:]:
            total = total + total + (one if bit == "1" else ZERO)
        return total

    __rmul__ = __mul__

    def __le__(self, other: Formlike) -> bool:
        number = _exact(other)
        if number is None:
            return STORE.run(_at_most, self.handle, form(other).handle) == 1
        left, _ = self.stops
        return self <= _of_number(left) if left == number else bool(left < number)

    def __ge__(self, other: Formlike) -> bool:
        number = _exact(other)
        if number is None:
            return form(other) <= self
        _, right = self.stops
        return self >= _of_number(right) if right == number else bool(right > number)

    def __lt__(self, other: Formlike) -> bool:
        return self <= other and not self >= other

    def __gt__(self, other: Formlike) -> bool:
        return self >= other and not self <= other

    def __eq__(self, other: object) -> bool:
        if isinstance(other, CanonicalForm):
            return self.handle == other.handle
        return self.number is not None and self.number == _exact(other)

    def __hash__(self) -> int:
        return hash(self.number) if self.number is not None else hash((CanonicalForm, self.handle))

    def is_confused_with(self, other: Formlike) -> bool:
        """Whether neither is at most the other."""
        return not self <= other and not self >= other

    # ---- showing ----

    def __str__(self) -> str:
        from ludus.cgt.notation import name

        return name(self)

    __repr__ = __str__

    def _repr_latex_(self) -> str:
        from ludus.cgt.notation import latex

        return f"${latex(self)}$"


def form(value: Formlike) -> CanonicalForm:
    """The form of a dyadic number or of a text such as `{1|^*}`; a form stays as it is."""
    if isinstance(value, CanonicalForm):
        return value
    if isinstance(value, str):
        from ludus.cgt.notation import parse

        return parse(value)
    number = _exact(value)
    if not isinstance(number, Fraction):
        raise LudusError(f"a canonical form is a finite number, a form or a text, not {value!r}")
    return _of_number(number)


def _exact(value: Any) -> Fraction | float | None:
    """A number as a fraction, or a float if it is not finite; None for anything else."""
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if not isinstance(value, Real | Decimal):
        return None
    try:
        return Fraction(*value.as_integer_ratio())  # type: ignore[union-attr]
    except (OverflowError, ValueError):
        return float(value)


def _of_number(number: Fraction) -> CanonicalForm:
    if abs(number) > LARGEST:
        raise LudusError(f"numbers of canonical forms are at most {LARGEST:,} in size")
    if number.denominator & (number.denominator - 1) or Fraction(float(number)) != number:
        called = number if number.denominator < 1 << 64 else f"about {float(number):g}"
        raise LudusError(f"{called} is no short game: only fractions over a power of two, in 53 bits, are")
    return _numbers.get(number) or _on_the_way_to(number)


def _on_the_way_to(number: Fraction) -> CanonicalForm:
    """The form of a number, by steps from 0, each to the simplest number on its side."""
    at, left, right = Fraction(0), [], []
    while at != number:
        if at < number:
            left = [at]
        else:
            right = [at]
        at = (left[0] + right[0]) / 2 if left and right else left[0] + 1 if left else right[0] - 1
        if at not in _numbers:
            _numbers[at] = game([_numbers[x] for x in left], [_numbers[x] for x in right])
    return _numbers[number]


def game(left: Options, right: Options) -> CanonicalForm:
    """The canonical form of the game with these options, one or several on each side: `game(1, [0, "*"])`."""
    sides = [
        [form(option) for option in (side if isinstance(side, Iterable) and not isinstance(side, str) else [side])]
        for side in (left, right)
    ]
    known = [option.handle for options in sides for option in options]
    work = evaluation.calculation(known, [[2 * number] for number in range(len(known))], len(sides[0]))
    return _calculated(work)


ZERO = CanonicalForm(0)
_numbers = {Fraction(0): ZERO}
_nimbers = [ZERO]


def star(size: int = 1) -> CanonicalForm:
    """The nimber of this size."""
    if not isinstance(size, int) or not 0 <= size <= LARGEST_NIMBER:
        raise LudusError(f"a nimber has a size of 0 to {LARGEST_NIMBER}, not {_shown(size)}")
    while len(_nimbers) <= size:
        smaller = np.array([nimber.handle for nimber in _nimbers], np.int32)
        _nimbers.append(CanonicalForm(STORE.run(calculus.nimber_form, smaller)))
    return _nimbers[size]


def up(times: int = 1) -> CanonicalForm:
    """`times` times {0|*}; downs if below 0."""
    return ups_and_star(times, 0)


def ups_and_star(ups: int, nimber: int) -> CanonicalForm:
    """Ups and a nimber: n ups and *m are {0 | n-1 ups and *(m xor 1)}, but up and * are {0,*|0}."""
    if not isinstance(ups, int) or abs(ups) > MOST_UPS:
        raise LudusError(f"ups and downs come up to {MOST_UPS} times, not {_shown(ups)}")
    if ups <= 0:
        return -ups_and_star(-ups, nimber) if ups else star(nimber)
    last = nimber ^ ups & 1
    made = game(ZERO, star(last)) if last else game([ZERO, star()], ZERO)
    for _ in range(ups - 1):
        made = game(ZERO, made)
    return made


def down(times: int = 1) -> CanonicalForm:
    """`times` times {*|0}."""
    return -up(times)


def switch(left: Formlike, right: Formlike | None = None) -> CanonicalForm:
    """{left|right}, by default {left|-left}; left must not be less than right."""
    one = form(left)
    other = -one if right is None else form(right)
    if one < other:
        raise LudusError(f"nobody wants to move in {{{one}|{other}}}: the left of a switch is not less than its right")
    return game(one, other)


def tiny(size: Formlike) -> CanonicalForm:
    """{0||0|-size} for a size above 0."""
    threat = form(size)
    if not threat > ZERO:
        raise LudusError(f"tiny and miny are of what is above 0, not of {threat}")
    return game(ZERO, game(ZERO, -threat))


def miny(size: Formlike) -> CanonicalForm:
    """The negative of tiny."""
    return -tiny(size)


def _shown(value: object) -> str:
    return repr(value) if not isinstance(value, int) or abs(value) < 1 << 64 else "a number that large"


# ---- thermographs ----

Point = tuple[Fraction, Fraction]  # a tax and a value
Wall = tuple[Point, ...]  # joined by straight lines, taxes ascending from 0; above the last it is vertical


class Thermograph(NamedTuple):
    """Both walls and the mast above them: it stands at the mean, from the temperature on."""

    left: Wall
    right: Wall
    mean: Fraction
    temperature: Fraction


_known: dict[int, Thermograph] = {}


def thermograph(form: CanonicalForm) -> Thermograph:
    """The thermograph of a form; a number n/2^k has the temperature -1/2^k."""
    if form.handle not in _known:
        for follower in form.followers():
            if follower.handle not in _known:
                _known[follower.handle] = _drawn(follower)
    return _known[form.handle]


def _drawn(form: CanonicalForm) -> Thermograph:
    """The thermograph of a form whose options have theirs."""
    number = form.number
    if number is not None:
        upright: Wall = ((Fraction(0), number),)
        return Thermograph(upright, upright, number, Fraction(-1, number.denominator))
    left = _tilted(_envelope([_known[option.handle].right for option in form.left], max), -1)
    right = _tilted(_envelope([_known[option.handle].left for option in form.right], min), 1)
    temperature = _meeting(left, right)
    mean = _at(left, temperature, -1)
    return Thermograph(_cut(left, temperature, mean), _cut(right, temperature, mean), mean, temperature)


def _at(wall: Wall, tax: Fraction, slope: int = 0) -> Fraction:
    """The value at a tax; above the last point the wall continues with this slope."""
    place = bisect_right(wall, tax, key=lambda point: point[0])
    low, value = wall[place - 1]
    if place == len(wall):
        return value + slope * (tax - low)
    high, next_value = wall[place]
    return value + (next_value - value) * (tax - low) / (high - low)


def _envelope(walls: Sequence[Wall], pick: Callable[..., Fraction]) -> Wall:
    """The highest, or the lowest, of walls at every tax."""
    whole = walls[0]
    for wall in walls[1:]:
        taxes = sorted({tax for tax, _ in whole + wall})
        for low, high in pairwise(tuple(taxes)):
            before, after = (_at(whole, tax) - _at(wall, tax) for tax in (low, high))
            if before * after < 0:
                taxes.append(low + (high - low) * before / (before - after))
        whole = _straightened([(tax, pick(_at(whole, tax), _at(wall, tax))) for tax in sorted(taxes)])
    return whole


def _straightened(points: Sequence[Point]) -> Wall:
    """The points without those inside a line."""

    def slope(one: Point, other: Point) -> Fraction:
        return (other[1] - one[1]) / (other[0] - one[0])

    kept: list[Point] = []
    for point in points:
        while len(kept) > 1 and slope(kept[-2], kept[-1]) == slope(kept[-1], point):
            kept.pop()
        kept.append(point)
    while len(kept) > 1 and kept[-1][1] == kept[-2][1]:
        kept.pop()
    return tuple(kept)


def _tilted(wall: Wall, slope: int) -> Wall:
    """The wall after a move that costs the tax; above its last point it continues with that slope."""
    return tuple((tax, value + slope * tax) for tax, value in wall)


def _meeting(left: Wall, right: Wall) -> Fraction:
    """The lowest tax at which the tilted walls meet: from there on no move pays."""
    taxes = sorted({tax for tax, _ in left + right})
    below = taxes[0]
    gap = _at(left, below, -1) - _at(right, below, 1)
    for tax in taxes[1:]:
        if gap <= 0:
            return below
        next_gap = _at(left, tax, -1) - _at(right, tax, 1)
        if next_gap <= 0:
            return below + (tax - below) * gap / (gap - next_gap)
        below, gap = tax, next_gap
    return below + max(gap, Fraction(0)) / 2


def _cut(wall: Wall, temperature: Fraction, mean: Fraction) -> Wall:
    """The wall up to the temperature."""
    return _straightened([*(point for point in wall if point[0] < temperature), (temperature, mean)])
