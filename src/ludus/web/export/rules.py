"""A game exported by its rules: the browser draws each position when it is shown, and solves or searches it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from ludus.agents.perfect import Perfect
from ludus.agents.simple import Random, SmartRandom
from ludus.errors import LudusError
from ludus.web.api.agents import Opponent, level_opponents
from ludus.web.api.solutions import GameSolution
from ludus.web.api.views import mover_name
from ludus.web.export.engine import Engine, OnProgress, engine_of, obstacle_to_engine
from ludus.web.export.faces import translated
from ludus.web.export.graph import as_script, packed
from ludus.web.export.page import bundled

_SECONDS = 5  # that the strongest opponents search
_DEEP = 2000  # simulations
_HOW = {
    "table": "solved in your browser, too large to list here",
    "search": "too large to enumerate: your browser searches it",
    "rules": "played by its rules: its values are not known",
}


class ByRules(NamedTuple):
    """The files of a game, its opponents, and what was left out; `kind`: how the browser finds values, if at all."""

    files: dict[str, bytes]
    kind: str
    opponents: list[dict[str, Any]]
    left_out: list[str]


def by_rules(game: Any, head: dict[str, Any], on_progress: OnProgress) -> ByRules:
    """A game with its translated rules and face, and what finds values by them if anything does."""
    faces = translated(game)
    engine, left_out = _engine(game, on_progress)
    kind = engine.head["kind"] if engine else "rules"
    opponents = list(_opponents(kind))
    start = mover_name(game, int(game.player(game.start())))
    head |= {
        "solution": GameSolution(state="refused", words=_HOW[kind], mover=start).model_dump(mode="json"),
        "opponents": opponents,
        "engine": engine and engine.head,
        "parts": [[name, len(part)] for name, part in engine.parts.items()] if engine else [],
    }
    files = {
        "assets/game.js": as_script(packed(head, engine.parts.values() if engine else ())),
        "assets/rules.js": f"globalThis.ludusRules = {faces.script};\n".encode(),
        "assets/worker.js": f"globalThis.ludusWorker = {json.dumps(bundled('search_worker.js'))};\n".encode(),
    }
    return ByRules(files, kind, opponents, [*faces.left_out, *left_out])


def _engine(game: Any, on_progress: OnProgress) -> tuple[Engine | None, list[str]]:
    if obstacle := obstacle_to_engine(game):
        return None, [f"without hints: {obstacle}"]
    try:
        return engine_of(game, on_progress), []
    except LudusError as error:
        return None, [f"without hints: {error}"]


def _opponents(kind: str) -> Iterator[dict[str, Any]]:
    """Whom the page offers, and how each of them plays."""
    for _, made, opponent in level_opponents():
        match made:
            case Random():
                yield _opponent(opponent, random=True)
            case SmartRandom():
                yield _opponent(opponent, careful=True)
            case Perfect(skill=skill) if kind == "table":
                yield _opponent(opponent, errs=1 - skill, seconds=_SECONDS)
            case Perfect(skill=skill) if kind == "search":
                words = f"searches {_SECONDS} seconds: exact near the end" + ("" if skill == 1 else ", but often errs")
                yield _opponent(opponent.model_copy(update={"words": words}), errs=1 - skill, seconds=_SECONDS)
            case _ if kind != "rules" and hasattr(made, "sims"):
                yield _opponent(opponent, sims=made.sims)
                deep = {
                    "agent": f"mcts(sims={_DEEP})",
                    "title": "Patient",
                    "words": f"tree search, {_DEEP:,} simulations",
                }
                yield _opponent(opponent.model_copy(update=deep), sims=_DEEP)


def _opponent(opponent: Opponent, **plays: Any) -> dict[str, Any]:
    return opponent.model_dump(mode="json") | {"plays": plays}
