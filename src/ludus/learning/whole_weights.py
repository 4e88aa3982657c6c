"""Weights in whole per cents, as the program of the Mancala paper keeps, draws and shifts them.

It truncates towards nothing, never raises a weight of 0 again, and does not see to it that the weights of a position
add up to 100: what is above is cut off, and what is missing goes to one action. Actions are taken from the last to the
first: in Mancala from the hole farthest from the store.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.agents.agent import Probabilities
from ludus.agents.tabular import NEW, Entries, Weights, locate, stored_action, visits_of
from ludus.compiled.compiling import helper
from ludus.compiled.masks import Mask, actions, count, first, nth
from ludus.compiled.randomness import State, below
from ludus.game import num_actions

_ALL = 100


@helper
def per_cent(weight: float) -> int:
    """A weight in whole per cents."""
    return int(_ALL * weight + 0.5)


@helper
def whole_weight(many: int, place: int) -> int:
    """The per cents of one of several actions of a new position: as equal as can be, the first ones in order more."""
    return _ALL // many + (1 if place < _ALL % many else 0)


@helper
def draw_new_whole(mask: Mask, state: State) -> int:
    """An action of a position that is not in the table."""
    many, place = count(mask), 0
    point = below(state, _ALL) - whole_weight(many, place)
    while point >= 0:
        place += 1
        point -= whole_weight(many, place)
    return nth(mask, many - 1 - place)


@helper
def draw_whole(game: Any, pos: Any, mask: Mask, symmetry: int, weights: Weights, state: State) -> int:
    """An action drawn by weights in the table; the last in order if they end before the number drawn."""
    if weights.sum() == 0.0:
        return draw_new_whole(mask, state)
    place, point = count(mask), below(state, _ALL)
    while place > 0 and point >= 0:
        place -= 1
        point -= per_cent(weights[stored_action(game, pos, nth(mask, place), symmetry)])
    return nth(mask, place)


@helper
def shift_whole(weights: Weights, mask: Mask, action: int, step: float) -> None:
    """Scale the weight of an action by 1 + step, in whole per cents; the others that have any share the difference."""
    many = count(mask)
    if weights.sum() == 0.0:
        for place in range(many):
            weights[nth(mask, many - 1 - place)] = whole_weight(many, place) / _ALL
    if many == 1:
        return
    before = per_cent(weights[action])
    change = int(before * step)
    if change != 0:
        share_whole(weights, mask, action, -change)
        weights[action] = min(before + change, _ALL) / _ALL


@helper
def share_whole(weights: Weights, mask: Mask, spared: int, owed: int) -> None:
    """Add per cents to the others that have any but not all; what one cannot give, the next give less, not more."""
    others, sign = -1, 1 if owed > 0 else -1
    for action in range(len(weights)):
        others += 1 if per_cent(weights[action]) > 0 else 0
    each = abs(owed) // others * sign if others > 0 else owed
    more = abs(owed) % others if others > 0 else 0
    for place in range(count(mask) - 1, -1, -1):
        action = nth(mask, place)
        weight = per_cent(weights[action])
        if action != spared and 0 < weight < _ALL and owed != 0:
            weight += each + (sign if more > 0 else 0)
            owed, more = owed - each, more - 1
            if weight < 0:
                owed -= weight
            weights[action] = min(max(weight, 0), _ALL) / _ALL


class WholeSampler(NamedTuple):
    """Draws actions by the whole per cents in its table, as equal as can be in an unknown position."""

    entries: Entries

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """The weights up to 100 from the last action to the first, which has what is left."""
        mask = game.legal(pos)
        table, number, symmetry = locate(game, pos, self.entries)
        is_new = number == NEW or self.entries.values[table, number].sum() == 0.0
        left, many = _ALL, count(mask)
        for place in range(many):
            action = nth(mask, many - 1 - place)
            weight = whole_weight(many, place)
            if not is_new:
                weight = per_cent(self.entries.values[table, number, stored_action(game, pos, action, symmetry)])
            out[action] = min(weight, left) / _ALL
            left -= min(weight, left)
        if many > 0:
            out[first(mask)] += left / _ALL

    def evaluation(self, game: Any, pos: Any) -> dict[int, float]:
        """The probability of each action."""
        out = np.zeros(num_actions(game))
        self.policy(game, pos, out)
        return {action: float(out[action]) for action in actions(game.legal(pos))}

    def visits(self, game: Any, pos: Any) -> int:
        """The updates of a position in training."""
        return visits_of(game, pos, self.entries)
