"""Move weights in dictionaries: how likely each action of a position is, shifted after every game by its result."""

from collections import defaultdict

from ludus.compiled.randomness import below, new_state, stream_key, stream_start, uniform

LEARNER, TWIN, OPPONENT = "learner", "twin", "opponent"


def shifted(weights, action, factor, won):
    """The weights, a dictionary over the legal actions, after an action won or lost by this factor."""
    after = dict(weights)
    others = [other for other in weights if other != action]
    if not others:
        return after
    after[action] = min(1.0, weights[action] * (1 + factor)) if won else weights[action] * (1 - factor)
    owed = after[action] - weights[action]
    if owed < 0:
        for other in others:
            after[other] += -owed / len(others)
    while owed > 1e-15 and any(after[other] > 0 for other in others):
        givers = [other for other in others if after[other] > 0]
        share = owed / len(givers)
        for other in givers:
            given = min(share, after[other])
            after[other] -= given
            owed -= given
    return after


def started(actions):
    """Whole per cents of a new position: as equal as can be, the last actions first."""
    order = sorted(actions, reverse=True)
    return {action: 100 // len(order) + (place < 100 % len(order)) for place, action in enumerate(order)}


def drawn(per_cents, point):
    """The action that whole per cents give for a number from 0 to 99: counted from the last, the first has the rest."""
    order = sorted(per_cents, reverse=True)
    numbers = [action for action in order for _ in range(per_cents[action])]
    return numbers[point] if point < len(numbers) else order[-1]


def shifted_whole(per_cents, action, step):
    """Whole per cents after an action is won or lost, truncated, and shared by others that have any but not all."""
    after, change = dict(per_cents), int(per_cents[action] * step)
    if len(per_cents) == 1 or change == 0:
        return after
    after[action] = min(100, per_cents[action] + change)
    others = sum(each > 0 for each in per_cents.values()) - 1
    owed, one = -change, 1 if change < 0 else -1
    share = int(owed / others) if others else owed
    extra = abs(owed) % others if others else 0
    for other in sorted(per_cents, reverse=True):
        if other == action or per_cents[other] in (0, 100) or owed == 0:
            continue
        wanted = per_cents[other] + share + (one if extra > 0 else 0)
        owed, extra = owed - share, extra - 1
        if wanted < 0:
            owed += -wanted
        after[other] = max(0, min(100, wanted))
    return after


class NaiveTrainer:
    """A learner and its twin in a game with `start`, `player`, `legal` (a list), `play` and `score`.

    `view(state)` gives the key of a position and a function that renames actions to what they are called there;
    `chance(state, stream)` an action where no player moves.
    """

    def __init__(self, game, view, win=0.7, loss=0.7, chance=None, cap=None, shrink=None, **program):
        self.game, self.view, self.chance, self.cap = game, view, chance, cap
        self.factors, self.shrink = {True: win, False: loss}, shrink
        self.program, self.score = program, 0  # late, whole, ties_lost: as the paper's program does
        self.weights = {LEARNER: {}, TWIN: {}}
        self.visits = {LEARNER: defaultdict(int), TWIN: defaultdict(int)}

    def learn(self, games, holders, seed=0):
        """Play games; `holders` names who plays for players 0 and 1 in even and in odd ones."""
        for number in range(games):
            stream = new_state()
            stream[0] = stream_start(stream_key(seed), number)
            self.play(holders[number % 2], stream)

    def play(self, holders, stream):
        """Play one game, and teach what it shows."""
        state, moves, plies = self.game.start(), {0: [], 1: []}, 0
        while self.game.legal(state) and plies != self.cap:
            player, legal = self.game.player(state), self.game.legal(state)
            if player not in (0, 1):
                action = self.chance(state, stream)
            elif holders[player] == OPPONENT:
                action = legal[below(stream, len(legal))]
            else:
                action = self.choose(holders[player], state, stream)
                moves[player].append((holders[player], state, action))
            state, plies = self.game.play(state, action), plies + 1
        before, self.score = self.score, 0 if self.game.legal(state) else self.game.score(state)
        score = before if self.program.get("late") else self.score
        if score != 0:
            for player in (0, 1):
                self.teach(moves[player], won=(score > 0) == (player == 0))
        elif self.program.get("ties_lost"):
            self.teach(moves[1], won=False)

    def choose(self, who, state, stream):
        """By weight; all alike in a new position."""
        legal = self.game.legal(state)
        key, rename = self.view(state)
        if self.program.get("whole"):
            known = self.weights[who].get(key)
            per_cents = {each: round(100 * known[rename(each)]) for each in legal} if known else started(legal)
            return drawn(per_cents, below(stream, 100))
        if key not in self.weights[who]:
            return legal[below(stream, len(legal))]
        weights = self.weights[who][key]
        possible = [action for action in legal if weights[rename(action)] > 0]
        point = uniform(stream) * sum(weights[rename(action)] for action in legal)
        for action in possible:
            point -= weights[rename(action)]
            if point < 0:
                return action
        return possible[-1]

    def teach(self, moves, *, won):
        """Shift the weights of one player's moves, the last by the whole factor."""
        factor = self.factors[won]
        for who, state, action in reversed(moves):
            if factor < 0.01:
                return
            key, rename = self.view(state)
            names = [rename(legal) for legal in self.game.legal(state)]
            self.weights[who][key] = self.shift(self.weights[who].get(key), names, rename(action), factor, won)
            self.visits[who][key, rename(action)] += 1
            factor *= self.shrink or self.factors[won]

    def shift(self, weights, names, action, factor, won):
        """The weights of a position after an action in it; None for a new one."""
        if not self.program.get("whole"):
            return shifted(weights or {name: 1 / len(names) for name in names}, action, factor, won)
        known = {name: round(100 * weight) for name, weight in weights.items()} if weights else started(names)
        after = shifted_whole(known, action, factor if won else -factor)
        return {name: each / 100 for name, each in after.items()}
