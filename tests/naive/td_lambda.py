"""TD(lambda), as plainly as possible: lists of weights, and the paper's sums over earlier positions.

It draws the same random numbers in the same order as `ludus.learning.td_lambda`, and shares nothing else with it.
"""

import math
from typing import NamedTuple

import numpy as np

from ludus.compiled.masks import actions
from ludus.compiled.randomness import below, new_state, stream_key, stream_start, uniform
from ludus.game import (
    CHANCE,
    max_plies,
    observation_shape,
    observe,
    odds,
    swaps_players,
    symmetries,
    transform,
    with_mover,
)

LEARNER, TWIN, OPPONENT = 0, 1, "opponent"


class Options(NamedTuple):
    """The settings of `td-lambda`; schedules as functions of the games played."""

    hidden: int = 30
    epsilon: object = lambda games: 0.15
    alpha: object = lambda games: 0.01
    lam: float = 0.7
    gamma: float = 1.0
    smart: bool = False
    by_mover: bool = True
    turns: bool = False  # whether the position is turned round for player 1
    symmetry: bool = False
    ends_by_network: bool = False
    ends_trained: bool = False
    random_plies: int = 0
    random_players: object = None
    margin: bool = False


class Net:
    """w[h][i]: from input i to hidden unit h; v[h]: to the output; the last of each belongs to a bias node."""

    def __init__(self, inputs, hidden, generator):
        self.w = generator.normal(0, (inputs + 1) ** -0.5, (inputs + 1, hidden)).T.tolist()
        self.v = generator.normal(0, (hidden + 1) ** -0.5, hidden + 1).tolist()

    def hidden(self, x):
        return [1.7159 * math.tanh(2 / 3 * sum(w * xi for w, xi in zip(row, x, strict=True))) for row in self.w]

    def output(self, x):
        return sum(v * y for v, y in zip(self.v, [*self.hidden(x), 1.0], strict=True))

    def gradient(self, x):
        """The gradient of the output, by the weights of the hidden units and by its own."""
        fields = [sum(w * xi for w, xi in zip(row, x, strict=True)) for row in self.w]
        derivatives = [1.7159 * 2 / 3 / math.cosh(2 / 3 * field) ** 2 for field in fields]
        below = [[v * derivative * xi for xi in x] for v, derivative in zip(self.v, derivatives, strict=False)]
        return below, [*self.hidden(x), 1.0]

    def move(self, step, gradient):
        below, above = gradient
        self.w = [[w + step * g for w, g in zip(row, by, strict=True)] for row, by in zip(self.w, below, strict=True)]
        self.v = [v + step * g for v, g in zip(self.v, above, strict=True)]


