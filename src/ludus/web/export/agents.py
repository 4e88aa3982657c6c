"""The policy of an agent in every position of an exported game, and its evaluations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus import catalog
from ludus.agents.agent import Probabilities, agent_for, has_memory, may_resign
from ludus.agents.perfect import Perfect, player_of
from ludus.agents.policies import check_repeatable, ended_after, normalised, policies_of
from ludus.compiled.rows import unpack
from ludus.errors import LudusError
from ludus.learning.runs import Run, Trained
from ludus.learning.runs.history import read_history
from ludus.solving.solution import Solution
from ludus.web.api.agents import Evaluation, Opponent, evaluate, find_mistakes, level_opponents, run_opponent
from ludus.web.api.runs import Checkpoint, checkpoints_of
from ludus.web.export.graph import Columns, Ints, OnProgress, Pool, Positions

_AT_ONCE = 1024  # positions
_WHOLE = 65535  # stands for a probability of one
_HALF = 32767  # steps to either side of a value of 0
_MOST_CHECKPOINTS = 8


class ExportedAgent(NamedTuple):
    """An agent to export, ready to play; `is_evaluated`: with its evaluations, a run also at its checkpoints."""

    opponent: Opponent
    agent: Any
    is_evaluated: bool = False
    run: Run | None = None


def exported_agents(solution: Solution, agents: Sequence[Any]) -> list[ExportedAgent]:
    """The levels that go with every export, and between the weak and the strong ones the agents requested."""
    names = [catalog.name_of(agent) for agent in agents]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise LudusError(f"two agents are called {twice}: export one of them")

    def levels(*, weak: bool) -> list[ExportedAgent]:
        return [
            ExportedAgent(opponent, player_of(solution, made.skill) if isinstance(made, Perfect) else made)
            for level, made, opponent in level_opponents()
            if level.exported and level.is_weak == weak and opponent.agent not in names
        ]

    return [*levels(weak=True), *(_requested(solution.game, agent) for agent in agents), *levels(weak=False)]


def _requested(game: Any, agent: Any) -> ExportedAgent:
    name = catalog.name_of(agent)
    if has_memory(agent):
        raise LudusError(f"{name} may remember earlier moves, and a graph cannot: export an agent that does not")
    ready = agent_for(agent, game)
    if isinstance(agent, Trained):
        return ExportedAgent(run_opponent(read_history(agent.run, name)), ready, is_evaluated=True, run=agent.run)
    return ExportedAgent(Opponent(agent=name, title=name, words="", kind="built-in"), ready, is_evaluated=True)


def put_agents(
    columns: Columns, positions: Positions, solution: Solution, agents: Sequence[ExportedAgent], on_progress: OnProgress
) -> list[dict[str, Any]]:
    """Adds the columns of each agent; returns their part of the head."""
    heads = []
    for number, one in enumerate(agents):
        with ended_after(one.agent):
            heads.append(_put_agent(columns, positions, f"agent{number}", one, on_progress))
            heads[-1]["mistakes"] = None
            if one.is_evaluated:
                on_progress(f"grading {one.opponent.title}", 0, len(solution))
                found = find_mistakes(one.agent, solution.game, solution, lambda words: None)
                heads[-1]["mistakes"] = found.model_dump(mode="json")
    return heads


def _put_agent(
    columns: Columns, positions: Positions, name: str, one: ExportedAgent, on_progress: OnProgress
) -> dict[str, Any]:
    put = partial(put_evaluations, columns, positions, partial(on_progress, f"evaluating {one.opponent.title}"))
    evaluation, points = put(name, one.agent, is_evaluated=one.is_evaluated), list[dict[str, Any]]()
    if one.run:
        for point in _some(checkpoints_of(one.run)):
            found = put(f"{name}.{point.games}", one.run.agent_at(point.games), is_evaluated=True)
            points.append(dict(point) | {"evaluation": found})
    return dict(one.opponent) | {"evaluation": evaluation, "checkpoints": points}


def _some(points: Sequence[Checkpoint]) -> list[Checkpoint]:
    """A few checkpoints, from the first to the last."""
    places = np.linspace(0, len(points) - 1, min(len(points), _MOST_CHECKPOINTS))
    return [points[place] for place in sorted({round(place) for place in places})]


class Chunk(NamedTuple):
    """Some positions in which a player moves: their numbers, all their edges, and in whose row each edge is."""

    numbers: Ints  # [positions]
    edges: Ints  # [edges]
    place: Ints  # [edges]


def put_evaluations(
    columns: Columns,
    positions: Positions,
    on_progress: Callable[[int, int], None],
    name: str,
    agent: Any,
    *,
    is_evaluated: bool,
) -> dict[str, Any]:
    """Adds an agent's policy, and its evaluations if wanted; returns their part of the head."""
    explored, evaluations = positions.explored, EvaluationColumns(positions)
    policy = np.zeros(explored.edges)
    check_repeatable(agent, explored.game, explored.positions[explored.graph.mover <= 1])
    for begin in range(0, len(explored), _AT_ONCE):
        chunk = _chunk(positions, begin)
        on_progress(begin, len(explored))
        rows = explored.positions[chunk.numbers]
        table = policies_of(agent, explored.game, rows) if len(rows) else np.zeros((0, 1))
        given = table[chunk.place, positions.actions[chunk.edges]]
        policy[chunk.edges] = normalised(given, chunk.place, explored.game, rows, resigning=may_resign(agent))
        if is_evaluated:
            evaluations.take(chunk, agent, table)
    columns.add(f"{name}.policy", np.rint(policy * _WHOLE).astype(np.int64))
    return {"name": name} | (evaluations.put(columns, name) if is_evaluated else {})


