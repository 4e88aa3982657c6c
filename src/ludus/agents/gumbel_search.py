"""Gumbel tree search guided by a network, and the agent that plays by it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
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
from ludus.networks.inputs import ILLEGAL, Inputs, Outputs, encode_position, input_shape
from ludus.playout import random_action

Floats = npt.NDArray[np.float64]


Ints = npt.NDArray[np.int64]


PLAYER, PARENT, ACTION, VISITS, COLUMNS = range(5)  # of `nodes`; the action is the one that led there


MEAN, SAID, LOW, HIGH, WORTHS = range(5)  # of `worths`: of the simulations, what the network said, and the bounds


NONE = -1  # in place of a child or a leaf


_LEAST = 1e-30  # of a share, so that some of nothing is something


_STEADY = 50.0  # visits that what was found counts for beside those of the action visited most


class Rules(NamedTuple):
    """How searches weigh what they find.

    gamma: what a result one ply later is worth now; scale: how much what was found counts beside what the network said
    at first; margin: the score that is worth most of a win, 0 if all wins are worth the same.
    """

    gamma: float
    scale: float
    margin: float


class Trees(NamedTuple):
    """Lanes x nodes (the root first), all worths for player 0, between -1 and 1.

    logits: for each action of a node, minus infinity for one that may not be taken; sizes: nodes in use; leaves: the
    node of each lane that waits for the network, or NONE; room: of one number for each action.
    """

    rows: Row
    nodes: Ints
    children: npt.NDArray[np.int32]
    logits: npt.NDArray[np.float32]
    worths: Floats
    sizes: Ints
    leaves: Ints
    room: Floats


def planted(game: Any, rows: Row, sims: int) -> Trees:
    """Trees whose roots are these positions, in which a player is to move, with room for so many simulations."""
    lanes, most, actions = len(rows), (3 * sims if gives_odds(game) else sims) + 1, num_actions(game)
    trees = Trees(
        np.zeros((lanes, most, rows.shape[1]), np.int64),
        np.zeros((lanes, most, COLUMNS), np.int64),
        np.full((lanes, most, actions), NONE, np.int32),
        np.full((lanes, most, actions), -np.inf, np.float32),
        np.zeros((lanes, most, WORTHS)),
        np.ones(lanes, np.int64),
        np.full(lanes, NONE, np.int64),
        np.zeros(actions),
    )
    trees.rows[:, 0] = rows
    trees.nodes[:, 0, PARENT] = NONE
    trees.worths[:, 0, LOW:] = -1.0, 1.0
    return trees


@helper
def worth_of(score: int, margin: float) -> float:
    """What a score is worth, from -1 to 1."""
    if margin > 0:
        return math.tanh(score / margin)
    return float((score > 0) - (score < 0))


@helper
def add_node(game: Any, pos: Any, trees: Trees, lane: int, parent: int, action: int, rules: Rules) -> int:
    """A new node, by which those above are narrowed; if the game is over there, its bounds meet."""
    node = int(trees.sizes[lane])
    trees.sizes[lane] = node + 1
    trees.children[lane, parent, action] = node
    pack(pos, trees.rows[lane, node])
    own = trees.nodes[lane, node]
    own[PLAYER], own[PARENT], own[ACTION], own[VISITS] = game.player(pos), parent, action, 0
    worths = trees.worths[lane, node]
    worths[LOW], worths[HIGH] = -rules.gamma, rules.gamma
    if is_empty(game.legal(pos)):
        worths[LOW] = worths[HIGH] = worth_of(game.score(pos), rules.margin)
    narrow(game, pos, trees, lane, parent, rules)
    return node


@helper
def narrow(game: Any, like: Any, trees: Trees, lane: int, node: int, rules: Rules) -> None:
    """Let the bounds of a node, and of those above it, follow from its children's."""
    worths = trees.worths[lane]
    while node != NONE:
        if gives_odds(game) and trees.nodes[lane, node, PLAYER] == CHANCE:
            low, high = _drawn_bounds(game, unpack(like, trees.rows[lane, node]), trees, lane, node)
        else:
            low, high = _chosen_bounds(trees, lane, node)
        low, high = rules.gamma * low, rules.gamma * high
        if low <= worths[node, LOW] and high >= worths[node, HIGH]:
            return
        worths[node, LOW] = max(low, worths[node, LOW])
        worths[node, HIGH] = min(high, worths[node, HIGH])
        node = int(trees.nodes[lane, node, PARENT])


