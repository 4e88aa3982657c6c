"""Where play can go round: strongly connected components, and end components, where it can be kept for ever."""

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
NOWHERE = -1  # the group of a position that is in none
_UNSEEN = 0
_PLACED = (1 << 31) - 1


class Components(NamedTuple):
    """The strongly connected components of a graph, each after all others that it leads to.

    nodes: every position once, those of a component side by side, mostly after those that they lead to; starts: where
    each component begins among them, and at last where they end.
    """

    nodes: Nodes
    starts: Nodes


class Room(NamedTuple):
    """What a search through a graph writes on: for each position its state, and stacks as deep as there are positions.

    low: the lowest number that a position leads back to; path, entered, edge: the way to where the search is, the
    number that each position got, and its next edge; waiting: positions left behind whose component is not complete;
    found, begin: the components as they become complete.
    """

    low: Nodes
    path: Nodes
    entered: Nodes
    edge: npt.NDArray[np.int64]
    waiting: Nodes
    found: Nodes
    begin: Nodes


def make_room(size: int) -> Room:
    """Room for a graph of so many positions."""
    low, path, entered, waiting, found, begin = (np.zeros(size + 1, np.int32) for _ in range(6))
    return Room(low, path, entered, np.zeros(size + 1, np.int64), waiting, found, begin)


def strong_components(graph: Graph, usable: Flags, room: Room) -> Components:
    """The components of a whole graph, going along usable edges only."""
    size = len(graph.mover)
    count = find_all(graph, usable, np.zeros(size, np.int32), np.arange(size, dtype=np.int32), room)
    return Components(room.found[:-1].copy(), room.begin[: count + 1].copy())


@kernel
def find_all(graph: Graph, usable: Flags, group: Nodes, nodes: Nodes, room: Room) -> int:
    """`find_components`, for Python to call."""
    return find_components(graph, usable, group, nodes, len(nodes), room)


@helper
def find_components(graph: Graph, usable: Flags, group: Nodes, nodes: Nodes, count: int, room: Room) -> int:
    """Write the components of the first `count` nodes into room.found and room.begin; how many there are.

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
    """Go to a new position; how many have been seen by then."""
    seen += 1
    room.low[node] = room.entered[depth] = seen
    room.path[depth] = node
    room.edge[depth] = graph.first[node]
    return seen


@helper
def next_unseen(graph: Graph, usable: Flags, group: Nodes, room: Room, depth: int) -> int:
    """The next position to go to from the one at this depth, -1 for none; takes note of those that were seen before."""
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
    """Write down the component of which this node was the first seen; how many still wait."""
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
    """Split groups into the largest sets in which play can be kept for ever; how many nodes are in one.

    Of a player one usable edge must stay inside, of CHANCE all, and along such edges each position of the set leads to
    all others. The nodes left are moved to the front, and `group` becomes the same number for those of one set; it is
    NOWHERE for the others.
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
    """Take those nodes that cannot stay in their group out of it, until all others can; how many are left."""
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
    """Whether the mover can choose to stay in the group of this position, or chance must."""
    stays = False
    for edge in range(graph.first[node], graph.first[node + 1]):
        if usable[edge]:
            inside = group[graph.targets[edge]] == group[node]
            if graph.mover[node] == CHANCE and not inside:
                return False
            stays = stays or inside
    return stays


Floats = npt.NDArray[np.float64]
Hopes = npt.NDArray[np.float64]  # by position and player
Place = npt.NDArray[np.int64]  # where the work is: the component, sweeps made in it, whether the last round moved any
COMPONENT, SWEEPS, MOVED = 0, 1, 2
EITHER = 2  # the end components when nobody's hopes are looked at, beside those that hold player 0 and player 1
_WORK = 1 << 23  # edges gone along between two calls of `progress`
_ROUND = 16  # sweeps through a loop before its end components are looked for again
_LONGEST = 100_000  # sweeps through a loop: one that is hardly ever left would take for ever
_EPSILON = 2.0**-52


class Expected(NamedTuple):
    """Proven bounds of the expected score for player 0 under perfect play, of every position."""

    low: Floats
    high: Floats

    @property
    def value(self) -> Floats:
        """The middle between the bounds."""
        return (self.low + self.high) / 2

    @property
    def gap(self) -> float:
        """The widest distance between the bounds of a position."""
        return float(np.max(self.high - self.low, initial=0.0))


class Work(NamedTuple):
    """What is worked with, positions being numbered so that each component follows those that it leads to.

    starts: where each component begins, and at last where they end; usable: the edges that a search for end components
    goes along; of the loop that is worked on: staying: the positions in end components that hold player 0, that hold
    player 1, and of all; sizes: how many; group: the end component of each, and way_out: what leaving that is worth.
    """

    graph: Graph
    starts: Nodes
    usable: Flags
    room: Room
    staying: Nodes
    sizes: npt.NDArray[np.int64]
    group: Nodes
    way_out: Floats


