"""SARSA and first-visit Monte Carlo control as plainly as they can be said, on the games of the naive Q-learner."""

from ludus.compiled.masks import actions
from naive.q_table import NaiveTrainer


class NaiveSarsa(NaiveTrainer):
    """The target of an action is the value of the action that its player takes next."""

    def decide(self, pos, player, who):
        name, legal = self.names(pos, who), actions(self.game.legal(pos))
        action = self.pick(player, legal, self.known(name, legal))
        if player in self.last:
            self.teach(self.last[player], self.options.gamma * self.values.get(name(action), 0.0))
        self.met.add(name(action)[:3])
        self.last[player] = name(action)
        return action


class NaiveMonteCarlo(NaiveTrainer):
    """The target of an action is the discounted reward of its player, at its first visit in a game."""

    def decide(self, pos, player, who):
        name, legal = self.names(pos, who), actions(self.game.legal(pos))
        action = self.pick(player, legal, self.known(name, legal))
        self.met.add(name(action)[:3])
        self.moves.append((player, name(action)))
        return action

    def end(self, pos, holders):
        if not self.game.legal(pos):
            for place, (player, key) in reversed(list(enumerate(self.moves))):
                later = sum(other == player for other, _ in self.moves[place + 1 :])
                if key not in [earlier for _, earlier in self.moves[:place]]:
                    reward = self.reward(self.game.score(pos) * (1 if player == 0 else -1))
                    for _ in range(later):
                        reward *= self.options.gamma
                    self.teach(key, reward)
        super().end(pos, holders)  # counts the result; nothing waits there
