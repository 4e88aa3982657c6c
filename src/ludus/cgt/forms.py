"""Canonical forms as Python objects: they add, compare and show themselves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TypeAlias, Union

import numpy as np

from ludus.cgt import comparing, evaluating
from ludus.cgt.arena import FIRST, LAST, LEFT_STOP, MIDDLE, NUMBER, RIGHT_STOP, Arena
from ludus.cgt.listing import IS_SUM
from ludus.cgt.store import STORE
from ludus.compiling import kernel
from ludus.errors import LudusError
from ludus.rows import borrowed

Formlike: TypeAlias = Union["CanonicalForm", int, float, Fraction, str]


@kernel
def _at_most(arena: Arena, one: int, other: int) -> int:
    return 1 if comparing.at_most(borrowed(arena), one, other) else 0


def _calculated(work: evaluating.Work) -> CanonicalForm:
    while STORE.run(evaluating.evaluate, work, 1) != 0:
        pass
    return CanonicalForm(int(work.forms[-1]))


def _sum(known: Sequence[CanonicalForm], terms: Sequence[int]) -> CanonicalForm:
    """The sum of terms: twice the number of a form, plus one if it is negative."""
    return _calculated(evaluating.calculation([form.handle for form in known], [terms], IS_SUM))


class CanonicalForm:
    """The canonical form of a short game; Left is player 0. Equal games are equal, and equal to numbers they are.

    `a <= b` and the like compare; where neither holds, the games are confused.
    """

    __slots__ = ("handle",)

    def __init__(self, handle: int) -> None:
        self.handle = handle

    # ---- structure ----

    @property
    def left(self) -> tuple[CanonicalForm, ...]:
        """Left's options."""
        arena, form = STORE.arena, self.handle
        return tuple(
            CanonicalForm(int(option))
            for option in arena.options[arena.shapes[form, FIRST] : arena.shapes[form, MIDDLE]]
        )

    @property
    def right(self) -> tuple[CanonicalForm, ...]:
        """Right's options."""
        arena, form = STORE.arena, self.handle
        return tuple(
            CanonicalForm(int(option))
            for option in arena.options[arena.shapes[form, MIDDLE] : arena.shapes[form, LAST]]
        )

    @property
    def number(self) -> Fraction | None:
        """The number that it is, or None."""
        number = float(STORE.arena.worths[self.handle, NUMBER])
        return None if np.isnan(number) else Fraction(number)

    @property
    def stops(self) -> tuple[Fraction, Fraction]:
        """The numbers that play comes to when Left begins, and when Right does."""
        worth = STORE.arena.worths[self.handle]
        return Fraction(float(worth[LEFT_STOP])), Fraction(float(worth[RIGHT_STOP]))

    @property
    def outcome(self) -> str:
        """Who wins: L or R whoever begins, N who moves next, P the other."""
        if self >= 0:
            return "P" if self <= 0 else "L"
        return "R" if self <= 0 else "N"

    def followers(self) -> list[CanonicalForm]:
        """The form and all that play in it can come to, options before what has them."""
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
        """The leaves of its tree of options when numbers are not played on."""
        counts: dict[int, int] = {}
        for form in self.followers():
            options = () if form.number is not None else form.left + form.right
            counts[form.handle] = sum(counts[option.handle] for option in options) or 1
        return counts[self.handle]

    @property
    def mean(self) -> Fraction:
        """The average worth: what many copies come to, each."""
        from ludus.cgt.thermographs import thermograph

        return thermograph(self).mean

    @property
    def temperature(self) -> Fraction:
        """How much a move is worth; below 0 for numbers."""
        from ludus.cgt.thermographs import thermograph

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
        """So many copies."""
        if not isinstance(times, int):
            return NotImplemented
        one, total = self if times >= 0 else -self, ZERO
        for bit in bin(abs(times))[2:]:
            total = total + total + (one if bit == "1" else ZERO)
        return total

    __rmul__ = __mul__

    def __le__(self, other: Formlike) -> bool:
        return STORE.run(_at_most, self.handle, form(other).handle) == 1

    def __ge__(self, other: Formlike) -> bool:
        return form(other) <= self

    def __lt__(self, other: Formlike) -> bool:
        return self <= other and not self >= other

    def __gt__(self, other: Formlike) -> bool:
        return self >= other and not self <= other

    def __eq__(self, other: object) -> bool:
        if isinstance(other, CanonicalForm):
            return self.handle == other.handle
        return self.number is not None and bool(self.number == other)

    def __hash__(self) -> int:
        return hash(self.number) if self.number is not None else hash((CanonicalForm, self.handle))

    def is_confused_with(self, other: Formlike) -> bool:
        """Whether neither is at most the other."""
        return not self <= other and not self >= other

    # ---- showing ----

    def __str__(self) -> str:
        from ludus.cgt.names import name

        return name(self)

    __repr__ = __str__

    def _repr_latex_(self) -> str:
        from ludus.cgt.names import latex

        return f"${latex(self)}$"


def form(value: Formlike) -> CanonicalForm:
    """A form, or that of a dyadic number, or what a text such as `{1|^*}` means."""
    if isinstance(value, CanonicalForm):
        return value
    if isinstance(value, str):
        from ludus.cgt.reading import parse

        return parse(value)
    try:
        exact = Fraction(value)
    except (TypeError, ValueError, OverflowError):
        raise LudusError(f"a canonical form is a number, a form or a text, not {value!r}") from None
    return _of_number(exact)


def _of_number(number: Fraction) -> CanonicalForm:
    if number.denominator & (number.denominator - 1) or Fraction(float(number)) != number:
        raise LudusError(f"{number} is no short game: only fractions over a power of two, in 53 bits, are")
    if abs(number) > MOST:
        raise LudusError(f"numbers of canonical forms are at most {MOST:,} in size, not {number}")
    return _numbers.get(number) or _on_the_way_to(number)


def _on_the_way_to(number: Fraction) -> CanonicalForm:
    """The form of a number, found by steps from 0, each to the simplest number on its side."""
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


def game(left: Iterable[Formlike], right: Iterable[Formlike]) -> CanonicalForm:
    """The canonical form of the game with these options."""
    sides = [[form(option) for option in options] for options in (left, right)]
    known = [option.handle for options in sides for option in options]
    work = evaluating.calculation(known, [[2 * number] for number in range(len(known))], len(sides[0]))
    return _calculated(work)


MOST = 10_000  # each number is as many steps from 0
ZERO = CanonicalForm(0)
_numbers = {Fraction(0): ZERO}


def star(size: int = 1) -> CanonicalForm:
    """The nimber of this size."""
    if not isinstance(size, int) or size < 0:
        raise LudusError(f"a nimber has a size of 0 or more, not {size}")
    smaller = [ZERO]
    while len(smaller) <= size:
        smaller.append(game(smaller, smaller))
    return smaller[size]


def up(times: int = 1) -> CanonicalForm:
    """So many times {0|*}."""
    return game([ZERO], [star()]) * times


def switch(left: Formlike, right: Formlike | None = None) -> CanonicalForm:
    """{left|right}, by default {left|-left}."""
    return game([left], [-form(left) if right is None else right])


def tiny(size: Formlike) -> CanonicalForm:
    """{0||0|-size}."""
    return game([ZERO], [game([ZERO], [-form(size)])])