@helper
def _chosen_bounds(trees: Trees, lane: int, node: int) -> tuple[float, float]:
    """The bounds of the best action of the player to move."""
    children, worths = trees.children[lane, node], trees.worths[lane]
    side = 1.0 if trees.nodes[lane, node, PLAYER] == 0 else -1.0
    least = most = -1.0  # for the player to move
    for action in range(len(children)):
        if trees.logits[lane, node, action] == -np.inf:
            continue
        child = children[action]
        if child == NONE:
            most = 1.0
            continue
        low, high = worths[child, LOW], worths[child, HIGH]
        least = max(least, low if side > 0 else -high)
        most = max(most, high if side > 0 else -low)
    return (least, most) if side > 0 else (-most, -least)


@helper
def _drawn_bounds(game: Any, pos: Any, trees: Trees, lane: int, node: int) -> tuple[float, float]:
    """The mean of the bounds of what CHANCE can do."""
    low = high = 0.0
    total = 0
    left = game.legal(pos)
    while not is_empty(left):
        action = first(left)
        left = without_first(left)
        weight = odds(game, pos, action)
        child = trees.children[lane, node, action]
        total += weight
        low += weight * (trees.worths[lane, child, LOW] if child != NONE else -1.0)
        high += weight * (trees.worths[lane, child, HIGH] if child != NONE else 1.0)
    return low / total, high / total


@helper
def back_up(trees: Trees, lane: int, node: int, worth: float, rules: Rules) -> None:
    """Average a worth into a node and all above it."""
    while node != NONE:
        trees.nodes[lane, node, VISITS] += 1
        worths = trees.worths[lane, node]
        worths[MEAN] += (worth - worths[MEAN]) / trees.nodes[lane, node, VISITS]
        node = int(trees.nodes[lane, node, PARENT])
        worth *= rules.gamma


@helper
def look_up(trees: Trees, lane: int, node: int, rules: Rules) -> float:
    """Write into `room` what each action of a node is worth to the player to move; the worth of those not visited.

    That is the mean of what the network said of the node and of what was found of the others, by their logits.
    """
    visits, weights, weighted = 0, 0.0, 0.0
    for action in range(len(trees.room)):
        child = int(trees.children[lane, node, action])
        if child == NONE or trees.nodes[lane, child, VISITS] == 0:
            continue
        trees.room[action] = worth_for(trees, lane, node, child, rules)
        visits += trees.nodes[lane, child, VISITS]
        prior = math.exp(trees.logits[lane, node, action]) + _LEAST
        weights += prior
        weighted += prior * trees.room[action]
    said = trees.worths[lane, node, SAID] if trees.nodes[lane, node, PLAYER] == 0 else -trees.worths[lane, node, SAID]
    other = said if visits == 0 else (said + visits * weighted / weights) / (1 + visits)
    for action in range(len(trees.room)):
        if visits_of(trees, lane, node, action) == 0:
            trees.room[action] = other
    return float(other)


@helper
def visits_of(trees: Trees, lane: int, node: int, action: int) -> int:
    """How often an action of a node was visited."""
    child = trees.children[lane, node, action]
    return 0 if child == NONE else int(trees.nodes[lane, child, VISITS])


@helper
def improve(trees: Trees, lane: int, node: int, rules: Rules) -> None:
    """Write into `room` the logits of a node's actions, improved by what they were found to be worth."""
    look_up(trees, lane, node, rules)
    most = 0
    for action in range(len(trees.room)):
        most = max(most, visits_of(trees, lane, node, action))
    factor = (_STEADY + most) * rules.scale / 2  # worths span two, shares one
    for action in range(len(trees.room)):
        trees.room[action] = trees.logits[lane, node, action] + factor * trees.room[action]


