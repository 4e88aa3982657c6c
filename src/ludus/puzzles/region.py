"""Positions that are alike for who sits in one seat: by the symmetries that leave the players where they are."""

from __future__ import annotations

from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import helper, kernel
from ludus.compiled.rows import Row, pack, unpack
from ludus.game import swaps_players, symmetries, transform
from ludus.solving.explore import Explored
from ludus.solving.solution import Solution

Ints = npt.NDArray[np.int64]


@helper
def least_alike(game: Any, pos: Any) -> Any:
    """The least of the positions that are alike."""
    least = pos
    for symmetry in range(1, symmetries(game)):
        if not swaps_players(game, symmetry):
            other = transform(game, pos, symmetry)
            if other < least:
                least = other
    return least


def kinds_of(explored: Explored) -> tuple[Ints, Ints]:
    """The kind of each listed position, alike ones having the same, and the first position of each kind."""
    rows = np.zeros_like(explored.positions)
    write_least(explored.game, explored.start, explored.positions, rows)
    _, first, kinds = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return kinds.reshape(-1), first


@kernel
def write_least(game: Any, like: Any, positions: Row, out: Row) -> None:
    """Write the least of the positions that are like each."""
    for number in range(len(positions)):
        pack(least_alike(game, unpack(like, positions[number])), out[number])


class Option(NamedTuple):
    """What to do at a node: lead to one kind of position, or, where that is None, let anything happen.

    leads_to: a listed position of that kind; needs: the nodes for which options must be taken as well.
    """

    leads_to: int | None
    needs: tuple[int, ...]


class Region(NamedTuple):
    """The nodes, the start first, or none if it is settled.

    positions: a listed position of each; options: one at least; must_end: whether play that comes back to a node holds
    nothing, as in a win; rank: lower with every ply of one way to win.
    """

    positions: list[int]
    options: list[list[Option]]
    must_end: bool
    rank: list[int]


Choice = Sequence[int]  # which option is taken at each node


def in_play(region: Region, choice: Choice) -> dict[int, tuple[int, ...]]:
    """The nodes that can arise from the start on, and those that each leads to."""
    leads_to: dict[int, tuple[int, ...]] = {}
    waiting = [0] if region.options else []
    while waiting:
        node = waiting.pop()
        if node not in leads_to:
            leads_to[node] = region.options[node][choice[node]].needs
            waiting += leads_to[node]
    return leads_to


def to_know(region: Region, choice: Choice) -> int:
    """How many positions must be known by heart."""
    return sum(region.options[node][choice[node]].leads_to is not None for node in in_play(region, choice))


def cycle_in(leads_to: dict[int, tuple[int, ...]]) -> list[int]:
    """Nodes each of which leads to the next, the last one being the first again; none if there is no such cycle."""
    try:
        TopologicalSorter(leads_to).prepare()
    except CycleError as error:
        cycle: list[int] = error.args[1]
        return cycle[::-1]
    return []


def region_of(explored: Explored, solution: Solution, player: int) -> Region:
    """The region in which a player holds what the solution of the same listing gives it at the start."""
    side = 1 if player == 0 else -1
    kinds, first = kinds_of(explored)
    worth, plies = side * solution.answers.score[first], solution.answers.plies[first]
    must_end = bool(worth[kinds[0]] > 0)
    rank = (-worth * (int(plies.max()) + 1) + plies).astype(np.int64)
    held = _Held(explored, kinds, first, worth >= (1 if must_end else 0), rank, player)
    after = held.reachable()
    open_kinds = _open_if_it_must_end(after, held) if must_end else _open_if_it_may_go_on(after, held)
    nodes = {kind: node for node, kind in enumerate(kind for kind in after if kind in open_kinds)}
    return Region(
        [int(first[kind]) for kind in nodes],
        [held.options(kind, after[kind], nodes) for kind in nodes],
        must_end,
        [int(rank[kind]) for kind in nodes],
    )


class _Held:
    """The kinds of positions, in which the result is held, and how good they are: the lower the rank the better."""

    def __init__(
        self,
        explored: Explored,
        kinds: npt.NDArray[np.int64],
        first: npt.NDArray[np.int64],
        is_held: npt.NDArray[np.bool_],
        rank: npt.NDArray[np.int64],
        player: int,
    ) -> None:
        self.graph, self.kinds, self.first = explored.graph, kinds, first
        self.is_held, self.rank, self.player = is_held, rank, player

    def after(self, kind: int) -> list[int]:
        """The kinds to which a kind leads."""
        position = self.first[kind]
        targets = self.graph.targets[self.graph.first[position] : self.graph.first[position + 1]]
        return list(dict.fromkeys(self.kinds[targets].tolist()))

    def reachable(self) -> dict[int, list[int]]:
        """What follows each kind that can arise while the player gives nothing away, the start first."""
        after: dict[int, list[int]] = {}
        waiting = [int(self.kinds[0])]
        while waiting:
            kind = waiting.pop()
            if kind not in after:
                after[kind] = self.after(kind)
                waiting += [other for other in after[kind] if self.is_held[other]]
        return after

    def gives_away(self, after: list[int]) -> bool:
        """Whether one of these kinds holds less than the result."""
        return not self.is_held[after].all()

    def options(self, kind: int, after: list[int], nodes: dict[int, int]) -> list[Option]:
        """What can be done, without what another option makes needless."""
        anything = Option(None, tuple(nodes[other] for other in after if other in nodes))
        if self.graph.mover[self.first[kind]] != self.player or len(after) == 1:
            return [anything]
        held = sorted((other for other in after if self.is_held[other]), key=self.rank.__getitem__)
        settling = [other for other in held if other not in nodes][:1]
        known = [
            Option(int(self.first[other]), (nodes[other],) if other in nodes else ()) for other in settling or held
        ]
        return known if self.gives_away(after) else [anything, *known]


def _open_if_it_may_go_on(after: dict[int, list[int]], held: _Held) -> set[int]:
    """The kinds from which something can still be given away."""
    before = _before(after)
    found = {kind for kind, others in after.items() if held.gives_away(others)}
    waiting = list(found)
    while waiting:
        for kind in before[waiting.pop()]:
            if kind not in found:
                found.add(kind)
                waiting.append(kind)
    return found


def _open_if_it_must_end(after: dict[int, list[int]], held: _Held) -> set[int]:
    """The kinds from which something can be given away, or play need not end."""
    before, left = _before(after), {kind: len(others) for kind, others in after.items()}
    waiting = [kind for kind, others in after.items() if not others]
    settled = set(waiting)
    while waiting:
        for kind in before[waiting.pop()]:
            left[kind] -= 1
            if left[kind] == 0:
                settled.add(kind)
                waiting.append(kind)
    return after.keys() - settled


def _before(after: dict[int, list[int]]) -> dict[int, list[int]]:
    """The kinds that lead to each."""
    before: dict[int, list[int]] = {kind: [] for kind in after}
    for kind, others in after.items():
        for other in others:
            if other in before:
                before[other].append(kind)
    return before
