"""Gumbel tree search guided by a network, and the agent that plays by it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus import catalog
from ludus.agents.agent import Probabilities, agent_for
from ludus.agents.mcts import stream_of
from ludus.compiled.compiling import helper, kernel
from ludus.compiled.masks import actions, first, is_empty, without_first
from ludus.compiled.randomness import uniform
from ludus.compiled.rows import Row, borrowed, pack, unpack
from ludus.errors import LudusError
from ludus.game import CHANCE, gives_odds, num_actions, odds
from ludus.networks.deep import require_numbers
from ludus.networks.inputs import ILLEGAL, Inputs, Outputs, encode_position, input_shape
from ludus.playout import random_action

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
PLAYER, PARENT, ACTION, VISITS, COLUMNS = range(5)  # of `nodes`; ACTION leads from the parent
MEAN, ESTIMATE, LOW, HIGH, NUM_VALUES = range(5)  # of `values`: of simulations, by the network, proven bounds
NONE = -1  # no child, or no leaf
_LEAST = 1e-30  # added to a prior, so that priors never add up to 0
_STEADY = 50.0  # c_visit of the paper: visits added to those of the most visited action


class SearchSettings(NamedTuple):
    """gamma: discount per ply; scale: c_scale of the paper; margin: rewards are tanh(score / margin), 0: the sign."""

    gamma: float
    scale: float
    margin: float


class Trees(NamedTuple):
    """One tree a lane, the root its first node; all values are for player 0, between -1 and 1."""

    rows: Row  # [lanes, nodes, fields], positions
    nodes: Ints  # [lanes, nodes, COLUMNS]
    children: npt.NDArray[np.int32]  # [lanes, nodes, actions], node or NONE
    logits: npt.NDArray[np.float32]  # [lanes, nodes, actions], -inf where not allowed
    values: Floats  # [lanes, nodes, NUM_VALUES]
    sizes: Ints  # [lanes], nodes in use
    leaves: Ints  # [lanes], the node that waits for the network, or NONE
    room: Floats  # [actions]


def new_trees(game: Any, rows: Row, sims: int) -> Trees:
    """Trees with these positions as roots, and room for this many simulations; CHANCE moves at no root."""
    lanes, most, actions = len(rows), (3 * sims if gives_odds(game) else sims) + 1, num_actions(game)
    trees = Trees(
        np.zeros((lanes, most, rows.shape[1]), np.int64),
        np.zeros((lanes, most, COLUMNS), np.int64),
        np.full((lanes, most, actions), NONE, np.int32),
        np.full((lanes, most, actions), -np.inf, np.float32),
        np.zeros((lanes, most, NUM_VALUES)),
        np.ones(lanes, np.int64),
        np.full(lanes, NONE, np.int64),
        np.zeros(actions),
    )
    trees.rows[:, 0] = rows
    trees.nodes[:, 0, PARENT] = NONE
    trees.values[:, 0, LOW:] = -1.0, 1.0
    return trees


@helper
def reward_of(score: int, margin: float) -> float:
    """The reward of a score, from -1 to 1."""
    if margin > 0:
        return math.tanh(score / margin)
    return float((score > 0) - (score < 0))


@helper
def expand(game: Any, pos: Any, trees: Trees, lane: int, parent: int, action: int, settings: SearchSettings) -> int:
    """Add a node and tighten the bounds above it; its own bounds meet if the game is over."""
    node = int(trees.sizes[lane])
    trees.sizes[lane] = node + 1
    trees.children[lane, parent, action] = node
    pack(pos, trees.rows[lane, node])
    own = trees.nodes[lane, node]
    own[PLAYER], own[PARENT], own[ACTION], own[VISITS] = game.player(pos), parent, action, 0
    values = trees.values[lane, node]
    values[LOW], values[HIGH] = -settings.gamma, settings.gamma
    if is_empty(game.legal(pos)):
        values[LOW] = values[HIGH] = reward_of(game.score(pos), settings.margin)
    tighten_bounds(game, pos, trees, lane, parent, settings)
    return node


@helper
def tighten_bounds(game: Any, like: Any, trees: Trees, lane: int, node: int, settings: SearchSettings) -> None:
    """Derive the bounds of a node, and of those above it, from its children's."""
    values = trees.values[lane]
    while node != NONE:
        if gives_odds(game) and trees.nodes[lane, node, PLAYER] == CHANCE:
            low, high = _bounds_by_chance(game, unpack(like, trees.rows[lane, node]), trees, lane, node)
        else:
            low, high = _bounds_by_choice(trees, lane, node)
        low, high = settings.gamma * low, settings.gamma * high
        if low <= values[node, LOW] and high >= values[node, HIGH]:
            return
        values[node, LOW] = max(low, values[node, LOW])
        values[node, HIGH] = min(high, values[node, HIGH])
        node = int(trees.nodes[lane, node, PARENT])