def _chunk(positions: Positions, begin: int) -> Chunk:
    graph = positions.explored.graph
    end = min(begin + _AT_ONCE, len(positions.explored))
    decides = graph.mover[begin:end] <= 1
    source = np.repeat(np.arange(end - begin), np.diff(graph.first[begin : end + 1]))
    kept = decides[source]
    place = (np.cumsum(decides) - 1)[source[kept]]
    return Chunk(begin + np.flatnonzero(decides), graph.first[begin] + np.flatnonzero(kept), place)


class EvaluationColumns:
    """An agent's evaluations as arrays over all positions and all edges; NaN and 0 where it gives none."""

    def __init__(self, positions: Positions) -> None:
        self.positions, self.words, self.kind = positions, Pool(), "none"
        count, edges = len(positions.explored), positions.explored.edges
        self.said, self.visits = np.zeros(count, np.int64), np.zeros(count, np.int64)
        self.value, self.action_value = np.full(count, np.nan), np.full(edges, np.nan)
        self.action_visits = np.zeros(edges, np.int64)

    def take(self, chunk: Chunk, agent: Any, policies: Probabilities) -> None:
        """Adds the evaluations of some positions, given the agent's policies there."""
        explored = self.positions.explored
        positions = [unpack(explored.start, row) for row in explored.positions[chunk.numbers]]
        if positions:
            found = evaluate(agent, explored.game, positions, list(policies))
            for number, one in zip(chunk.numbers, found, strict=True):
                self._note(int(number), one)

    def _note(self, number: int, found: Evaluation) -> None:
        first = self.positions.explored.graph.first
        self.kind = found.kind
        self.said[number] = self.words[found.words]
        self.value[number] = np.nan if found.value is None else found.value
        self.visits[number] = found.visits or 0
        for edge in range(first[number], first[number + 1]):
            one = found.actions[int(self.positions.actions[edge])]
            self.action_value[edge] = np.nan if one.value is None else one.value
            self.action_visits[edge] = 0 if one.visits is None else 1 + one.visits

    def put(self, columns: Columns, name: str) -> dict[str, Any]:
        """Adds the columns; returns their part of the head."""
        columns.add(f"{name}.words", self.said)
        columns.add(f"{name}.visits", self.visits)
        columns.add(f"{name}.action_visits", self.action_visits)
        scales = {}
        for column, numbers in (("value", self.value), ("action_value", self.action_value)):
            steps, scales[column] = in_steps(numbers)
            columns.add(f"{name}.{column}", steps)
        return {"words": list(self.words), "kind": self.kind, "scales": scales}


def in_steps(numbers: npt.NDArray[np.float64]) -> tuple[Ints, float]:
    """Floats as whole numbers of steps, from 1 on, with NaN as 0; and the largest magnitude."""
    known = np.isfinite(numbers)
    scale = float(np.abs(numbers[known]).max(initial=0.0)) or 1.0
    steps = np.zeros(len(numbers), np.int64)
    steps[known] = 1 + _HALF + np.rint(numbers[known] / scale * _HALF).astype(np.int64)
    return steps, scale
