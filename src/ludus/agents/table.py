"""Play by a table that was learned."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.agents.agent import Probabilities
from ludus.agents.entries import NEW, Entries, kept_as, looked_up
from ludus.game import num_actions
from ludus.masks import actions, first, is_empty, without_first


class Greedy(NamedTuple):
    """Takes an action of the highest value in its table, any of several, or always the first; any where it knows none.

    A table was learned for both players, or one for each.
    """

    entries: Entries
    takes_first: bool

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """All on the best."""
        table, number, symmetry = looked_up(game, pos, self.entries)
        top, ties = -np.inf, 0
        left = game.legal(pos)
        while not is_empty(left):
            kept = kept_as(game, pos, first(left), symmetry)
            value = 0.0 if number == NEW else self.entries.values[table, number, kept]
            if value > top:
                top, ties = value, 0
                out[:] = 0.0
            if value == top and (ties == 0 or not self.takes_first):
                ties += 1
                out[first(left)] = 1.0
            left = without_first(left)
        if ties:
            out /= ties

    def opinion(self, game: Any, pos: Any) -> dict[int, float]:
        """The value of each action."""
        table, number, symmetry = looked_up(game, pos, self.entries)
        values = np.zeros(num_actions(game)) if number == NEW else self.entries.values[table, number]
        return {action: float(values[kept_as(game, pos, action, symmetry)]) for action in actions(game.legal(pos))}

    def visits(self, game: Any, pos: Any) -> int:
        """How often it was taught something about a position."""
        table, number, _ = looked_up(game, pos, self.entries)
        return 0 if number == NEW else int(self.entries.visits[table, number].sum())
