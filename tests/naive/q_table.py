"""Q-learning, as plainly as possible: dictionaries of values, one game after another.

It draws the same random numbers in the same order as `ludus.learning.q_table`, and shares nothing else with it.
"""

from collections import defaultdict
from typing import NamedTuple

from ludus.compiled.masks import actions
from ludus.compiled.randomness import below, new_state, stream_key, stream_start, uniform
from ludus.game import CHANCE, max_plies, odds, shaping, symmetries, transform, transform_action

LEARNER, TWIN, OPPONENT = "learner", "twin", "opponent"


class Options(NamedTuple):
    """The settings of `q-table`: schedules as functions, and how the side to move stores a position."""

    epsilon: object = lambda games, lost: 0.1
    alpha: object = lambda times: 1.0 / times
    gamma: float = 1.0
    over_all: bool = False
    first_of_ties: bool = False
    by_role: bool = False
    seen: object = lambda pos: pos
    symmetry: bool = False
    random_plies: int = 0
    random_players: object = None  # players; None: drawn for each game
    backward: bool = False
    win: float = 1.0
    loss: float = -1.0
    draw: float = 0.0
    margin: bool = False
    shaped: bool = False


def draw_evenly(game, pos, stream):
    """The action of the opponent `random`."""
    legal = actions(game.legal(pos))
    return legal[below(stream, len(legal))]


class NaiveTrainer:
    """A training: `values` and `visits` by (who, table, position, action), and the results of the games."""

    def __init__(self, game, options, *, seed=0, cap=0, opponent=draw_evenly):
        self.game, self.options, self.opponent = game, options, opponent
        self.key, self.cap = stream_key(seed), cap or max_plies(game)
        self.values, self.visits = defaultdict(float), defaultdict(int)
        self.met = set()
        self.lost = [0.5, 0.5]
        self.results = [[0, 0, 0, 0], [0, 0, 0, 0]]  # wins, draws, losses, cut games of the learner as player 0 and 1
        self.games = self.plies = 0
        self.stream = new_state()

    def play(self, games, holders):
        """Play more games; `holders` names who plays for players 0 and 1 in even and in odd games."""
        for _ in range(games):
            self.play_game(holders[self.games % 2])
            self.games += 1

    def play_game(self, holders):
        self.stream[0] = stream_start(self.key, self.games)
        self.last, self.earned, self.moves = {}, [0.0, 0.0], []
        self.sets_out = self.options.random_plies > 0  # the first decision after the random opening plies is random too
        self.random_plies_left = below(self.stream, self.options.random_plies + 1) if self.options.random_plies else 0
        self.random_players = self.options.random_players
        if self.options.random_plies and self.random_players is None:
            self.random_players = [(0,), (1,), (0, 1)][below(self.stream, 3)]
        pos, plies = self.game.start(), 0
        while self.game.legal(pos) and (not self.cap or plies < self.cap):
            action = self.action(pos, holders)
            after = self.game.play(pos, action)
            if self.options.shaped and self.game.player(pos) != CHANCE:
                self.earned[self.game.player(pos)] += shaping(self.game, after)
            pos, plies = after, plies + 1
            self.plies += 1
            self.random_plies_left = max(self.random_plies_left - 1, 0)
        self.end(pos, holders)

    def chance(self, pos):
        """The action that CHANCE draws: each lies in an urn as often as its odds."""
        urn = [action for action in actions(self.game.legal(pos)) for _ in range(odds(self.game, pos, action))]
        return urn[below(self.stream, len(urn))]

    def action(self, pos, holders):
        player = self.game.player(pos)
        if player == CHANCE:
            return self.chance(pos)
        if holders[player] == OPPONENT:
            return self.opponent(self.game, pos, self.stream)
        return (self.open_randomly if self.random_plies_left else self.decide)(pos, player, holders[player])

    def names(self, pos, who):
        """A function from an action to the key of its value."""
        table = self.game.player(pos) if self.options.by_role else 0
        count = symmetries(self.game) if self.options.symmetry else 1
        kept, symmetry = min((transform(self.game, pos, s) if s else pos, s) for s in range(count))
        return lambda action: (
            who,
            table,
            self.options.seen(kept),
            transform_action(self.game, pos, action, symmetry) if symmetry and action is not None else action,
        )

    def known(self, name, legal):
        """The values of the legal actions of a position."""
        return {action: self.values.get(name(action), 0.0) for action in legal}

    def best(self, name, legal):
        """The highest action value of a position; with `over_all` an illegal action, of value 0, counts too."""
        top = max(self.known(name, legal).values())
        return max(top, 0.0) if self.options.over_all and len(legal) < self.game.num_actions else top

    def open_randomly(self, pos, player, who):
        name, legal = self.names(pos, who), actions(self.game.legal(pos))
        if player in self.random_players or name(None)[:3] not in self.met:
            return legal[below(self.stream, len(legal))]
        return self.one_of_best(legal, self.known(name, legal))

    def decide(self, pos, player, who):
        name, legal = self.names(pos, who), actions(self.game.legal(pos))
        if player in self.last and not self.options.backward:
            self.teach(self.last[player], self.earned[player] + self.options.gamma * self.best(name, legal))
            self.earned[player] = 0.0
        action = self.pick(player, legal, self.known(name, legal))
        self.met.add(name(action)[:3])
        self.last[player] = name(action)
        self.moves.append((player, name, legal, name(action)))
        return action

    def pick(self, player, legal, known):
        is_first, self.sets_out = self.sets_out, False
        if is_first or uniform(self.stream) < self.options.epsilon(self.games, self.lost[player]):
            return legal[below(self.stream, len(legal))]
        return self.one_of_best(legal, known)

    def one_of_best(self, legal, known):
        ties = [action for action in legal if known[action] == max(known.values())]
        return ties[0] if len(ties) == 1 or self.options.first_of_ties else ties[below(self.stream, len(ties))]

    def teach(self, key, target):
        self.visits[key] += 1
        self.values[key] += self.options.alpha(self.visits[key]) * (target - self.values[key])

    def end(self, pos, holders):
        is_cut = bool(self.game.legal(pos))
        scores = [0 if is_cut else self.game.score(pos) * sign for sign in (1, -1)]
        if self.options.backward:
            self.look_back({} if is_cut else {player: self.reward(scores[player]) for player in (0, 1)})
        elif not is_cut:
            for player, key in sorted(self.last.items()):
                self.teach(key, self.earned[player] + self.reward(scores[player]))
        for player, own in enumerate(scores):
            if not is_cut:
                self.lost[player] = 0.99 * self.lost[player] + (1 - 0.99) * (own < 0)
            if holders[player] == LEARNER:
                self.results[player][3 if is_cut else 1 - (own > 0) + (own < 0)] += 1

    def reward(self, own):
        options = self.options
        return own if options.margin else (options.draw, options.win, options.loss)[(own > 0) - (own < 0)]

    def look_back(self, targets):
        """Update all moves from the last to the first, each towards the value of its player's next position."""
        for player, name, legal, key in reversed(self.moves):
            if player in targets:
                self.teach(key, targets[player])
            targets[player] = self.options.gamma * self.best(name, legal)

    def learned(self, who=LEARNER):
        """{(table, position): {action: (value, visits)}} of every updated action."""
        known = defaultdict(dict)
        for (whose, table, pos, action), visits in self.visits.items():
            if whose == who:
                known[table, pos][action] = self.values[whose, table, pos, action], visits
        return dict(known)
