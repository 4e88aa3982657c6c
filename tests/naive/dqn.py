"""What deep Q-learning remembers of its games, as plainly as it can be said: whole games first, moves afterwards.

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
    """What `dqn` is set to."""

    epsilon: float = 0.5
    gamma: float = 0.9
    n_step: int = 1
    mask: bool = True
    explores_all: bool = False
    random_plies: int = 0
    wanderers: object = None  # players; None: drawn for each game
    win: float = 1.0
    loss: float = -1.0
    draw: float = 0.0
    illegal: float = -1.0
    margin: bool = False
    shaping: float = 0.0
    reply: bool = True
    cap: int = 1 << 62


class Decision(NamedTuple):
    """A learned move: when and by whom, what was seen, what could be taken, what was, and its extra reward."""

    ply: int
    player: int
    inputs: list
    can: set
    taken: int
    extra: float


class Game:
    """One game of a training by networks that do not change, and what is learned of it."""

    def __init__(self, game, options, holders, networks, number, seed=0):
        self.game, self.options, self.holders, self.networks = game, options, holders, networks
        self.stream = new_state()
        self.stream[0] = stream_start(stream_key(seed), number)
        self.decisions, self.foul = ([], []), None
        self.play()

    def play(self):
        options, pos, ply = self.options, self.game.start(), 0
        astray = below(self.stream, options.random_plies + 1) if options.random_plies else 0
        wanderers = options.wanderers
        if options.random_plies and wanderers is None:
            wanderers = [(0,), (1,), (0, 1)][below(self.stream, 3)]
        self.fresh = options.random_plies > 0
        while actions(self.game.legal(pos)) and ply < options.cap:
            player, legal = self.game.player(pos), actions(self.game.legal(pos))
            if self.holders[player] == OPPONENT or (astray and player in wanderers):
                action = legal[below(self.stream, len(legal))]
            else:
                action = self.choose(pos, player, ply, astray)
            if action is None:
                self.foul = player
                break
            pos, ply, astray = self.game.play(pos, action), ply + 1, max(astray - 1, 0)
        self.ended = self.foul is not None or not actions(self.game.legal(pos))
        self.score = self.game.score(pos) if self.ended and self.foul is None else 0

    def choose(self, pos, player, ply, astray):
        """The action of a learner, None if what it chose is illegal; noted unless it goes astray."""
        inputs, outputs = encode(self.game, np.array([pos], np.int64))
        actions_by_output = {int(output): action for action, output in enumerate(outputs[0]) if output >= 0}
        worth = dense(self.networks[self.holders[player]], inputs.reshape(1, -1))[0]
        if astray:
            return actions_by_output[max(actions_by_output, key=lambda output: worth[output])]
        taken = self.pick([int(output) for output in outputs[0] if output >= 0], worth)
        action, extra = actions_by_output.get(taken), 0.0
        if action is not None and self.options.shaping:
            extra = self.options.shaping * shaping(self.game, self.game.play(pos, action))
        self.decisions[player].append(
            Decision(ply, player, inputs.ravel().tolist(), set(actions_by_output), taken, extra)
        )
        return action

    def pick(self, legal, worth):
        fresh, self.fresh = self.fresh, False
        if fresh or uniform(self.stream) < self.options.epsilon:
            return (
                below(self.stream, len(worth)) if self.options.explores_all else legal[below(self.stream, len(legal))]
            )
        return max(legal if self.options.mask else range(len(worth)), key=lambda output: worth[output])

    def result(self, player):
        own, options = -self.score if player else self.score, self.options
        if self.foul == player:
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
        """The decision at which a move is seen to have come to something; None if the game ends before."""
        if self.options.reply or self.holders != (LEARNER, LEARNER):
            return next(iter(self.decisions[player][place + self.options.n_step :]), None)
        after = [one for own in self.decisions for one in own if one.ply > self.decisions[player][place].ply]
        return min(after, key=lambda one: one.ply, default=None)

    def row(self, player, place):
        """One remembered move; None if the game was cut before it came to anything."""
        options, decisions = self.options, self.decisions[player]
        later = decisions[place : place + options.n_step]
        earned = sum(options.gamma**step * decision.extra for step, decision in enumerate(later))
        move, outputs = decisions[place], len(self.networks[LEARNER]["biases.1"])
        every = set(range(outputs))
        then = self.then(player, place)
        if then is not None:
            sign = 1 if then.player == player else -1
            can = then.can if options.mask else every
            return self.written(move, earned, sign * options.gamma**options.n_step, then.inputs, can, outputs)
        if not self.ended or self.foul not in (None, player):
            return None
        earned += options.gamma ** (len(later) - 1) * self.result(player)
        return self.written(move, earned, 0.0, move.inputs, set() if options.mask else every, outputs)

    @staticmethod
    def written(move, earned, discount, inputs, can, outputs):
        allowed = [float(output in can) for output in range(outputs)]
        return [*move.inputs, move.taken, earned, discount, *inputs, *allowed]
