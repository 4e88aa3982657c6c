"""Who is trained in each round of a sweep, from what, and who stays: the rules of the TapnSwap paper's Optimizer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product

from ludus.errors import LudusError
from ludus.study.sweep import Candidate, Kind, Order, Round, Score, Sweep

OPPONENT = "opponent"


def next_round(sweep: Sweep, order: Order) -> Round:
    """The round that an order asks for, before anything is trained."""
    number = len(sweep.rounds) + 1
    if order.kind is Kind.GRID:
        return Round(order, tuple(_to_train(agent, number) for agent in first_agents(sweep)))
    last = sweep.rounds[-1].agents
    if order.kind is Kind.RETRAIN:
        return Round(order, _retrained(last, number, opponents_of(sweep) if order.change_opponent else ()))
    return _best_retrained(last, order, number)


def first_agents(sweep: Sweep) -> list[Candidate]:
    """An agent for each point of the grid and each opponent."""
    grid = {name: values for name, values in sweep.grid.items() if name != OPPONENT}
    points = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    return [
        Candidate(_name(point, (opponent,)), point, (opponent,)) for point in points for opponent in opponents_of(sweep)
    ]


def opponents_of(sweep: Sweep) -> tuple[str, ...]:
    """All opponents of the grid."""
    return sweep.grid[OPPONENT]


def _name(point: dict[str, str], opponents: Sequence[str]) -> str:
    """A name that can be one of a folder: `epsilon=0.8_vs-random_vs-twin`."""
    words = [f"{name}={value}" for name, value in point.items()] + [f"vs-{opponent}" for opponent in opponents]
    return "_".join(re.sub(r"[^A-Za-z0-9.=+-]+", "-", word).strip("-") for word in words)


def _to_train(agent: Candidate, number: int) -> Candidate:
    """An agent that is trained in the round of this number; what it is now is its old self."""
    return agent._replace(
        trained=f"{number}/{agent.name}", before=agent.run, match=None, is_settled=False, points=None, is_branch=False
    )


def _at_rest(agent: Candidate) -> Candidate:
    """An agent that plays the tournament as it is."""
    return agent._replace(trained="", before="", match=None, is_settled=True, points=None, is_branch=False)


def _retrained(last: Sequence[Candidate], number: int, opponents: Sequence[str]) -> tuple[Candidate, ...]:
    """All agents, and each also with the other opponents; a branch that is there already is not made again."""
    found = {agent.name: _to_train(agent, number) for agent in last}
    for agent in last:
        for opponent in opponents:
            met = (*agent.opponents, opponent)
            branch = agent._replace(name=_name(agent.point, met), opponents=met)
            if opponent != agent.opponents[-1] and branch.name not in found:
                found[branch.name] = _to_train(branch, number)._replace(is_branch=True)
    return tuple(found.values())


def _best_retrained(last: Sequence[Candidate], order: Order, number: int) -> Round:
    """Survivors are trained; all of their points stay, and points without any are dropped."""
    survivors = selected(last, order.keep)
    points = [agent.point for agent in last if agent.name in survivors]
    staying = [agent for agent in last if agent.point in points]
    agents = tuple(_to_train(agent, number) if agent.name in survivors else _at_rest(agent) for agent in staying)
    return Round(order, agents, tuple(agent.name for agent in last if agent.point not in points))


def selected(agents: Sequence[Candidate], keep: float) -> set[str]:
    """The names of those with at least a part of the best one's points."""
    points = {agent.name: agent.points or 0.0 for agent in agents}
    least = keep * max(points.values())
    return {name for name, number in points.items() if number >= least}


def settled(agent: Candidate, games: int, match: Score | None) -> Candidate:
    """The agent after its training: the new one, or the old if that won more games of their match."""
    after = agent._replace(match=match, is_settled=True)
    return after if after.put_back else after._replace(run=agent.trained, games=agent.games + games)


def require_names_apart(agents: Sequence[Candidate]) -> None:
    """Raise LudusError if two agents would have the same folder."""
    names = [agent.name.lower() for agent in agents]
    for name in names:
        if names.count(name) > 1:
            raise LudusError(
                f"two agents of the grid would be called {name}: give values whose letters and digits differ"
            )
