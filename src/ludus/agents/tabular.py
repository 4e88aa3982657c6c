"""Tables of action values and visit counts, one for both players or one each, and the agents that play by them.

A position is found by the game's perfect index, by the index of its seat, or else by a hash table that grows. With
`symmetric`, the canonical position stands for all its images, and actions are stored as they are there.
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
NEW = -1  # the number of a position that is not in the table
_FIRST_ROOM = 1 << 10


class Entries(NamedTuple):
    """Tables as arrays; `by` is how positions are found: HASHED, INDEXED or SEATED."""

    values: npt.NDArray[np.float64]  # [tables, positions, actions]
    visits: npt.NDArray[np.uint32]  # [tables, positions, actions]
    rows: npt.NDArray[np.int64]  # [tables, positions, fields], if hashed
    slots: npt.NDArray[np.int32]  # [tables, 2 * positions], if hashed
    filled: npt.NDArray[np.int64]  # [tables], positions in use, if hashed
    by: int
    symmetric: bool

    @property
    def room(self) -> int:
        """The positions that fit in a table."""
        return int(self.values.shape[1])

    def first_tables(self, tables: int) -> Entries:
        """A copy of the first tables."""
        arrays: dict[str, Any] = {name: getattr(self, name)[:tables].copy() for name in self._fields[:5]}
        return self._replace(**arrays)

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
    """A copy with twice the room."""
    room = entries.room
    larger = _sized(game, len(entries.values), 2 * room, entries.by, entries.symmetric)
    larger.values[:, :room], larger.visits[:, :room], larger.rows[:, :room] = entries[:3]
    larger.filled[:] = entries.filled
    rehash(larger)
    return larger


def rehash(entries: Entries) -> None:
    """Fill the empty hash tables."""
    for rows, slots, filled in zip(entries.rows, entries.slots, entries.filled, strict=True):
        enter_all(rows, slots, int(filled))


def met(entries: Entries) -> list[int]:
    """The number of positions visited, by table."""
    return [int(count) for count in np.count_nonzero(entries.visits.any(axis=2), axis=1)]


@helper
def symmetry_for(game: Any, pos: Any, entries: Entries) -> int:
    """The symmetry that takes a position to its canonical image."""
    return canonical_symmetry(game, pos) if entries.symmetric else 0


@helper
def stored_action(game: Any, pos: Any, action: int, symmetry: int) -> int:
    """The action as it is stored: in the canonical image."""
    return transform_action(game, pos, action, symmetry) if symmetry else action


@helper
def find_entry(game: Any, pos: Any, symmetry: int, entries: Entries, table: int, row: Row) -> int:
    """The number of a position in a table, or NEW; leaves its fields in `row`."""
    if entries.by == INDEXED:
        return index(game, pos)
    if entries.by == SEATED:
        return seat_index(game, pos)
    pack(transform(game, pos, symmetry) if symmetry else pos, row)
    return int(entries.slots[table, find_slot(entries.rows[table], entries.slots[table], row)]) - 1


@helper
def locate(game: Any, pos: Any, entries: Entries) -> tuple[int, int, int]:
    """The table of the side to move, the number of the position there, or NEW, and its symmetry."""
    table = game.player(pos) if len(entries.values) == 2 else 0
    symmetry = symmetry_for(game, pos, entries)
    return table, find_entry(game, pos, symmetry, entries, table, np.zeros(len(pos), np.int64)), symmetry


@helper
def add_entry(entries: Entries, table: int, row: Row) -> int:
    """The number of a position that `find_entry` did not find; NEW if there is no room for it."""
    number = int(entries.filled[table])
    if number == entries.values.shape[1]:
        return NEW
    for field in range(len(row)):
        entries.rows[table, number, field] = row[field]
    entries.slots[table, find_slot(entries.rows[table], entries.slots[table], row)] = number + 1
    entries.filled[table] += 1
    return number


@helper
def visits_of(game: Any, pos: Any, entries: Entries) -> int:
    """The visits of all actions of a position."""
    table, number, _ = locate(game, pos, entries)
    return 0 if number == NEW else int(entries.visits[table, number].sum())


class Greedy(NamedTuple):
    """The greedy policy of a table: any action of the highest value, or the first; any in an unknown position."""

    entries: Entries
    takes_first: bool

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """All on the best."""
        table, number, symmetry = locate(game, pos, self.entries)
        top, ties = -np.inf, 0
        left = game.legal(pos)
        while not is_empty(left):
            stored = stored_action(game, pos, first(left), symmetry)
            value = 0.0 if number == NEW else self.entries.values[table, number, stored]
            if value > top:
                top, ties = value, 0
                out[:] = 0.0
            if value == top and (ties == 0 or not self.takes_first):
                ties += 1
                out[first(left)] = 1.0
            left = without_first(left)
        if ties:
            for action in range(len(out)):
                out[action] /= ties

    def evaluation(self, game: Any, pos: Any) -> dict[int, float]:
        """The value of each action."""
        table, number, symmetry = locate(game, pos, self.entries)
        values = np.zeros(num_actions(game)) if number == NEW else self.entries.values[table, number]
        return {
            action: float(values[stored_action(game, pos, action, symmetry)]) for action in actions(game.legal(pos))
        }

    def visits(self, game: Any, pos: Any) -> int:
        """The updates of a position in training."""
        return visits_of(game, pos, self.entries)


Weights = npt.NDArray[np.float64]


class Sampler(NamedTuple):
    """Draws actions by the weights in its table, uniformly in an unknown position."""

    entries: Entries

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """The weights."""
        left = game.legal(pos)
        table, number, symmetry = locate(game, pos, self.entries)
        total = 0.0
        if number != NEW:
            for stored in range(len(out)):
                total += self.entries.values[table, number, stored]
        if total == 0:
            share_equally(left, out)
            return
        while not is_empty(left):
            out[first(left)] = self.entries.values[table, number, stored_action(game, pos, first(left), symmetry)]
            left = without_first(left)

    def evaluation(self, game: Any, pos: Any) -> dict[int, float]:
        """The weight of each action."""
        out = np.zeros(num_actions(game))
        self.policy(game, pos, out)
        return {action: float(out[action]) for action in actions(game.legal(pos))}

    def visits(self, game: Any, pos: Any) -> int:
        """The updates of a position in training."""
        return visits_of(game, pos, self.entries)


@helper
def draw_by_weight(game: Any, pos: Any, mask: Mask, symmetry: int, weights: Weights, state: State) -> int:
    """An action drawn by weights, any of the mask where all are 0."""
    total = 0.0
    left = mask
    while not is_empty(left):
        total += weights[stored_action(game, pos, first(left), symmetry)]
        left = without_first(left)
    if total == 0.0:
        return nth(mask, below(state, count(mask)))
    point, action = uniform(state) * total, 0
    left = mask
    while not is_empty(left) and point >= 0.0:
        weight = weights[stored_action(game, pos, first(left), symmetry)]
        if weight > 0.0:
            action = first(left)
            point -= weight
        left = without_first(left)
    return action