@helper
def _bounds_by_choice(trees: Trees, lane: int, node: int) -> tuple[float, float]:
    """The bounds of the best action of the player to move."""
    children, values = trees.children[lane, node], trees.values[lane]
    side = 1.0 if trees.nodes[lane, node, PLAYER] == 0 else -1.0
    least = most = -1.0  # for the player to move
    for action in range(len(children)):
        if trees.logits[lane, node, action] == -np.inf:
            continue
        child = children[action]
        if child == NONE:
            most = 1.0
            continue
        low, high = values[child, LOW], values[child, HIGH]
        least = max(least, low if side > 0 else -high)
        most = max(most, high if side > 0 else -low)
    return (least, most) if side > 0 else (-most, -least)


@helper
def _bounds_by_chance(game: Any, pos: Any, trees: Trees, lane: int, node: int) -> tuple[float, float]:
    """The bounds of a CHANCE node: the means of its children's."""
    low = high = 0.0
    total = 0
    left = game.legal(pos)
    while not is_empty(left):
        action = first(left)
        left = without_first(left)
        weight = odds(game, pos, action)
        child = trees.children[lane, node, action]
        total += weight
        low += weight * (trees.values[lane, child, LOW] if child != NONE else -1.0)
        high += weight * (trees.values[lane, child, HIGH] if child != NONE else 1.0)
    return low / total, high / total


@helper
def backpropagate(trees: Trees, lane: int, node: int, value: float, settings: SearchSettings) -> None:
    """Average a value into a node and all its ancestors."""
    while node != NONE:
        trees.nodes[lane, node, VISITS] += 1
        values = trees.values[lane, node]
        values[MEAN] += (value - values[MEAN]) / trees.nodes[lane, node, VISITS]
        node = int(trees.nodes[lane, node, PARENT])
        value *= settings.gamma


@helper
def complete_values(trees: Trees, lane: int, node: int, settings: SearchSettings) -> float:
    """Write the completed action values of the side to move into `room`; returns the value of actions not visited.

    That value mixes the network's estimate of the node with the mean of the visited actions, weighted by their priors.
    """
    visits, weights, weighted = 0, 0.0, 0.0
    for action in range(len(trees.room)):
        child = int(trees.children[lane, node, action])
        if child == NONE or trees.nodes[lane, child, VISITS] == 0:
            continue
        trees.room[action] = value_for(trees, lane, node, child, settings)
        visits += trees.nodes[lane, child, VISITS]
        prior = math.exp(trees.logits[lane, node, action]) + _LEAST
        weights += prior
        weighted += prior * trees.room[action]
    estimate = trees.values[lane, node, ESTIMATE] * (1 if trees.nodes[lane, node, PLAYER] == 0 else -1)
    other = estimate if visits == 0 else (estimate + visits * weighted / weights) / (1 + visits)
    for action in range(len(trees.room)):
        if visits_of(trees, lane, node, action) == 0:
            trees.room[action] = other
    return float(other)


@helper
def visits_of(trees: Trees, lane: int, node: int, action: int) -> int:
    """The visits of an action of a node."""
    child = trees.children[lane, node, action]
    return 0 if child == NONE else int(trees.nodes[lane, child, VISITS])


@helper
def improve_logits(trees: Trees, lane: int, node: int, settings: SearchSettings) -> None:
    """Write the logits of a node's actions, plus their scaled values, into `room`."""
    complete_values(trees, lane, node, settings)
    most = 0
    for action in range(len(trees.room)):
        most = max(most, visits_of(trees, lane, node, action))
    factor = (_STEADY + most) * settings.scale / 2  # values span 2, those of the paper 1
    for action in range(len(trees.room)):
        trees.room[action] = trees.logits[lane, node, action] + factor * trees.room[action]


@helper
def value_for(trees: Trees, lane: int, node: int, child: int, settings: SearchSettings) -> float:
    """The mean value of a child for the side to move, within its bounds."""
    values = trees.values[lane, child]
    value = settings.gamma * min(max(values[MEAN], values[LOW]), values[HIGH])
    return float(value if trees.nodes[lane, node, PLAYER] == 0 else -value)


@helper
def softmax(numbers: Floats) -> None:
    """Turn logits into probabilities."""
    highest = numbers.max()
    total = 0.0
    for place in range(len(numbers)):
        numbers[place] = math.exp(numbers[place] - highest)
        total += numbers[place]
    for place in range(len(numbers)):
        numbers[place] /= total


