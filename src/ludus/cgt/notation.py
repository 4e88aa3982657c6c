"""The notation of forms: numbers, nimbers, ups, switches, tinies, and braces for the rest; written and parsed."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from ludus.cgt.forms import LARGEST_NIMBER, MOST_UPS, ZERO, CanonicalForm, form, game, miny, star, tiny, ups_and_star
from ludus.errors import LudusError

LONGEST = 20_000  # letters of a name
MOST_FOLLOWERS = 20_000  # of a form that has a name
DEEPEST = 100  # brackets within brackets


class UpStar(NamedTuple):
    """Ups, downs if below 0, and a nimber."""

    ups: int
    nimber: int


def name(form: CanonicalForm, most: int = LONGEST) -> str:
    """A form as text that `parse` reads; its mean and temperature if that is longer than `most`, or too deep."""
    known: dict[int, tuple[str, int]] = {}
    for follower in form.followers()[: MOST_FOLLOWERS + 1]:
        written = _written(follower, known)
        if written and len(written[0]) <= most:
            known[follower.handle] = written
    text = _closed(*known[form.handle]) if form.handle in known else ""
    depth = max(accumulate((letter in "{(") - (letter in ")}") for letter in text), default=0)
    return text if text and depth <= DEEPEST else f"about {form.mean}, temperature {form.temperature}"


def _written(form: CanonicalForm, known: dict[int, tuple[str, int]]) -> tuple[str, int] | None:
    """The name of a form whose options have names, and the number of its bars: 0 if it needs no braces."""
    short = str(form.number) if form.number is not None else ""
    short = short or _name_near_number(form) or _name_of_tiny(form) or _name_of_switch(form, known)
    if short:
        return short, 0
    if any(option.handle not in known for option in form.left + form.right):
        return None
    (left, above), (right, below) = (  # one option alone needs no braces, but more bars around it
        known[side[0].handle] if len(side) == 1 else (",".join(_closed(*known[o.handle]) for o in side), 0)
        for side in (form.left, form.right)
    )
    bars = 1 + max(above, below)
    return f"{left}{'|' * bars}{right}", bars


def _closed(text: str, bars: int) -> str:
    return f"{{{text}}}" if bars else text


def _name_near_number(form: CanonicalForm) -> str:
    """A number with ups and a nimber added to it."""
    left, right = form.stops
    near = up_star(form - left) if left == right else None
    if near is None:
        return ""
    sign, times = "^" if near.ups > 0 else "v", abs(near.ups)
    ups = sign * times if times < 3 else f"{sign}{times}"
    nimber = "" if near.nimber == 0 else "*" if near.nimber == 1 else f"*{near.nimber}"
    return f"{left if left else ''}{ups}{nimber}"


def up_star(form: CanonicalForm) -> UpStar | None:
    """The ups and the nimber that a form is the sum of, or None."""
    size = nimber(form)
    if size is not None:
        return UpStar(0, size)
    positive = _ups_above(form)
    negative = _ups_above(-form) if positive is None else None
    return positive if negative is None else UpStar(-negative.ups, negative.nimber)


def _ups_above(form: CanonicalForm) -> UpStar | None:
    """The same for at least one up; see `ups_and_star`."""
    if not _ups:
        _ups[ups_and_star(1, 1).handle] = UpStar(1, 1)
    steps, at = 0, form
    while (below := _known_ups(at)) is None and at.left == (ZERO,) and len(at.right) == 1:
        steps, at = steps + 1, at.right[0]
    if below is None or below.ups + steps > MOST_UPS:
        return None
    found = _ups[form.handle] = UpStar(below.ups + steps, below.nimber ^ steps & 1)
    return found


def _known_ups(form: CanonicalForm) -> UpStar | None:
    size = nimber(form)
    return _ups.get(form.handle) if size is None else UpStar(0, size)


_ups: dict[int, UpStar] = {}


def nimber(form: CanonicalForm) -> int | None:
    """The size of the nimber that a form is, or None."""
    size = len(form.left)
    return size if size <= LARGEST_NIMBER and form == star(size) else None


def _name_of_tiny(form: CanonicalForm) -> str:
    """The name of tiny or miny of a number."""
    for one, word in ((form, "tiny"), (-form, "miny")):
        if [*one.left] == [0] and len(one.right) == 1 and [*one.right[0].left] == [0] and len(one.right[0].right) == 1:
            size = one.right[0].right[0].number
            if size is not None and size < 0:
                return f"{word}({-size})"
    return ""


def _name_of_switch(form: CanonicalForm, known: dict[int, tuple[str, int]]) -> str:
    """The name of a form that is its own negative, by its left options."""
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


MOST_LETTERS = 100_000
MOST_BARS = 200  # beside each other
_MOST_DIGITS = 1000
_TOKENS = re.compile(r"\s*(\d+(?:/\d+)?|\^\d+|v\d+|\^+|v+|\*\d*|\+-|tiny|miny|\|+|[-+,(){}])")
_PARSED_SIGNS = {"±": "+-", "↑": "^", "↓": "v", "⇑": "^^", "⇓": "vv"}
Side: TypeAlias = list[CanonicalForm]
Body: TypeAlias = list[Side | int]  # lists of options, and between them the numbers of bars


def parse(text: str) -> CanonicalForm:
    """The form of a text; raises LudusError for a text that is none."""
    parser = _Parser(text)
    total = parser.total()
    if parser.at < len(parser.tokens):
        raise parser.wrong()
    return total


class _Parser:
    """A recursive descent parser."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.depth = text, 0, 0
        self.tokens = self._cut(text) if len(text) <= MOST_LETTERS else []

    def _cut(self, text: str) -> list[str]:
        plain = "".join(_PARSED_SIGNS.get(letter, letter) for letter in text.strip())
        tokens, at = [], 0
        while at < len(plain):
            found = _TOKENS.match(plain, at)
            if not found:
                raise self.wrong()
            tokens.append(found[1])
            at = found.end()
        return tokens

    def wrong(self) -> LudusError:
        shown = self.text if len(self.text) <= 60 else f"{self.text[:57]}..."
        return LudusError(
            f"{shown!r} is no canonical form; they are written like 3/4, {{1|0*}}, ^^*, +-2 or {{2||1|0}}"
        )

    def next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, *wanted: str) -> str:
        """The next token, which must be one of these."""
        token = self.next()
        if token not in wanted or not token:
            raise self.wrong()
        self.at += 1
        return token

    def total(self) -> CanonicalForm:
        """A sum of terms."""
        total = self.term()
        while self.next() in ("+", "-", "+-"):
            sign = self.take("+", "-", "+-")
            total = total + self.term() if sign == "+" else total - self.term()
        return total

    def term(self) -> CanonicalForm:
        begun = self.at
        while self.next() == "-":
            self.take("-")
        signs = self.at - begun
        if signs and self.next()[:1].isdecimal():
            signs, made = signs - 1, self.near_number(-1)
        elif self.next() == "+-":
            self.take("+-")
            made = self.switch()
        else:
            made = self.atom()
        return -made if signs % 2 else made

    def switch(self) -> CanonicalForm:
        """The options after +-: one, or several in parentheses."""
        if self.next() != "(":
            option = self.atom()
            return game(option, -option)
        left = self.bracketed("(")
        if len(left) != 1 or not isinstance(left[0], list) or not left[0]:
            raise self.wrong()
        return game(left[0], [-option for option in left[0]])

    def atom(self) -> CanonicalForm:
        token = self.next()
        if token in ("{", "("):
            (made,) = self.made_of(self.bracketed(token), braces=token == "{")
            return made
        if token in ("tiny", "miny"):
            self.take(token)
            (size,) = self.made_of(self.bracketed("("), braces=False)
            return tiny(size) if token == "tiny" else miny(size)
        return self.near_number()

    def near_number(self, sign: int = 1) -> CanonicalForm:
        """A number, ups and a nimber, each of which may be missing, but not all; the sign is the number's alone."""
        begun = self.at
        number = sign * self.fraction() if self.next()[:1].isdecimal() else 0
        ups = self.ups() if self.next()[:1] in ("^", "v") else 0
        nimber = self.whole_number(self.take(self.next())[1:] or "1") if self.next()[:1] == "*" else 0
        if self.at == begun:
            raise self.wrong()
        return ups_and_star(ups, nimber) + number if ups or nimber else form(number)

    def fraction(self) -> Fraction:
        above, _, below = self.take(self.next()).partition("/")
        divisor = self.whole_number(below or "1")
        if not divisor:
            raise self.wrong()
        return Fraction(self.whole_number(above), divisor)

    def ups(self) -> int:
        token = self.take(self.next())
        times = self.whole_number(token[1:]) if token[1:].isdecimal() else len(token)
        return times if token[0] == "^" else -times

    def whole_number(self, digits: str) -> int:
        if len(digits) > _MOST_DIGITS:
            raise LudusError(f"a number in a canonical form has at most {_MOST_DIGITS} digits, not {len(digits)}")
        return int(digits)

    def bracketed(self, opening: str) -> Body:
        """The contents of brackets: lists of options and the bars between them."""
        closing = {"{": "}", "(": ")"}[opening]
        self.take(opening)
        self.depth += 1
        if self.depth > DEEPEST:
            raise LudusError(f"brackets may stand within each other {DEEPEST} times, not more")
        body: Body = [self.options(closing)]
        while self.next().startswith("|"):
            body += [len(self.take(self.next())), self.options(closing)]
        self.take(closing)
        self.depth -= 1
        return body

    def options(self, closing: str) -> Side:
        found: Side = []
        while self.next() != closing and not self.next().startswith("|"):
            found.append(self.total())
            if self.next() != ",":
                break
            self.take(",")
        return found

    def made_of(self, body: Body, *, braces: bool) -> Side:
        """The forms of a body: divided where most bars are, else the options of a list."""
        bars = [part for part in body if isinstance(part, int)]
        if len(bars) > MOST_BARS:
            raise LudusError(f"a form is divided by at most {MOST_BARS} groups of bars")
        if not bars:
            (options,) = body
            if braces or not isinstance(options, list) or len(options) != 1:
                raise self.wrong()
            return options
        if bars.count(max(bars)) > 1:
            raise self.wrong()
        place = body.index(max(bars))
        left, right = (
            half[0] if len(half) == 1 and isinstance(half[0], list) else self.made_of(half, braces=True)
            for half in (body[:place], body[place + 1 :])
        )
        return [game(left, right)]
