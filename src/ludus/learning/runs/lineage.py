"""The runs that a run depends on, as opponents or for its initial parameters: finding them, and noticing changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ludus import catalog
from ludus.agents.gumbel_search import Guided
from ludus.arena.participants import runs_named
from ludus.errors import LudusError
from ludus.learning.loop.plan import SELF, TWIN, Name, Names, Opponents, Plan
from ludus.parameters import format_value


def with_paths(plan: Plan) -> Plan:
    """The plan with absolute paths of runs; LudusError if it could not be parsed again."""
    stretches = tuple(stretch._replace(opponent=_with_path(stretch.opponent)) for stretch in plan.opponent.stretches)
    opponent, against = Opponents(stretches), Names(tuple(_with_path(name) for name in plan.eval_against.names))
    for written in (opponent, against):
        if not _parses_back(written):
            allowed = "the path of a run that is played has no commas, nor :5 or the like at its end"
            raise LudusError(f"{written} would be read as something else: {allowed}")
    init_from = Name(_run_path(plan.init_from.name)) if plan.init_from.name else plan.init_from
    return plan._replace(opponent=opponent, eval_against=against, init_from=init_from)


def _with_path(name: str) -> str:
    agent = None if name in (SELF, TWIN) or catalog.run_meant(name) else catalog.make_agent(name)
    if isinstance(agent, Guided):
        return catalog.name_of(agent._replace(run=_run_path(agent.run)))
    return name if name in (SELF, TWIN) else _run_path(name)


def _run_path(name: str) -> str:
    run = catalog.run_meant(name)
    return str(run.path.resolve()) if run and run.path == Path(name) else name  # one of the user's keeps its name


def _parses_back(written: Opponents | Names) -> bool:
    try:
        return type(written).parse(str(written)) == written
    except ValueError:
        return False


def opponent_digests(plan: Plan) -> dict[str, str]:
    """The digest of each run that is played, also as the guide of a search, by its name in the plan."""
    return {name: catalog.run_meant(name).digest() for name in _played(plan)}


def runs_needed(plan: Plan) -> list[str]:
    """The names of all runs that a training needs."""
    return [*([plan.init_from.name] if plan.init_from.name else []), *_played(plan)]


def _played(plan: Plan) -> list[str]:
    opponents = [stretch.opponent for stretch in plan.opponent.stretches if stretch.opponent not in (SELF, TWIN)]
    return [run for agent in (*opponents, *plan.eval_against.names) for run in runs_named(agent)]


def require_unchanged(path: Path, digests: dict[str, str], use: str) -> None:
    """Raises LudusError if a run that the one in this folder uses is gone or has another digest."""
    for name, before in digests.items():
        run = catalog.run_meant(name)
        if run is None:
            raise LudusError(f"{path} cannot be trained: the run {name}, which it {use}, is gone")
        if run.digest() != before:
            raise LudusError(f"{path} cannot be trained: the run {name}, which it {use}, has changed since")


def init_run(game: Any, learner: Any, plan: Plan) -> Any:
    """The run that gives the initial parameters, None if there is none; LudusError if it does not fit."""
    if not plan.init_from.name:
        return None
    run = catalog.run_meant(plan.init_from.name)
    if run is None:
        raise LudusError(f"there is no run {plan.init_from.name} to initialise from; ludus runs lists them")
    if problem := _mismatch(run, game, learner):
        raise LudusError(f"a training cannot be initialised from {run.name}: {problem}")
    return run


def _mismatch(run: Any, game: Any, learner: Any) -> str:
    """Why the parameters of a run do not fit; empty if they do."""
    if type(run.game) is not type(game) or run.game != game:
        return f"it was trained on {catalog.name_of(run.game)}, not on {catalog.name_of(game)}"
    if type(run.learner) is not type(learner):
        return f"it was trained by {catalog.learner_name(run.learner)}, not by {catalog.learner_name(learner)}"
    for name in getattr(learner, "shaped_by", ()):
        theirs, own = (format_value(getattr(config, name)) for config in (run.learner, learner))
        if theirs != own:
            return f"it has {name}={theirs}, not {name}={own}"
    return ""
