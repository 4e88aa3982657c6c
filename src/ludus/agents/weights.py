"""Play by weights that were learned: each action as often as its weight says."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.agents.agent import Probabilities, share_equally
from ludus.agents.entries import NEW, Entries, kept_as, looked_up
from ludus.compiling import helper
from ludus.game import num_actions
from ludus.masks import Mask, actions, count, first, is_empty, nth, without_first
from ludus.randomness import State, below, uniform

Weights = npt.NDArray[np.float64]


class Sampler(NamedTuple):
    """Draws actions by the weights in its table, all alike where it knows none."""

    entries: Entries

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """The weights."""
        left = game.legal(pos)
        table, number, symmetry = looked_up(game, pos, self.entries)
        if number == NEW or self.entries.values[table, number].sum() == 0:
            share_equally(left, out)
            return
        while not is_empty(left):
            out[first(left)] = self.entries.values[table, number, kept_as(game, pos, first(left), symmetry)]
            left = without_first(left)

    def opinion(self, game: Any, pos: Any) -> dict[int, float]:
        """The weight of each action."""
        out = np.zeros(num_actions(game))
        self.policy(game, pos, out)
        return {action: float(out[action]) for action in actions(game.legal(pos))}

    def visits(self, game: Any, pos: Any) -> int:
        """How often it was taught something about a position."""
        table, number, _ = looked_up(game, pos, self.entries)
        return 0 if number == NEW else int(self.entries.visits[table, number].sum())


@helper
def draw_by_weight(game: Any, pos: Any, mask: Mask, symmetry: int, weights: Weights, state: State) -> int:
    """An action drawn by weights, which are kept under a symmetry; any of the mask where all are 0."""
    total = 0.0
    left = mask
    while not is_empty(left):
        total += weights[kept_as(game, pos, first(left), symmetry)]
        left = without_first(left)
    if total == 0.0:
        return nth(mask, below(state, count(mask)))
    point, action = uniform(state) * total, 0
    left = mask
    while not is_empty(left) and point >= 0.0:
        weight = weights[kept_as(game, pos, first(left), symmetry)]
        if weight > 0.0:
            action = first(left)
            point -= weight
        left = without_first(left)
    return action
