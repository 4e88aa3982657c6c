"""The combinatorial worth of positions in games where who cannot move loses: canonical forms.

`form("{1|0*}")`, `game(1, 0)`, `star(2)`, `up()`, `switch(3, 1)`, `tiny(2)` make them; `canonical_form(game, position)`
finds those of positions, `Valuer(game)` those of many, and `thermograph(form)` draws one.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ludus.cgt.forms import CanonicalForm as CanonicalForm
    from ludus.cgt.forms import down as down
    from ludus.cgt.forms import form as form
    from ludus.cgt.forms import game as game
    from ludus.cgt.forms import miny as miny
    from ludus.cgt.forms import star as star
    from ludus.cgt.forms import switch as switch
    from ludus.cgt.forms import tiny as tiny
    from ludus.cgt.forms import up as up
    from ludus.cgt.positions import Valuer as Valuer
    from ludus.cgt.positions import canonical_form as canonical_form
    from ludus.cgt.thermographs import thermograph as thermograph

# The module of each public name, loaded when the name is first asked for; none of them is a module of `ludus.cgt`.
_HOMES = {
    **dict.fromkeys(
        ("CanonicalForm", "down", "form", "game", "miny", "star", "switch", "tiny", "up"), "ludus.cgt.forms"
    ),
    "Valuer": "ludus.cgt.positions",
    "canonical_form": "ludus.cgt.positions",
    "thermograph": "ludus.cgt.thermographs",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'ludus.cgt' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return [*_HOMES]