def expected_scores(
    graph: Graph, *, precision: float = 1e-9, progress: Callable[[float], None] | None = None
) -> Expected:
    """The expected score of every position when both sides play perfectly, endless play being worth 0.

    The bounds come as close as `precision`, or as rounding and a hundred thousand sweeps through a loop allow: `gap`
    tells. `progress` is told the share of the work that is done.
    """
    order, work = _prepared(graph)
    hope = np.outer(work.graph.score, (1.0, -1.0))
    place = np.zeros(3, np.int64)
    while place[COMPONENT] < len(work.starts) - 1:
        goal, gap = settle(work, hope, precision, place, _WORK)
        if progress:
            progress(_share_done(work.starts, place, goal, gap))
    bounds = np.zeros_like(hope)
    bounds[order] = hope
    return Expected(0.0 - bounds[:, 1], bounds[:, 0].copy())


def _prepared(graph: Graph) -> tuple[Nodes, Work]:
    """The order in which positions are worked on, and all that is needed for it."""
    size = len(graph.mover)
    room = make_room(size)
    order, starts = strong_components(graph, _possible(graph), room)
    ordered = _in_order(graph, order)
    staying, group = np.zeros((3, size), np.int32), np.full((3, size), NOWHERE, np.int32)
    return order, Work(ordered, starts, _possible(ordered), room, staying, np.zeros(3, np.int64), group, np.zeros(size))


def _possible(graph: Graph) -> Flags:
    """All edges but those that chance never takes."""
    if not len(graph.weights):
        return np.ones(len(graph.targets), np.bool_)
    by_chance = np.repeat(graph.mover == CHANCE, np.diff(graph.first))
    return ~by_chance | (graph.weights > 0)


def _in_order(graph: Graph, order: Nodes) -> Graph:
    """The same graph with its positions in another order: neighbours in memory are much quicker to reach."""
    number = np.zeros(len(order), np.int32)
    number[order] = np.arange(len(order))
    sizes = np.diff(graph.first)[order]
    first = np.concatenate([[0], np.cumsum(sizes)])
    edges = np.arange(first[-1]) + np.repeat(graph.first[order] - first[:-1], sizes)
    weights = graph.weights[edges] if len(graph.weights) else graph.weights
    return Graph(first, number[graph.targets[edges]], graph.mover[order], graph.score[order], weights)


def _share_done(starts: Nodes, place: Place, goal: float, gap: float) -> float:
    """The share of positions that are settled; a loop is half settled when its gap has half of the digits."""
    done, *end = starts[place[COMPONENT] : place[COMPONENT] + 2]
    part = min(math.log(gap) / math.log(goal), 1.0) if end and 0 < goal < gap < 1 else 0.0
    return float(done + part * (end[0] - done if end else 0)) / max(int(starts[-1]), 1)


@kernel
def settle(work: Work, hope: Hopes, precision: float, place: Place, edges: int) -> tuple[float, float]:
    """Work on from a place, for about so many edges; the gap to which the loop there is brought, and its gap so far.

    What is settled later may keep a wider gap, so that each loop has something left beyond those that it leads to.
    """
    goal = gap = 0.0
    while place[COMPONENT] < len(work.starts) - 1 and edges > 0:
        begin, end = int(work.starts[place[COMPONENT]]), int(work.starts[place[COMPONENT] + 1])
        edges -= end - begin + work.graph.first[end] - work.graph.first[begin]
        if is_loop(work.graph, begin, end):
            stuck = improve(work, hope, place, begin, end)
            goal, gap = precision * end / len(hope), widest(hope, begin, end)
            if gap > goal and not stuck:
                continue
        elif work.graph.mover[begin] != ENDED:
            set_hopes(hope, begin, np.inf, np.inf)
            back_up(work.graph, hope, begin)
        place[COMPONENT] += 1
        place[SWEEPS] = 0
    return goal, gap


@helper
def is_loop(graph: Graph, begin: int, end: int) -> bool:
    """Whether a component's positions lead back to themselves."""
    if end - begin > 1:
        return True
    for edge in range(graph.first[begin], graph.first[end]):  # noqa: SIM110, any() does not compile
        if graph.targets[edge] == begin:
            return True
    return False


@helper
def widest(hope: Hopes, begin: int, end: int) -> float:
    """The widest distance between the bounds of a position."""
    gap = 0.0
    for node in range(begin, end):
        gap = max(gap, hope[node, 0] + hope[node, 1])
    return gap


@helper
def improve(work: Work, hope: Hopes, place: Place, begin: int, end: int) -> bool:
    """Sweep once through a loop, after looking, every so often, for where players can be held; whether that is over."""
    if place[SWEEPS] == 0:
        begin_loop(work, hope, begin, end)
    elif place[SWEEPS] == _LONGEST or (place[SWEEPS] % _ROUND == 0 and not place[MOVED]):
        return True
    if place[SWEEPS] % _ROUND == 0:
        place[MOVED] = 0
        for player in range(2):
            hold(work, hope, player)
    moved = False
    for node in range(begin, end):
        moved |= back_up(work.graph, hope, node)
    for player in range(2):
        moved |= lower_to_way_out(work, hope, player)
    place[MOVED] |= moved
    place[SWEEPS] += 1
    return False


