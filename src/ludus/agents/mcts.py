"""Monte Carlo tree search by UCT, with proven bounds.

A simulation selects a leaf, at each player's node by the highest upper confidence bound and at CHANCE by the odds,
expands it by one child, plays a random game from there, and backpropagates the result as a mean.

Every node also has bounds on its value under perfect play. Ended games and the bounds of children tighten them. A child
that cannot improve on what is proven is not selected again, and a result is clipped to the bounds of each node. When
the bounds of the root meet, it is proven and the search stops.

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
from ludus.playout import mean_plies, random_action

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]

# Nodes, values and slots, as below; few arrays, because passing an array costs time.
Tree: TypeAlias = tuple[Ints, Floats, Ints]


# Columns of `nodes`, a row a node, the root first: player to move, parent, the action that led here, the first
# slot (0 before the second visit), the number of slots, how many were tried, visits, then the fields of the position.
PLAYER, PARENT, ACTION, FIRST, SIZE, TRIED, VISITS, FIELDS = range(8)


# Columns of `values`, a row a node: mean result, 1 / sqrt(visits), and the bounds under perfect play; results and
# bounds from -1 to 1, for the player to move at the parent. The last two tabulate functions of the row's number.
MEAN, SPREAD, LOW, HIGH, _ROOT_OF_LOG, _INVERSE_ROOT = range(6)


# The first two `slots` count the nodes and the slots in use. A node has a slot for each action: the child, or ~action
# while there is none.
_NODES, _SLOTS, _FIRST_SLOT = range(3)
WIN = 0.8  # the reward of the narrowest win; that of a draw is 0
_WIDEST = 0.2  # added for the widest margin


@helper
def new_tree(game: Any, pos: Any, sims: int) -> Tree:
    """A tree of the root alone, with room for this many simulations."""
    nodes = np.empty((sims + 1, FIELDS + len(pos)), np.int64)
    values = np.empty((sims + 1, 6), np.float64)
    slots = np.empty(_FIRST_SLOT + 4 * sims + num_actions(game), np.int64)
    plant(game, pos, (nodes, values, slots))
    return nodes, values, slots


@helper
def plant(game: Any, pos: Any, tree: Tree) -> None:
    """Makes a tree that of the root alone."""
    nodes, values, slots = tree
    slots[_NODES], slots[_SLOTS] = 0, _FIRST_SLOT
    _expand(game, pos, nodes, values, slots, 0, -1)


@helper
def with_more_slots(tree: Tree) -> Tree:
    """The same tree with room for twice as many actions."""
    nodes, values, slots = tree
    larger = np.empty(2 * len(slots), np.int64)
    for slot in range(len(slots)):
        larger[slot] = slots[slot]
    return nodes, values, larger


@helper
def grow(game: Any, like: Any, tree: Tree, sims: int, c: float, scale: int, state: State) -> bool:
    """Simulate until the root has `sims` visits or is proven; whether it stopped early for want of slots."""
    nodes, values, slots = tree
    while nodes[0, VISITS] < sims and values[0, LOW] < values[0, HIGH]:
        if slots[_SLOTS] + num_actions(game) > len(slots):
            return True
        visits = nodes[0, VISITS] + 1
        values[visits, _ROOT_OF_LOG] = math.sqrt(math.log(visits))
        values[visits, _INVERSE_ROOT] = 1 / math.sqrt(visits)
        _simulate(game, like, nodes, values, slots, c, scale, state)
    return False


@helper
def _simulate(
    game: Any, like: Any, nodes: Ints, values: Floats, slots: Ints, c: float, scale: int, state: State
) -> None:
    """One simulation."""
    node, slot = _select(game, like, nodes, values, slots, c, state)
    result = values[node, LOW]
    is_over = False
    if slots[slot] < 0:
        action = ~int(slots[slot])
        pos = game.play(unpack(like, nodes[node, FIELDS:]), action)
        mask = game.legal(pos)
        is_over = is_empty(mask)
        score = game.score(pos) if is_over else random_score(game, pos, mask, state)
        result = reward(score if nodes[node, PLAYER] != 1 else -score, scale)
        slots[slot] = node = _expand(game, pos, nodes, values, slots, node, action)
        if is_over:
            values[node, LOW] = values[node, HIGH] = result
    _backpropagate(game, like, nodes, values, slots, node, result, is_over)


@helper
def _select(game: Any, like: Any, nodes: Ints, values: Floats, slots: Ints, c: float, state: State) -> tuple[int, int]:
    """The last node of a simulation, and its slot to expand, unless CHANCE led to a proven node."""
    node = slot = 0
    while slots[slot] >= 0 and values[node, LOW] < values[node, HIGH]:
        if nodes[node, FIRST] == 0:
            _add_slots(game.legal(unpack(like, nodes[node, FIELDS:])), nodes, slots, node)
        if nodes[node, PLAYER] == CHANCE:
            slot = _slot_by_odds(game, unpack(like, nodes[node, FIELDS:]), nodes, slots, node, state)
        elif nodes[node, TRIED] < nodes[node, SIZE]:
            slot = _untried_slot(nodes, slots, node, state)
        else:
            slot = _slot_by_ucb(nodes, values, slots, node, c)
        node = int(slots[slot]) if slots[slot] >= 0 else node
    return node, slot


@helper
def _expand(game: Any, pos: Any, nodes: Ints, values: Floats, slots: Ints, parent: int, action: int) -> int:
    """Add a node."""
    node = int(slots[_NODES])
    slots[_NODES] = node + 1
    pack(pos, nodes[node, FIELDS:])
    nodes[node, PLAYER] = game.player(pos)
    nodes[node, PARENT] = parent
    nodes[node, ACTION] = action
    nodes[node, FIRST] = nodes[node, TRIED] = nodes[node, VISITS] = 0
    values[node, MEAN] = 0.0
    values[node, LOW] = -1.0
    values[node, HIGH] = 1.0
    return node


@helper
def reward(score: int, scale: int) -> float:
    """The reward of a score, from -1 to 1: its sign, and a little for its size relative to `scale`."""
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
def _add_slots(mask: Mask, nodes: Ints, slots: Ints, node: int) -> None:
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
def _slot_by_ucb(nodes: Ints, values: Floats, slots: Ints, node: int, c: float) -> int:
    """The highest upper confidence bound among the children that may improve on what is proven."""
    certain = -values[node, HIGH] if _changes_sides(nodes, node) else values[node, LOW]
    reach = c * values[nodes[node, VISITS], _ROOT_OF_LOG]
    start = int(nodes[node, FIRST])
    best, most = start, -math.inf
    for slot in range(start, start + nodes[node, SIZE]):
        child = slots[slot]
        bound = values[child, MEAN] + reach * values[child, SPREAD]
        if bound > most and values[child, HIGH] > certain:
            best, most = slot, bound
    return best


@helper
def _changes_sides(nodes: Ints, node: int) -> bool:
    """Whether the parent's player is the opponent of the player to move; CHANCE sides with player 0."""
    return bool((nodes[node, PLAYER] == 1) != (nodes[nodes[node, PARENT], PLAYER] == 1))


