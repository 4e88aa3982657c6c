"""The transitions that deep Q-learning stores, computed plainly: whole games first, transitions afterwards.

It draws the same random numbers in the same order as `ludus.learning.dqn`, and shares nothing else with it.
"""

from typing import NamedTuple

import numpy as np

from ludus.compiled.masks import actions
from ludus.compiled.randomness import below, new_state, stream_key, stream_start, uniform
from ludus.game import shaping
from ludus.networks.deep import dense
from ludus.networks.inputs import encode

LEARNER, TWIN, OPPONENT = "learner", "twin", "opponent"


class Options(NamedTuple):
    """Hyperparameters of `dqn`."""

    epsilon: float = 0.5
    gamma: float = 0.9
    n_step: int = 1
    mask: bool = True
    explores_all: bool = False
    random_plies: int = 0
    random_players: object = None  # who plays the random opening plies; None: drawn for each game
    win: float = 1.0
    loss: float = -1.0
    draw: float = 0.0
    illegal: float = -1.0
    margin: bool = False
    shaping: float = 0.0
    reply: bool = True
    cap: int = 1 << 62


class Decision(NamedTuple):
    """A decision of a learner; legal: the outputs of legal actions; extra: the shaping reward."""

    ply: int
    player: int
    inputs: list
    legal: set
    output: int
    extra: float


class Game:
    """One game of a training by networks that do not change, and its transitions."""

    def __init__(self, game, options, holders, networks, number, seed=0):
        self.game, self.options, self.holders, self.networks = game, options, holders, networks
        self.stream = new_state()
        self.stream[0] = stream_start(stream_key(seed), number)
        self.decisions, self.illegal = ([], []), None
        self.play()

    def play(self):
        options, pos, ply = self.options, self.game.start(), 0
        opening = below(self.stream, options.random_plies + 1) if options.random_plies else 0
        players = options.random_players
        if options.random_plies and players is None:
            players = [(0,), (1,), (0, 1)][below(self.stream, 3)]
        self.fresh = options.random_plies > 0
        while actions(self.game.legal(pos)) and ply < options.cap:
            player, legal = self.game.player(pos), actions(self.game.legal(pos))
            if self.holders[player] == OPPONENT or (opening and player in players):
                action = legal[below(self.stream, len(legal))]
            else:
                action = self.choose(pos, player, ply, opening)
            if action is None:
                self.illegal = player
                break
            pos, ply, opening = self.game.play(pos, action), ply + 1, max(opening - 1, 0)
        self.ended = self.illegal is not None or not actions(self.game.legal(pos))
        self.score = self.game.score(pos) if self.ended and self.illegal is None else 0

    def choose(self, pos, player, ply, opening):
        """The action of a learner, None if it chose an illegal one; noted unless the other side opens at random."""
        inputs, outputs = encode(self.game, np.array([pos], np.int64))
        actions_by_output = {int(output): action for action, output in enumerate(outputs[0]) if output >= 0}
        values = dense(self.networks[self.holders[player]], inputs.reshape(1, -1))[0]
        if opening:
            return actions_by_output[max(actions_by_output, key=lambda output: values[output])]
        output = self.pick([int(output) for output in outputs[0] if output >= 0], values)
        action, extra = actions_by_output.get(output), 0.0
        if action is not None and self.options.shaping:
            extra = self.options.shaping * shaping(self.game, self.game.play(pos, action))
        self.decisions[player].append(
            Decision(ply, player, inputs.ravel().tolist(), set(actions_by_output), output, extra)
        )
        return action

    def pick(self, legal, values):
        fresh, self.fresh = self.fresh, False
        if fresh or uniform(self.stream) < self.options.epsilon:
            return (
                below(self.stream, len(values)) if self.options.explores_all else legal[below(self.stream, len(legal))]
            )
        return max(legal if self.options.mask else range(len(values)), key=lambda output: values[output])

    def result(self, player):
        own, options = -self.score if player else self.score, self.options
        if self.illegal == player:
            return options.illegal
        if options.margin:
            return own
        return options.win if own > 0 else options.loss if own < 0 else options.draw

    def stored(self):
        """[(who, row)] in the order in which they are stored."""
        found = []
        for player in (0, 1):
            for place in range(len(self.decisions[player])):
                row = self.row(player, place)
                if row is not None:
                    then = self.then(player, place)
                    when = (0, then.ply, 0) if then else (1, player, place)
                    found.append((when, self.holders[player], row))
        return [(who, row) for _, who, row in sorted(found, key=lambda one: one[0])]

    def then(self, player, place):
        """The decision that a transition leads to; None if the game ends before."""
        if self.options.reply or self.holders != (LEARNER, LEARNER):
            return next(iter(self.decisions[player][place + self.options.n_step :]), None)
        after = [one for own in self.decisions for one in own if one.ply > self.decisions[player][place].ply]
        return min(after, key=lambda one: one.ply, default=None)

    def row(self, player, place):
        """One transition; None if the game was cut before its end."""
        options, decisions = self.options, self.decisions[player]
        later = decisions[place : place + options.n_step]
        reward = sum(options.gamma**step * decision.extra for step, decision in enumerate(later))
        move, outputs = decisions[place], len(self.networks[LEARNER]["biases.1"])
        every = set(range(outputs))
        then = self.then(player, place)
        if then is not None:
            sign = 1 if then.player == player else -1
            legal = then.legal if options.mask else every
            return self.written(move, reward, sign * options.gamma**options.n_step, then.inputs, legal, outputs)
        if not self.ended or self.illegal not in (None, player):
            return None
        reward += options.gamma ** (len(later) - 1) * self.result(player)
        return self.written(move, reward, 0.0, move.inputs, set() if options.mask else every, outputs)

    @staticmethod
    def written(move, reward, discount, inputs, legal, outputs):
        mask = [float(output in legal) for output in range(outputs)]
        return [*move.inputs, move.output, reward, discount, *inputs, *mask]
