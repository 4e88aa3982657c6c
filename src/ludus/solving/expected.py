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
Ints = npt.NDArray[np.int64]
Targets = npt.NDArray[np.integer]
Bounds = npt.NDArray[np.float64]  # [2 * positions]: of player 0 and player 1 at each
Place = npt.NDArray[np.int64]  # where the work is: COMPONENT, SWEEPS in it, whether the last round MOVED a bound
COMPONENT, SWEEPS, MOVED = 0, 1, 2
EITHER = 2  # the end components whatever the bounds, beside those that hold player 0 and player 1
NOWHERE = -1  # the group of a position that is in none
_UNSEEN = 0
_PLACED = (1 << 31) - 1
_FIRST_WORK, _WORK = 1 << 15, 1 << 23  # edges between two calls of `progress`: first, and at most
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
    edge: Ints  # and their next edges
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
    group, nodes = np.zeros(size, np.int32), np.arange(size, dtype=np.int32)
    count = find_all.on_lists(graph.first, graph.targets, usable, group, nodes, room)
    return Components(room.found[:-1].copy(), room.begin[: count + 1].copy())


@kernel(work=lambda first, targets, usable, group, nodes, room: 2 * len(nodes) + 0.5 * len(targets))
def find_all(first: Ints, targets: Targets, usable: Flags, group: Nodes, nodes: Nodes, room: Room) -> int:
    """`find_components` of all positions, for Python to call."""
    return find_components(first, targets, usable, group, nodes, 0, len(nodes), room)


@helper
def find_components(
    first: Ints, targets: Targets, usable: Flags, group: Nodes, nodes: Nodes, base: int, count: int, room: Room
) -> int:
    """Writes the components of `count` nodes, from `base` on, to room.found and room.begin; returns their number.

    Only usable edges within a group, numbered from `base` on, count. Tarjan's algorithm without recursion, with the
    stacks of Pearce, "A space-efficient algorithm for finding strongly connected components", Information Processing
    Letters 116 (2016).
    """
    low, path, entered, next_edge, stack, _, begin = room
    for i in range(base, base + count):
        low[nodes[i]] = _UNSEEN
    seen = components = waiting = begin[0] = 0
    for i in range(base, base + count):
        depth, after = -1, nodes[i]
        if low[after] != _UNSEEN:
            continue
        while depth >= 0 or after >= 0:
            if after >= 0:
                depth += 1
                seen += 1
                low[after] = entered[depth] = seen
                path[depth], next_edge[depth] = after, first[after]
            else:
                node = path[depth]
                if low[node] == entered[depth]:
                    waiting = place(room, node, waiting, components)
                    components += 1
                else:
                    stack[waiting] = node
                    waiting += 1
                depth -= 1
                if depth >= 0 and low[node] < low[path[depth]]:
                    low[path[depth]] = low[node]
            after = next_unseen(first, targets, usable, group, base, room, depth)
    return components


@helper
def next_unseen(first: Ints, targets: Targets, usable: Flags, group: Nodes, base: int, room: Room, depth: int) -> int:
    """The next unseen successor of the position at this depth, or -1; updates its `low` by those seen before."""
    if depth < 0:
        return -1
    low, node = room.low, room.path[depth]
    least, own = low[node], group[base + node]
    for edge in range(room.edge[depth], first[node + 1]):
        target: int = targets[edge]
        if not usable[edge] or group[base + target] != own:
            continue
        if low[target] == _UNSEEN:
            low[node] = least
            room.edge[depth] = edge + 1
            return target
        least = min(least, low[target])
    low[node] = least
    return -1


@helper
def place(room: Room, node: int, waiting: int, components: int) -> int:
    """Writes the component whose first node was this; returns the size of the stack that is left."""
    low, found, stack, least = room.low, room.found, room.waiting, room.low[node]
    end = room.begin[components]
    begin = waiting
    while begin > 0 and low[stack[begin - 1]] >= least:
        begin -= 1
    for i in range(begin, waiting):
        found[end] = stack[i]
        low[stack[i]] = _PLACED
        end += 1
    found[end] = node
    low[node] = _PLACED
    room.begin[components + 1] = end + 1
    return begin


@helper
def find_end_components(
    graph: Graph, usable: Flags, group: Nodes, nodes: Nodes, base: int, count: int, room: Room
) -> int:
    """Splits groups into their maximal end components; returns the number of nodes in one.

    In an end component one usable edge of a player stays inside, and all of CHANCE; along these each position leads to
    all others. Their nodes are moved to the front, and `group` numbers them by component, NOWHERE for the others.
    """
    while True:
        components = find_components(graph.first, graph.targets, usable, group, nodes, base, count, room)
        for number in range(components):
            for i in range(room.begin[number], room.begin[number + 1]):
                nodes[base + i] = room.found[i]
                group[base + room.found[i]] = room.found[room.begin[number]]
        left = drop_leavers(graph, usable, group, nodes, base, count)
        if left == count:
            return count
        count = left


