"""The agents that an exported game is played against."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ludus import catalog
from ludus.agents.agent import agent_for, has_memory
from ludus.agents.asking import ended_after
from ludus.agents.perfect import Perfect, knowing
from ludus.errors import LudusError
from ludus.learning.recorded import recorded
from ludus.learning.runs import Run, Trained
from ludus.solving.solution import Solution
from ludus.web.agents import STRONG, WEAK, Opponent, run_opponent
from ludus.web.checkpoints import Checkpoint, checkpoints_of
from ludus.web.export_columns import Columns
from ludus.web.export_graph import Listing, Tell
from ludus.web.export_minds import put_mind
from ludus.web.mistakes import graded

_MOST_CHECKPOINTS = 8


class Asked(NamedTuple):
    """An agent to export, ready to play: `thinks` if its opinions go with it, and those of a run while it learned."""

    opponent: Opponent
    agent: Any
    thinks: bool = False
    run: Run | None = None


def asked_agents(solution: Solution, agents: Sequence[Any]) -> list[Asked]:
    """The agents that every export has, and those asked for between the weak and the strong ones."""
    names = [catalog.name_of(agent) for agent in agents]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise LudusError(f"two agents are called {twice}: export one of them")
    return [
        *(_built_in(solution, *one) for one in WEAK if one[0] not in names),
        *(_asked_for(solution.game, agent) for agent in agents),
        *(_built_in(solution, *one) for one in STRONG if one[0] not in names),
    ]


def _built_in(solution: Solution, text: str, title: str, words: str) -> Asked:
    agent = catalog.make_agent(text)
    if isinstance(agent, Perfect):
        opponent = Opponent(agent=text, title=title, words=words, kind="perfect")
        return Asked(opponent, knowing(solution, agent.skill))
    return Asked(Opponent(agent=text, title=title, words=words, kind="built-in"), agent)


def _asked_for(game: Any, agent: Any) -> Asked:
    name = catalog.name_of(agent)
    if has_memory(agent):
        raise LudusError(f"{name} may remember earlier moves, and a graph cannot: export an agent that does not")
    ready = agent_for(agent, game)
    if isinstance(agent, Trained):
        return Asked(run_opponent(recorded(agent.run, name)), ready, thinks=True, run=agent.run)
    return Asked(Opponent(agent=name, title=name, words="", kind="built-in"), ready, thinks=True)


def put_agents(
    columns: Columns, listing: Listing, solution: Solution, asked: Sequence[Asked], tell: Tell
) -> list[dict[str, Any]]:
    """Add the columns of each agent; what the head of the file says of each."""
    heads = []
    for number, one in enumerate(asked):
        with ended_after(one.agent):
            head = _put_agent(columns, listing, f"mind{number}", one, tell)
            heads.append(head | {"mistakes": _mistakes(solution, one, tell)})
    return heads


def _mistakes(solution: Solution, asked: Asked, tell: Tell) -> dict[str, Any] | None:
    """The worst mistakes of an agent whose opinions go along."""
    if not asked.thinks:
        return None
    tell(f"grading {asked.opponent.title}", 0, len(solution))
    return graded(asked.agent, solution.game, solution, lambda words: None).model_dump(mode="json")


def _put_agent(columns: Columns, listing: Listing, name: str, asked: Asked, tell: Tell) -> dict[str, Any]:
    def told(done: int, total: int) -> None:
        tell(f"asking {asked.opponent.title}", done, total)

    mind = put_mind(columns, name, listing, asked.agent, told, thinks=asked.thinks)
    points = [
        point.model_dump()
        | {"mind": put_mind(columns, f"{name}.{point.games}", listing, run.agent_after(point.games), told, thinks=True)}
        for run in [asked.run]
        if run is not None
        for point in _some(checkpoints_of(run))
    ]
    return asked.opponent.model_dump() | {"mind": mind, "checkpoints": points}


def _some(points: Sequence[Checkpoint]) -> list[Checkpoint]:
    """A few of them, from the first to the last."""
    places = np.linspace(0, len(points) - 1, min(len(points), _MOST_CHECKPOINTS))
    return [points[place] for place in sorted({round(place) for place in places})]