@helper
def begin_loop(work: Work, hope: Hopes, begin: int, end: int) -> None:
    """Let both players hope for the best way out of a loop or 0, and find out where they could stay at all."""
    first = second = 0.0
    for node in range(begin, end):
        set_hopes(hope, node, 0.0, 0.0)
    for edge in range(work.graph.first[begin], work.graph.first[end]):
        first = max(first, hope[work.graph.targets[edge], 0])
        second = max(second, hope[work.graph.targets[edge], 1])
    for node in range(begin, end):
        set_hopes(hope, node, first, second)
        work.staying[EITHER, node - begin] = node
        work.group[EITHER, node] = 0
    work.sizes[EITHER] = find_end_components(
        work.graph, work.usable, work.group[EITHER], work.staying[EITHER], end - begin, work.room
    )


@helper
def hold(work: Work, hope: Hopes, player: int) -> None:
    """Find the end components in which the opponent holds a player by the edges that it hopes most of."""
    count, nodes, group = work.sizes[EITHER], work.staying[player], work.group[player]
    for i in range(count):
        node = int(work.staying[EITHER, i])
        nodes[i] = node
        group[node] = work.group[EITHER, node]
        if work.graph.mover[node] == player:
            mark_edges(work, hope, node, -np.inf)
        elif work.graph.mover[node] == 1 - player:
            mark_edges(work, hope, node, most_hopeful(work.graph, hope, node, 1 - player))
    work.sizes[player] = find_end_components(work.graph, work.usable, group, nodes, count, work.room)


@helper
def most_hopeful(graph: Graph, hope: Hopes, node: int, player: int) -> float:
    """The most that a player hopes for after one of the edges."""
    most = -np.inf
    for edge in range(graph.first[node], graph.first[node + 1]):
        most = max(most, hope[graph.targets[edge], player])
    return most


@helper
def mark_edges(work: Work, hope: Hopes, node: int, least: float) -> None:
    """Mark those edges as usable of which the mover hopes for at least so much."""
    mover = int(work.graph.mover[node])
    for edge in range(work.graph.first[node], work.graph.first[node + 1]):
        work.usable[edge] = hope[work.graph.targets[edge], mover] >= least


@helper
def lower_to_way_out(work: Work, hope: Hopes, player: int) -> bool:
    """Let a player that is held hope for no more than 0 or its best way out; whether a hope was lowered."""
    nodes, group = work.staying[player, : work.sizes[player]], work.group[player]
    for node in nodes:
        work.way_out[group[node]] = 0.0
    for node in nodes:
        if work.graph.mover[node] == player:
            for edge in range(work.graph.first[node], work.graph.first[node + 1]):
                target = work.graph.targets[edge]
                if group[target] != group[node]:
                    work.way_out[group[node]] = max(work.way_out[group[node]], hope[target, player])
    moved = False
    for node in nodes:
        moved |= lower(hope, int(node), player, work.way_out[group[node]])
    return moved


@helper
def back_up(graph: Graph, hope: Hopes, node: int) -> bool:
    """Lower the hopes of a position to what follows from its successors; whether one was lowered."""
    mover = int(graph.mover[node])
    if mover == CHANCE:
        first, second = mean_hope(graph, hope, node, 0), mean_hope(graph, hope, node, 1)
        return lower(hope, node, 0, first) | lower(hope, node, 1, second)
    mine, theirs = -np.inf, np.inf
    for edge in range(graph.first[node], graph.first[node + 1]):
        target = graph.targets[edge]
        mine = max(mine, hope[target, mover])
        theirs = min(theirs, hope[target, 1 - mover])
    return lower(hope, node, mover, mine) | lower(hope, node, 1 - mover, theirs)


@helper
def mean_hope(graph: Graph, hope: Hopes, node: int, player: int) -> float:
    """The weighted mean over the successors, rounded up by more than what rounding can have taken away."""
    total = size = weights = 0.0
    most = -np.inf
    for edge in range(graph.first[node], graph.first[node + 1]):
        weight, target = graph.weights[edge], graph.targets[edge]
        if weight > 0.0 and target != node:  # to come back here changes nothing
            total += weight * hope[target, player]
            size += weight * abs(hope[target, player])
            weights += weight
            most = max(most, hope[target, player])
    if weights == 0.0:
        return 0.0  # it stays here for ever
    terms = graph.first[node + 1] - graph.first[node] + 2
    return float(min(most, (total + size * terms * _EPSILON) / weights))


@helper
def set_hopes(hope: Hopes, node: int, first: float, second: float) -> None:
    """Set what the players hope for in a position."""
    hope[node, 0] = first
    hope[node, 1] = second


@helper
def lower(hope: Hopes, node: int, player: int, bound: float) -> bool:
    """Lower a hope to a bound; whether it was above."""
    if hope[node, player] <= bound:
        return False
    hope[node, player] = bound
    return True