@helper
def _slot_by_odds(game: Any, pos: Any, nodes: Ints, slots: Ints, node: int, state: State) -> int:
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
    """The action of a slot, by its content."""
    return int(nodes[child, ACTION] if child >= 0 else ~child)


@helper
def _backpropagate(
    game: Any, like: Any, nodes: Ints, values: Floats, slots: Ints, node: int, result: float, tightened: bool
) -> None:
    """Average a result into a node and its ancestors, and tighten their bounds if those of the node are new."""
    while True:
        result = min(max(result, values[node, LOW]), values[node, HIGH])
        visits = nodes[node, VISITS] + 1
        nodes[node, VISITS] = visits
        values[node, MEAN] += (result - values[node, MEAN]) / visits
        values[node, SPREAD] = values[visits, _INVERSE_ROOT]
        if node == 0:
            return
        node = int(nodes[node, PARENT])
        tightened = tightened and _tighten_bounds(game, like, nodes, values, slots, node)
        if _changes_sides(nodes, node):
            result = -result


@helper
def _tighten_bounds(game: Any, like: Any, nodes: Ints, values: Floats, slots: Ints, node: int) -> bool:
    """Derive the bounds of a node from its children's; whether they are new."""
    if nodes[node, PLAYER] == CHANCE:
        low, high = _expected_bounds(game, unpack(like, nodes[node, FIELDS:]), nodes, values, slots, node)
    else:
        low, high = _best_bounds(nodes, values, slots, node)
    if _changes_sides(nodes, node):
        low, high = -high, -low
    is_new = low != values[node, LOW] or high != values[node, HIGH]
    values[node, LOW], values[node, HIGH] = low, high
    return bool(is_new)


