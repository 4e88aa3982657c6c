"""What forms are called: numbers, nimbers, ups, switches, tinies, and braces for the rest; `reading` reads it back."""

from __future__ import annotations

import re
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from ludus.cgt.forms import LARGEST_NIMBER, MOST_UPS, ZERO, CanonicalForm, star, ups_and_star

LONGEST = 20_000  # letters of a name
MOST_FOLLOWERS = 20_000  # of a form that has a name
DEEPEST = 100  # brackets within brackets


class UpStar(NamedTuple):
    """So many ups, downs if below 0, and a nimber."""

    ups: int
    nimber: int


def name(form: CanonicalForm, most: int = LONGEST) -> str:
    """A form in text that can be read back; its mean and temperature if that takes more letters, or goes too deep."""
    known: dict[int, tuple[str, int]] = {}
    for follower in form.followers()[: MOST_FOLLOWERS + 1]:
        written = _written(follower, known)
        if written and len(written[0]) <= most:
            known[follower.handle] = written
    text = _closed(*known[form.handle]) if form.handle in known else ""
    return text if text and _depth(text) <= DEEPEST else f"about {form.mean}, temperature {form.temperature}"


def _depth(text: str) -> int:
    """How many brackets stand within each other."""
    return max(accumulate((letter in "{(") - (letter in ")}") for letter in text))


def _written(form: CanonicalForm, known: dict[int, tuple[str, int]]) -> tuple[str, int] | None:
    """The name of a form whose options have names, and how many bars divide it: none if it needs no braces."""
    short = _short_name(form, known)
    if short:
        return short, 0
    if any(option.handle not in known for option in form.left + form.right):
        return None
    (left, above), (right, below) = (_side([known[o.handle] for o in side]) for side in (form.left, form.right))
    bars = 1 + max(above, below)
    return f"{left}{'|' * bars}{right}", bars


def _side(names: list[tuple[str, int]]) -> tuple[str, int]:
    """The options of a side as text: one alone needs no braces, but more bars around it."""
    if len(names) == 1:
        return names[0]
    return ",".join(_closed(*option) for option in names), 0


def _closed(text: str, bars: int) -> str:
    return f"{{{text}}}" if bars else text


def _short_name(form: CanonicalForm, known: dict[int, tuple[str, int]]) -> str:
    """A name without braces around it, or nothing."""
    if form.number is not None:
        return str(form.number)
    return _name_near_number(form) or _name_of_tiny(form) or _name_of_switch(form, known)


def _name_near_number(form: CanonicalForm) -> str:
    """A number with ups and a nimber added to it."""
    left, right = form.stops
    near = up_star(form - left) if left == right else None
    if near is None:
        return ""
    ups = _repeated("^" if near.ups > 0 else "v", abs(near.ups))
    nimber = "" if near.nimber == 0 else "*" if near.nimber == 1 else f"*{near.nimber}"
    return f"{left if left else ''}{ups}{nimber}"


def _repeated(sign: str, times: int) -> str:
    return sign * times if times < 3 else f"{sign}{times}"


def up_star(form: CanonicalForm) -> UpStar | None:
    """What ups and nimber a form is the sum of, if it is."""
    size = nimber(form)
    if size is not None:
        return UpStar(0, size)
    positive = _ups_above(form)
    negative = _ups_above(-form) if positive is None else None
    return positive if negative is None else UpStar(-negative.ups, negative.nimber)


def _ups_above(form: CanonicalForm) -> UpStar | None:
    """The same for at least one up; see `ups_and_star`."""
    steps, at = 0, form
    while (below := _known_ups(at)) is None and at.left == (ZERO,) and len(at.right) == 1:
        steps, at = steps + 1, at.right[0]
    if below is None or below.ups + steps > MOST_UPS:
        return None
    found = _ups[form.handle] = UpStar(below.ups + steps, below.nimber ^ steps & 1)
    return found


def _known_ups(form: CanonicalForm) -> UpStar | None:
    size = nimber(form)
    if size is not None:
        return UpStar(0, size)
    return UpStar(1, 1) if form == _up_and_star() else _ups.get(form.handle)


@cache
def _up_and_star() -> CanonicalForm:
    return ups_and_star(1, 1)


_ups: dict[int, UpStar] = {}


def nimber(form: CanonicalForm) -> int | None:
    """The size of the nimber that a form is, or None."""
    size = len(form.left)
    return size if size <= LARGEST_NIMBER and form == star(size) else None


def _name_of_tiny(form: CanonicalForm) -> str:
    """Tiny or miny of a number."""
    for one, word in ((form, "tiny"), (-form, "miny")):
        if [*one.left] == [0] and len(one.right) == 1 and [*one.right[0].left] == [0] and len(one.right[0].right) == 1:
            size = one.right[0].right[0].number
            if size is not None and size < 0:
                return f"{word}({-size})"
    return ""


def _name_of_switch(form: CanonicalForm, known: dict[int, tuple[str, int]]) -> str:
    """A form that is its own negative, by its left options."""
    if form != -form or any(option.handle not in known for option in form.left):
        return ""
    names = [_closed(*known[option.handle]) for option in form.left]
    return f"+-{names[0]}" if len(names) == 1 and names[0][0] not in "+-" else f"+-({','.join(names)})"


# ---- LaTeX ----

_SIGNS = re.compile(r"(\d+)/(\d+)|([\^v])(\d+)|\^\^|vv|\+-|tiny|miny|\|+|.")
_LATEX = {
    "{": r"\{", "}": r"\}", "^": r"{\uparrow}", "v": r"{\downarrow}", "^^": r"{\Uparrow}", "vv": r"{\Downarrow}",
    "+-": r"\pm ", "*": "{*}", "tiny": r"\operatorname{tiny}", "miny": r"\operatorname{miny}",
}  # fmt: skip


def latex(form: CanonicalForm) -> str:
    """A form in LaTeX, without dollars; its mean and temperature if it is long."""
    text = name(form, 1000)
    return rf"\text{{{text}}}" if text.startswith("about") else _SIGNS.sub(_in_latex, text)


def _in_latex(sign: re.Match[str]) -> str:
    above, below, arrow, times = sign.groups()
    if above:
        return rf"\tfrac{{{above}}}{{{below}}}"
    if arrow:
        return rf"{_LATEX[arrow]}^{{{times}}}"
    if sign[0].startswith("|"):
        return r" \mid " if sign[0] == "|" else rf" \mathrel{{{sign[0]}}} "
    return _LATEX.get(sign[0], sign[0])
