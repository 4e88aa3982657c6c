"""A search guided by a network in its plainest form: one position at a time, nodes as objects.

It draws the same random numbers in the same order as `ludus.agents.gumbel_search`, and shares nothing else with it.
"""

import math

from ludus.compiled.masks import actions
from ludus.game import CHANCE, odds
from ludus.networks.inputs import encode
from ludus.playout import random_action


class Node:
    """A position; values are for player 0."""

    def __init__(self, game, pos, rules):
        self.pos, self.player, self.rules = pos, game.player(pos), rules
        self.actions = actions(game.legal(pos))
        self.is_over = not self.actions
        self.score = game.score(pos) if self.is_over else 0
        self.weights = {a: odds(game, pos, a) for a in self.actions} if self.player == CHANCE else {}
        self.children, self.results, self.logits, self.said = {}, [], {}, None

    @property
    def visits(self):
        return len(self.results)

    @property
    def mean(self):
        return sum(self.results) / len(self.results)

    def bounds(self, is_root=False):
        """What perfect play can come to, as far as the tree shows."""
        gamma = self.rules.gamma
        if self.is_over:
            value = (
                math.tanh(self.score / self.rules.margin) if self.rules.margin else (self.score > 0) - (self.score < 0)
            )
            return value, value
        least = 1.0 if is_root else gamma
        if not self.children:
            return -least, least
        known = {a: self.children[a].bounds() if a in self.children else (-1, 1) for a in self.actions}
        if self.player == CHANCE:
            total = sum(self.weights.values())
            low, high = (sum(w * known[a][i] for a, w in self.weights.items()) / total for i in (0, 1))
        else:
            best = max if self.player == 0 else min
            low, high = (best(bound[i] for bound in known.values()) for i in (0, 1))
        return max(-least, gamma * low), min(least, gamma * high)

    def value_of(self, action):
        """The value of a visited action for the player to move."""
        low, high = self.children[action].bounds()
        value = self.rules.gamma * min(max(self.children[action].mean, low), high)
        return value if self.player == 0 else -value

    def visits_of(self, action):
        return self.children[action].visits if action in self.children else 0

    def improved(self):
        """The improved logits."""
        tried = [a for a in self.actions if self.visits_of(a)]
        total = sum(self.visits_of(a) for a in tried)
        other = self.said if self.player == 0 else -self.said
        if tried:
            mass = sum(math.exp(self.logits[a]) for a in tried)
            known = sum(math.exp(self.logits[a]) * self.value_of(a) for a in tried)
            other = (other + total / mass * known) / (1 + total)
        most = max(self.visits_of(a) for a in self.actions)
        values = {a: self.value_of(a) if a in tried else other for a in self.actions}
        shares = {a: (1 + value) / 2 for a, value in values.items()}
        return {a: self.logits[a] + (50 + most) * self.rules.scale * shares[a] for a in self.actions}

    def policy(self):
        """The shares that the improved logits stand for."""
        logits = self.improved()
        highest = max(logits.values())
        powers = {a: math.exp(logit - highest) for a, logit in logits.items()}
        return {a: power / sum(powers.values()) for a, power in powers.items()}


def search(game, pos, evaluate, sequences, added, rules, stream):
    """The root after one simulation for each number of visits of the sequence for this number of actions."""
    root = Node(game, pos, rules)
    _simulate(game, root, evaluate, None, added, stream)
    for before in sequences[min(len(root.actions), len(sequences) - 1)]:
        low, high = root.bounds(is_root=True)
        if low < high:
            _simulate(game, root, evaluate, before, added, stream)
        else:
            root.results.append(low)
    return root


def _simulate(game, node, evaluate, before, added, stream):
    """One simulation from this node; returns the value of its leaf, discounted to here."""
    low, high = node.bounds(is_root=before is not None)
    if low >= high:
        value = low
    elif node.player != CHANCE and node.said is None:
        value = _judge(game, node, evaluate)
    else:
        action = _action(game, node, before, added, stream)
        if action not in node.children:
            node.children[action] = Node(game, game.play(node.pos, action), node.rules)
        value = node.rules.gamma * _simulate(game, node.children[action], evaluate, None, added, stream)
    node.results.append(value)
    return value


def _judge(game, node, evaluate):
    inputs, outputs = encode(game, [list(node.pos)])
    logits, values = evaluate(inputs)
    total = math.log(sum(math.exp(logits[0][outputs[0][a]]) for a in node.actions))
    node.logits = {a: float(logits[0][outputs[0][a]]) - total for a in node.actions}
    node.said = float(values[0]) if node.player == 0 else -float(values[0])
    return node.said


def _action(game, node, before, added, stream):
    if node.player == CHANCE:
        return random_action(game, node.pos, game.legal(node.pos), stream)
    if before is not None:
        scores = node.improved()
        return max((a for a in node.actions if node.visits_of(a) == before), key=lambda a: scores[a] + added[a])
    shares = node.policy()
    return max(node.actions, key=lambda a: shares[a] - node.visits_of(a) / node.visits)