@helper
def worth_for(trees: Trees, lane: int, node: int, child: int, rules: Rules) -> float:
    """What going to a child is worth to the player to move, as far as its bounds allow."""
    worths = trees.worths[lane, child]
    worth = rules.gamma * min(max(worths[MEAN], worths[LOW]), worths[HIGH])
    return float(worth if trees.nodes[lane, node, PLAYER] == 0 else -worth)


@helper
def to_shares(numbers: Floats) -> None:
    """Turn logits into shares of one; minus infinity into none."""
    highest = numbers.max()
    total = 0.0
    for place in range(len(numbers)):
        numbers[place] = math.exp(numbers[place] - highest)
        total += numbers[place]
    for place in range(len(numbers)):
        numbers[place] /= total


@helper
def wanting_action(trees: Trees, lane: int, node: int, rules: Rules) -> int:
    """The action whose share of the visits is furthest below its share in the improved policy."""
    improve(trees, lane, node, rules)
    to_shares(trees.room)
    visits = trees.nodes[lane, node, VISITS]  # one more than those of its children, for the network's
    best, most = NONE, -np.inf
    for action in range(len(trees.room)):
        if trees.logits[lane, node, action] == -np.inf:
            continue
        want = trees.room[action] - visits_of(trees, lane, node, action) / visits
        if want > most:
            best, most = action, want
    return best


Evaluate = Callable[[Inputs], tuple[Any, Any]]  # logits of all outputs and the worth for the mover, of each input


class Roots(NamedTuple):
    """What is set for each search: numbers added to the logits of its root, and where its random numbers come from.

    visits: by how many actions are tried, for each simulation how often the action that it tries was visited before.
    """

    added: Floats
    streams: npt.NDArray[np.uint64]
    visits: Ints


class Verdicts(NamedTuple):
    """What came of each search: the action, the improved policy, and what the root is worth to the player to move.

    findings: what each action is worth to that player.
    """

    actions: Ints
    policies: npt.NDArray[np.float32]
    worths: npt.NDArray[np.float32]
    findings: npt.NDArray[np.float32]


def searched(game: Any, rows: Row, evaluate: Evaluate, roots: Roots, rules: Rules, may: Outputs | None = None) -> Trees:
    """The trees of searches from these positions; `may`: ILLEGAL where an action may not be taken at the root."""
    sims = roots.visits.shape[1]
    trees = planted(game, rows, sims)
    like, outputs = game.start(), np.empty((len(rows), num_actions(game)), np.int32)
    set_movers(game, like, trees)
    for simulation in range(sims + 1):
        inputs = np.zeros((len(rows), *input_shape(game)), np.float32)
        outputs[:] = ILLEGAL
        descend(game, like, trees, roots, rules, simulation - 1, inputs, outputs)
        if simulation == 0 and may is not None:
            outputs[may == ILLEGAL] = ILLEGAL
        if (trees.leaves != NONE).any():
            logits, worths = evaluate(inputs)
            absorb(trees, rules, outputs, logits, worths)
    return trees


def verdicts(trees: Trees, roots: Roots, rules: Rules) -> Verdicts:
    """What comes of the searches."""
    lanes, actions = roots.added.shape
    by_action = np.zeros((2, lanes, actions), np.float32)
    made = Verdicts(np.zeros(lanes, np.int64), by_action[0], np.zeros(lanes, np.float32), by_action[1])
    conclude(trees, roots, rules, made)
    return made


@cache
def halving(considered: int, sims: int) -> Ints:
    """For 0, 1, ... actions considered: how often the action that each simulation tries was visited before."""
    return np.array([_halving(number, sims) for number in range(considered + 1)], np.int64).reshape(-1, sims)


