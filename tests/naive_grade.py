"""A grade once more, by plain recursion over dicts: for small games without loops or chance."""

from functools import cache

import pytest

from ludus.agents.agent import probabilities
from ludus.compiled.masks import actions
from ludus.game import banked


class Naive:
    """Values, decisions and the agent's choices in them, computed again with dicts."""

    def __init__(self, game, agent):
        self.game, self.agent = game, agent
        self.value = cache(self._value)
        self.policy = cache(self._policy)

    def after(self, pos):
        return {action: self.game.play(pos, action) for action in actions(self.game.legal(pos))}

    def _policy(self, pos):
        """Empty where the agent resigns."""
        shares = probabilities(self.agent, self.game, pos)
        return {action: shares[action] / shares.sum() for action in self.after(pos) if shares[action] > 0}

    def _value(self, pos):
        """(score for player 0, plies)."""
        after = self.after(pos)
        if not after:
            return self.game.score(pos), 0
        side = 1 if self.game.player(pos) == 0 else -1
        values = [self.value(child) for child in after.values()]
        best = max(side * score for score, _ in values)
        plies = [plies + 1 for score, plies in values if side * score == best]
        return side * best, max(plies) if best < 0 else min(plies)

    def resigning(self, pos):
        """What the mover scores by resigning: a loss, by as much as it is behind or as the worst action loses."""
        side = 1 if self.game.player(pos) == 0 else -1
        worst = min(side * self.value(child)[0] for child in self.after(pos).values())
        return min(-1, side * banked(self.game, pos), worst)

    def reachable(self, seat=None):
        """All positions, or those that can arise with the agent in a seat."""
        found, waiting = {self.game.start()}, [self.game.start()]
        while waiting:
            pos = waiting.pop()
            after = self.after(pos)
            if after and self.game.player(pos) == seat:
                after = {action: after[action] for action in self.policy(pos)}
            new = set(after.values()) - found
            found |= new
            waiting += new
        return found

    def tally(self, positions):
        """(decisions, optimal, fastest, blunders by kind, mean loss)."""
        decisions, optimal, fastest, blunders, losses = 0, 0.0, 0.0, [0.0, 0.0, 0.0], []
        for pos in positions:
            side = 1 if self.game.player(pos) == 0 else -1
            values = {a: (side * self.value(child)[0], self.value(child)[1]) for a, child in self.after(pos).items()}
            resigned = {self.resigning(pos)} if values and not self.policy(pos) else set()
            if len({score for score, _ in values.values()} | resigned) < 2:
                continue
            decisions += 1
            best, plies = side * self.value(pos)[0], self.value(pos)[1] - 1
            for score in resigned:
                losses.append(best - score)
                blunders = [blunders[0], blunders[1] + (best > 0), blunders[2] + (best == 0)]
            if resigned:
                continue
            losses.append(sum(share * (best - values[a][0]) for a, share in self.policy(pos).items()))
            for action, share in self.policy(pos).items():
                score, length = values[action]
                optimal += share * (score == best)
                fastest += share * (score == best and (best == 0 or length == plies))
                kinds = [best > 0 == score, best > 0 > score, best == 0 > score]
                blunders = [count + share * kind for count, kind in zip(blunders, kinds, strict=True)]
        return decisions, optimal, fastest, blunders, sum(losses) / len(losses)

    def response(self, seat):
        """The score for the agent in this seat when the opponent does its best."""

        @cache
        def value(pos):
            after = self.after(pos)
            if not after:
                return self.game.score(pos) if seat == 0 else -self.game.score(pos)
            if self.game.player(pos) == seat and not self.policy(pos):
                return self.resigning(pos)
            if self.game.player(pos) == seat:
                return sum(share * value(after[action]) for action, share in self.policy(pos).items())
            return min(value(child) for child in after.values())

        return value(self.game.start())


def assert_same(tally, naive):
    """A tally of a grade holds the numbers of a naive one."""
    decisions, optimal, fastest, blunders, mean_loss = tally
    for number, other in zip((decisions, optimal, fastest, list(blunders), mean_loss), naive, strict=True):
        assert number == pytest.approx(other)
