"""Retrograde analysis: values of all positions, backwards from the ends of the game; loops are allowed.

Ends are processed by falling margin. A position is won for its mover as soon as one action leads to a win,
and lost once all its actions lead to wins of the other side: the last one found is the least bad and, within a margin,
the longest. Ties come last: those still open reach the nearest one. A position that is never reached is a draw.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import kernel
from ludus.solving.explore import ENDED, Graph

Flips = npt.NDArray[np.bool_]
Progress = Callable[[int], None]
ENDLESS = -1  # plies where nobody can force an end
_EDGES_AT_ONCE = 1 << 24  # between two checks for an interrupt
_POSITIONS_AT_ONCE = 1 << 20
_UNKNOWN = -2


class Solved(NamedTuple):
    """The value of each position."""

    score: npt.NDArray[np.int64]  # [positions]: for player 0
    plies: npt.NDArray[np.int32]  # [positions]: to the end, or ENDLESS


class Backwards(NamedTuple):
    """The edges by target."""

    first: npt.NDArray[np.int64]  # [positions + 1]
    sources: npt.NDArray[np.uint32]  # [edges]: twice the position it comes from, plus one if the side to move changes


class State(NamedTuple):
    """The values known so far."""

    value: npt.NDArray[np.int64]  # [positions]: for the mover, or for player 0 where the game is over
    plies: npt.NDArray[np.int32]  # [positions]: _UNKNOWN until solved
    open: npt.NDArray[np.int32]  # [positions]: actions not yet known to lose
    queue: npt.NDArray[np.int32]  # [positions]: those solved, in order


def solve_backwards(graph: Graph, flips: Flips, progress: Progress | None = None) -> Solved:
    """The value of every position of a game without chance; `flips` as in `explore.Room`."""
    size = len(graph.mover)
    edges = reverse(graph, flips)
    state = State(
        np.zeros(size, np.int64), np.full(size, _UNKNOWN, np.int32), np.empty(size, np.int32), np.empty(size, np.int32)
    )
    np.subtract(graph.first[1:], graph.first[:-1], out=state.open, casting="same_kind")
    found = 0
    ends = np.flatnonzero(graph.mover == ENDED).astype(np.int32)
    margins = np.abs(graph.score[ends])
    for margin in np.unique(margins)[::-1]:
        level = ends[margins == margin]
        state.queue[found : found + len(level)] = level
        state.value[level], state.plies[level] = graph.score[level], 0
        head, found = found, found + len(level)
        while head < found:
            head, found = attract.on_lists(edges, state, head, head + _POSITIONS_AT_ONCE, found)
            if progress:
                progress(head)
    state.plies[state.plies == _UNKNOWN] = ENDLESS
    np.negative(state.value, out=state.value, where=graph.mover == 1)
    return Solved(state.value, state.plies)


def reverse(graph: Graph, flips: Flips) -> Backwards:
    """The edges of a graph, reversed; those to a position stay in order."""
    size = len(graph.mover)
    first = np.zeros(size + 2, np.int64)
    sources = np.empty(len(graph.targets), np.uint32)
    if enter_arrivals.runs_plainly(graph, flips, 0, size, first, sources):
        with enter_arrivals.plain_time():
            return _sorted(graph, flips)
    for start in range(0, len(graph.targets), _EDGES_AT_ONCE):
        count_arrivals(graph.targets[start : start + _EDGES_AT_ONCE], first)
    np.cumsum(first, out=first)
    for start in range(0, size, _POSITIONS_AT_ONCE):
        enter_arrivals(graph, flips, start, min(size, start + _POSITIONS_AT_ONCE), first, sources)
    return Backwards(first[: size + 1], sources)


def _sorted(graph: Graph, flips: Flips) -> Backwards:
    """The same by sorting, for graphs too small to compile for."""
    source = np.repeat(np.arange(len(graph.mover)), np.diff(graph.first))
    changes = (graph.mover[source] == 1) != (graph.mover[graph.targets] == 1)
    if len(flips):
        changes ^= flips
    first = np.zeros(len(graph.mover) + 1, np.int64)
    np.cumsum(np.bincount(graph.targets, minlength=len(graph.mover)), out=first[1:])
    order = np.argsort(graph.targets, kind="stable")
    return Backwards(first, (2 * source + changes)[order].astype(np.uint32))


@kernel
def count_arrivals(targets: npt.NDArray[np.integer], first: npt.NDArray[np.int64]) -> None:
    """Counts the edges to each position, two places further on; targets [edges], first [positions + 2]."""
    for edge in range(len(targets)):
        first[targets[edge] + 2] += 1


@kernel(work=lambda graph, flips, start, end, first, sources: 0.2 * len(sources))  # by `_sorted`
def enter_arrivals(
    graph: Graph, flips: Flips, start: int, end: int, first: npt.NDArray[np.int64], sources: npt.NDArray[np.uint32]
) -> None:
    """Enters edges from start .. end-1 in sources [edges]; first[i + 1] moves from begin to end of those to i."""
    for source in range(start, end):
        for edge in range(graph.first[source], graph.first[source + 1]):
            target = graph.targets[edge]
            changes = (graph.mover[source] == 1) != (graph.mover[target] == 1)
            if len(flips) > 0 and flips[edge]:
                changes = not changes
            sources[first[target + 1]] = 2 * source + changes
            first[target + 1] += 1


@kernel(work=lambda edges, state, head, until, found: len(state.queue) - head + 0.4 * len(edges.sources))
def attract(edges: Backwards, state: State, head: int, until: int, found: int) -> tuple[int, int]:
    """Propagates the values from place head of the queue, which ends at found, until it is empty or a place is reached.

    Returns both ends of the queue.
    """
    while head < found and head < until:
        target = state.queue[head]
        head += 1
        for arrival in range(edges.first[target], edges.first[target + 1]):
            source = edges.sources[arrival] >> 1
            if state.plies[source] != _UNKNOWN:
                continue
            value = -state.value[target] if edges.sources[arrival] & 1 else state.value[target]
            state.open[source] -= value < 0
            if value >= 0 or state.open[source] == 0:
                state.value[source] = value
                state.plies[source] = state.plies[target] + 1
                state.queue[found] = source
                found += 1
    return head, found
