"""Every position that can be reached, listed once, in the order of the fewest plies that lead to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiling import helper, kernel
from ludus.game import validate
from ludus.masks import count, first, is_empty, without_first
from ludus.randomness import ALL_BITS, mixed
from ludus.rows import Row, pack, unpack

Table = npt.NDArray[np.int64]  # of row numbers plus one; 0 is an empty slot

_FIRST_CAPACITY = 1 << 12
_STEP = 1 << 16  # positions expanded between two calls of `progress`


class Explored(NamedTuple):
    """The positions found, as rows of fields, and what was counted on the way.

    Incomplete when `limit` cut it: then the last level is partial and only positions before it were looked into.
    """

    positions: Row
    level_sizes: list[int]
    edges: int
    ended: int
    complete: bool


def explore(
    game: Any,
    start: Any = None,
    *,
    limit: int = 10_000_000,
    progress: Callable[[int], None] | None = None,
) -> Explored:
    """List the positions reachable from `start`, the game's own by default, stopping soon after `limit` of them."""
    validate(game)
    like = game.start() if start is None else start
    rows = np.zeros((_FIRST_CAPACITY, len(like)), np.int64)
    table = np.zeros(2 * _FIRST_CAPACITY, np.int64)
    counts = np.zeros(2, np.int64)  # edges, ended
    pack(like, rows[0])
    insert(rows, table, 0)
    done, filled, level_ends = 0, 1, [1]
    while done < filled <= limit:
        before = done
        done, filled = expand(game, like, rows, table, done, min(level_ends[-1], done + _STEP), filled, counts)
        if done == level_ends[-1] and filled > done:
            level_ends.append(filled)
        if done == before or 2 * (filled + 1) >= len(rows):
            rows, table = _grown(rows, filled)
        if progress:
            progress(filled)
    if filled > level_ends[-1]:
        level_ends.append(filled)
    sizes = [int(size) for size in np.diff([0, *level_ends])]
    return Explored(rows[:filled], sizes, int(counts[0]), int(counts[1]), done == filled)


def _grown(rows: Row, filled: int) -> tuple[Row, Table]:
    """Twice the room, and a table to match."""
    larger = np.zeros((2 * len(rows), rows.shape[1]), np.int64)
    larger[:filled] = rows[:filled]
    table = np.zeros(4 * len(rows), np.int64)
    insert_all(larger, table, filled)
    return larger, table


@kernel
def insert_all(rows: Row, table: Table, filled: int) -> None:
    """Enter the first `filled` rows into an empty table."""
    for number in range(filled):
        insert(rows, table, number)


@kernel
def expand(
    game: Any, like: Any, rows: Row, table: Table, done: int, end: int, filled: int, counts: npt.NDArray[np.int64]
) -> tuple[int, int]:
    """Append the successors of rows done .. end-1, stopping early when the rows run full; (done, filled) after it."""
    while done < end:
        pos = unpack(like, rows[done])
        mask = game.legal(pos)
        if filled + count(mask) >= len(rows):
            break
        counts[1] += is_empty(mask)
        while not is_empty(mask):
            pack(game.play(pos, first(mask)), rows[filled])
            filled += insert(rows, table, filled)
            counts[0] += 1
            mask = without_first(mask)
        done += 1
    return done, filled


@helper
def insert(rows: Row, table: Table, number: int) -> bool:
    """Enter a row into the table unless an equal one is there; whether it was new."""
    slot = hash_row(rows[number]) & (len(table) - 1)
    while table[slot] != 0:
        if equal_rows(rows, table[slot] - 1, number):
            return False
        slot = (slot + 1) & (len(table) - 1)
    table[slot] = number + 1
    return True


@helper
def equal_rows(rows: Row, a: int, b: int) -> bool:
    """Whether two rows hold the same position."""
    for field in range(rows.shape[1]):  # noqa: SIM110, a loop compiles and all() does not
        if rows[a, field] != rows[b, field]:
            return False
    return True


@helper
def hash_row(row: Row) -> int:
    """Sixty-two well mixed bits of a row."""
    word = 0x9E3779B97F4A7C15
    for field in range(len(row)):
        word = mixed(word ^ int(np.uint64(int(row[field]) & ALL_BITS)))
    return int(np.int64(word >> 2))
