"""Reading forms: `{1/2|0}`, `3*`, `^^*`, `+-1/8`, `{2||1|0}`, `tiny(2)`, and sums and differences of them."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TypeAlias

from ludus.cgt.forms import CanonicalForm, form, game, miny, tiny, ups_and_star
from ludus.cgt.names import DEEPEST
from ludus.errors import LudusError

MOST_LETTERS = 100_000
MOST_BARS = 200  # beside each other
_MOST_DIGITS = 1000

_TOKENS = re.compile(r"\s*(\d+(?:/\d+)?|\^\d+|v\d+|\^+|v+|\*\d*|\+-|tiny|miny|\|+|[-+,(){}])")
_SIGNS = {"±": "+-", "↑": "^", "↓": "v", "⇑": "^^", "⇓": "vv"}
Side: TypeAlias = list[CanonicalForm]
Body: TypeAlias = list[Side | int]  # lists of options, and between them the numbers of bars


def parse(text: str) -> CanonicalForm:
    """The form that a text means; raises LudusError for what means none."""
    return _Reader(text).whole()


class _Reader:
    """One reading of a text, token by token."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.depth = text, 0, 0
        self.tokens = self._cut(text) if len(text) <= MOST_LETTERS else []

    def _cut(self, text: str) -> list[str]:
        plain = "".join(_SIGNS.get(letter, letter) for letter in text.strip())
        tokens, at = [], 0
        while at < len(plain):
            found = _TOKENS.match(plain, at)
            if not found:
                raise self._wrong()
            tokens.append(found[1])
            at = found.end()
        return tokens

    def _wrong(self) -> LudusError:
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
            raise self._wrong()
        self.at += 1
        return token

    def whole(self) -> CanonicalForm:
        total = self.total()
        if self.at < len(self.tokens):
            raise self._wrong()
        return total

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
        """What follows +-: one option, or several in parentheses."""
        if self.next() != "(":
            option = self.atom()
            return game(option, -option)
        left = self.bracketed("(", ")")
        if len(left) != 1 or not isinstance(left[0], list) or not left[0]:
            raise self._wrong()
        return game(left[0], [-option for option in left[0]])

    def atom(self) -> CanonicalForm:
        token = self.next()
        if token == "{":
            (made,) = self.made_of(self.bracketed("{", "}"), braces=True)
            return made
        if token == "(":
            (made,) = self.made_of(self.bracketed("(", ")"), braces=False)
            return made
        if token in ("tiny", "miny"):
            self.take(token)
            (size,) = self.made_of(self.bracketed("(", ")"), braces=False)
            return tiny(size) if token == "tiny" else miny(size)
        return self.near_number()

    def near_number(self, sign: int = 1) -> CanonicalForm:
        """A number, ups and a nimber, each of which may be missing, but not all; the sign is the number's alone."""
        begun = self.at
        number = sign * self.fraction() if self.next()[:1].isdecimal() else 0
        ups = self.ups() if self.next()[:1] in ("^", "v") else 0
        nimber = self.whole_number(self.take(self.next())[1:] or "1") if self.next()[:1] == "*" else 0
        if self.at == begun:
            raise self._wrong()
        return ups_and_star(ups, nimber) + number if ups or nimber else form(number)

    def fraction(self) -> Fraction:
        above, _, below = self.take(self.next()).partition("/")
        divisor = self.whole_number(below or "1")
        if not divisor:
            raise self._wrong()
        return Fraction(self.whole_number(above), divisor)

    def ups(self) -> int:
        token = self.take(self.next())
        times = self.whole_number(token[1:]) if token[1:].isdecimal() else len(token)
        return times if token[0] == "^" else -times

    def whole_number(self, digits: str) -> int:
        if len(digits) > _MOST_DIGITS:
            raise LudusError(f"a number in a canonical form has at most {_MOST_DIGITS} digits, not {len(digits)}")
        return int(digits)

    def bracketed(self, opening: str, closing: str) -> Body:
        """What stands between brackets: lists of options and the bars between them."""
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
        """The forms that a body stands for: divided where most bars are, else the options of a list."""
        bars = [part for part in body if isinstance(part, int)]
        if len(bars) > MOST_BARS:
            raise LudusError(f"a form is divided by at most {MOST_BARS} groups of bars")
        if not bars:
            (options,) = body
            if braces or not isinstance(options, list) or len(options) != 1:
                raise self._wrong()
            return options
        if bars.count(max(bars)) > 1:
            raise self._wrong()
        place = body.index(max(bars))
        left, right = (self.side(half) for half in (body[:place], body[place + 1 :]))
        return [game(left, right)]

    def side(self, half: Body) -> Side:
        """The options that one side of the bars stands for."""
        if len(half) == 1 and isinstance(half[0], list):
            return half[0]
        return self.made_of(half, braces=True)
