"""Canonical forms of positions under normal play: the player who cannot move loses.

`form("{1|0*}")`, `game(1, 0)`, `star(2)`, `up()`, `switch(3, 1)`, `tiny(2)` make forms.
`canonical_form(game, position)` finds a position's, `Evaluator(game)` those of many, `thermograph(form)` draws it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ludus.cgt.forms import CanonicalForm, down, form, game, miny, star, switch, thermograph, tiny, up
    from ludus.cgt.positions import Evaluator, canonical_form

__all__ = [
    "CanonicalForm",
    "Evaluator",
    "canonical_form",
    "down",
    "form",
    "game",
    "miny",
    "star",
    "switch",
    "thermograph",
    "tiny",
    "up",
]


def __getattr__(name: str) -> Any:  # loads a public name when it is first used; none is a module of `ludus.cgt`
    if name not in __all__:
        raise AttributeError(f"module 'ludus.cgt' has no attribute {name!r}")
    home = "positions" if name in ("Evaluator", "canonical_form") else "forms"
    return getattr(importlib.import_module(f"ludus.cgt.{home}"), name)


def __dir__() -> list[str]:
    return __all__
