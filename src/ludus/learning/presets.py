"""Settings found by measuring (docs/learners/q-table.md)."""

from __future__ import annotations

from typing import Any

from ludus import catalog
from ludus.errors import LudusError

Settings = dict[str, str]

# By learner and game: settings of the learner, and of the training.
PERFECT: dict[tuple[str, str], tuple[Settings, Settings]] = {}

_PRESETS = {"perfect": PERFECT}


def preset_for(name: str, learner: str, game: Any) -> tuple[Settings, Settings]:
    """The settings of a preset, for the learner and for the training; LudusError says what there is."""
    if name not in _PRESETS:
        raise LudusError(f"there is no preset {name!r}; there is: {', '.join(_PRESETS)}")
    key = learner, catalog.name_of(game)
    if key not in _PRESETS[name]:
        known = ", ".join(f"{which} on {game}" for which, game in _PRESETS[name])
        raise LudusError(f"no preset {name} is known for {learner} on {key[1]}; there are: {known}")
    return _PRESETS[name][key]