@helper
def drop_leavers(graph: Graph, usable: Flags, group: Nodes, nodes: Nodes, base: int, count: int) -> int:
    """Removes nodes that cannot stay in their group until all others can; returns the number left."""
    dropped = True
    while dropped:
        left = 0
        for i in range(count):
            node = nodes[base + i]
            if can_stay(graph, usable, group, base, node):
                nodes[base + left] = node
                left += 1
            else:
                group[base + node] = NOWHERE
        dropped = left < count
        count = left
    return count


@helper
def can_stay(graph: Graph, usable: Flags, group: Nodes, base: int, node: int) -> bool:
    """Whether the mover can stay in the group of this position, or chance must."""
    stays = False
    for edge in range(graph.first[node], graph.first[node + 1]):
        if usable[edge]:
            inside = group[base + graph.targets[edge]] == group[base + node]
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
    staying: Nodes  # [3 * positions]: those in end components that hold player 0, then player 1, then EITHER
    sizes: Ints  # [3]: their number
    group: Nodes  # [3 * positions]: the end component of a position, or NOWHERE
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
    staying, group = np.zeros(3 * size, np.int32), np.full(3 * size, NOWHERE, np.int32)
    work = Work(ordered, starts, _possible(ordered), room, staying, np.zeros(3, np.int64), group, np.zeros(size))
    upper = np.outer(ordered.score, (1.0, -1.0)).ravel()
    place = np.zeros(3, np.int64)
    edges = _FIRST_WORK
    while place[COMPONENT] < len(work.starts) - 1:
        goal, gap = settle.on_lists(work, upper, precision, place, edges)
        edges = min(2 * edges, _WORK)
        if progress:
            progress(_share_done(work.starts, place, goal, gap))
    bounds = np.zeros((size, 2))
    bounds[order] = upper.reshape(size, 2)
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


@kernel(work=lambda work, upper, precision, place, edges: 0.4 * edges)
def settle(work: Work, upper: Bounds, precision: float, place: Place, edges: int) -> tuple[float, float]:
    """Resumes at a place for about `edges` edges; returns the goal of the loop there, and its gap so far."""
    graph, starts = work.graph, work.starts
    goal = gap = 0.0
    while place[COMPONENT] < len(starts) - 1 and edges > 0:
        begin, end = starts[place[COMPONENT]], starts[place[COMPONENT] + 1]
        edges -= end - begin + graph.first[end] - graph.first[begin]
        loops = is_loop(graph, begin, end)
        stuck = begin_sweep(work, upper, place, begin, end) if loops else graph.mover[begin] == ENDED
        if not stuck:
            if not loops:
                upper[2 * begin] = upper[2 * begin + 1] = np.inf
            sweep(graph, upper, place, begin, end)
        if loops:
            for player in range(0 if stuck else 2):
                lower_to_way_out(work, upper, place, player)
            goal, gap = precision * end / (len(upper) >> 1), widest(upper, begin, end)  # wider than where it leads to
            if gap > goal and not stuck:
                continue
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
        if upper[2 * node] + upper[2 * node + 1] > gap:
            gap = upper[2 * node] + upper[2 * node + 1]
    return gap


@helper
def begin_sweep(work: Work, upper: Bounds, place: Place, begin: int, end: int) -> bool:
    """Prepares a sweep through a loop, every so often by finding its end components; returns whether it is stuck."""
    if place[SWEEPS] % _ROUND > 0:
        return False
    if place[SWEEPS] == _LONGEST or (place[SWEEPS] > 0 and not place[MOVED]):
        return True
    place[MOVED] = 0
    size = len(work.way_out)
    for step in range(EITHER, EITHER + 3):
        kind = step % 3  # EITHER, found at the first sweep, then those that hold players 0 and 1
        if kind < EITHER:
            choose_edges(work, upper, kind)
        elif place[SWEEPS] == 0:
            begin_loop(work, upper, begin, end)
        else:
            continue
        work.sizes[kind] = find_end_components(
            work.graph, work.usable, work.group, work.staying, kind * size, work.sizes[kind], work.room
        )
    return False


