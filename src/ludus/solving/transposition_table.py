"""The transposition table: bounds of values in a table of fixed size that keeps the costliest positions longest.

An entry is two words: sixty-three bits of a hash, combined with the packed bounds so that concurrent writes spoil no
entry, and the bounds, which hold seven more bits of the hash. The slot implies others: two positions are confused about
once in 2**90 lookups.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import helper
from ludus.compiled.randomness import ALL_BITS, mixed
from ludus.game import symmetries, transform

Table = npt.NDArray[np.int64]  # [entries, 2]
MOST = (1 << 19) - 1  # the largest value that can be stored
WAYS = 4  # entries where a position can be: one cache line
NO_ACTION = 1023
_LINE_BYTES = WAYS * 16
_FACTORS = (0x9E3779B97F4A7C15, 0xD1342543DE82EF95)
_TAG = 127  # the lowest bits of the bounds; in the hash the highest of sixty-three
_TAG_SHIFT = 56


def new_table(memory: int) -> Table:
    """An empty table of at most `memory` bytes, or of one line; aligned to cache lines."""
    lines = 1 << max((memory // _LINE_BYTES).bit_length() - 1, 0)
    room = np.zeros((lines + 1) * _LINE_BYTES // 8, np.int64)
    skipped = -room.ctypes.data % _LINE_BYTES // 8
    return room[skipped : skipped + lines * _LINE_BYTES // 8].reshape(-1, 2)


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
    """Two independent hashes of a position up to symmetry, of sixty-three bits."""
    fields = least_image(game, pos)
    sums = (
        sum(int(field) * pow(factor, place, 1 << 64) for place, field in enumerate(fields, 1)) for factor in _FACTORS
    )
    one, two = (mixed(total & ALL_BITS) for total in sums)
    return one >> 1, two >> 1


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
    return np.int64(mixed({sums[0]}) >> np.uint64(1)), np.int64(mixed({sums[1]}) >> np.uint64(1))
"""
    scope: dict[str, Any] = {"np": np, "least_image": least_image, "mixed": mixed}
    exec(source, scope)
    return cast(Callable[..., Any], scope["hashed"])


@helper
def packed(lower: int, upper: int, action: int, effort: int, tag: int) -> int:
    """The bounds of an entry in one word; never 0, which is an empty entry."""
    return (((lower + MOST + 1) << 20 | upper + MOST + 1) << 10 | action ^ NO_ACTION) << 13 | effort << 7 | tag


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
def matches(check: int, bounds: int, one: int, two: int) -> bool:
    """Whether the two words of an entry, each read once, belong to these hashes."""
    return check ^ bounds == two and bounds & _TAG == one >> _TAG_SHIFT


@helper
def look_up(table: Table, one: int, two: int) -> int:
    """The packed bounds of a position, 0 for none."""
    start = (one & len(table) // WAYS - 1) * WAYS
    for slot in range(start, start + WAYS):
        check, bounds = int(table[slot, 0]), int(table[slot, 1])
        if matches(check, bounds, one, two):
            return bounds
    return 0


@helper
def keep(table: Table, one: int, two: int, lower: int, upper: int, action: int, effort: int) -> None:
    """Stores bounds of a position, intersected with those known, in place of the entry of least effort."""
    start = (one & len(table) // WAYS - 1) * WAYS
    place, least = start, 64
    for slot in range(start, start + WAYS):
        check, bounds = int(table[slot, 0]), int(table[slot, 1])
        if matches(check, bounds, one, two):
            place = slot
            lower, upper = max(lower, lower_of(bounds)), min(upper, upper_of(bounds))
            action = action_of(bounds) if action == NO_ACTION else action
            break
        if bounds >> 7 & 63 < least:
            place, least = slot, bounds >> 7 & 63
    bounds = packed(lower, upper, action, effort, one >> _TAG_SHIFT)
    table[place, 0] = two ^ bounds
    table[place, 1] = bounds
