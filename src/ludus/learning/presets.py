"""Settings of the papers, and those found by measuring (docs/learners)."""

from __future__ import annotations

from typing import Any

from ludus import catalog
from ludus.errors import LudusError
from ludus.learning.loop.plan import Plan
from ludus.parameters import make, parse_written

Settings = dict[str, str]

# Games begin astray, anywhere; from there both sides play the best they know, and learn from the end backwards. So no
# value is spoiled by a random reply, and all positions are come by. Rewards far away count less, so that wins are made.
_ASTRAY = {"epsilon": "0", "alpha": "1", "gamma": "0.95", "random_side": "both", "backward": "true", "symmetry": "true"}

# By learner and game: settings of the learner, and of the training.
PERFECT: dict[tuple[str, str], tuple[Settings, Settings]] = {
    ("q-table", "tapnswap"): (_ASTRAY | {"random_plies": "40"}, {"games": "200000"}),
    ("q-table", "tic-tac-toe"): (_ASTRAY | {"random_plies": "8"}, {"games": "60000"}),
    ("q-table", "chung-toi"): (
        _ASTRAY | {"random_plies": "30", "gamma": "0.97", "ties": "first"},
        {"games": "8000000"},
    ),
    # The hounds are to win: only the fox goes astray, and values move by parts, so that one lucky win proves nothing.
    ("q-table", "fox-and-hounds"): (
        {
            "epsilon": "0",
            "alpha": "0.3",
            "gamma": "0.98",
            "ties": "first",
            "tables": "roles",
            "random_plies": "45",
            "random_side": "first",
            "backward": "true",
        },
        {"games": "4000000"},
    ),
}

# Toads against a random opponent; an illegal choice ends the game.
_FROGS = {"buffer": "1000", "mask": "false", "win": "30", "loss": "-10", "illegal": "-15"}
_AGAINST_RANDOM = {"opponent": "random", "seats": "first"}

# As the papers have it.
PAPER: dict[tuple[str, str], tuple[Settings, Settings]] = {
    ("td-lambda", "chung-toi"): (
        {"epsilon": "0.15..0@2000", "alpha": "0.0012..0@2000", "smart": "training", "ends": "network"},
        {"games": "2000", "eval_every": "100", "eval_against": "smart-random", "eval_games": "600"},
    ),
    ("dqn", "toads-and-frogs"): (_FROGS, _AGAINST_RANDOM | {"games": "6000"}),
    ("dqn", "toads-and-frogs(toads=4, gaps=6, frogs=4)"): (_FROGS, _AGAINST_RANDOM | {"games": "20000"}),
    ("dqn", "toads-and-frogs(toads=6, gaps=9, frogs=6)"): (_FROGS, _AGAINST_RANDOM | {"games": "20000", "grade": "no"}),
}

# One network plays both sides, mostly at random, and learns from each choice of the other side, not from its reply: so
# nothing is spoiled by random replies, and all positions are come by. Steps shrink to nothing: values come to rest.
_BOTH_SIDES = {
    "hidden": "128-128-128",
    "epsilon": "0.8",
    "gamma": "0.97",
    "target_every": "0",
    "tau": "0.02",
    "reply": "false",
}

# The same from anywhere: games at random from the start hardly ever come by most positions.
_FROM_ANYWHERE = _BOTH_SIDES | {
    "hidden": "512-512-512",
    "tau": "0.01",
    "double": "true",
    "starts": "any",
    "buffer": "500000",
    "batch": "1024",
    "lanes": "256",
    "updates": "0.0625",
}

# The bare network, as good as was found.
STRONG: dict[tuple[str, str], tuple[Settings, Settings]] = {
    ("alphazero", "tic-tac-toe"): (
        {
            "width": "64",
            "blocks": "2",
            "lanes": "64",
            "sims": "16",
            "random_plies": "6",
            "batch": "64",
            "reuse": "8",
            "learning_rate": "0.002..0@10000",
        },
        {"games": "10000"},
    ),
    ("alphazero", "connect-four"): (
        {"sims": "24", "random_plies": "8", "buffer": "200000", "learning_rate": "0.002..0.0001@50000"},
        {"games": "30000", "eval_games": "200"},
    ),
    ("alphazero", "mancala"): (
        {"large": "8", "sims": "32", "random_plies": "8", "learning_rate": "0.002..0.0002@10000"},
        {"games": "10000", "grade": "no"},
    ),
    # The hounds are to win: only the fox goes astray.
    ("alphazero", "fox-and-hounds"): (
        {
            "trunk": "dense",
            "width": "128",
            "blocks": "2",
            "lanes": "64",
            "sims": "32",
            "trust": "0.7",
            "random_plies": "45",
            "random_side": "first",
            "batch": "128",
            "learning_rate": "0.002..0@20000",
        },
        {"games": "20000"},
    ),
    ("td-lambda", "chung-toi"): (
        {
            "hidden": "400",
            "epsilon": "0.02",
            "alpha": "0.002..0@600000",
            "lam": "0.3",
            "gamma": "0.99",
            "view": "mover",
            "symmetry": "true",
            "random_plies": "20",
            "random_side": "both",
        },
        {"games": "600000", "eval_against": "smart-random", "eval_games": "2000"},
    ),
    ("dqn", "chung-toi"): (
        _FROM_ANYWHERE
        | {"hidden": "256-256-256", "gamma": "0.95", "symmetry": "true", "starts": "both"}
        | {"learning_rate": "0.001..0@240000", "batch": "256", "lanes": "128"},
        {"games": "140000", "eval_against": "smart-random", "eval_games": "2000"},
    ),
    ("dqn", "tic-tac-toe"): (
        _BOTH_SIDES | {"learning_rate": "0.002..0@20000", "buffer": "50000", "lanes": "32", "updates": "0.25"},
        {"games": "20000"},
    ),
    ("dqn", "tapnswap"): (
        _BOTH_SIDES | {"learning_rate": "0.002..0@20000", "buffer": "50000", "lanes": "32", "updates": "0.25"},
        {"games": "20000"},
    ),
    ("dqn", "toads-and-frogs"): (
        _BOTH_SIDES | {"learning_rate": "0.002..0@60000", "buffer": "200000", "lanes": "64", "updates": "0.125"},
        {"games": "60000"},
    ),
    # Longer games: with gamma below 1 what is far away would hardly tell a win from a loss.
    ("dqn", "toads-and-frogs(toads=4, gaps=6, frogs=4)"): (
        _FROM_ANYWHERE | {"gamma": "1", "learning_rate": "0.0007..0@180000"},
        {"games": "180000"},
    ),
    ("dqn", "toads-and-frogs(toads=6, gaps=9, frogs=6)"): (
        _BOTH_SIDES
        | {"gamma": "1", "learning_rate": "0.001..0@10000", "buffer": "200000"}
        | {"double": "true", "lanes": "64", "updates": "0.125"},
        {"games": "10000", "grade": "no"},
    ),
}

PRESETS = {"perfect": PERFECT, "paper": PAPER, "strong": STRONG}


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
    if name not in PRESETS:
        raise LudusError(f"there is no preset {name!r}; there is: {', '.join(PRESETS)}")
    key = learner, catalog.name_of(game)
    if key not in PRESETS[name]:
        known = ", ".join(f"{which} on {game}" for which, game in PRESETS[name])
        raise LudusError(f"no preset {name} is known for {learner} on {key[1]}; there are: {known}")
    return PRESETS[name][key]