@helper
def select_below_root(trees: Trees, lane: int, node: int, settings: SearchSettings) -> int:
    """The action whose share of visits is furthest below its probability in the improved policy."""
    improve_logits(trees, lane, node, settings)
    softmax(trees.room)
    visits = trees.nodes[lane, node, VISITS]  # one more than those of its children
    best, most = NONE, -np.inf
    for action in range(len(trees.room)):
        if trees.logits[lane, node, action] == -np.inf:
            continue
        want = trees.room[action] - visits_of(trees, lane, node, action) / visits
        if want > most:
            best, most = action, want
    return best


Evaluate = Callable[[Inputs], tuple[Any, Any]]  # logits of all outputs, and the value for the side to move


class Roots(NamedTuple):
    """The inputs of each search."""

    gumbels: Floats  # [lanes, actions], added to the logits of the root
    streams: npt.NDArray[np.uint64]  # [lanes], random numbers
    visits: Ints  # [actions considered, simulations], earlier visits of the action that a simulation tries


class SearchResults(NamedTuple):
    """The outputs of each search; values are for the side to move at the root."""

    actions: Ints  # [lanes], the best
    policies: npt.NDArray[np.float32]  # [lanes, actions], improved
    values: npt.NDArray[np.float32]  # [lanes]
    action_values: npt.NDArray[np.float32]  # [lanes, actions]


def search(
    game: Any, rows: Row, evaluate: Evaluate, roots: Roots, settings: SearchSettings, allowed: Outputs | None = None
) -> Trees:
    """Search from these positions; `allowed` is ILLEGAL for actions that are forbidden at the root."""
    sims = roots.visits.shape[1]
    trees = new_trees(game, rows, sims)
    like, outputs = game.start(), np.empty((len(rows), num_actions(game)), np.int32)
    set_movers(game, like, trees)
    for simulation in range(sims + 1):
        inputs = np.zeros((len(rows), *input_shape(game)), np.float32)
        outputs[:] = ILLEGAL
        simulate(game, like, trees, roots, settings, simulation - 1, inputs, outputs)
        if simulation == 0 and allowed is not None:
            outputs[allowed == ILLEGAL] = ILLEGAL
        if (trees.leaves != NONE).any():
            logits, values = evaluate(inputs)
            require_numbers(logits, values)
            evaluate_leaves(trees, settings, outputs, logits, values)
    return trees


def results_of(trees: Trees, roots: Roots, settings: SearchSettings) -> SearchResults:
    """The results of finished searches."""
    lanes, actions = roots.gumbels.shape
    by_action = np.zeros((2, lanes, actions), np.float32)
    results = SearchResults(np.zeros(lanes, np.int64), by_action[0], np.zeros(lanes, np.float32), by_action[1])
    summarise(trees, roots, settings, results)
    return results


@cache
def halving(considered: int, sims: int) -> Ints:
    """Sequential halving: for 0, 1, ... actions considered, the earlier visits of the action each simulation tries."""
    return np.array([_halving(number, sims) for number in range(considered + 1)], np.int64).reshape(-1, sims)