@helper
def begin_loop(work: Work, upper: Bounds, begin: int, end: int) -> None:
    """Sets both bounds to the best way out of a loop or 0; all its positions may be in an end component."""
    graph, base = work.graph, EITHER * len(work.way_out)
    for number in range(2 * begin, 2 * end):
        upper[number] = 0.0
    first = second = 0.0
    for edge in range(graph.first[begin], graph.first[end]):
        target = graph.targets[edge]
        first = max(first, upper[2 * target])
        second = max(second, upper[2 * target + 1])
    for node in range(begin, end):
        upper[2 * node], upper[2 * node + 1] = first, second
        work.staying[base + node - begin] = node
        work.group[base + node] = 0
    work.sizes[EITHER] = end - begin


@helper
def choose_edges(work: Work, upper: Bounds, player: int) -> None:
    """Lets the opponent hold a player, in the end components of EITHER, along the edges of its highest bound."""
    graph, staying, group, size = work.graph, work.staying, work.group, len(work.way_out)
    work.sizes[player] = work.sizes[EITHER]
    for i in range(work.sizes[EITHER]):
        node = staying[EITHER * size + i]
        staying[player * size + i] = node
        group[player * size + node] = group[EITHER * size + node]
        mover, least = graph.mover[node], -np.inf
        if mover > 1:
            continue
        if mover != player:
            for edge in range(graph.first[node], graph.first[node + 1]):
                least = max(least, upper[2 * graph.targets[edge] + mover])
        for edge in range(graph.first[node], graph.first[node + 1]):
            work.usable[edge] = upper[2 * graph.targets[edge] + mover] >= least


@helper
def lower_to_way_out(work: Work, upper: Bounds, place: Place, player: int) -> None:
    """Lowers the bounds of a player that is held to 0 or its best way out."""
    staying, group, way_out, base = work.staying, work.group, work.way_out, player * len(work.way_out)
    first, targets, mover, end = work.graph.first, work.graph.targets, work.graph.mover, base + work.sizes[player]
    for i in range(base, end):
        way_out[group[base + staying[i]]] = 0.0
    for i in range(base, end):
        node = staying[i]
        if mover[node] == player:
            own = group[base + node]
            for edge in range(first[node], first[node + 1]):
                target = targets[edge]
                if group[base + target] != own and upper[2 * target + player] > way_out[own]:
                    way_out[own] = upper[2 * target + player]
    for i in range(base, end):
        bound = way_out[group[base + staying[i]]]
        if upper[2 * staying[i] + player] > bound:
            upper[2 * staying[i] + player] = bound
            place[MOVED] = 1


@helper
def sweep(graph: Graph, upper: Bounds, place: Place, begin: int, end: int) -> None:
    """Lowers the bounds of positions begin .. end-1 to what follows from their successors, and notes if one moved."""
    first, targets, mover = graph.first, graph.targets, graph.mover
    for node in range(begin, end):
        player, mine, theirs = mover[node], -np.inf, np.inf
        if player == CHANCE:
            player = 0
            mine, theirs = mean_bounds(first, targets, graph.weights, upper, node)
        else:
            for edge in range(first[node], first[node + 1]):
                target = 2 * targets[edge] + player
                if upper[target] > mine:
                    mine = upper[target]
                if upper[target ^ 1] < theirs:
                    theirs = upper[target ^ 1]
        own = 2 * node + player
        if upper[own] > mine:
            upper[own] = mine
            place[MOVED] = 1
        if upper[own ^ 1] > theirs:
            upper[own ^ 1] = theirs
            place[MOVED] = 1
    place[SWEEPS] += 1


@helper
def mean_bounds(first: Ints, targets: Targets, weights: Floats, upper: Bounds, node: int) -> tuple[float, float]:
    """For both players the weighted mean over the successors, rounded up by more than the rounding error."""
    total = total_1 = size = size_1 = whole = 0.0
    most = most_1 = -np.inf
    for edge in range(first[node], first[node + 1]):
        weight, target = weights[edge], 2 * targets[edge]
        if weight > 0.0 and target != 2 * node:  # staying here changes nothing
            bound, bound_1 = upper[target], upper[target + 1]
            whole += weight
            total, total_1 = total + weight * bound, total_1 + weight * bound_1
            size, size_1 = size + weight * abs(bound), size_1 + weight * abs(bound_1)
            most = bound if bound > most else most
            most_1 = bound_1 if bound_1 > most_1 else most_1
    if whole == 0.0:
        return 0.0, 0.0  # endless
    terms = first[node + 1] - first[node] + 2
    mean, mean_1 = (total + size * terms * _EPSILON) / whole, (total_1 + size_1 * terms * _EPSILON) / whole
    return min(most, mean), min(most_1, mean_1)
