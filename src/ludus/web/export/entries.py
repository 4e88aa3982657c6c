"""What a browser calls of a game: its rules, and alpha-beta, tree search and retrograde analysis, each as one kernel.

Positions are rows of their fields. Every kernel takes the game, a position of its class, and then numbers and arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ludus.agents import mcts
from ludus.agents.mcts import Tree
from ludus.compiled.compiling import helper, kernel
from ludus.compiled.masks import first, is_empty, without_first
from ludus.compiled.randomness import State as Stream
from ludus.compiled.rows import Row, pack, unpack
from ludus.game import banked, transform, unbanked
from ludus.solving import alpha_beta, endgames, explore
from ludus.solving.alpha_beta import Search
from ludus.solving.endgames import Endgames, Line
from ludus.solving.explore import ENDED, Graph, Room
from ludus.solving.position_index import NOT_FOUND, Lookup, canonical_symmetry, encode, enter, find, swaps_sides
from ludus.solving.retrograde import Backwards, Flips, State, attract, count_arrivals, enter_arrivals
from ludus.solving.transposition_table import Table, least_image, split_lines

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


# ---- rules ----


@kernel
def player(game: Any, like: Any, row: Row) -> int:
    """The player to move."""
    return int(game.player(unpack(like, row)))


@kernel
def legal(game: Any, like: Any, row: Row, found: Ints) -> int:
    """Writes the legal actions in order; returns how many they are."""
    mask, count = game.legal(unpack(like, row)), 0
    while not is_empty(mask):
        found[count] = first(mask)
        mask = without_first(mask)
        count += 1
    return count


@kernel
def play(game: Any, like: Any, row: Row, action: int, after: Row) -> None:
    """Writes the position after an action."""
    pack(game.play(unpack(like, row), action), after)


@kernel
def score(game: Any, like: Any, row: Row) -> int:
    """The score for player 0 at the end."""
    return int(game.score(unpack(like, row)))


@kernel
def rest(game: Any, like: Any, row: Row, without: Row) -> int:
    """Writes the position without its banked points; returns these."""
    pos = unpack(like, row)
    pack(unbanked(game, pos), without)
    return int(banked(game, pos))


@kernel
def least(game: Any, like: Any, row: Row, image: Row) -> None:
    """Writes the least image of a position under symmetry."""
    pack(least_image(game, unpack(like, row)), image)


# ---- alpha-beta ----


@kernel
def begin(game: Any, like: Any, row: Row, search: Search) -> None:
    """Prepares a search."""
    alpha_beta.begin(game, unpack(like, row), search)


@kernel
def advance(game: Any, like: Any, beta: int, search: Search, limit: int) -> int:
    """Searches with the window at beta until that is done or has visited `limit` nodes."""
    return alpha_beta.advance(game, like, beta, search, limit)


@kernel
def enlarge(game: Any, like: Any, table: Table) -> None:
    """Makes use of the second half of a transposition table."""
    split_lines(table)


@kernel
def fill(game: Any, like: Any, known: Endgames, start: int, end: int, line: Line, sizes: Ints) -> int:
    """Computes endgames start .. end-1."""
    return endgames.fill(game, like, known, start, end, line, sizes)


# ---- tree search ----


@kernel
def plant(game: Any, like: Any, row: Row, tree: Tree, seed: int, stream: Stream) -> int:
    """Begins a tree; returns the widest margin of some random games."""
    pos = unpack(like, row)
    mcts.plant(game, pos, tree)
    return mcts.prepare(game, pos, game.legal(pos), tree, seed, stream)


@kernel
def grow(game: Any, like: Any, tree: Tree, sims: int, scale: int, stream: Stream) -> bool:
    """Simulates until the root has so many visits or is proven."""
    return mcts.grow(game, like, tree, sims, mcts.EXPLORATION, scale, stream)


@kernel
def harvest(game: Any, like: Any, tree: Tree, table: Floats) -> int:
    """Writes visits, mean and bounds of each action tried, as `mcts.write_findings` does; returns the best action."""
    mcts.copy_children(tree, table)
    return mcts.best_action(tree)


# ---- retrograde analysis ----


@kernel
def root(game: Any, like: Any, row: Row, room: Room) -> None:
    """Enters the first position; like all others as its least image under symmetry."""
    pos = unpack(like, row)
    pack(transform(game, pos, canonical_symmetry(game, pos)), row)
    encode(room.packing, row, room.words[0])
    enter(room.words, room.table, 0)


@kernel
def expand(game: Any, like: Any, room: Room, row: Row, done: int, end: int, filled: int) -> tuple[int, int, int]:
    """Appends the successors of positions done .. end-1."""
    return explore.expand(game, like, room, row, done, end, filled, True)


@kernel
def reverse(game: Any, like: Any, graph: Graph, flips: Flips, edges: Backwards) -> None:
    """Reverses the edges; `edges.first` has room for one more."""
    count_arrivals(graph.targets, edges.first)
    for number in range(1, len(edges.first)):
        edges.first[number] += edges.first[number - 1]
    enter_arrivals(graph, flips, 0, len(graph.mover), edges.first, edges.sources)


@kernel
def settle(game: Any, like: Any, graph: Graph, edges: Backwards, state: State) -> None:
    """Writes all values as `retrograde.solve_backwards` does, with `state.plies` -2 for draws."""
    head = found = 0
    margin = widest(graph, 1 << 62)
    while margin >= 0:
        for number in range(len(graph.mover)):
            if graph.mover[number] == ENDED and abs(graph.score[number]) == margin:
                state.queue[found] = number
                state.value[number], state.plies[number] = graph.score[number], 0
                found += 1
        head, found = attract(edges, state, head, len(graph.mover), found)
        margin = widest(graph, margin)


@helper
def widest(graph: Graph, below: int) -> int:
    """The widest margin of an end below a limit, or -1."""
    most = -1
    for number in range(len(graph.mover)):
        margin = abs(graph.score[number])
        if graph.mover[number] == ENDED and most < margin < below:
            most = margin
    return most


@kernel
def locate(game: Any, like: Any, row: Row, lookup: Lookup, key: Row) -> int:
    """Twice the number of a position, plus one if a symmetry to its least image exchanges the players; -1 for none."""
    pos = unpack(like, row)
    number = find(lookup, game, pos, row, key)
    return NOT_FOUND if number == NOT_FOUND else 2 * number + swaps_sides(game, canonical_symmetry(game, pos))
