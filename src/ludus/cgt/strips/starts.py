"""Starts of Toads and Frogs: the canonical forms of all T^a _^b F^c, and of Erickson's families."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from ludus.cgt.forms import CanonicalForm, form, game, star
from ludus.cgt.positions import Evaluator, Progress
from ludus.errors import LudusError
from ludus.games.toads_and_frogs import MOST_SQUARES, Position, Strip, ToadsAndFrogs


class Start(NamedTuple):
    """A start and its canonical form."""

    toads: int
    gaps: int
    frogs: int
    form: CanonicalForm

    @property
    def strip(self) -> str:
        """The start as text."""
        return start_strip(self.toads, self.gaps, self.frogs)


Case = tuple[str, Callable[[CanonicalForm], bool]]  # a strip of a family, and whether its form is as claimed


class Family(NamedTuple):
    """Strips of one shape, the claim, its source, and all of them up to a number of squares."""

    shape: str
    claim: str
    source: str
    cases: Callable[[int], Iterator[Case]]


class Verdict(NamedTuple):
    """The result of a family: the number of strips checked, and those for which the claim fails."""

    family: Family
    checked: int
    failed: list[tuple[str, CanonicalForm]]


class Strips:
    """Canonical forms of strips up to a number of squares, with shared caches."""

    def __init__(self, squares: int, progress: Progress | None = None, memory: int | None = None) -> None:
        if not 1 <= squares <= MOST_SQUARES:
            raise LudusError(f"squares must be 1 to {MOST_SQUARES}, not {squares}")
        self.squares = squares
        make: Any = ToadsAndFrogs
        self.evaluator = Evaluator(make(strip=Strip.parse("_" * squares)), progress=progress, memory=memory)

    def form(self, strip: str) -> CanonicalForm:
        """The form of a strip."""
        return self.forms_of([strip])[0]

    def forms_of(self, strips: Sequence[str]) -> list[CanonicalForm]:
        """The forms of many strips, computed together."""
        return self.evaluator.forms_of([self.position(Strip.parse(strip)) for strip in strips])

    def position(self, strip: Strip) -> Position:
        """A strip on the board; toads that have arrived fill the squares to its right."""
        arrived = (1 << self.squares) - (1 << strip.squares)
        return Position(strip.toads | arrived, strip.frogs, 0)


def start_strip(toads: int, gaps: int, frogs: int) -> str:
    """T^a _^b F^c written out."""
    return "T" * toads + "_" * gaps + "F" * frogs


def table(
    toads: int, gaps: int, frogs: int, squares: int, progress: Progress | None = None, memory: int | None = None
) -> list[Start]:
    """The forms of all starts with at most these numbers of toads, gaps, frogs and squares, at least one of each."""
    if min(toads, gaps, frogs) < 1:
        raise LudusError(f"a table has at least 1 toad, gap and frog, not {toads}, {gaps} and {frogs}")
    strips = Strips(squares, progress, memory)
    every = product(range(1, toads + 1), range(1, gaps + 1), range(1, frogs + 1))
    sizes = [size for size in every if sum(size) <= squares]
    forms = strips.forms_of([start_strip(*size) for size in sizes])
    return [Start(*size, found) for size, found in zip(sizes, forms, strict=True)]


def families(squares: int, progress: Progress | None = None, memory: int | None = None) -> list[Verdict]:
    """The result of each family among strips of at most this number of squares."""
    strips = Strips(squares, progress, memory)
    verdicts = []
    for family in FAMILIES:
        cases = list(family.cases(squares))
        forms = strips.forms_of([strip for strip, _ in cases])
        failed = [(strip, found) for (strip, holds), found in zip(cases, forms, strict=True) if not holds(found)]
        verdicts.append(Verdict(family, len(cases), failed))
    return verdicts


def _equals(strip: str, value: CanonicalForm) -> Case:
    return strip, lambda found: found == value


def _halves(squares: int) -> Iterator[Case]:
    for m in range(squares // 2):
        for n in range(squares // 2 - m):
            yield _equals("TF" * m + "T_" + "TF" * n, form(2.0**-n))


def _every_number(squares: int) -> Iterator[Case]:
    for n in range(squares):
        for k in range(1, squares // (2 * n + 6) + 1):
            yield _equals(("T_" + "TF" * n + "TTFF") * k, form(k * 2.0**-n))


def _two_gaps(squares: int) -> Iterator[Case]:
    for a in range(3, squares):
        for b in range(2, min(a, squares - a - 1)):
            yield _equals(start_strip(a, 2, b), game([game([a - 3], [a - b])], [game([star()], [3 - b])]))


def _two_frogs(squares: int) -> Iterator[Case]:
    for a in range(2, squares - 4):
        yield _equals(start_strip(a, 3, 2), game([a - 2], [a - 2]))


def _three_frogs(squares: int) -> Iterator[Case]:
    for a in range(5, squares - 5):
        yield _equals(start_strip(a, 3, 3), form(a - 3.5))


def _one_frog_less(squares: int) -> Iterator[Case]:
    one, one_star = form(1), form("1*")
    for a in range(1, (squares + 1) // 3 + 1):
        yield start_strip(a, a, a - 1), lambda found: found in (one, one_star)


def _symmetric(squares: int) -> Iterator[Case]:
    for a in range(1, squares // 2 + 1):
        for b in range(1, squares - 2 * a + 1):
            if (a, b) != (3, 2):
                yield start_strip(a, b, a), lambda found: not any(found.stops)


def _symmetric_and_wide(squares: int) -> Iterator[Case]:
    for a in range(1, squares // 3 + 1):
        for b in range(a, squares - 2 * a + 1):
            yield start_strip(a, b, a), lambda found: found in (form(0), star())


FAMILIES = (
    Family("(TF)^m T_ (TF)^n", "1/2^n", "Erickson, theorem", _halves),
    Family("(T_ (TF)^n TTFF)^k", "k/2^n", "Erickson, theorem", _every_number),
    Family("T^a __ F^b, a > b >= 2", "{a-3|a-b||*|3-b}", "Erickson, conjecture; Thanatipanonda, proof", _two_gaps),
    Family("T^a ___ FF, a >= 2", "{a-2|a-2}", "Erickson, conjecture; Thanatipanonda, proof", _two_frogs),
    Family("T^a ___ FFF, a >= 5", "a - 7/2", "Erickson, conjecture; Thanatipanonda, proof", _three_frogs),
    Family("T^a _^a F^(a-1)", "1 or 1*", "Erickson, conjecture", _one_frog_less),
    Family("T^a _^b F^a but TTT__FFF", "infinitesimal", "Erickson, conjecture", _symmetric),
    Family("T^a _^b F^a, b >= a", "0 or *", "conjecture reported by Garwood", _symmetric_and_wide),
)
