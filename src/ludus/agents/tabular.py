"""What a learner keeps of the positions it has met: a number and a count for each action, in one table or one a player.

A position is found by the game's perfect index, by the index of its seat, or else by a hash table that grows. With
`symmetric` one position stands for all alike, and its actions are named as they are there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.agents.agent import Probabilities, share_equally
from ludus.compiled.compiling import helper
from ludus.compiled.masks import Mask, actions, count, first, is_empty, nth, without_first
from ludus.compiled.randomness import State, below, uniform
from ludus.compiled.rows import Row, pack
from ludus.game import (
    gives_seat_index,
    index,
    num_actions,
    num_positions,
    num_seat_positions,
    seat_index,
    transform,
    transform_action,
)
from ludus.solving.position_index import canonical_symmetry, enter_all, find_slot

HASHED, INDEXED, SEATED = range(3)  # how a position is found

NEW = -1  # in place of the number of a position that was not met


_FIRST_ROOM = 1 << 10


class Entries(NamedTuple):
    """Arrays over tables, positions and actions; `filled` says how many positions each table has met, if hashed."""

    values: npt.NDArray[np.float64]
    visits: npt.NDArray[np.uint32]
    rows: npt.NDArray[np.int64]
    slots: npt.NDArray[np.int32]
    filled: npt.NDArray[np.int64]
    by: int
    symmetric: bool

    @property
    def room(self) -> int:
        """The positions that a table has room for."""
        return int(self.values.shape[1])

    def of_first(self, tables: int) -> Entries:
        """The first tables alone, as they are now."""
        return self._replace(
            values=self.values[:tables].copy(),
            visits=self.visits[:tables].copy(),
            rows=self.rows[:tables].copy(),
            slots=self.slots[:tables].copy(),
            filled=self.filled[:tables].copy(),
        )

    @property
    def memory(self) -> int:
        """Bytes in all."""
        return sum(array.nbytes for array in self[:5])


def new_entries(game: Any, tables: int, *, by_seat: bool, symmetric: bool) -> Entries:
    """Empty tables; `by_seat` if each is for one player."""
    by = HASHED if symmetric or not num_positions(game) else SEATED if by_seat and gives_seat_index(game) else INDEXED
    if by == SEATED:
        room = max(num_seat_positions(game, player) for player in (0, 1))
    else:
        room = _FIRST_ROOM if by == HASHED else num_positions(game)
    return _sized(game, tables, room, by, symmetric)


def _sized(game: Any, tables: int, room: int, by: int, symmetric: bool) -> Entries:
    hashed = by == HASHED
    return Entries(
        np.zeros((tables, room, num_actions(game))),
        np.zeros((tables, room, num_actions(game)), np.uint32),
        np.zeros((tables, room if hashed else 0, len(game.start())), np.int64),
        np.zeros((tables, 2 * room if hashed else 0), np.int32),
        np.zeros(tables, np.int64),
        by,
        symmetric,
    )


def grown(game: Any, entries: Entries) -> Entries:
    """The same with twice the room."""
    room = entries.room
    larger = _sized(game, len(entries.values), 2 * room, entries.by, entries.symmetric)
    larger.values[:, :room], larger.visits[:, :room], larger.rows[:, :room] = entries[:3]
    larger.filled[:] = entries.filled
    rehash(larger)
    return larger


def rehash(entries: Entries) -> None:
    """Enter all positions into the hash tables, which are empty."""
    for rows, slots, filled in zip(entries.rows, entries.slots, entries.filled, strict=True):
        enter_all(rows, slots, int(filled))


def met(entries: Entries) -> list[int]:
    """How many positions each table has met."""
    return [int(count) for count in np.count_nonzero(entries.visits.any(axis=2), axis=1)]


@helper
def symmetry_for(game: Any, pos: Any, entries: Entries) -> int:
    """The symmetry by which a position is kept."""
    return canonical_symmetry(game, pos) if entries.symmetric else 0


@helper
def kept_as(game: Any, pos: Any, action: int, symmetry: int) -> int:
    """The action under which what belongs to an action is kept."""
    return transform_action(game, pos, action, symmetry) if symmetry else action


@helper
def find_entry(game: Any, pos: Any, symmetry: int, entries: Entries, table: int, row: Row) -> int:
    """The number of a position in a table, or NEW; its fields are in `row` then."""
    if entries.by == INDEXED:
        return index(game, pos)
    if entries.by == SEATED:
        return seat_index(game, pos)
    pack(transform(game, pos, symmetry) if symmetry else pos, row)
    return int(entries.slots[table, find_slot(entries.rows[table], entries.slots[table], row)]) - 1


@helper
def looked_up(game: Any, pos: Any, entries: Entries) -> tuple[int, int, int]:
    """The table of whoever moves in a position, its number there, or NEW, and the symmetry by which it is kept."""
    table = game.player(pos) if len(entries.values) == 2 else 0
    symmetry = symmetry_for(game, pos, entries)
    return table, find_entry(game, pos, symmetry, entries, table, np.zeros(len(pos), np.int64)), symmetry


@helper
def add_entry(entries: Entries, table: int, row: Row) -> int:
    """The number of a position that `find_entry` did not find; NEW if there is no room for it."""
    number = int(entries.filled[table])
    if number == entries.values.shape[1]:
        return NEW
    entries.rows[table, number] = row
    entries.slots[table, find_slot(entries.rows[table], entries.slots[table], row)] = number + 1
    entries.filled[table] += 1
    return number


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

    def evaluation(self, game: Any, pos: Any) -> dict[int, float]:
        """The value of each action."""
        table, number, symmetry = looked_up(game, pos, self.entries)
        values = np.zeros(num_actions(game)) if number == NEW else self.entries.values[table, number]
        return {action: float(values[kept_as(game, pos, action, symmetry)]) for action in actions(game.legal(pos))}

    def visits(self, game: Any, pos: Any) -> int:
        """How often it was taught something about a position."""
        table, number, _ = looked_up(game, pos, self.entries)
        return 0 if number == NEW else int(self.entries.visits[table, number].sum())


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

    def evaluation(self, game: Any, pos: Any) -> dict[int, float]:
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