def _halving(considered: int, sims: int) -> list[int]:
    """All that are left are visited alike; each time the better half is left, but never fewer than two."""
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
def draw_gumbels(streams: npt.NDArray[np.uint64], added: Floats) -> None:
    """Random numbers by which the highest of sums with logits is a draw from their distribution."""
    for lane in range(len(streams)):
        state = streams[lane : lane + 1]
        for action in range(added.shape[1]):
            added[lane, action] = -math.log(-math.log(max(uniform(state), 1e-300)))


@kernel
def set_movers(game: Any, like: Any, trees: Trees) -> None:
    """Note who is to move at the roots."""
    for lane in range(len(trees.sizes)):
        trees.nodes[lane, 0, PLAYER] = game.player(unpack(like, trees.rows[lane, 0]))


@kernel
def descend(
    game: Any, like: Any, trees: Trees, roots: Roots, rules: Rules, simulation: int, inputs: Inputs, outputs: Outputs
) -> None:
    """Walk down every tree to a leaf, and show it to the network; what ends before is backed up at once."""
    trees, roots, inputs, outputs = borrowed(trees), borrowed(roots), borrowed(inputs), borrowed(outputs)
    for lane in range(len(trees.sizes)):
        node = walk(game, like, trees, roots, rules, simulation, lane)
        worths = trees.worths[lane, node]
        trees.leaves[lane] = NONE
        if worths[LOW] >= worths[HIGH]:
            back_up(trees, lane, node, worths[LOW], rules)
        elif trees.nodes[lane, node, VISITS] == 0 and trees.nodes[lane, node, PLAYER] != CHANCE:
            trees.leaves[lane] = node
            encode_position(game, unpack(like, trees.rows[lane, node]), False, inputs[lane], outputs[lane])
        else:
            back_up(trees, lane, node, worths[MEAN], rules)


@helper
def walk(game: Any, like: Any, trees: Trees, roots: Roots, rules: Rules, simulation: int, lane: int) -> int:
    """The node at which a simulation ends: new, proven, or one of CHANCE below which there is no room."""
    node, nodes, worths = 0, trees.nodes[lane], trees.worths[lane]
    while worths[node, LOW] < worths[node, HIGH]:
        if nodes[node, PLAYER] != CHANCE and nodes[node, VISITS] == 0:
            break
        pos = unpack(like, trees.rows[lane, node])
        if gives_odds(game) and nodes[node, PLAYER] == CHANCE:
            action = random_action(game, pos, game.legal(pos), roots.streams[lane : lane + 1])
        elif node == 0:
            action = tried_action(trees, roots, rules, simulation, lane)
        else:
            action = wanting_action(trees, lane, node, rules)
        child = int(trees.children[lane, node, action])
        if child == NONE and trees.sizes[lane] == len(nodes):
            break
        node = child if child != NONE else add_node(game, game.play(pos, action), trees, lane, node, action, rules)
    return node


@helper
def tried_action(trees: Trees, roots: Roots, rules: Rules, simulation: int, lane: int) -> int:
    """The best of the root's actions that were visited as often as the next to be tried."""
    improve(trees, lane, 0, rules)
    considered = 0
    for action in range(len(trees.room)):
        considered += trees.logits[lane, 0, action] != -np.inf
    before = roots.visits[min(considered, len(roots.visits) - 1), simulation]
    return best_of_visited(trees, roots, lane, int(before))


@helper
def best_of_visited(trees: Trees, roots: Roots, lane: int, visits: int) -> int:
    """The best of the root's actions with so many visits, by `room` and what is added."""
    best, most = NONE, -np.inf
    for action in range(len(trees.room)):
        score = trees.room[action] + roots.added[lane, action]
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
    """The action by which the worth of a proven root is had."""
    side = 1.0 if trees.nodes[lane, 0, PLAYER] == 0 else -1.0
    best, most = NONE, -np.inf
    for action in range(len(trees.room)):
        child = trees.children[lane, 0, action]
        if child == NONE:
            continue
        least = trees.worths[lane, child, LOW] if side > 0 else -trees.worths[lane, child, HIGH]
        if least > most:
            best, most = action, least
    return best


