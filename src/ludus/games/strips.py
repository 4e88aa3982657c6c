"""Strips of Toads and Frogs as text."""

from __future__ import annotations

import re
from typing import NamedTuple

MOST_SQUARES = 62


class Strip(NamedTuple):
    """A strip given as text, e.g. TT__FF, T□□F, (TF)^2T_ or T^6_^9F^6."""

    toads: int = 0
    frogs: int = 0
    squares: int = 0

    @classmethod
    def parse(cls, text: str) -> Strip:
        """Read a strip; raise ValueError when it is none."""
        squares = _expand(re.sub(r"\[\]|[□.]", "_", re.sub(r"\s", "", text)))
        if not 1 <= len(squares) <= MOST_SQUARES or set(squares) - set("TF_"):
            raise ValueError(
                f"a strip is 1 to {MOST_SQUARES} squares of T, F and _, with powers as in (TF)^2T_, not {text!r}"
            )
        return cls(_squares_of("T", squares), _squares_of("F", squares), len(squares))

    def __str__(self) -> str:
        return "".join("T" if self.toads >> i & 1 else "F" if self.frogs >> i & 1 else "_" for i in range(self.squares))


def _expand(text: str) -> str:
    """Write out powers, the innermost first: T^3 and (TF)^2; stop when the text is longer than any strip needs."""
    power_of = re.compile(r"\(([TF_]*)\)(?:\^\{?(\d{1,2})\}?)?|([TF_])\^\{?(\d{1,2})\}?")
    while len(text) < 1000 and (match := power_of.search(text)):
        group, group_power, square, power = match.groups()
        written_out = square * int(power) if square else group * int(group_power or 1)
        text = text[: match.start()] + written_out + text[match.end() :]
    return text


def _squares_of(animal: str, squares: str) -> int:
    return sum(1 << i for i, square in enumerate(squares) if square == animal)
