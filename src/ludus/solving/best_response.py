"""The best response to a fixed policy: the value that a seat's policy guarantees against every opponent.

With one seat's policy fixed, the positions that can still arise make a game in which the other seat alone decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import kernel
from ludus.game import CHANCE
from ludus.solving.expected import Expected, expected_scores
from ludus.solving.explore import Graph
from ludus.solving.retrograde import ENDLESS, Solved, solve_backwards

Shares = npt.NDArray[np.float64]  # [edges]: the policy where a player moves, 0 elsewhere
_LONGEST_LINE = 60  # plies of a reported line with chance
_ROUNDING = 1e-9
_NO_FLIPS = np.zeros(0, np.bool_)


class Play(NamedTuple):
    """The part of a game's graph that can arise under the policy of one seat."""

    nodes: npt.NDArray[np.int32]  # [nodes]: positions of the whole game, the start first
    edges: npt.NDArray[np.int64]  # [edges]: edges of the whole game, in the order of the nodes
    first: npt.NDArray[np.int64]  # [nodes + 1]: where the edges of each node begin
    targets: npt.NDArray[np.int32]  # [edges]: by place in `nodes`


class Response(NamedTuple):
    """The guaranteed score of the fixed seat, from its point of view, and the line of a best response."""

    score: float  # exact if `gap` is None, else proven, and at most the gap below the expected score
    plies: int | None  # to the end; None where play is endless or its length depends on chance
    endless: bool | None  # whether play never ends; None where that depends on chance
    gap: float | None
    worst_case: int | None  # the score if the policy's own dice fall worst too; None where the game has chance
    line: tuple[int, ...]  # edges of the whole game
    repeats_from: int | None  # the place in the line to which its last edge leads back, if it does


def play_of(graph: Graph, shares: Shares, seat: int) -> Play:
    """The positions that can arise from the start when this seat takes only edges of positive probability."""
    size, whole = len(graph.mover), len(graph.targets)
    place, first = np.full(size, -1, np.int32), np.zeros(size + 1, np.int64)
    play = Play(np.zeros(size, np.int32), np.zeros(whole, np.int64), first, np.zeros(whole, np.int32))
    nodes, edges = follow.on_lists(graph, shares, seat, place, play)
    return Play(play.nodes[:nodes], play.edges[:edges], play.first[: nodes + 1], play.targets[:edges])


@kernel(work=lambda graph, shares, seat, place, play: 0.4 * len(graph.targets))
def follow(graph: Graph, shares: Shares, seat: int, place: npt.NDArray[np.int32], play: Play) -> tuple[int, int]:
    """Fills in the play and place [positions], their index in it or -1; returns the numbers of nodes and edges."""
    nodes, edges, at = 1, 0, 0
    place[0] = 0
    while at < nodes:
        node = play.nodes[at]
        for edge in range(graph.first[node], graph.first[node + 1]):
            if graph.mover[node] == seat and shares[edge] == 0.0:
                continue
            target = graph.targets[edge]
            if place[target] < 0:
                place[target] = nodes
                play.nodes[nodes] = target
                nodes += 1
            play.edges[edges] = edge
            play.targets[edges] = place[target]
            edges += 1
        at += 1
        play.first[at] = edges
    return nodes, edges


def best_response(graph: Graph, shares: Shares, seat: int, play: Play | None = None) -> Response:
    """The best response to this seat's policy; exact where the score is the same however its dice fall."""
    play = play_of(graph, shares, seat) if play is None else play
    if CHANCE in graph.mover[play.nodes]:
        return _by_expectation(graph, shares, play, seat, None)
    side = 1 if seat == 0 else -1
    forced = _decided_by(1 - seat, graph, play, seat)
    worst_case = side * int(forced.score[0])
    is_random = (np.diff(play.first)[graph.mover[play.nodes] == seat] > 1).any()
    best_case = _decided_by(seat, graph, play, seat) if is_random else forced
    if best_case.score[0] != forced.score[0]:
        return _by_expectation(graph, shares, play, seat, worst_case)
    plies: int | None = int(forced.plies[0])
    endless: bool | None = plies == ENDLESS
    if endless or plies != best_case.plies[0]:
        plies = None
    if is_random and worst_case == 0 and not endless:  # both give the nearest tie, which other dice may miss
        plies = endless = None
    line, repeats_from = _cut(_forced_line(play, forced), play)
    return Response(worst_case, plies, endless, None, worst_case, line, repeats_from)


def _decided_by(player: int, graph: Graph, play: Play, seat: int) -> Solved:
    """The values if this player also chooses how the policy's dice fall."""
    mover = graph.mover[play.nodes]
    mover[mover == seat] = player
    restricted = Graph(play.first, play.targets, mover, graph.score[play.nodes], np.zeros(0))
    return solve_backwards(restricted, _NO_FLIPS)


def _forced_line(play: Play, forced: Solved) -> Iterator[int]:
    """The edges of the play along which the result is forced; infinite where it is endless."""
    node = 0
    while play.first[node] < play.first[node + 1]:
        plies = ENDLESS if forced.plies[node] == ENDLESS else forced.plies[node] - 1
        targets = play.targets[play.first[node] : play.first[node + 1]]
        way = np.flatnonzero((forced.score[targets] == forced.score[node]) & (forced.plies[targets] == plies))[0]
        yield int(play.first[node] + way)
        node = targets[way]


def _by_expectation(graph: Graph, shares: Shares, play: Play, seat: int, worst_case: int | None) -> Response:
    """The response by expected score, with the policy as chance."""
    mover = graph.mover[play.nodes]
    dice = np.repeat(mover == seat, np.diff(play.first))
    weights = graph.weights[play.edges] if len(graph.weights) else np.zeros(len(play.edges))
    weights[dice] = shares[play.edges[dice]]
    mover[mover == seat] = CHANCE
    restricted = Graph(play.first, play.targets, mover, graph.score[play.nodes], weights)
    expected = expected_scores(restricted)
    low, high = float(expected.low[0]), float(expected.high[0])
    score = low + 0.0 if seat == 0 else 0.0 - high  # never -0.0
    line, _ = _cut(islice(_likely_line(restricted, expected, seat), _LONGEST_LINE), play)
    return Response(score, None, None, high - low, worst_case, line, None)


def _likely_line(graph: Graph, expected: Expected, seat: int) -> Iterator[int]:
    """The edges of a play along the likeliest dice and the opponent's best actions, new positions first."""
    node, seen = 0, {0}
    score = (expected.low + expected.high) / 2 * (1 if seat == 0 else -1)
    while graph.first[node] < graph.first[node + 1]:
        begin, end = graph.first[node], graph.first[node + 1]
        targets = graph.targets[begin:end]
        if graph.mover[node] == CHANCE:
            good = np.flatnonzero(graph.weights[begin:end] == graph.weights[begin:end].max())
        else:
            good = np.flatnonzero(score[targets] <= score[targets].min() + _ROUNDING)
        way = int(next((way for way in good if int(targets[way]) not in seen), good[0]))
        yield int(begin + way)
        node = int(targets[way])
        seen.add(node)


def _cut(line: Iterator[int], play: Play) -> tuple[tuple[int, ...], int | None]:
    """The line in edges of the whole game, to its end or first repetition, and the place that it returns to."""
    places, edges = {0: 0}, []
    for edge in line:
        edges.append(int(play.edges[edge]))
        node = int(play.targets[edge])
        if node in places:
            return tuple(edges), places[node]
        places[node] = len(edges)
    return tuple(edges), None
