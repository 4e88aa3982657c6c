"""The tree of a Monte Carlo search, by UCT, with bounds on what is proven.

A simulation walks down the tree, each player taking the child with the highest upper confidence bound and CHANCE one by
its odds, adds one child, and plays at random from there to the end. The result is averaged into every node on the way.

Every node also has bounds of its worth under perfect play. An ended game narrows them, and so does what is known of a
node's children; a child that cannot better what the player to move has for certain is not visited again, and a result
counts in a node for what its bounds allow. When the bounds of the root meet, it is proven and the search is over.

Sources: Kocsis and Szepesvari, "Bandit Based Monte-Carlo Planning", 2006; Cazenave and Saffidine, "Score Bounded
Monte-Carlo Tree Search", 2010.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ludus.agents.agent import Level, Probabilities
from ludus.compiled.compiling import helper, kernel
from ludus.compiled.masks import Mask, actions, count, first, is_empty, without_first
from ludus.compiled.randomness import ALL_BITS, State, below, stream_start
from ludus.compiled.rows import Row, pack, unpack
from ludus.game import CHANCE, max_plies, num_actions, odds
from ludus.playout import random_action

Ints: TypeAlias = npt.NDArray[np.int64]

Floats: TypeAlias = npt.NDArray[np.float64]

# Nodes, worths and slots, as below; few arrays, because handing on an array takes time.
Tree: TypeAlias = tuple[Ints, Floats, Ints]


# Columns of `nodes`, one row a node, the root first: who moves there, the parent, the action that led there, where its
# slots begin (0 before the second visit), how many they are, how many of them a player has tried, and how often it was
# visited; then the fields of the position.
PLAYER, PARENT, ACTION, FIRST, SIZE, TRIED, VISITS, FIELDS = range(8)


# Columns of `worths`, one row a node: the mean of its results, one over the root of their number, and the bounds under
# perfect play; results and bounds from -1 to 1, for the player to move at the parent.
# The last two are no node's: they tabulate functions of as many visits as the number of the row.
MEAN, SPREAD, LOW, HIGH, _ROOT_OF_LOG, _INVERSE_ROOT = range(6)


# The first two `slots` count the nodes and the slots that are used. All others belong to a node, one for each of its
# actions, and hold the child, or ~action as long as there is none.
_NODES, _SLOTS, _FIRST_SLOT = range(3)


WIN = 0.8  # what the narrowest win is worth; a draw is worth 0

_WIDEST = 0.2  # what the widest margin adds


@helper
def planted(game: Any, pos: Any, sims: int) -> Tree:
    """A tree of the root alone, with room for the nodes of so many simulations."""
    nodes = np.empty((sims + 1, FIELDS + len(pos)), np.int64)
    worths = np.empty((sims + 1, 6), np.float64)
    slots = np.empty(_FIRST_SLOT + 4 * sims + num_actions(game), np.int64)
    slots[_NODES], slots[_SLOTS] = 0, _FIRST_SLOT
    _add_node(game, pos, nodes, worths, slots, 0, -1)
    return nodes, worths, slots


@helper
def with_more_slots(tree: Tree) -> Tree:
    """The same tree with room for twice as many actions."""
    nodes, worths, slots = tree
    larger = np.empty(2 * len(slots), np.int64)
    larger[: len(slots)] = slots
    return nodes, worths, larger


@helper
def grow(game: Any, like: Any, tree: Tree, sims: int, c: float, scale: int, state: State) -> bool:
    """Simulate until the root was visited so often, or is proven; whether it stopped early for want of slots."""
    nodes, worths, slots = tree
    while nodes[0, VISITS] < sims and worths[0, LOW] < worths[0, HIGH]:
        if slots[_SLOTS] + num_actions(game) > len(slots):
            return True
        visits = nodes[0, VISITS] + 1
        worths[visits, _ROOT_OF_LOG] = math.sqrt(math.log(visits))
        worths[visits, _INVERSE_ROOT] = 1 / math.sqrt(visits)
        _simulate(game, like, nodes, worths, slots, c, scale, state)
    return False


@helper
def _simulate(
    game: Any, like: Any, nodes: Ints, worths: Floats, slots: Ints, c: float, scale: int, state: State
) -> None:
    """One simulation."""
    node, slot = _descend(game, like, nodes, worths, slots, c, state)
    result = worths[node, LOW]
    is_over = False
    if slots[slot] < 0:
        action = ~int(slots[slot])
        pos = game.play(unpack(like, nodes[node, FIELDS:]), action)
        mask = game.legal(pos)
        is_over = is_empty(mask)
        score = game.score(pos) if is_over else random_score(game, pos, mask, state)
        result = worth(score if nodes[node, PLAYER] != 1 else -score, scale)
        slots[slot] = node = _add_node(game, pos, nodes, worths, slots, node, action)
        if is_over:
            worths[node, LOW] = worths[node, HIGH] = result
    _back_up(game, like, nodes, worths, slots, node, result, is_over)


@helper
def _descend(game: Any, like: Any, nodes: Ints, worths: Floats, slots: Ints, c: float, state: State) -> tuple[int, int]:
    """The last node of a simulation, and the slot there from which it goes on unless CHANCE led to what is proven."""
    node = slot = 0
    while slots[slot] >= 0 and worths[node, LOW] < worths[node, HIGH]:
        if nodes[node, FIRST] == 0:
            _open(game.legal(unpack(like, nodes[node, FIELDS:])), nodes, slots, node)
        if nodes[node, PLAYER] == CHANCE:
            slot = _drawn_slot(game, unpack(like, nodes[node, FIELDS:]), nodes, slots, node, state)
        elif nodes[node, TRIED] < nodes[node, SIZE]:
            slot = _untried_slot(nodes, slots, node, state)
        else:
            slot = _most_hopeful_slot(nodes, worths, slots, node, c)
        node = int(slots[slot]) if slots[slot] >= 0 else node
    return node, slot


@helper
def _add_node(game: Any, pos: Any, nodes: Ints, worths: Floats, slots: Ints, parent: int, action: int) -> int:
    """A new node, of which nothing is known yet."""
    node = int(slots[_NODES])
    slots[_NODES] = node + 1
    pack(pos, nodes[node, FIELDS:])
    nodes[node, PLAYER] = game.player(pos)
    nodes[node, PARENT] = parent
    nodes[node, ACTION] = action
    nodes[node, FIRST] = nodes[node, TRIED] = nodes[node, VISITS] = 0
    worths[node, MEAN] = 0.0
    worths[node, LOW] = -1.0
    worths[node, HIGH] = 1.0
    return node


@helper
def worth(score: int, scale: int) -> float:
    """What a score is worth, from -1 to 1: mostly its sign, and its size as compared with `scale`."""
    if score == 0:
        return 0.0
    size = WIN + _WIDEST * min(abs(score) / scale, 1.0)
    return size if score > 0 else -size


@helper
def random_score(game: Any, pos: Any, mask: Mask, state: State) -> int:
    """The score of a random game from here on; 0 if it is cut at the game's `max_plies`."""
    plies = 0
    while not is_empty(mask):
        if plies == max_plies(game) > 0:
            return 0
        pos = game.play(pos, random_action(game, pos, mask, state))
        mask = game.legal(pos)
        plies += 1
    return int(game.score(pos))


