"""Games small enough to be written out, and agents as what they do in every position: quick play, and exact results.

One kernel plays all games between all such agents, since nothing but arrays is left of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus import catalog
from ludus.agents.agent import has_memory, is_compiled
from ludus.agents.mcts import Mcts
from ludus.agents.minimax import Minimax
from ludus.arena.ratings import Results
from ludus.compiled.compiling import helper, kernel
from ludus.compiled.masks import first, is_empty, without_first
from ludus.compiled.randomness import State, stream_key, stream_start, uniform
from ludus.compiled.rows import Row, unpack
from ludus.errors import LudusError
from ludus.game import CHANCE, first_player, max_plies, num_actions
from ludus.solving.best_response import play_of
from ludus.solving.expected import expected_scores
from ludus.solving.explore import ENDED, Graph, explore

MOST_POSITIONS = 100_000


Shares = npt.NDArray[np.float64]  # how likely each edge of the graph is gone along, where its agent moves

Ints = npt.NDArray[np.int64]


_SEARCHING = (Mcts, Minimax)

_NEVER = 1 << 62


class Exact(NamedTuple):
    """How likely each result is for an agent against another, if games are never cut; endless: no end is reached."""

    wins: float
    losses: float
    ties: float
    endless: float


class WrittenOut(NamedTuple):
    """All positions of a game and what follows them; chance: the likelihood of the edges of CHANCE."""

    game: Any
    positions: Row
    graph: Graph
    chance: Shares

    def shares(self, agent: Any) -> Shares:
        """What an agent does everywhere; LudusError if it does nothing somewhere."""
        shares = np.zeros(len(self.graph.targets))
        room = np.zeros(num_actions(self.game))
        wrong = write_down(agent, self.game, self.game.start(), self.positions, self.graph, room, shares)
        if wrong >= 0:
            pos = unpack(self.game.start(), self.positions[wrong])
            raise LudusError(f"the policy of {catalog.name_of(agent)} gives no probabilities in {pos}")
        return shares

    def play(self, a: Shares, b: Shares, games: int, seed: int) -> tuple[Results, Results]:
        """So many games, the agents moving first in turns; those in which a moved first, and second."""
        counts = np.zeros((2, 4), np.int64)
        cap = max_plies(self.game) or _NEVER
        play_all(self.graph, a, b, self.chance, stream_key(seed), games, cap, first_player(self.game), counts)
        first, second = (Results(*(int(number) for number in row)) for row in counts)
        return first, second

    def exact(self, a: Shares, b: Shares) -> tuple[Exact, Exact]:
        """What a can expect, moving first and moving second."""
        seat = first_player(self.game)
        return self._exact(a, b, seat), self._exact(a, b, 1 - seat)

    def _exact(self, a: Shares, b: Shares, seat: int) -> Exact:
        """What a can expect as this player: the likelihoods of all ends are those of a game that only chance plays."""
        graph = self.graph
        mover = np.repeat(graph.mover, np.diff(graph.first))
        likely = np.where(mover == seat, a, np.where(mover == CHANCE, self.chance, b))
        play = play_of(graph._replace(mover=np.zeros_like(graph.mover)), likely, 0)
        ended = graph.mover[play.nodes] == ENDED
        left = Graph(
            play.first,
            play.targets,
            np.where(ended, ENDED, CHANCE).astype(np.int8),
            np.zeros(len(play.nodes), np.int64),
            likely[play.edges],
        )
        scores = graph.score[play.nodes] * (1 if seat == 0 else -1)
        wins, losses, ties = (_likelihood(left, ended & (np.sign(scores) == sign)) for sign in (1, -1, 0))
        return Exact(wins, losses, ties, max(0.0, round(1 - wins - losses - ties, 9)))


def _likelihood(graph: Graph, wanted: npt.NDArray[np.bool_]) -> float:
    """How likely one of the wanted ends is reached from the start."""
    if not wanted.any():
        return 0.0
    return round(float(expected_scores(graph._replace(score=wanted.astype(np.int64))).value[0]), 9)


def written_out(game: Any) -> WrittenOut | None:
    """A game as its positions, None if it has too many."""
    explored = explore(game, limit=MOST_POSITIONS)
    if not explored.complete or len(explored) > MOST_POSITIONS:
        return None
    graph = explored.graph
    weights = graph.weights if len(graph.weights) else np.zeros(len(graph.targets))
    place = np.repeat(np.arange(len(graph.mover)), np.diff(graph.first))
    total = np.bincount(place, weights, len(graph.mover))[place]
    return WrittenOut(game, explored.positions, graph, np.divide(weights, total, where=total > 0, out=weights.copy()))


def can_be_written_out(agent: Any) -> bool:
    """Whether it takes little to know what an agent does everywhere: it runs in kernels and does not search."""
    return is_compiled(agent) and not has_memory(agent) and not isinstance(agent, _SEARCHING)


@kernel
def write_down(agent: Any, game: Any, like: Any, positions: Row, graph: Graph, room: Shares, shares: Shares) -> int:
    """Fill in what an agent does; the first position in which it does nothing, or -1."""
    for number in range(len(positions)):
        if graph.mover[number] > 1:
            continue
        pos = unpack(like, positions[number])
        room[:] = 0.0
        agent.policy(game, pos, room)
        mask, total = game.legal(pos), 0.0
        for edge in range(graph.first[number], graph.first[number + 1]):
            shares[edge] = room[first(mask)]
            total += shares[edge]
            mask = without_first(mask)
        if not (is_empty(mask) and 0.0 < total < np.inf):
            return number
        for edge in range(graph.first[number], graph.first[number + 1]):
            shares[edge] /= total
    return -1


@kernel
def play_all(
    graph: Graph, a: Shares, b: Shares, chance: Shares, key: np.uint64, games: int, cap: int, starter: int, counts: Ints
) -> None:
    """Play games from the start and count wins, losses, ties and cuts for a, by whether it moved second."""
    state = np.zeros(1, np.uint64)
    for number in range(games):
        state[0] = stream_start(key, number)
        seat = starter if number % 2 == 0 else 1 - starter
        node, plies = 0, 0
        while graph.mover[node] != ENDED and plies < cap:
            begin, end = graph.first[node], graph.first[node + 1]
            mover = graph.mover[node]
            if mover == CHANCE:
                edge = drawn(chance, begin, end, state)
            elif mover == seat:
                edge = drawn(a, begin, end, state)
            else:
                edge = drawn(b, begin, end, state)
            node = graph.targets[edge]
            plies += 1
        score = graph.score[node] if seat == 0 else -graph.score[node]
        kind = 3 if graph.mover[node] != ENDED else 0 if score > 0 else 1 if score < 0 else 2
        counts[number % 2, kind] += 1


@helper
def drawn(shares: Shares, begin: int, end: int, state: State) -> int:
    """An edge, by shares that add up to one."""
    point = uniform(state)
    chosen = begin
    for edge in range(begin, end):
        if shares[edge] > 0.0:
            chosen = edge
            point -= shares[edge]
            if point < 0.0:
                break
    return chosen
