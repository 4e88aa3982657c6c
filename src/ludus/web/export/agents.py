"""What an agent does in every position of an exported game, and what it thinks there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus import catalog
from ludus.agents.agent import Probabilities, agent_for, has_memory, may_resign
from ludus.agents.asking import answers_of, check_answers_alike, ended_after, shares_of
from ludus.agents.perfect import Perfect, knowing
from ludus.compiled.rows import unpack
from ludus.errors import LudusError
from ludus.learning.runs import Run, Trained
from ludus.learning.runs.history import read_history
from ludus.solving.solution import Solution
from ludus.web.api.agents import STRONG, WEAK, Opponent, Thoughts, graded, run_opponent, thoughts_by
from ludus.web.api.runs import Checkpoint, checkpoints_of
from ludus.web.export.graph import Columns, Ints, Listing, Pool, Tell

_AT_ONCE = 1024  # positions

_WHOLE = 65535  # stands for a probability of one

_HALF = 32767  # steps to either side of a worth of nothing


class Chunk(NamedTuple):
    """Some positions in which a player moves: their numbers, all their edges, and in whose row each edge is."""

    numbers: Ints
    edges: Ints
    place: Ints


def put_mind(
    columns: Columns, name: str, listing: Listing, agent: Any, on_progress: Callable[[int, int], None], *, thinks: bool
) -> dict[str, Any]:
    """Add the columns of an agent; what the head of the file says of it."""
    explored, thoughts = listing.explored, Thinking(listing)
    plays = np.zeros(explored.edges)
    chunks = [_chunk(listing, begin) for begin in range(0, len(explored), _AT_ONCE)]
    check_answers_alike(agent, explored.game, explored.positions[explored.graph.mover <= 1])
    for chunk in chunks:
        on_progress(int(chunk.numbers[0]) if len(chunk.numbers) else 0, len(explored))
        rows = explored.positions[chunk.numbers]
        table = answers_of(agent, explored.game, rows) if len(rows) else np.zeros((0, 1))
        given = table[chunk.place, listing.actions[chunk.edges]]
        plays[chunk.edges] = shares_of(given, chunk.place, explored.game, rows, resigning=may_resign(agent))
        if thinks:
            thoughts.take(chunk, agent, table)
    columns.add(f"{name}.plays", np.rint(plays * _WHOLE).astype(np.int64))
    return {"name": name} | (thoughts.put(columns, name) if thinks else {})


def _chunk(listing: Listing, begin: int) -> Chunk:
    graph = listing.explored.graph
    end = min(begin + _AT_ONCE, len(listing.explored))
    decides = graph.mover[begin:end] <= 1
    source = np.repeat(np.arange(end - begin), np.diff(graph.first[begin : end + 1]))
    kept = decides[source]
    place = (np.cumsum(decides) - 1)[source[kept]]
    return Chunk(begin + np.flatnonzero(decides), graph.first[begin] + np.flatnonzero(kept), place)


class Thinking:
    """What an agent thinks, as arrays over all positions and all edges; NaN and 0 where it does not say."""

    def __init__(self, listing: Listing) -> None:
        self.listing, self.words, self.worths = listing, Pool(), "none"
        positions, edges = len(listing.explored), listing.explored.edges
        self.said = np.zeros(positions, np.int64)
        self.value, self.learned = np.full(positions, np.nan), np.zeros(positions, np.int64)
        self.worth, self.visits = np.full(edges, np.nan), np.zeros(edges, np.int64)

    def take(self, chunk: Chunk, agent: Any, table: Probabilities) -> None:
        """Take in what an agent, by its policies there, thinks of some positions."""
        explored = self.listing.explored
        positions = [unpack(explored.start, row) for row in explored.positions[chunk.numbers]]
        if positions:
            for number, told in zip(
                chunk.numbers, thoughts_by(agent, explored.game, positions, list(table)), strict=True
            ):
                self._note(int(number), told)

    def _note(self, number: int, told: Thoughts) -> None:
        first = self.listing.explored.graph.first
        edges = range(first[number], first[number + 1])
        self.worths = told.worths
        self.said[number] = self.words.number(told.words)
        self.value[number] = np.nan if told.value is None else told.value
        self.learned[number] = told.visits or 0
        for edge in edges:
            thought = told.actions[int(self.listing.actions[edge])]
            self.worth[edge] = np.nan if thought.worth is None else thought.worth
            self.visits[edge] = 0 if thought.visits is None else 1 + thought.visits

    def put(self, columns: Columns, name: str) -> dict[str, Any]:
        """Add the columns; what the head says of them."""
        columns.add(f"{name}.said", self.said)
        columns.add(f"{name}.learned", self.learned)
        columns.add(f"{name}.visits", self.visits)
        scales = {}
        for what, numbers in (("value", self.value), ("worth", self.worth)):
            steps, scales[what] = in_steps(numbers)
            columns.add(f"{name}.{what}", steps)
        return {"words": self.words.things, "worths": self.worths, "scales": scales}


def in_steps(numbers: npt.NDArray[np.float64]) -> tuple[Ints, float]:
    """Fractions as whole numbers of steps, from 1 on, and how much the most of them stands for; NaN as 0."""
    known = np.isfinite(numbers)
    scale = float(np.abs(numbers[known]).max(initial=0.0)) or 1.0
    steps = np.zeros(len(numbers), np.int64)
    steps[known] = 1 + _HALF + np.rint(numbers[known] / scale * _HALF).astype(np.int64)
    return steps, scale


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
        return Asked(run_opponent(read_history(agent.run, name)), ready, thinks=True, run=agent.run)
    return Asked(Opponent(agent=name, title=name, words="", kind="built-in"), ready, thinks=True)


def put_agents(
    columns: Columns, listing: Listing, solution: Solution, asked: Sequence[Asked], on_progress: Tell
) -> list[dict[str, Any]]:
    """Add the columns of each agent; what the head of the file says of each."""
    heads = []
    for number, one in enumerate(asked):
        with ended_after(one.agent):
            head = _put_agent(columns, listing, f"mind{number}", one, on_progress)
            heads.append(head | {"mistakes": _mistakes(solution, one, on_progress)})
    return heads


def _mistakes(solution: Solution, asked: Asked, on_progress: Tell) -> dict[str, Any] | None:
    """The worst mistakes of an agent whose opinions go along."""
    if not asked.thinks:
        return None
    on_progress(f"grading {asked.opponent.title}", 0, len(solution))
    return graded(asked.agent, solution.game, solution, lambda words: None).model_dump(mode="json")


def _put_agent(columns: Columns, listing: Listing, name: str, asked: Asked, on_progress: Tell) -> dict[str, Any]:
    def told(done: int, total: int) -> None:
        on_progress(f"asking {asked.opponent.title}", done, total)

    mind = put_mind(columns, name, listing, asked.agent, told, thinks=asked.thinks)
    points = [
        point.model_dump()
        | {"mind": put_mind(columns, f"{name}.{point.games}", listing, run.agent_at(point.games), told, thinks=True)}
        for run in [asked.run]
        if run is not None
        for point in _some(checkpoints_of(run))
    ]
    return asked.opponent.model_dump() | {"mind": mind, "checkpoints": points}


def _some(points: Sequence[Checkpoint]) -> list[Checkpoint]:
    """A few of them, from the first to the last."""
    places = np.linspace(0, len(points) - 1, min(len(points), _MOST_CHECKPOINTS))
    return [points[place] for place in sorted({round(place) for place in places})]
