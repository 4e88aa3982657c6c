"""Ludus lets students, researchers and players of small two-player games write the rules once, in plain Python.

They can then play the game, solve it exactly, train agents, and grade them against perfect play.
"""

from __future__ import annotations

import sys
import time

TYPE_CHECKING = False  # type checkers take it for true; `typing` itself takes a while to load
if TYPE_CHECKING:
    from typing import Any

    from ludus.arena import Seats as Seats
    from ludus.arena.match import play_match
    from ludus.catalog import make_agent as make_agent
    from ludus.catalog import make_game as make_game
    from ludus.catalog import make_learner as make_learner
    from ludus.catalog import name_of as name_of
    from ludus.cgt.positions import canonical_form as canonical_form
    from ludus.cgt.sums import disjunctive_sum as disjunctive_sum
    from ludus.checking import check as check
    from ludus.compiled.compiling import helper, kernel
    from ludus.compiled.masks import actions
    from ludus.errors import LudusError as LudusError
    from ludus.face import View as View
    from ludus.fingerprints import fingerprint
    from ludus.game import CHANCE as CHANCE
    from ludus.game import Game as Game
    from ludus.game import Viewpoint as Viewpoint
    from ludus.grading.grade import grade, standing
    from ludus.graph_game import GraphGame
    from ludus.learning.loop.training import Training as Training
    from ludus.learning.loop.training import Watcher as Watcher
    from ludus.learning.runs import read_run as read_run
    from ludus.learning.runs import train
    from ludus.playout import playouts
    from ludus.proving.certificate import prove, prove_agent
    from ludus.puzzles import find_puzzles
    from ludus.puzzles.crib_sheets import crib
    from ludus.solving.explore import explore
    from ludus.solving.solver import solve

__version__ = "0.1.0"

__all__ = [
    "CHANCE",
    "Game",
    "GraphGame",
    "LudusError",
    "Seats",
    "Training",
    "View",
    "Viewpoint",
    "Watcher",
    "__version__",
    "actions",
    "canonical_form",
    "check",
    "crib",
    "disjunctive_sum",
    "explore",
    "find_puzzles",
    "fingerprint",
    "grade",
    "helper",
    "kernel",
    "make_agent",
    "make_game",
    "make_learner",
    "name_of",
    "play_match",
    "playouts",
    "prove",
    "prove_agent",
    "read_run",
    "solve",
    "standing",
    "train",
]

IMPORTED_AT = time.time()

# The module of each public name, loaded when the name is first asked for, so that importing Ludus costs nothing.
# No public name is also the name of a module of Ludus: importing the module would hide it.
_HOMES = {
    "CHANCE": "ludus.game",
    "Game": "ludus.game",
    "GraphGame": "ludus.graph_game",
    "LudusError": "ludus.errors",
    "Seats": "ludus.arena",
    "Training": "ludus.learning.loop.training",
    "View": "ludus.face",
    "Viewpoint": "ludus.game",
    "Watcher": "ludus.learning.loop.training",
    "actions": "ludus.compiled.masks",
    "canonical_form": "ludus.cgt.positions",
    "check": "ludus.checking",
    "crib": "ludus.puzzles.crib_sheets",
    "disjunctive_sum": "ludus.cgt.sums",
    "explore": "ludus.solving.explore",
    "find_puzzles": "ludus.puzzles",
    "fingerprint": "ludus.fingerprints",
    "grade": "ludus.grading.grade",
    "helper": "ludus.compiled.compiling",
    "kernel": "ludus.compiled.compiling",
    "make_agent": "ludus.catalog",
    "make_game": "ludus.catalog",
    "make_learner": "ludus.catalog",
    "name_of": "ludus.catalog",
    "play_match": "ludus.arena.match",
    "playouts": "ludus.playout",
    "prove": "ludus.proving.certificate",
    "prove_agent": "ludus.proving.certificate",
    "read_run": "ludus.learning.runs",
    "solve": "ludus.solving.solver",
    "standing": "ludus.grading.grade",
    "train": "ludus.learning.runs",
}
# What takes long, and what it says in a notebook meanwhile.
_DOING = {
    "canonical_form": "evaluating",
    "check": "checking",
    "crib": "solving",
    "explore": "exploring",
    "find_puzzles": "solving",
    "grade": "grading",
    "play_match": "playing",
    "playouts": "playing",
    "prove": "proving",
    "prove_agent": "proving",
    "solve": "solving",
    "train": "training",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'ludus' has no attribute {name!r}")
    from importlib import import_module

    found = getattr(import_module(_HOMES[name]), name)
    if name in _DOING and "IPython" in sys.modules:
        return import_module("ludus.notebook").with_line(found, _DOING[name])
    return found


def __dir__() -> list[str]:
    return __all__
