"""Runs that other runs play or begin with: how they are found again, and whether they have changed."""

from __future__ import annotations

from pathlib import Path

from ludus import catalog
from ludus.agents.guided import Guided
from ludus.arena.sent import runs_named
from ludus.errors import LudusError
from ludus.learning.plan import SELF, TWIN, Name, Names, Opponents, Plan, Stretch

Digests = dict[str, str]


def lasting(plan: Plan) -> Plan:
    """The plan with runs by their whole paths; LudusError if it could not be read back."""
    stretches = tuple(Stretch(_lasting_opponent(name), games) for name, games in plan.opponent.stretches)
    opponent, against = Opponents(stretches), Names(tuple(_lasting_agent(name) for name in plan.against.names))
    for written in (opponent, against):
        if not _reads_back(written):
            allowed = "the path of a run that is played has no commas, nor :5 or the like at its end"
            raise LudusError(f"{written} would be read as something else: {allowed}")
    begin = Name(_lasting_run(plan.begin.name)) if plan.begin.name else plan.begin
    return plan._replace(opponent=opponent, against=against, begin=begin)


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


def runs_of(plan: Plan) -> list[str]:
    """All runs that a training needs, by their names in the plan."""
    return [*([plan.begin.name] if plan.begin.name else []), *_played(plan)]


def _played(plan: Plan) -> list[str]:
    opponents = [stretch.opponent for stretch in plan.opponent.stretches if stretch.opponent not in (SELF, TWIN)]
    return [run for agent in (*opponents, *plan.against.names) for run in runs_named(agent)]


def require_unchanged(path: Path, before: Digests, does: str = "plays") -> None:
    """Raise LudusError, for the run in this folder, if one that it plays, or whatever it does with it, has changed."""
    for name, digest in before.items():
        run = catalog.run_meant(name)
        if run is None:
            raise LudusError(f"{path} cannot go on: the run {name}, which it {does}, is gone")
        if run.digest() != digest:
            raise LudusError(f"{path} cannot go on: the run {name}, which it {does}, has changed since")
