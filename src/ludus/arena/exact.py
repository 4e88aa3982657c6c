"""Small games as graphs and agents as tables of probabilities: one kernel plays all pairs, and results are exact."""

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
Shares = npt.NDArray[np.float64]  # [edges], the probability of each edge where the agent moves
Ints = npt.NDArray[np.int64]


class Exact(NamedTuple):
    """The probability of each result against another agent without a cap; endless: play never ends."""

    wins: float
    losses: float
    ties: float
    endless: float


class GameGraph(NamedTuple):
    """All positions of a game with their successors; chance: the probabilities of the edges of CHANCE."""

    game: Any
    positions: Row  # [positions, fields]
    graph: Graph
    chance: Shares  # [edges]

    def shares(self, agent: Any) -> Shares:
        """The policy of an agent in all positions; LudusError if it has none somewhere."""
        shares, room = np.zeros(len(self.graph.targets)), np.zeros(num_actions(self.game))
        wrong = fill_policy(agent, self.game, self.game.start(), self.positions, self.graph, room, shares)
        if wrong >= 0:
            pos = unpack(self.game.start(), self.positions[wrong])
            raise LudusError(f"the policy of {catalog.name_of(agent)} gives no probabilities in {pos}")
        return shares

    def play(self, a: Shares, b: Shares, games: int, seed: int) -> tuple[Results, Results]:
        """Play games, the agents moving first in turns; returns the results of a moving first, and second."""
        counts, cap = np.zeros((2, 4), np.int64), max_plies(self.game) or 1 << 62
        play_all(self.graph, (a, b, self.chance), stream_key(seed), games, cap, first_player(self.game), counts)
        return Results(*counts[0].tolist()), Results(*counts[1].tolist())

    def exact(self, a: Shares, b: Shares) -> tuple[Exact, Exact]:
        """The exact results of a, moving first and moving second."""
        seat = first_player(self.game)
        return self._exact(a, b, seat), self._exact(a, b, 1 - seat)

    def _exact(self, a: Shares, b: Shares, seat: int) -> Exact:
        """The exact results of a as this player: a Markov chain in which both policies are chance."""
        graph = self.graph
        mover = np.repeat(graph.mover, np.diff(graph.first))
        likely = np.where(mover == seat, a, np.where(mover == CHANCE, self.chance, b))
        play = play_of(graph._replace(mover=np.zeros_like(graph.mover)), likely, 0)
        ended = graph.mover[play.nodes] == ENDED
        movers = np.where(ended, ENDED, CHANCE).astype(np.int8)
        left = Graph(play.first, play.targets, movers, np.zeros(len(ended), np.int64), likely[play.edges])
        scores = graph.score[play.nodes] * (1 if seat == 0 else -1)
        wins, losses, ties = (_likelihood(left, ended & (np.sign(scores) == sign)) for sign in (1, -1, 0))
        return Exact(wins, losses, ties, max(0.0, round(1 - wins - losses - ties, 9)))


def _likelihood(graph: Graph, ends: npt.NDArray[np.bool_]) -> float:
    """The probability of reaching one of these ends from the start."""
    if not ends.any():
        return 0.0
    return round(float(expected_scores(graph._replace(score=ends.astype(np.int64))).value[0]), 9)


def game_graph(game: Any) -> GameGraph | None:
    """The graph of a game; None if it has too many positions."""
    explored = explore(game, limit=MOST_POSITIONS)
    if not explored.complete or len(explored) > MOST_POSITIONS:
        return None
    graph = explored.graph
    weights = graph.weights if len(graph.weights) else np.zeros(len(graph.targets))
    place = np.repeat(np.arange(len(graph.mover)), np.diff(graph.first))
    total = np.bincount(place, weights, len(graph.mover))[place]
    return GameGraph(game, explored.positions, graph, np.divide(weights, total, where=total > 0, out=weights.copy()))


def has_cheap_policy(agent: Any) -> bool:
    """Whether the policy of an agent is quickly known everywhere: it is compiled and does not search."""
    return is_compiled(agent) and not has_memory(agent) and not isinstance(agent, (Mcts, Minimax))


@kernel
def fill_policy(agent: Any, game: Any, like: Any, positions: Row, graph: Graph, room: Shares, shares: Shares) -> int:
    """Fill in an agent's shares [edges]; room [actions]; returns the first position without a policy, or -1."""
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
    graph: Graph, shares: tuple[Shares, ...], key: np.uint64, games: int, cap: int, starter: int, counts: Ints
) -> None:
    """Play games with shares [edges] of a, b and CHANCE; counts [a moved second, (win, loss, tie, cut)]."""
    a, b, chance = shares
    state = np.zeros(1, np.uint64)
    for number in range(games):
        state[0] = stream_start(key, number)
        seat = starter if number % 2 == 0 else 1 - starter
        node, plies = 0, 0
        while graph.mover[node] != ENDED and plies < cap:
            begin, end, mover = graph.first[node], graph.first[node + 1], graph.mover[node]
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
    """Draw an edge by shares that add up to one."""
    point = uniform(state)
    chosen = begin
    for edge in range(begin, end):
        if shares[edge] > 0.0:
            chosen = edge
            point -= shares[edge]
            if point < 0.0:
                break
    return chosen