@helper
def _best_bounds(nodes: Ints, values: Floats, slots: Ints, node: int) -> tuple[float, float]:
    """The best of each bound for the player to move; an untried action may win."""
    start, tried = int(nodes[node, FIRST]), int(nodes[node, TRIED])
    low = -1.0
    high = 1.0 if tried < nodes[node, SIZE] else -1.0
    for slot in range(start, start + tried):
        low = max(low, values[slots[slot], LOW])
        high = max(high, values[slots[slot], HIGH])
    return low, high


@helper
def _expected_bounds(game: Any, pos: Any, nodes: Ints, values: Floats, slots: Ints, node: int) -> tuple[float, float]:
    """The means of the children's bounds by the odds, for player 0."""
    start = int(nodes[node, FIRST])
    total, low, high = 0, 0.0, 0.0
    for slot in range(start, start + nodes[node, SIZE]):
        child = slots[slot]
        weight = odds(game, pos, _action_of(nodes, child))
        total += weight
        low += weight * (values[child, LOW] if child >= 0 else -1.0)
        high += weight * (values[child, HIGH] if child >= 0 else 1.0)
    return low / total, high / total


@helper
def is_proven(tree: Tree) -> bool:
    """Whether the value of the root is proven."""
    _, values, _ = tree
    return bool(values[0, LOW] == values[0, HIGH])


@helper
def copy_children(tree: Tree, table: Floats) -> None:
    """Write visits, mean and bounds of the children of the root into the rows of their actions."""
    nodes, values, slots = tree
    for child in slots[_FIRST_SLOT : _FIRST_SLOT + nodes[0, TRIED]]:
        row = table[nodes[child, ACTION]]
        row[0], row[1] = nodes[child, VISITS], values[child, MEAN]
        row[2], row[3] = values[child, LOW], values[child, HIGH]


@helper
def best_action(tree: Tree) -> int:
    """A proven win, else the most visited action that may be better than the best proven one.

    The best proven one is taken, too, if it is no loss and the other has no better mean.
    """
    nodes, values, slots = tree
    end = _FIRST_SLOT + nodes[0, TRIED]
    safe, certain, most = -1, -math.inf, -1
    for slot in range(_FIRST_SLOT, end):
        low, visits = values[slots[slot], LOW], nodes[slots[slot], VISITS]
        if low > certain or (low == certain and visits > most):
            safe, certain, most = slots[slot], low, visits
    bold, most = -1, -1
    for slot in range(_FIRST_SLOT, end):
        visits = nodes[slots[slot], VISITS]
        if values[slots[slot], HIGH] > certain and visits > most:
            bold, most = slots[slot], visits
    if bold < 0 or certain >= WIN or (certain > -WIN and certain >= values[bold, MEAN]):
        bold = safe
    return int(nodes[bold, ACTION])


EXPLORATION = 1.4
MOST_SIMULATIONS = 10_000_000  # some gigabytes of tree
_SCOUTS = 16  # random games that show how wide margins are


class Found(NamedTuple):
    """An action's visits, mean and bounds under perfect play, for the player to move, between -1 and 1."""

    visits: int
    mean: float
    low: float
    high: float

    @property
    def value(self) -> float:
        """The mean, within the bounds."""
        return min(max(self.mean, self.low), self.high) + 0.0  # never -0.0


