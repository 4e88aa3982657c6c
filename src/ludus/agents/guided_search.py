"""Searches guided by a network, many at once: what is tried at the root, and what comes of it.

At the root only some actions are tried, those of the highest logits, to each of which a random number may be added so
that they are drawn without repetition; the better half goes on each time, until one is left: Danihelka et al., 2022.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.agents.guided_tree import (
    HIGH,
    LOW,
    MEAN,
    NONE,
    PLAYER,
    SAID,
    VISITS,
    Floats,
    Ints,
    Rules,
    Trees,
    add_node,
    back_up,
    improve,
    look_up,
    planted,
    to_shares,
    visits_of,
    wanting_action,
)
from ludus.compiling import helper, kernel
from ludus.game import CHANCE, gives_odds, num_actions
from ludus.networks.inputs import ILLEGAL, Inputs, Outputs, input_shape, look_at
from ludus.playout import random_action
from ludus.randomness import uniform
from ludus.rows import Row, borrowed, unpack

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
            look_at(game, unpack(like, trees.rows[lane, node]), False, inputs[lane], outputs[lane])
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
