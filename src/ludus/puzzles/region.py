"""The region in which a player must choose: positions up to symmetry from which a result can still be given away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import helper, kernel
from ludus.compiled.rows import Row, pack, unpack
from ludus.game import swaps_players, symmetries, transform
from ludus.solving.explore import Explored, Graph
from ludus.solving.solution import Solution

Ints = npt.NDArray[np.int64]


@helper
def least_image(game: Any, pos: Any) -> Any:
    """The least image of a position under the symmetries that do not exchange the players."""
    least = pos
    for symmetry in range(1, symmetries(game)):
        if not swaps_players(game, symmetry):
            other = transform(game, pos, symmetry)
            if other < least:
                least = other
    return least


def kinds_of(explored: Explored) -> tuple[Ints, Ints]:
    """The kind of each position, the same for images of each other, and the first position of each kind."""
    rows = np.zeros_like(explored.positions)
    write_least(explored.game, explored.start, explored.positions, rows)
    _, first, kinds = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return kinds.reshape(-1), first


@kernel
def write_least(game: Any, like: Any, positions: Row, out: Row) -> None:
    """Writes the least image of each position."""
    for number in range(len(positions)):
        pack(least_image(game, unpack(like, positions[number])), out[number])


class Option(NamedTuple):
    """A choice at a node: an action to a position of one kind, or any action."""

    leads_to: int | None  # a position of that kind; None for any action
    needs: tuple[int, ...]  # the nodes that can arise then, for which options must be taken too


class Region(NamedTuple):
    """The nodes, the start first; none if any play holds the result."""

    positions: list[int]  # a position of each node
    options: list[list[Option]]  # of each node, at least one
    must_end: bool  # whether endless play loses the result, as in a win
    rank: list[int]  # of each node: falls with every ply of one way to win


Choice = Sequence[int]  # the option taken at each node


def in_play(region: Region, choice: Choice) -> dict[int, tuple[int, ...]]:
    """The nodes that can arise under a choice, and those that each leads to."""
    leads_to: dict[int, tuple[int, ...]] = {}
    waiting = [0] if region.options else []
    while waiting:
        node = waiting.pop()
        if node not in leads_to:
            leads_to[node] = region.options[node][choice[node]].needs
            waiting += leads_to[node]
    return leads_to


def to_know(region: Region, choice: Choice) -> int:
    """The number of positions that must be known by heart."""
    return sum(region.options[node][choice[node]].leads_to is not None for node in in_play(region, choice))


def region_of(explored: Explored, solution: Solution, player: int) -> Region:
    """The region in which a player holds its value at the start, by a solution of the same exploration."""
    side = 1 if player == 0 else -1
    kinds, first = kinds_of(explored)
    score, plies = side * solution.answers.score[first], solution.answers.plies[first]
    must_end = bool(score[kinds[0]] > 0)
    rank = (-score * (int(plies.max()) + 1) + plies).astype(np.int64)
    held = _Held(explored.graph, kinds, first, score >= (1 if must_end else 0), rank, player)
    after = held.reachable()
    open_kinds = _open_if_it_must_end(after) if must_end else _open_if_it_may_repeat(after, held)
    nodes = {kind: node for node, kind in enumerate(kind for kind in after if kind in open_kinds)}
    return Region(
        [int(first[kind]) for kind in nodes],
        [held.options(kind, after[kind], nodes) for kind in nodes],
        must_end,
        [int(rank[kind]) for kind in nodes],
    )


class _Held(NamedTuple):
    """The kinds of positions in which the result is held, and how good they are."""

    graph: Graph
    kinds: Ints  # [positions]
    first: Ints  # [kinds]: a position of each
    is_held: npt.NDArray[np.bool_]  # [kinds]
    rank: Ints  # [kinds]: the lower the better
    player: int

    def reachable(self) -> dict[int, list[int]]:
        """The successors of each kind that can arise while the player gives nothing away, the start first."""
        after: dict[int, list[int]] = {}
        waiting = [int(self.kinds[0])]
        while waiting:
            kind = waiting.pop()
            if kind not in after:
                position = self.first[kind]
                targets = self.graph.targets[self.graph.first[position] : self.graph.first[position + 1]]
                after[kind] = list(dict.fromkeys(self.kinds[targets].tolist()))
                waiting += [other for other in after[kind] if self.is_held[other]]
        return after

    def gives_away(self, after: list[int]) -> bool:
        """Whether one of these kinds holds less than the result."""
        return not self.is_held[after].all()

    def options(self, kind: int, after: list[int], nodes: dict[int, int]) -> list[Option]:
        """The options of a kind, without those that another makes needless."""
        anything = Option(None, tuple(nodes[other] for other in after if other in nodes))
        if self.graph.mover[self.first[kind]] != self.player or len(after) == 1:
            return [anything]
        held = sorted((other for other in after if self.is_held[other]), key=self.rank.__getitem__)
        settling = [other for other in held if other not in nodes][:1]
        known = [
            Option(int(self.first[other]), (nodes[other],) if other in nodes else ()) for other in settling or held
        ]
        return known if self.gives_away(after) else [anything, *known]


def _open_if_it_may_repeat(after: dict[int, list[int]], held: _Held) -> set[int]:
    """The kinds from which the result can still be given away."""
    before = _before(after)
    found = {kind for kind, others in after.items() if held.gives_away(others)}
    waiting = list(found)
    while waiting:
        for kind in before[waiting.pop()]:
            if kind not in found:
                found.add(kind)
                waiting.append(kind)
    return found


def _open_if_it_must_end(after: dict[int, list[int]]) -> set[int]:
    """The kinds from which the result can be given away, or play need not end."""
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