def _halving(considered: int, sims: int) -> list[int]:
    """Visit all that are left equally, then keep the better half, but never fewer than two."""
    if considered <= 1:
        return list(range(sims))
    rounds = math.ceil(math.log2(considered))
    before, sequence = [0] * considered, list[int]()
    while len(sequence) < sims:
        for _ in range(max(1, sims // (rounds * considered))):
            sequence += before[:considered]
            before[:considered] = [visits + 1 for visits in before[:considered]]
        considered = max(2, considered // 2)
    return sequence[:sims]


@kernel
def draw_gumbels(streams: npt.NDArray[np.uint64], gumbels: Floats) -> None:
    """Draw Gumbel noise [lanes, actions] from streams [lanes]."""
    for lane in range(len(streams)):
        state = streams[lane : lane + 1]
        for action in range(gumbels.shape[1]):
            gumbels[lane, action] = -math.log(-math.log(max(uniform(state), 1e-300)))


@kernel
def set_movers(game: Any, like: Any, trees: Trees) -> None:
    """Set the player to move at the roots."""
    for lane in range(len(trees.sizes)):
        trees.nodes[lane, 0, PLAYER] = game.player(unpack(like, trees.rows[lane, 0]))


@kernel
def simulate(
    game: Any,
    like: Any,
    trees: Trees,
    roots: Roots,
    settings: SearchSettings,
    simulation: int,
    inputs: Inputs,
    outputs: Outputs,
) -> None:
    """Select a leaf in every tree and encode it for the network; proven nodes are backpropagated at once."""
    trees, roots, inputs, outputs = borrowed(trees), borrowed(roots), borrowed(inputs), borrowed(outputs)
    for lane in range(len(trees.sizes)):
        node = select(game, like, trees, roots, settings, simulation, lane)
        values = trees.values[lane, node]
        trees.leaves[lane] = NONE
        if values[LOW] >= values[HIGH]:
            backpropagate(trees, lane, node, values[LOW], settings)
        elif trees.nodes[lane, node, VISITS] == 0 and trees.nodes[lane, node, PLAYER] != CHANCE:
            trees.leaves[lane] = node
            encode_position(game, unpack(like, trees.rows[lane, node]), False, inputs[lane], outputs[lane])
        else:
            backpropagate(trees, lane, node, values[MEAN], settings)


@helper
def select(
    game: Any, like: Any, trees: Trees, roots: Roots, settings: SearchSettings, simulation: int, lane: int
) -> int:
    """The node at which a simulation ends: new, proven, or a CHANCE node without room below it."""
    node, nodes, values = 0, trees.nodes[lane], trees.values[lane]
    while values[node, LOW] < values[node, HIGH]:
        if nodes[node, PLAYER] != CHANCE and nodes[node, VISITS] == 0:
            break
        pos = unpack(like, trees.rows[lane, node])
        if gives_odds(game) and nodes[node, PLAYER] == CHANCE:
            action = random_action(game, pos, game.legal(pos), roots.streams[lane : lane + 1])
        elif node == 0:
            action = select_at_root(trees, roots, settings, simulation, lane)
        else:
            action = select_below_root(trees, lane, node, settings)
        child = int(trees.children[lane, node, action])
        if child == NONE and trees.sizes[lane] == len(nodes):
            break
        node = child if child != NONE else expand(game, game.play(pos, action), trees, lane, node, action, settings)
    return node


@helper
def select_at_root(trees: Trees, roots: Roots, settings: SearchSettings, simulation: int, lane: int) -> int:
    """The best of the root's actions with as many visits as sequential halving asks for."""
    improve_logits(trees, lane, 0, settings)
    considered = 0
    for action in range(len(trees.room)):
        considered += trees.logits[lane, 0, action] != -np.inf
    before = roots.visits[min(considered, len(roots.visits) - 1), simulation]
    return best_of_visited(trees, roots, lane, int(before))


@helper
def best_of_visited(trees: Trees, roots: Roots, lane: int, visits: int) -> int:
    """The best of the root's actions with this many visits, by logits in `room` plus Gumbel noise."""
    best, most = NONE, -np.inf
    for action in range(len(trees.room)):
        score = trees.room[action] + roots.gumbels[lane, action]
        if score > most and visits_of(trees, lane, 0, action) == visits:
            best, most = action, score
    return best


@helper
def best_visited(trees: Trees, roots: Roots, lane: int) -> int:
    """The best of the root's actions that were visited most."""
    most = 0
    for action in range(len(trees.room)):
        most = max(most, visits_of(trees, lane, 0, action))
    return best_of_visited(trees, roots, lane, most)


@helper
def best_proven(trees: Trees, lane: int) -> int:
    """The action that proves the value of a proven root."""
    side = 1.0 if trees.nodes[lane, 0, PLAYER] == 0 else -1.0
    best, most = NONE, -np.inf
    for action in range(len(trees.room)):
        child = trees.children[lane, 0, action]
        if child == NONE:
            continue
        least = trees.values[lane, child, LOW] if side > 0 else -trees.values[lane, child, HIGH]
        if least > most:
            best, most = action, least
    return best


@kernel
def evaluate_leaves(
    trees: Trees, settings: SearchSettings, outputs: Outputs, logits: npt.NDArray[np.float32], values: Any
) -> None:
    """Store the network's logits [lanes, outputs] and values [lanes] of the leaves, and backpropagate the values."""
    trees, outputs, logits, values = borrowed(trees), borrowed(outputs), borrowed(logits), borrowed(values)
    for lane in range(len(trees.sizes)):
        leaf = int(trees.leaves[lane])
        if leaf == NONE:
            continue
        normalise_logits(outputs[lane], logits[lane], trees.logits[lane, leaf])
        value = float(values[lane] if trees.nodes[lane, leaf, PLAYER] == 0 else -values[lane])
        trees.values[lane, leaf, ESTIMATE] = value
        backpropagate(trees, lane, leaf, value, settings)


@helper
def normalise_logits(outputs: Outputs, given: npt.NDArray[np.float32], logits: npt.NDArray[np.float32]) -> None:
    """Write the log probabilities of the allowed actions."""
    highest, total = -np.inf, 0.0
    for action in range(len(outputs)):
        if outputs[action] != ILLEGAL:
            logits[action] = given[outputs[action]]
            highest = max(highest, logits[action])
    for action in range(len(outputs)):
        total += math.exp(logits[action] - highest)
    shift = highest + math.log(total)
    for action in range(len(outputs)):
        logits[action] -= shift


@kernel
def summarise(trees: Trees, roots: Roots, settings: SearchSettings, results: SearchResults) -> None:
    """Fill in the results of each search."""
    trees, roots, results = borrowed(trees), borrowed(roots), borrowed(results)
    for lane in range(len(trees.sizes)):
        improve_logits(trees, lane, 0, settings)
        proven = trees.values[lane, 0, LOW] >= trees.values[lane, 0, HIGH]
        results.actions[lane] = best_proven(trees, lane) if proven else best_visited(trees, roots, lane)
        softmax(trees.room)
        for action in range(len(trees.room)):
            results.policies[lane, action] = trees.room[action]
        complete_values(trees, lane, 0, settings)
        for action in range(len(trees.room)):
            results.action_values[lane, action] = trees.room[action]
            results.values[lane] += results.policies[lane, action] * trees.room[action]
        if proven:
            results.values[lane] = trees.values[lane, 0, LOW] * (1 - 2 * trees.nodes[lane, 0, PLAYER])


def _parts(positions: Sequence[Any]) -> Iterator[Sequence[Any]]:
    return (positions[begin : begin + _AT_ONCE] for begin in range(0, len(positions), _AT_ONCE))


_MOST_SIMULATIONS = 100_000
_CONSIDERED = 16  # actions at the root, at most
_AT_ONCE = 256  # positions


class Guided(NamedTuple):
    """Gumbel tree search with `sims` simulations by the network of a run, deterministic in each position."""

    run: str
    sims: int = 100

    plain = True  # type: ignore[misc]

    def validate(self) -> None:
        """At least one simulation."""
        if not 1 <= self.sims <= _MOST_SIMULATIONS:
            raise ValueError(f"sims must be 1 to {_MOST_SIMULATIONS:,}, not {self.sims}")

    def for_game(self, game: Any, starts: tuple[Any, ...]) -> Searching:
        """The agent with its network; LudusError if the run has none with a policy and a value for this game."""
        network = agent_for(catalog.make_agent(self.run), game, starts)
        if not hasattr(network, "evaluate"):
            raise LudusError(f"guided needs a run of a network with a policy and a value (alphazero), not {self.run}")
        return Searching(network, self.sims)

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """The policy of the agent for the game."""
        self.for_game(game, (pos,)).policy(game, pos, out)

    def evaluation(self, game: Any, pos: Any) -> dict[int, float]:
        """The value of each action."""
        return self.evaluations(game, [pos])[0]

    def evaluations(self, game: Any, positions: Sequence[Any]) -> list[dict[int, float]]:
        """The same in each position."""
        return self.for_game(game, tuple(positions)).evaluations(game, positions)


class Searching:
    """Searches by the `evaluate` of a network, over many positions at once."""

    def __init__(self, network: Any, sims: int) -> None:
        self._network, self._sims = network, sims

    def policies(self, game: Any, positions: Sequence[Any]) -> Probabilities:
        """All on one action, in each position."""
        chosen = [action for part in _parts(positions) for action in self._search(game, part).actions]
        return np.eye(num_actions(game))[np.array(chosen, np.int64)]

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """The same in one position."""
        if not is_empty(game.legal(pos)):
            out[:] = self.policies(game, [pos])[0]

    def evaluation(self, game: Any, pos: Any) -> dict[int, float]:
        """The value of each action, from -1, lost, to 1, won."""
        return self.evaluations(game, [pos])[0]

    def evaluations(self, game: Any, positions: Sequence[Any]) -> list[dict[int, float]]:
        """The same in each position."""
        values = [row for part in _parts(positions) for row in self._search(game, part).action_values]
        return [
            {action: float(row[action]) for action in actions(game.legal(pos))}
            for pos, row in zip(positions, values, strict=True)
        ]

    def _search(self, game: Any, positions: Sequence[Any]) -> SearchResults:
        rows = np.array(positions, np.int64).reshape(len(positions), len(game.start()))
        streams = np.array([stream_of(row, 0) for row in rows], np.uint64)
        roots = Roots(np.zeros((len(rows), num_actions(game))), streams, halving(_CONSIDERED, self._sims))
        settings = self._network.settings
        return results_of(search(game, rows, self._network.evaluate, roots, settings), roots, settings)