@kernel
def absorb(trees: Trees, rules: Rules, outputs: Outputs, logits: npt.NDArray[np.float32], worths: Any) -> None:
    """Take down what the network says of the leaves, and back it up."""
    trees, outputs, logits, worths = borrowed(trees), borrowed(outputs), borrowed(logits), borrowed(worths)
    for lane in range(len(trees.sizes)):
        leaf = int(trees.leaves[lane])
        if leaf == NONE:
            continue
        note_logits(outputs[lane], logits[lane], trees.logits[lane, leaf])
        worth = float(worths[lane] if trees.nodes[lane, leaf, PLAYER] == 0 else -worths[lane])
        trees.worths[lane, leaf, SAID] = worth
        back_up(trees, lane, leaf, worth, rules)


@helper
def note_logits(outputs: Outputs, given: npt.NDArray[np.float32], logits: npt.NDArray[np.float32]) -> None:
    """The logits of the actions that may be taken, such that they are logarithms of shares of one."""
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
def conclude(trees: Trees, roots: Roots, rules: Rules, made: Verdicts) -> None:
    """Write down what comes of each search."""
    trees, roots, made = borrowed(trees), borrowed(roots), borrowed(made)
    for lane in range(len(trees.sizes)):
        improve(trees, lane, 0, rules)
        proven = trees.worths[lane, 0, LOW] >= trees.worths[lane, 0, HIGH]
        made.actions[lane] = best_proven(trees, lane) if proven else best_visited(trees, roots, lane)
        to_shares(trees.room)
        for action in range(len(trees.room)):
            made.policies[lane, action] = trees.room[action]
        look_up(trees, lane, 0, rules)
        for action in range(len(trees.room)):
            made.findings[lane, action] = trees.room[action]
            made.worths[lane] += made.policies[lane, action] * trees.room[action]
        if proven:
            made.worths[lane] = trees.worths[lane, 0, LOW] * (1 - 2 * trees.nodes[lane, 0, PLAYER])


_MOST_SIMULATIONS = 100_000

_CONSIDERED = 16  # actions at the root, at most

_AT_ONCE = 256  # positions


class Guided(NamedTuple):
    """The action that holds best in `sims` simulations guided by the network of a run, without chance.

    A position is always answered in the same way.
    """

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
        """What the agent for the game does."""
        self.for_game(game, (pos,)).policy(game, pos, out)

    def evaluation(self, game: Any, pos: Any) -> dict[int, float]:
        """What each action is worth."""
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
        shares = np.zeros((len(positions), num_actions(game)))
        for begin in range(0, len(positions), _AT_ONCE):
            part = positions[begin : begin + _AT_ONCE]
            shares[np.arange(begin, begin + len(part)), self._verdicts(game, part).actions] = 1.0
        return shares

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """The same in one position."""
        if not is_empty(game.legal(pos)):
            out[:] = self.policies(game, [pos])[0]

    def evaluation(self, game: Any, pos: Any) -> dict[int, float]:
        """What each action is worth, from -1, lost, to 1, won."""
        return self.evaluations(game, [pos])[0]

    def evaluations(self, game: Any, positions: Sequence[Any]) -> list[dict[int, float]]:
        """The same in each position."""
        told: list[dict[int, float]] = []
        for begin in range(0, len(positions), _AT_ONCE):
            part = positions[begin : begin + _AT_ONCE]
            rows = zip(part, self._verdicts(game, part).findings, strict=True)
            told += ({action: float(row[action]) for action in actions(game.legal(pos))} for pos, row in rows)
        return told

    def _verdicts(self, game: Any, positions: Sequence[Any]) -> Verdicts:
        rows = np.array(positions, np.int64).reshape(len(positions), len(game.start()))
        streams = np.array([stream_of(row, 0) for row in rows], np.uint64)
        roots = Roots(np.zeros((len(rows), num_actions(game))), streams, halving(_CONSIDERED, self._sims))
        rules = self._network.rules
        return verdicts(searched(game, rows, self._network.evaluate, roots, rules), roots, rules)
