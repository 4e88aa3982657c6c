"""Settings found by measuring (docs/learners/q-table.md)."""

from __future__ import annotations

from typing import Any

from ludus import catalog
from ludus.errors import LudusError
from ludus.learning.plan import Plan
from ludus.parameters import make, parse_written

Settings = dict[str, str]

# Games begin astray, anywhere; from there both sides play the best they know, and learn from the end backwards. So no
# value is spoiled by a random reply, and all positions are come by. Rewards far away count less, so that wins are made.
_ASTRAY = {"epsilon": "0", "alpha": "1", "gamma": "0.95", "astray": "both", "backward": "true", "symmetry": "true"}

# By learner and game: settings of the learner, and of the training.
PERFECT: dict[tuple[str, str], tuple[Settings, Settings]] = {
    ("q-table", "tapnswap"): (_ASTRAY | {"exploring": "40"}, {"games": "200000"}),
    ("q-table", "tic-tac-toe"): (_ASTRAY | {"exploring": "8"}, {"games": "60000"}),
    ("q-table", "chung-toi"): (_ASTRAY | {"exploring": "30", "gamma": "0.97", "ties": "first"}, {"games": "8000000"}),
    # The hounds are to win: only the fox goes astray, and values move by parts, so that one lucky win proves nothing.
    ("q-table", "fox-and-hounds"): (
        {
            "epsilon": "0",
            "alpha": "0.3",
            "gamma": "0.98",
            "ties": "first",
            "tables": "roles",
            "exploring": "45",
            "astray": "first",
            "backward": "true",
        },
        {"games": "4000000"},
    ),
}

_PRESETS = {"perfect": PERFECT}


def configured(game: Any, learner: str, settings: Settings, preset: str | None) -> tuple[Any, Plan]:
    """A learner and a plan with these settings: of the preset, then of the learner as written, then all others."""
    written = parse_written(learner)
    cls = catalog.learner_class(written.name)
    own, plan = ({}, {}) if preset is None else preset_for(preset, written.name, game)
    own, plan = own | written.parameters, dict(plan)
    for name, words in settings.items():
        if name not in cls._fields and name not in Plan._fields:
            known = f"it has: {', '.join(cls._fields)}; and every training: {', '.join(Plan._fields)}"
            raise LudusError(f"{written.name} has no setting {name}; {known}")
        (own if name in cls._fields else plan)[name] = words
    return make(cls, written.name, own), make(Plan, "train", plan)


def preset_for(name: str, learner: str, game: Any) -> tuple[Settings, Settings]:
    """The settings of a preset, for the learner and for the training; LudusError says what there is."""
    if name not in _PRESETS:
        raise LudusError(f"there is no preset {name!r}; there is: {', '.join(_PRESETS)}")
    key = learner, catalog.name_of(game)
    if key not in _PRESETS[name]:
        known = ", ".join(f"{which} on {game}" for which, game in _PRESETS[name])
        raise LudusError(f"no preset {name} is known for {learner} on {key[1]}; there are: {known}")
    return _PRESETS[name][key]
