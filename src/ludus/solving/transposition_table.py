"""The transposition table: bounds of values in a table that grows with the search and keeps the costliest positions.

An entry is two words: sixty-three bits of a hash, the key, combined with the packed bounds so that concurrent writes
spoil no entry, and the bounds, which hold seven bits of another hash, the tag. The key alone says where an entry is, so
that a table can grow. Two positions are confused about once in 2**68 lookups.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import helper, kernel
from ludus.compiled.randomness import ALL_BITS, mixed
from ludus.game import symmetries, transform

Table = npt.NDArray[np.int64]  # [entries, 2]
MOST = (1 << 19) - 1  # the largest value that can be stored
WAYS = 4  # entries where a position can be: one cache line
NO_ACTION = 1023
FIRST_ENTRIES = 1 << 12  # of a table that grows
_LINE_BYTES = WAYS * 16
_FACTORS = (0x9E3779B97F4A7C15, 0xD1342543DE82EF95)
_TAG_BITS = 7  # the lowest of the bounds
_TAG = (1 << _TAG_BITS) - 1


def new_table(memory: int) -> Table:
    """An empty table of at most `memory` bytes, or of one line; aligned to cache lines."""
    lines = 1 << max((memory // _LINE_BYTES).bit_length() - 1, 0)
    room = np.zeros((lines + 1) * _LINE_BYTES // 8, np.int64)
    skipped = -room.ctypes.data % _LINE_BYTES // 8
    return room[skipped : skipped + lines * _LINE_BYTES // 8].reshape(-1, 2)


class Growing:
    """A table of at most `memory` bytes that several searches share: they use its first part, which grows with them.

    Memory that was never used costs nothing, and the small table of a short search stays in the processor's cache.
    """

    def __init__(self, memory: int) -> None:
        self._room, self._lock = new_table(memory), Lock()
        self.table = self._room[: min(len(self._room), FIRST_ENTRIES)]

    @property
    def most_bytes(self) -> int:
        """The bytes of the table when it has grown."""
        return self._room.nbytes

    @property
    def is_grown(self) -> bool:
        """Whether the table can be no larger."""
        return len(self.table) == len(self._room)

    def with_room_for(self, entries: int) -> Table:
        """The table with at least so many entries, if memory allows; one search at a time makes it larger."""
        if len(self.table) < entries and not self.is_grown:
            with self._lock:
                while len(self.table) < entries and not self.is_grown:
                    larger = self._room[: 2 * len(self.table)]
                    split_lines(larger)
                    self.table = larger
        return self.table


@kernel
def split_lines(table: Table) -> None:
    """Makes use of the second half of a table: from each line of the first, some entries move to a line there."""
    half = len(table) // 2
    for slot in range(half):
        check, bounds = int(table[slot, 0]), int(table[slot, 1])
        if bounds != 0 and line_of(table, check ^ bounds) >= half:
            table[slot, 1] = table[slot, 0] = 0
            table[half + slot, 0], table[half + slot, 1] = check, bounds


@helper
def least_image(game: Any, pos: Any) -> Any:
    """The least image of a position under symmetry."""
    least = pos
    for symmetry in range(1, symmetries(game)):
        image = transform(game, pos, symmetry)
        if image < least:
            least = image
    return least


@helper
def hashed(game: Any, pos: Any) -> tuple[int, int]:
    """The key and the tag of a position up to symmetry."""
    fields = least_image(game, pos)
    key, tag = (
        sum(int(field) * pow(factor, place, 1 << 64) for place, field in enumerate(fields, 1)) & ALL_BITS
        for factor in _FACTORS
    )
    return mixed(key) >> 1, tag >> 64 - _TAG_BITS


@hashed.compiled
def _hashed(game: Any, pos: Any) -> Callable[..., Any]:
    # Written out by field: factors become constants, and nothing goes through memory.
    sums = [
        " + ".join(
            f"np.uint64(least[{place}]) * np.uint64({pow(factor, place + 1, 1 << 64)})"
            for place in range(len(pos.fields))
        )
        for factor in _FACTORS
    ]
    source = f"""
def hashed(game, pos):
    least = least_image(game, pos)
    return np.int64(mixed({sums[0]}) >> np.uint64(1)), np.int64(({sums[1]}) >> np.uint64({64 - _TAG_BITS}))
"""
    scope: dict[str, Any] = {"np": np, "least_image": least_image, "mixed": mixed}
    exec(source, scope)
    return cast(Callable[..., Any], scope["hashed"])


@helper
def packed(lower: int, upper: int, action: int, effort: int, tag: int) -> int:
    """The bounds of an entry in one word; never 0, which is an empty entry."""
    return (((lower + MOST + 1) << 20 | upper + MOST + 1) << 10 | action ^ NO_ACTION) << 13 | effort << _TAG_BITS | tag


@helper
def lower_of(bounds: int) -> int:
    """The lower bound."""
    return (bounds >> 43) - MOST - 1


@helper
def upper_of(bounds: int) -> int:
    """The upper bound."""
    return (bounds >> 23 & 0xFFFFF) - MOST - 1


@helper
def action_of(bounds: int) -> int:
    """The best action, or NO_ACTION."""
    return bounds >> 13 & NO_ACTION ^ NO_ACTION


@helper
def effort_of(bounds: int) -> int:
    """How costly the bounds were."""
    return bounds >> _TAG_BITS & 63


@helper
def line_of(table: Table, key: int) -> int:
    """The first slot where a position can be."""
    return (key & len(table) // WAYS - 1) * WAYS


@helper
def matches(check: int, bounds: int, key: int, tag: int) -> bool:
    """Whether the two words of an entry, each read once, belong to these hashes."""
    return check ^ bounds == key and bounds & _TAG == tag


@helper
def look_up(table: Table, key: int, tag: int) -> int:
    """The packed bounds of a position, 0 for none."""
    start = line_of(table, key)
    for slot in range(start, start + WAYS):
        check, bounds = int(table[slot, 0]), int(table[slot, 1])
        if matches(check, bounds, key, tag):
            return bounds
    return 0


@helper
def keep(table: Table, key: int, tag: int, lower: int, upper: int, action: int, effort: int) -> None:
    """Stores bounds of a position, intersected with those known, in place of the entry of least effort."""
    start = line_of(table, key)
    place, least = start, 64
    for slot in range(start, start + WAYS):
        check, bounds = int(table[slot, 0]), int(table[slot, 1])
        if matches(check, bounds, key, tag):
            place = slot
            lower, upper = max(lower, lower_of(bounds)), min(upper, upper_of(bounds))
            action = action_of(bounds) if action == NO_ACTION else action
            break
        if effort_of(bounds) < least:
            place, least = slot, effort_of(bounds)
    bounds = packed(lower, upper, action, effort, tag)
    table[place, 0] = key ^ bounds
    table[place, 1] = bounds