@helper
def _open(mask: Mask, nodes: Ints, slots: Ints, node: int) -> None:
    """Give a node a slot for each of its actions."""
    slot = slots[_SLOTS]
    nodes[node, FIRST] = slot
    nodes[node, SIZE] = count(mask)
    while not is_empty(mask):
        slots[slot] = ~first(mask)
        mask = without_first(mask)
        slot += 1
    slots[_SLOTS] = slot


@helper
def _untried_slot(nodes: Ints, slots: Ints, node: int, state: State) -> int:
    """Any slot that was never tried, moved behind those that were."""
    slot = int(nodes[node, FIRST] + nodes[node, TRIED])
    other = slot + below(state, int(nodes[node, SIZE] - nodes[node, TRIED]))
    slots[slot], slots[other] = slots[other], slots[slot]
    nodes[node, TRIED] += 1
    return slot


@helper
def _most_hopeful_slot(nodes: Ints, worths: Floats, slots: Ints, node: int, c: float) -> int:
    """The highest upper confidence bound among the children that may better what is certain."""
    certain = -worths[node, HIGH] if _changes_sides(nodes, node) else worths[node, LOW]
    reach = c * worths[nodes[node, VISITS], _ROOT_OF_LOG]
    start = int(nodes[node, FIRST])
    best, most = start, -math.inf
    for slot in range(start, start + nodes[node, SIZE]):
        child = slots[slot]
        hope = worths[child, MEAN] + reach * worths[child, SPREAD]
        if hope > most and worths[child, HIGH] > certain:
            best, most = slot, hope
    return best


@helper
def _changes_sides(nodes: Ints, node: int) -> bool:
    """Whether what is good for the player to move is bad for the one at the parent; CHANCE sides with player 0."""
    return bool((nodes[node, PLAYER] == 1) != (nodes[nodes[node, PARENT], PLAYER] == 1))


@helper
def _drawn_slot(game: Any, pos: Any, nodes: Ints, slots: Ints, node: int, state: State) -> int:
    """The slot that CHANCE takes."""
    start = slot = int(nodes[node, FIRST])
    total = 0
    for other in range(start, start + nodes[node, SIZE]):
        total += odds(game, pos, _action_of(nodes, slots[other]))
    point = below(state, total)
    while point >= odds(game, pos, _action_of(nodes, slots[slot])):
        point -= odds(game, pos, _action_of(nodes, slots[slot]))
        slot += 1
    return slot