class Mcts(NamedTuple):
    """Monte Carlo tree search (UCT) with `sims` simulations: a proven win, else the most visited action.

    It always plays a position alike: the random numbers come from a stream of the seed and the position.
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

    def work(self, game: Any) -> float:
        """Microseconds of a policy in plain Python."""
        return plain_work(game, game.start(), self.sims)

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """All on one action; nothing where the game is over."""
        write_choice(game, pos, self.sims, self.c, self.seed, out)

    def study(self, game: Any, pos: Any) -> dict[int, Found]:
        """Visits, mean and bounds of each action."""
        table = np.tile([0.0, 0.0, -1.0, 1.0], (num_actions(game), 1))
        write_findings(game, pos, self.sims, self.c, self.seed, table)
        return {a: Found(int(table[a, 0]), *(float(x) for x in table[a, 1:])) for a in actions(game.legal(pos))}

    def evaluation(self, game: Any, pos: Any) -> dict[int, float]:
        """The value of each action, from -1, lost, to 1, won."""
        return {action: found.value for action, found in self.study(game, pos).items()}


def simulations_until(game: Any, pos: Any, action: int, limit: int, seed: int = 0, c: float = EXPLORATION) -> int:
    """The fewest simulations from which `mcts` takes this action up to the limit; limit + 1 if it does not there."""
    return count_until(game, pos, action, limit, c, seed)


def plain_work(game: Any, pos: Any, sims: int) -> float:
    """Microseconds of a search in plain Python."""
    return sims * (60.0 + 10.0 * mean_plies(game, pos, games=2))


@kernel(work=lambda game, pos, sims, c, seed, out: plain_work(game, pos, sims))
def write_choice(game: Any, pos: Any, sims: int, c: float, seed: int, out: Probabilities) -> None:
    """Search, and put all probability on the best action."""
    mask = game.legal(pos)
    if not is_empty(mask):
        out[best_action(search(game, pos, mask, sims, c, seed))] = 1.0


@kernel(work=lambda game, pos, sims, c, seed, table: plain_work(game, pos, sims))
def write_findings(game: Any, pos: Any, sims: int, c: float, seed: int, table: Floats) -> None:
    """Search, and write what was found of each action tried; table [actions, (visits, mean, low, high)]."""
    mask = game.legal(pos)
    if not is_empty(mask):
        copy_children(search(game, pos, mask, sims, c, seed), table)


@kernel
def count_until(game: Any, pos: Any, action: int, limit: int, c: float, seed: int) -> int:
    """See `simulations_until`."""
    mask = game.legal(pos)
    if is_empty(mask):
        return limit + 1
    tree = new_tree(game, pos, limit)
    state = np.zeros(1, np.uint64)
    scale = prepare(game, pos, mask, tree, seed, state)
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
def search(game: Any, pos: Any, mask: Mask, sims: int, c: float, seed: int) -> Tree:
    """The tree after `sims` simulations, or fewer if the root is proven; `mask` holds the legal actions."""
    tree = new_tree(game, pos, sims)
    state = np.zeros(1, np.uint64)
    scale = prepare(game, pos, mask, tree, seed, state)
    while grow(game, pos, tree, sims, c, scale, state):
        tree = with_more_slots(tree)
    return tree


@helper
def prepare(game: Any, pos: Any, mask: Mask, tree: Tree, seed: int, state: State) -> int:
    """Open the stream of the position, and find the widest margin of some random games."""
    nodes, _, _ = tree
    state[0] = stream_of(nodes[0, FIELDS:], seed)
    widest = 1
    for _ in range(_SCOUTS):
        widest = max(widest, abs(random_score(game, pos, mask, state)))
    return widest


@helper
def stream_of(row: Row, seed: int) -> int:
    """The start of the random numbers of a position."""
    word = stream_start(np.uint64(seed), len(row))
    for field in range(len(row)):
        word = stream_start(np.uint64(word), int(row[field]) & ALL_BITS)
    return word
