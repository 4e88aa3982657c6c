"""Play by a table that was learned."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.agents.agent import Probabilities
from ludus.agents.entries import NEW, Entries, find_entry, kept_as, symmetry_for
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
        entries = self.entries
        table = game.player(pos) if len(entries.values) == 2 else 0
        symmetry = symmetry_for(game, pos, entries)
        number = find_entry(game, pos, symmetry, entries, table, np.zeros(len(pos), np.int64))
        top, ties = -np.inf, 0
        left = game.legal(pos)
        while not is_empty(left):
            value = 0.0 if number == NEW else entries.values[table, number, kept_as(game, pos, first(left), symmetry)]
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
        table, symmetry = (
            game.player(pos) if len(self.entries.values) == 2 else 0,
            symmetry_for(game, pos, self.entries),
        )
        number = find_entry(game, pos, symmetry, self.entries, table, np.zeros(len(pos), np.int64))
        values = np.zeros(num_actions(game)) if number == NEW else self.entries.values[table, number]
        return {action: float(values[kept_as(game, pos, action, symmetry)]) for action in actions(game.legal(pos))}

    def visits(self, game: Any, pos: Any) -> int:
        """How often it was taught something about a position."""
        entries = self.entries
        table = game.player(pos) if len(entries.values) == 2 else 0
        symmetry = symmetry_for(game, pos, entries)
        number = find_entry(game, pos, symmetry, entries, table, np.zeros(len(pos), np.int64))
        return 0 if number == NEW else int(entries.visits[table, number].sum())