@helper
def _action_of(nodes: Ints, child: int) -> int:
    """The action that what stands in a slot belongs to."""
    return int(nodes[child, ACTION] if child >= 0 else ~child)


@helper
def _back_up(
    game: Any, like: Any, nodes: Ints, worths: Floats, slots: Ints, node: int, result: float, narrowed: bool
) -> None:
    """Average a result into a node and all above it, and narrow their bounds if those of the node are new."""
    while True:
        result = min(max(result, worths[node, LOW]), worths[node, HIGH])
        visits = nodes[node, VISITS] + 1
        nodes[node, VISITS] = visits
        worths[node, MEAN] += (result - worths[node, MEAN]) / visits
        worths[node, SPREAD] = worths[visits, _INVERSE_ROOT]
        if node == 0:
            return
        node = int(nodes[node, PARENT])
        narrowed = narrowed and _narrow(game, like, nodes, worths, slots, node)
        if _changes_sides(nodes, node):
            result = -result


@helper
def _narrow(game: Any, like: Any, nodes: Ints, worths: Floats, slots: Ints, node: int) -> bool:
    """Take the bounds of a node from those of its children; whether they are new."""
    if nodes[node, PLAYER] == CHANCE:
        low, high = _expected_bounds(game, unpack(like, nodes[node, FIELDS:]), nodes, worths, slots, node)
    else:
        low, high = _best_bounds(nodes, worths, slots, node)
    if _changes_sides(nodes, node):
        low, high = -high, -low
    is_new = low != worths[node, LOW] or high != worths[node, HIGH]
    worths[node, LOW], worths[node, HIGH] = low, high
    return bool(is_new)


@helper
def _best_bounds(nodes: Ints, worths: Floats, slots: Ints, node: int) -> tuple[float, float]:
    """The best that the player to move can have of each bound; an action that was never tried may win."""
    start, tried = int(nodes[node, FIRST]), int(nodes[node, TRIED])
    low = -1.0
    high = 1.0 if tried < nodes[node, SIZE] else -1.0
    for slot in range(start, start + tried):
        low = max(low, worths[slots[slot], LOW])
        high = max(high, worths[slots[slot], HIGH])
    return low, high


@helper
def _expected_bounds(game: Any, pos: Any, nodes: Ints, worths: Floats, slots: Ints, node: int) -> tuple[float, float]:
    """The bounds that the odds make of those of the children, for player 0."""
    start = int(nodes[node, FIRST])
    total, low, high = 0, 0.0, 0.0
    for slot in range(start, start + nodes[node, SIZE]):
        child = slots[slot]
        weight = odds(game, pos, _action_of(nodes, child))
        total += weight
        low += weight * (worths[child, LOW] if child >= 0 else -1.0)
        high += weight * (worths[child, HIGH] if child >= 0 else 1.0)
    return low / total, high / total


@helper
def is_proven(tree: Tree) -> bool:
    """Whether the worth of the root is known."""
    _, worths, _ = tree
    return bool(worths[0, LOW] == worths[0, HIGH])


@helper
def copy_children(tree: Tree, table: Floats) -> None:
    """Write visits, mean and bounds of the children of the root into the rows of their actions."""
    nodes, worths, slots = tree
    for child in slots[_FIRST_SLOT : _FIRST_SLOT + nodes[0, TRIED]]:
        row = table[nodes[child, ACTION]]
        row[0], row[1] = nodes[child, VISITS], worths[child, MEAN]
        row[2], row[3] = worths[child, LOW], worths[child, HIGH]


@helper
def best_action(tree: Tree) -> int:
    """What to play: a certain win, else the most visited action that may be better than what is certain.

    What is certain is taken, too, if it is no loss and the other has not done better on average.
    """
    nodes, worths, slots = tree
    children = slots[_FIRST_SLOT : _FIRST_SLOT + nodes[0, TRIED]]
    safe = bold = -1
    for child in children:
        if safe < 0 or (worths[child, LOW], nodes[child, VISITS]) > (worths[safe, LOW], nodes[safe, VISITS]):
            safe = child
    certain = worths[safe, LOW]
    for child in children:
        if worths[child, HIGH] > certain and (bold < 0 or nodes[child, VISITS] > nodes[bold, VISITS]):
            bold = child
    if bold < 0 or certain >= WIN or (certain > -WIN and certain >= worths[bold, MEAN]):
        return int(nodes[safe, ACTION])
    return int(nodes[bold, ACTION])


EXPLORATION = 1.4

MOST_SIMULATIONS = 10_000_000  # some gigabytes of tree

_SCOUTS = 16  # random games that show how wide margins are


