"""Presets: settings of the papers, and those found by measuring (docs/learners), read from presets.toml."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any

from ludus import catalog
from ludus.errors import LudusError
from ludus.learning.loop.plan import Plan
from ludus.parameters import make, parse_written

Settings = dict[str, str]
Presets = dict[str, dict[tuple[str, str], tuple[Settings, Settings]]]


@cache
def presets() -> Presets:
    """All presets, by name, then learner and game: settings of the learner, and of the training."""
    tables = tomllib.loads(resources.files(__package__).joinpath("presets.toml").read_text())
    bases, found = tables.pop("base"), Presets()
    for preset, entries in tables.items():
        found[preset] = {}
        for key, settings in entries.items():
            learner, _, game = key.partition(" on ")
            plan, base = settings.pop("plan"), bases.get(settings.pop("like", None), {})
            found[preset][learner, game] = base | settings, plan
    return found


def configured(game: Any, learner: str, settings: Settings, preset: str | None) -> tuple[Any, Plan]:
    """A learner and a plan with the settings of the preset, then those in the learner's text, then all others."""
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
    """The settings of a preset, for the learner and for the training; LudusError lists the presets."""
    if name not in presets():
        raise LudusError(f"there is no preset {name!r}; there is: {', '.join(presets())}")
    key = learner, catalog.name_of(game)
    if key not in presets()[name]:
        known = ", ".join(f"{which} on {game}" for which, game in presets()[name])
        raise LudusError(f"no preset {name} is known for {learner} on {key[1]}; there are: {known}")
    return presets()[name][key]
