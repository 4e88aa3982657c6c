"""Expected scores of games with chance, by interval iteration: value iteration from both sides.

Each position has two numbers: upper bounds of the expected score of player 0 and of player 1, whose score is the
opposite one. Both hold from the start, and each update lowers one to what follows from the successors, so the expected
score lies between the bounds at any time, rounding included. Strongly connected components are solved one after
another, each after all that it leads to; outside of loops one update is enough.

In a loop that players can keep up for ever, updates alone may stop too early: each bound justifies another. But endless
play scores 0. So in a set of positions in which the opponent can hold a player, that player's bound is at most 0 or its
best way out. The sets that matter are the end components that remain when the opponent takes only the edges of its
highest bound. With them the bounds meet; docs/chance.md says why. After Kelmendi, Kramer, Kretinsky and Weininger,
"Value Iteration for Simple Stochastic Games", CAV 2018, who have it for one of the bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import helper, kernel
from ludus.game import CHANCE
from ludus.solving.explore import ENDED, Graph

Nodes = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Bounds = npt.NDArray[np.float64]  # [positions, players]
Place = npt.NDArray[np.int64]  # where the work is: COMPONENT, SWEEPS in it, whether the last round MOVED a bound
COMPONENT, SWEEPS, MOVED = 0, 1, 2
EITHER = 2  # the end components whatever the bounds, beside those that hold player 0 and player 1
NOWHERE = -1  # the group of a position that is in none
_UNSEEN = 0
_PLACED = (1 << 31) - 1
_WORK = 1 << 23  # edges between two calls of `progress`
_ROUND = 16  # sweeps through a loop between two searches for its end components
_LONGEST = 100_000  # sweeps through a loop: one that is hardly ever left would take for ever
_EPSILON = 2.0**-52


class Components(NamedTuple):
    """The strongly connected components of a graph, each after all others that it leads to."""

    nodes: Nodes  # [positions]: by component
    starts: Nodes  # [components + 1]: where each component begins, and where the last ends


class Room(NamedTuple):
    """The arrays of a depth-first search, all [positions + 1]."""

    low: Nodes  # by position: the lowest number that it leads back to
    path: Nodes  # by depth: the positions on the path,
    entered: Nodes  # their numbers,
    edge: npt.NDArray[np.int64]  # and their next edges
    waiting: Nodes  # a stack of positions left whose component is not complete
    found: Nodes  # the positions of complete components,
    begin: Nodes  # and where each component begins


def make_room(size: int) -> Room:
    """Room for a graph of `size` positions."""
    low, path, entered, waiting, found, begin = (np.zeros(size + 1, np.int32) for _ in range(6))
    return Room(low, path, entered, np.zeros(size + 1, np.int64), waiting, found, begin)


def strong_components(graph: Graph, usable: Flags, room: Room) -> Components:
    """The components of a whole graph along usable edges."""
    size = len(graph.mover)
    count = find_all(graph, usable, np.zeros(size, np.int32), np.arange(size, dtype=np.int32), room)
    return Components(room.found[:-1].copy(), room.begin[: count + 1].copy())


@kernel
def find_all(graph: Graph, usable: Flags, group: Nodes, nodes: Nodes, room: Room) -> int:
    """`find_components`, for Python to call."""
    return find_components(graph, usable, group, nodes, len(nodes), room)


@helper
def find_components(graph: Graph, usable: Flags, group: Nodes, nodes: Nodes, count: int, room: Room) -> int:
    """Writes the components of the first `count` nodes into room.found and room.begin; returns their number.

    Only usable edges within a group count. Tarjan's algorithm without recursion, with the stacks of Pearce, "A
    space-efficient algorithm for finding strongly connected components", Information Processing Letters 116 (2016).
    """
    for i in range(count):
        room.low[nodes[i]] = _UNSEEN
    seen = components = waiting = 0
    room.begin[0] = 0
    for i in range(count):
        if room.low[nodes[i]] != _UNSEEN:
            continue
        depth = 0
        seen = enter(graph, room, int(nodes[i]), depth, seen)
        while depth >= 0:
            after = next_unseen(graph, usable, group, room, depth)
            if after >= 0:
                depth += 1
                seen = enter(graph, room, after, depth, seen)
                continue
            node = int(room.path[depth])
            if room.low[node] == room.entered[depth]:
                waiting = place(room, node, waiting, components)
                components += 1
            else:
                room.waiting[waiting] = node
                waiting += 1
            depth -= 1
            if depth >= 0:
                room.low[room.path[depth]] = min(room.low[room.path[depth]], room.low[node])
    return components


@helper
def enter(graph: Graph, room: Room, node: int, depth: int, seen: int) -> int:
    """Enters a new position; returns the number of positions seen."""
    seen += 1
    room.low[node] = room.entered[depth] = seen
    room.path[depth] = node
    room.edge[depth] = graph.first[node]
    return seen


@helper
def next_unseen(graph: Graph, usable: Flags, group: Nodes, room: Room, depth: int) -> int:
    """The next unseen successor of the position at this depth, or -1; updates its `low` by those seen before."""
    node = room.path[depth]
    low = room.low[node]
    for edge in range(room.edge[depth], graph.first[node + 1]):
        target = int(graph.targets[edge])
        if not usable[edge] or group[target] != group[node]:
            continue
        if room.low[target] == _UNSEEN:
            room.low[node] = low
            room.edge[depth] = edge + 1
            return target
        low = min(low, room.low[target])
    room.low[node] = low
    return -1


@helper
def place(room: Room, node: int, waiting: int, components: int) -> int:
    """Writes the component whose first node was this; returns the size of the stack that is left."""
    begin = waiting
    while begin > 0 and room.low[room.waiting[begin - 1]] >= room.low[node]:
        begin -= 1
    end = room.begin[components]
    for i in range(begin, waiting):
        room.found[end] = room.waiting[i]
        room.low[room.waiting[i]] = _PLACED
        end += 1
    room.found[end] = node
    room.low[node] = _PLACED
    room.begin[components + 1] = end + 1
    return begin


@helper
def find_end_components(graph: Graph, usable: Flags, group: Nodes, nodes: Nodes, count: int, room: Room) -> int:
    """Splits groups into their maximal end components; returns the number of nodes in one.

    In an end component one usable edge of a player stays inside, and all of CHANCE; along these each position leads to
    all others. Their nodes are moved to the front, and `group` numbers them by component, NOWHERE for the others.
    """
    while True:
        components = find_components(graph, usable, group, nodes, count, room)
        for number in range(components):
            for i in range(room.begin[number], room.begin[number + 1]):
                nodes[i] = room.found[i]
                group[nodes[i]] = room.found[room.begin[number]]
        left = drop_leavers(graph, usable, group, nodes, count)
        if left == count:
            return count
        count = left


@helper
def drop_leavers(graph: Graph, usable: Flags, group: Nodes, nodes: Nodes, count: int) -> int:
    """Removes nodes that cannot stay in their group until all others can; returns the number left."""
    dropped = True
    while dropped:
        left = 0
        for i in range(count):
            node = nodes[i]
            if can_stay(graph, usable, group, node):
                nodes[left] = node
                left += 1
            else:
                group[node] = NOWHERE
        dropped = left < count
        count = left
    return count


@helper
def can_stay(graph: Graph, usable: Flags, group: Nodes, node: int) -> bool:
    """Whether the mover can stay in the group of this position, or chance must."""
    stays = False
    for edge in range(graph.first[node], graph.first[node + 1]):
        if usable[edge]:
            inside = group[graph.targets[edge]] == group[node]
            if graph.mover[node] == CHANCE and not inside:
                return False
            stays = stays or inside
    return stays


class Expected(NamedTuple):
    """Proven bounds of each position's expected score for player 0 under perfect play."""

    low: Floats  # [positions]
    high: Floats  # [positions]

    @property
    def value(self) -> Floats:
        """The middle between the bounds."""
        return (self.low + self.high) / 2

    @property
    def gap(self) -> float:
        """The widest distance between the bounds of a position."""
        return float(np.max(self.high - self.low, initial=0.0))


