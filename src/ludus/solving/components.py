"""Where play can go round: strongly connected components, and end components, where it can be kept for ever."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import helper, kernel
from ludus.game import CHANCE
from ludus.solving.explore import Graph

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