class NaiveTrainer:
    """A training of one network, or of two."""

    def __init__(self, game, options, *, seed=0, cap=0, networks=1):
        self.game, self.options, self.key = game, options, stream_key(seed)
        self.cap = cap or max_plies(game)
        inputs = math.prod(observation_shape(game))
        self.nets = [
            Net(inputs, options.hidden, np.random.default_rng([int(self.key), number])) for number in range(networks)
        ]
        self.games = self.plies = 0
        self.errors = []
        self.stream = new_state()

    def play(self, games, holders):
        for _ in range(games):
            self.play_game(holders[self.games % 2])
            self.games += 1

    def play_game(self, holders):
        self.stream[0] = stream_start(self.key, self.games)
        self.random_plies_left = below(self.stream, self.options.random_plies + 1) if self.options.random_plies else 0
        self.random_players = self.options.random_players
        if self.options.random_plies and self.random_players is None:
            self.random_players = [(0,), (1,), (0, 1)][below(self.stream, 3)]
        networks = [0, 1] if TWIN in holders else [0]
        self.pasts = {number: [] for number in networks}  # gradient, position and side of every position so far
        pos, plies = self.game.start(), 0
        while actions(self.game.legal(pos)) and (not self.cap or plies < self.cap):
            if not self.random_plies_left and self.game.player(pos) != CHANCE:
                for number in networks:
                    self.meet(pos, number)
            pos, plies = self.game.play(pos, self.action(pos, holders)), plies + 1
            self.plies += 1
            self.random_plies_left = max(self.random_plies_left - 1, 0)
        for number in networks:
            if self.pasts[number]:
                self.end(pos, number, is_over=not actions(self.game.legal(pos)))

    def end(self, pos, number, is_over):
        if is_over and self.options.ends_trained:
            self.meet(pos, number)
        self.teach(number, self.result(pos) if is_over else 0.0)

    def result(self, pos):
        score = self.game.score(pos)
        return float(score if self.options.margin else (score > 0) - (score < 0))

    def seen(self, pos):
        """The inputs with that of the bias node, and 1 if the network speaks for player 0, else -1."""
        turned = pos
        if self.options.turns and self.game.player(pos) == 1:
            turned = transform(self.game, pos, min(s for s in range(symmetries(self.game)) if self.swaps(s)))
        if self.options.symmetry:
            turned = min(transform(self.game, turned, s) for s in range(symmetries(self.game)) if not self.swaps(s))
        out = np.zeros(observation_shape(self.game), np.float32)
        observe(self.game, turned, out)
        side = -1 if self.options.by_mover and self.game.player(pos) == 1 else 1
        return [*map(float, out.ravel()), 1.0], side

    def swaps(self, symmetry):
        return symmetry > 0 and swaps_players(self.game, symmetry)

    def value(self, pos, number):
        inputs, side = self.seen(pos)
        return side * self.nets[number].output(inputs)

    def meet(self, pos, number):
        if self.pasts[number]:
            self.teach(number, self.options.gamma * self.value(pos, number))
        inputs, side = self.seen(pos)
        self.pasts[number].append((self.nets[number].gradient(inputs), pos, side))

    def teach(self, number, target):
        """The paper's formulas: the error times the sum of all gradients, each times lambda to the power of its age."""
        past, options = self.pasts[number], self.options
        error = target - self.value(past[-1][1], number)
        for age, (gradient, _, side) in enumerate(reversed(past)):
            faded = (options.gamma * options.lam) ** age
            self.nets[number].move(options.alpha(self.games) * error * faded * side, gradient)
        if number == 0:
            self.errors.append((self.games, error))

    # ---- choosing ----

    def action(self, pos, holders):
        player = self.game.player(pos)
        legal = actions(self.game.legal(pos))
        if player == CHANCE:
            urn = [action for action in legal for _ in range(odds(self.game, pos, action))]
            return urn[below(self.stream, len(urn))]
        if holders[player] == OPPONENT:
            return legal[below(self.stream, len(legal))]
        if self.random_plies_left:
            is_random = player in self.random_players
        else:
            legal = self.helped(pos, legal) if self.options.smart else legal
            is_random = uniform(self.stream) < self.options.epsilon(self.games)
        if is_random:
            return legal[below(self.stream, len(legal))]
        return self.best(pos, legal, holders[player])

    def best(self, pos, legal, number):
        side = 1 if self.game.player(pos) == 0 else -1
        values = {action: side * self.after(self.game.play(pos, action), number) for action in legal}
        ties = [action for action in legal if values[action] == max(values.values())]
        return ties[0] if len(ties) == 1 else ties[below(self.stream, len(ties))]

    def after(self, pos, number):
        legal = actions(self.game.legal(pos))
        if self.game.player(pos) == CHANCE and legal:
            weights = [odds(self.game, pos, action) for action in legal]
            values = [self.after(self.game.play(pos, action), number) for action in legal]
            return sum(w * value for w, value in zip(weights, values, strict=True)) / sum(weights)
        if not legal and not self.options.ends_by_network:
            return self.result(pos)
        return self.options.gamma * self.value(pos, number)

    def wins(self, pos, player):
        if self.game.player(pos) != player:
            return []
        afters = {action: self.game.play(pos, action) for action in actions(self.game.legal(pos))}
        return [action for action, after in afters.items() if self.is_won(after, player)]

    def is_won(self, pos, player):
        return not actions(self.game.legal(pos)) and self.result(pos) == (1 if player == 0 else -1)

    def helped(self, pos, legal):
        """Wins; else, if the opponent would win if it were to move, what leaves it without a win; else all."""
        player = self.game.player(pos)
        if found := self.wins(pos, player):
            return found
        if not self.wins(with_mover(self.game, pos, 1 - player), 1 - player):
            return legal
        blocks = [action for action in legal if not self.wins(self.game.play(pos, action), 1 - player)]
        return blocks or legal