class Work(NamedTuple):
    """The graph, its positions ordered by component, and room for end components of the current loop."""

    graph: Graph
    starts: Nodes  # [components + 1]
    usable: Flags  # [edges]: those that end components may use
    room: Room
    staying: Nodes  # [3, positions]: those in end components that hold player 0, that hold player 1, and in EITHER
    sizes: npt.NDArray[np.int64]  # [3]: their number
    group: Nodes  # [3, positions]: the end component of a position, or NOWHERE
    way_out: Floats  # [positions]: by end component, the best bound outside


def expected_scores(
    graph: Graph, *, precision: float = 1e-9, progress: Callable[[float], None] | None = None
) -> Expected:
    """The expected score of every position under perfect play, where endless play scores 0.

    The bounds come as close as `precision`, or as rounding and a hundred thousand sweeps through a loop allow: see
    `gap`. `progress` is called with the share of the work done.
    """
    size = len(graph.mover)
    room = make_room(size)
    order, starts = strong_components(graph, _possible(graph), room)
    ordered = _in_order(graph, order)
    staying, group = np.zeros((3, size), np.int32), np.full((3, size), NOWHERE, np.int32)
    work = Work(ordered, starts, _possible(ordered), room, staying, np.zeros(3, np.int64), group, np.zeros(size))
    upper = np.outer(ordered.score, (1.0, -1.0))
    place = np.zeros(3, np.int64)
    while place[COMPONENT] < len(work.starts) - 1:
        goal, gap = settle(work, upper, precision, place, _WORK)
        if progress:
            progress(_share_done(work.starts, place, goal, gap))
    bounds = np.zeros_like(upper)
    bounds[order] = upper
    return Expected(0.0 - bounds[:, 1], bounds[:, 0].copy())


