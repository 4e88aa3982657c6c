"""Runs that other runs play or begin with: how they are found again, and whether they have changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ludus import catalog
from ludus.agents.guided import Guided
from ludus.arena.remote import runs_named
from ludus.errors import LudusError
from ludus.learning.loop.plan import SELF, TWIN, Name, Names, Opponents, Plan, Stretch
from ludus.learning.loop.trainer import Trainer
from ludus.parameters import format_value

Digests = dict[str, str]


def lasting(plan: Plan) -> Plan:
    """The plan with runs by their whole paths; LudusError if it could not be read back."""
    stretches = tuple(Stretch(_lasting_opponent(name), games) for name, games in plan.opponent.stretches)
    opponent, against = Opponents(stretches), Names(tuple(_lasting_agent(name) for name in plan.eval_against.names))
    for written in (opponent, against):
        if not _reads_back(written):
            allowed = "the path of a run that is played has no commas, nor :5 or the like at its end"
            raise LudusError(f"{written} would be read as something else: {allowed}")
    begin = Name(_lasting_run(plan.init_from.name)) if plan.init_from.name else plan.init_from
    return plan._replace(opponent=opponent, eval_against=against, init_from=begin)


def _lasting_opponent(name: str) -> str:
    return name if name in (SELF, TWIN) else _lasting_agent(name)


def _lasting_agent(name: str) -> str:
    agent = None if catalog.run_meant(name) else catalog.make_agent(name)
    if isinstance(agent, Guided):
        return catalog.name_of(agent._replace(run=_lasting_run(agent.run)))
    return _lasting_run(name)


def _lasting_run(name: str) -> str:
    run = catalog.run_meant(name)
    return str(run.path.resolve()) if run and run.path == Path(name) else name  # one of the user's keeps its name


def _reads_back(written: Opponents | Names) -> bool:
    try:
        return type(written).parse(str(written)) == written
    except ValueError:
        return False


def digests(plan: Plan) -> Digests:
    """A digest of each run that is played, also as what guides a search, by its name in the plan."""
    return {name: catalog.run_meant(name).digest() for name in _played(plan)}


def runs_needed(plan: Plan) -> list[str]:
    """All runs that a training needs, by their names in the plan."""
    return [*([plan.init_from.name] if plan.init_from.name else []), *_played(plan)]


def _played(plan: Plan) -> list[str]:
    opponents = [stretch.opponent for stretch in plan.opponent.stretches if stretch.opponent not in (SELF, TWIN)]
    return [run for agent in (*opponents, *plan.eval_against.names) for run in runs_named(agent)]


def require_unchanged(path: Path, before: Digests, does: str = "plays") -> None:
    """Raise LudusError, for the run in this folder, if one that it plays, or whatever it does with it, has changed."""
    for name, digest in before.items():
        run = catalog.run_meant(name)
        if run is None:
            raise LudusError(f"{path} cannot go on: the run {name}, which it {does}, is gone")
        if run.digest() != digest:
            raise LudusError(f"{path} cannot go on: the run {name}, which it {does}, has changed since")


def begin(trainer: Trainer, plan: Plan) -> None:
    """Let a trainer begin with what the run in the plan has learned, if there is one; LudusError if it does not fit."""
    run = _run_for(trainer, plan)
    if run is not None:
        trainer.init_from(run.parameters()[0])


def init_digest(trainer: Trainer, plan: Plan) -> Digests:
    """A digest of the run that the trainer begins with, by its name in the plan."""
    run = _run_for(trainer, plan)
    return {} if run is None else {plan.init_from.name: run.digest()}


def _run_for(trainer: Trainer, plan: Plan) -> Any:
    """The run in the plan, None if there is none; LudusError if it is of no use to the trainer."""
    if not plan.init_from.name:
        return None
    run = catalog.run_meant(plan.init_from.name)
    if run is None:
        raise LudusError(f"there is no run {plan.init_from.name} to begin with; ludus runs lists them")
    game, learner = trainer.game, trainer.config
    if type(run.game) is not type(game) or run.game != game:
        raise LudusError(_refused(run, f"was trained on {catalog.name_of(run.game)}", f"on {catalog.name_of(game)}"))
    if type(run.learner) is not type(learner):
        theirs, own = (f"by {catalog.learner_name(config)}" for config in (run.learner, learner))
        raise LudusError(_refused(run, f"was trained {theirs}", own))
    for name in getattr(learner, "shaped_by", ()):
        theirs, own = (format_value(getattr(config, name)) for config in (run.learner, learner))
        if theirs != own:
            raise LudusError(_refused(run, f"has {name}={theirs}", f"{name}={own}"))
    return run


def _refused(run: Any, theirs: str, own: str) -> str:
    return f"a training cannot begin with {run.name}: it {theirs}, not {own}"