class Found(NamedTuple):
    """What a search found of one action: visits, and its worth for the player to move, between -1 and 1.

    mean: of the simulations; low, high: the bounds under perfect play, where proven ones meet.
    """

    visits: int
    mean: float
    low: float
    high: float

    @property
    def worth(self) -> float:
        """The mean, as far as the bounds allow it."""
        return min(max(self.mean, self.low), self.high) + 0.0  # never -0.0


class Mcts(NamedTuple):
    """The action most visited in `sims` simulations by UCT, with random games from the leaves; proven wins first.

    A position is always answered in the same way: the random numbers are drawn from a stream of the seed and position.
    """

    sims: int = 800
    c: float = EXPLORATION
    seed: int = 0

    @staticmethod
    def levels() -> tuple[Level, ...]:
        """The opponents that the page offers."""
        return (Level(0.7, "Searching", "tree search, 100 simulations", {"sims": 100}, exported=False),)

    def validate(self) -> None:
        """At least one simulation, and no negative numbers."""
        if not 1 <= self.sims <= MOST_SIMULATIONS:
            raise ValueError(f"sims must be 1 to {MOST_SIMULATIONS:,}, not {self.sims}")
        if not 0 <= self.c < math.inf:
            raise ValueError(f"c must be 0 or more, not {self.c}")
        if not 0 <= self.seed < 1 << 63:
            raise ValueError(f"seed must be 0 to 2**63 - 1, not {self.seed}")

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """All on one action; nothing where the game is over."""
        write_choice(game, pos, self.sims, self.c, self.seed, out)

    def study(self, game: Any, pos: Any) -> dict[int, Found]:
        """What the search finds of each action."""
        table = np.tile([0.0, 0.0, -1.0, 1.0], (num_actions(game), 1))
        write_findings(game, pos, self.sims, self.c, self.seed, table)
        return {a: Found(int(table[a, 0]), *(float(x) for x in table[a, 1:])) for a in actions(game.legal(pos))}

    def evaluation(self, game: Any, pos: Any) -> dict[int, float]:
        """What each action is worth, from -1, lost, to 1, won."""
        return {action: found.worth for action, found in self.study(game, pos).items()}


def simulations_until(game: Any, pos: Any, action: int, limit: int, seed: int = 0, c: float = EXPLORATION) -> int:
    """The fewest simulations from which on `mcts` takes this action, whatever their number up to the limit.

    One more than the limit if it takes another action at the limit.
    """
    return count_until(game, pos, action, limit, c, seed)


@kernel
def write_choice(game: Any, pos: Any, sims: int, c: float, seed: int, out: Probabilities) -> None:
    """Search, and put all probability on the best action."""
    if is_empty(game.legal(pos)):
        return
    out[best_action(searched(game, pos, sims, c, seed))] = 1.0


@kernel
def write_findings(game: Any, pos: Any, sims: int, c: float, seed: int, table: Floats) -> None:
    """Search, and write what `Found` says into the row of each action that was tried."""
    if is_empty(game.legal(pos)):
        return
    copy_children(searched(game, pos, sims, c, seed), table)


@kernel
def count_until(game: Any, pos: Any, action: int, limit: int, c: float, seed: int) -> int:
    """See `simulations_until`."""
    if is_empty(game.legal(pos)):
        return limit + 1
    tree = planted(game, pos, limit)
    state = np.zeros(1, np.uint64)
    scale = prepared(game, pos, tree, seed, state)
    since = limit + 1
    for sims in range(1, limit + 1):
        while grow(game, pos, tree, sims, c, scale, state):
            tree = with_more_slots(tree)
        if best_action(tree) != action:
            since = limit + 1
        elif since > limit:
            since = sims
        if is_proven(tree):
            break
    return since


@helper
def searched(game: Any, pos: Any, sims: int, c: float, seed: int) -> Tree:
    """The tree after so many simulations, or fewer if the root is proven."""
    tree = planted(game, pos, sims)
    state = np.zeros(1, np.uint64)
    scale = prepared(game, pos, tree, seed, state)
    while grow(game, pos, tree, sims, c, scale, state):
        tree = with_more_slots(tree)
    return tree


@helper
def prepared(game: Any, pos: Any, tree: Tree, seed: int, state: State) -> int:
    """Open the stream of the position, and find the widest margin of some random games."""
    nodes, _, _ = tree
    state[0] = stream_of(nodes[0, FIELDS:], seed)
    mask = game.legal(pos)
    widest = 1
    for _ in range(_SCOUTS):
        widest = max(widest, abs(random_score(game, pos, mask, state)))
    return widest


@helper
def stream_of(row: Row, seed: int) -> int:
    """Where the random numbers for a position begin."""
    word = stream_start(np.uint64(seed), len(row))
    for field in range(len(row)):
        word = stream_start(np.uint64(word), int(row[field]) & ALL_BITS)
    return word