def _possible(graph: Graph) -> Flags:
    """All edges but those that chance never takes."""
    if not len(graph.weights):
        return np.ones(len(graph.targets), np.bool_)
    by_chance = np.repeat(graph.mover == CHANCE, np.diff(graph.first))
    return ~by_chance | (graph.weights > 0)


def _in_order(graph: Graph, order: Nodes) -> Graph:
    """The same graph with its positions reordered, so that neighbours are close in memory."""
    number = np.zeros(len(order), np.int32)
    number[order] = np.arange(len(order))
    sizes = np.diff(graph.first)[order]
    first = np.concatenate([[0], np.cumsum(sizes)])
    edges = np.arange(first[-1]) + np.repeat(graph.first[order] - first[:-1], sizes)
    weights = graph.weights[edges] if len(graph.weights) else graph.weights
    return Graph(first, number[graph.targets[edges]], graph.mover[order], graph.score[order], weights)


def _share_done(starts: Nodes, place: Place, goal: float, gap: float) -> float:
    """The share of positions solved; a loop is half solved when its gap has half of the digits."""
    done, *end = starts[place[COMPONENT] : place[COMPONENT] + 2]
    part = min(math.log(gap) / math.log(goal), 1.0) if end and 0 < goal < gap < 1 else 0.0
    return float(done + part * (end[0] - done if end else 0)) / max(int(starts[-1]), 1)


@kernel
def settle(work: Work, upper: Bounds, precision: float, place: Place, edges: int) -> tuple[float, float]:
    """Resumes at a place for about `edges` edges; returns the goal of the loop there, and its gap so far."""
    goal = gap = 0.0
    while place[COMPONENT] < len(work.starts) - 1 and edges > 0:
        begin, end = int(work.starts[place[COMPONENT]]), int(work.starts[place[COMPONENT] + 1])
        edges -= end - begin + work.graph.first[end] - work.graph.first[begin]
        if is_loop(work.graph, begin, end):
            stuck = improve(work, upper, place, begin, end)
            goal, gap = precision * end / len(upper), widest(upper, begin, end)  # a wider goal than those it leads to
            if gap > goal and not stuck:
                continue
        elif work.graph.mover[begin] != ENDED:
            upper[begin, :] = np.inf
            update(work.graph, upper, begin)
        place[COMPONENT] += 1
        place[SWEEPS] = 0
    return goal, gap


@helper
def is_loop(graph: Graph, begin: int, end: int) -> bool:
    """Whether a component is a loop."""
    if end - begin > 1:
        return True
    for edge in range(graph.first[begin], graph.first[end]):  # noqa: SIM110, any() does not compile
        if graph.targets[edge] == begin:
            return True
    return False


@helper
def widest(upper: Bounds, begin: int, end: int) -> float:
    """The widest distance between the bounds of a position."""
    gap = 0.0
    for node in range(begin, end):
        gap = max(gap, upper[node, 0] + upper[node, 1])
    return gap


@helper
def improve(work: Work, upper: Bounds, place: Place, begin: int, end: int) -> bool:
    """Sweeps once through a loop, every so often after a search for end components; returns whether it is stuck."""
    if place[SWEEPS] == 0:
        begin_loop(work, upper, begin, end)
    elif place[SWEEPS] == _LONGEST or (place[SWEEPS] % _ROUND == 0 and not place[MOVED]):
        return True
    if place[SWEEPS] % _ROUND == 0:
        place[MOVED] = 0
        for player in range(2):
            hold(work, upper, player)
    moved = False
    for node in range(begin, end):
        moved |= update(work.graph, upper, node)
    for player in range(2):
        moved |= lower_to_way_out(work, upper, player)
    place[MOVED] |= moved
    place[SWEEPS] += 1
    return False


@helper
def begin_loop(work: Work, upper: Bounds, begin: int, end: int) -> None:
    """Sets both bounds to the best way out of a loop or 0, and finds its end components."""
    first = second = 0.0
    upper[begin:end] = 0.0
    for edge in range(work.graph.first[begin], work.graph.first[end]):
        first = max(first, upper[work.graph.targets[edge], 0])
        second = max(second, upper[work.graph.targets[edge], 1])
    for node in range(begin, end):
        upper[node, 0], upper[node, 1] = first, second
        work.staying[EITHER, node - begin] = node
        work.group[EITHER, node] = 0
    work.sizes[EITHER] = find_end_components(
        work.graph, work.usable, work.group[EITHER], work.staying[EITHER], end - begin, work.room
    )


@helper
def hold(work: Work, upper: Bounds, player: int) -> None:
    """Finds the end components in which the opponent holds a player along the edges of its highest bound."""
    count, nodes, group = work.sizes[EITHER], work.staying[player], work.group[player]
    for i in range(count):
        node = int(work.staying[EITHER, i])
        nodes[i] = node
        group[node] = work.group[EITHER, node]
        mover, least = int(work.graph.mover[node]), -np.inf
        if mover == 1 - player:
            for edge in range(work.graph.first[node], work.graph.first[node + 1]):
                least = max(least, upper[work.graph.targets[edge], mover])
        if mover in (0, 1):
            for edge in range(work.graph.first[node], work.graph.first[node + 1]):
                work.usable[edge] = upper[work.graph.targets[edge], mover] >= least
    work.sizes[player] = find_end_components(work.graph, work.usable, group, nodes, count, work.room)


@helper
def lower_to_way_out(work: Work, upper: Bounds, player: int) -> bool:
    """Lowers the bounds of a player that is held to 0 or its best way out; returns whether one moved."""
    nodes, group = work.staying[player, : work.sizes[player]], work.group[player]
    for node in nodes:
        work.way_out[group[node]] = 0.0
    for node in nodes:
        if work.graph.mover[node] == player:
            for edge in range(work.graph.first[node], work.graph.first[node + 1]):
                target = work.graph.targets[edge]
                if group[target] != group[node]:
                    work.way_out[group[node]] = max(work.way_out[group[node]], upper[target, player])
    moved = False
    for node in nodes:
        moved |= lower(upper, int(node), player, work.way_out[group[node]])
    return moved


@helper
def update(graph: Graph, upper: Bounds, node: int) -> bool:
    """Lowers the bounds of a position to what follows from its successors; returns whether one moved."""
    mover = int(graph.mover[node])
    if mover == CHANCE:
        first, second = mean_bound(graph, upper, node, 0), mean_bound(graph, upper, node, 1)
        return lower(upper, node, 0, first) | lower(upper, node, 1, second)
    mine, theirs = -np.inf, np.inf
    for edge in range(graph.first[node], graph.first[node + 1]):
        target = graph.targets[edge]
        mine = max(mine, upper[target, mover])
        theirs = min(theirs, upper[target, 1 - mover])
    return lower(upper, node, mover, mine) | lower(upper, node, 1 - mover, theirs)


@helper
def mean_bound(graph: Graph, upper: Bounds, node: int, player: int) -> float:
    """The weighted mean over the successors, rounded up by more than the rounding error."""
    total = size = weights = 0.0
    most = -np.inf
    for edge in range(graph.first[node], graph.first[node + 1]):
        weight, target = graph.weights[edge], graph.targets[edge]
        if weight > 0.0 and target != node:  # staying here changes nothing
            total += weight * upper[target, player]
            size += weight * abs(upper[target, player])
            weights += weight
            most = max(most, upper[target, player])
    if weights == 0.0:
        return 0.0  # endless
    terms = graph.first[node + 1] - graph.first[node] + 2
    return float(min(most, (total + size * terms * _EPSILON) / weights))


@helper
def lower(upper: Bounds, node: int, player: int, bound: float) -> bool:
    """Lowers an upper bound; returns whether it moved."""
    if upper[node, player] <= bound:
        return False
    upper[node, player] = bound
    return True
