"""What a search remembers: bounds of values in a table of fixed size, the costliest positions longest.

An entry is two words: sixty-three bits that tell which position it is of, combined with the packed notes so that
threads which write at once spoil no entry, and the notes, which hold seven more such bits. The place in the table tells
others: a position is taken for another about once in 2**90 looks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import helper
from ludus.compiled.randomness import ALL_BITS, mixed
from ludus.game import symmetries, transform

Table = npt.NDArray[np.int64]  # entries x 2 words
MOST = (1 << 19) - 1  # the largest value that can be noted
WAYS = 4  # entries in which a position can be: one line of the cache
NO_ACTION = 1023
_ENTRY_BYTES = 16
_LINE_BYTES = WAYS * _ENTRY_BYTES
_FACTORS = (0x9E3779B97F4A7C15, 0xD1342543DE82EF95)
_TAG = 127  # the lowest bits of the notes; in the hash the highest of sixty-three
_TAG_SHIFT = 56


def new_table(memory: int) -> Table:
    """An empty table of at most so many bytes, or of one line; its lines start where the cache's do."""
    lines = 1 << max((memory // _LINE_BYTES).bit_length() - 1, 0)
    room = np.zeros((lines + 1) * _LINE_BYTES // 8, np.int64)
    skipped = -room.ctypes.data % _LINE_BYTES // 8
    return room[skipped : skipped + lines * _LINE_BYTES // 8].reshape(-1, 2)


@helper
def least_image(game: Any, pos: Any) -> Any:
    """The least of all transforms of a position."""
    least = pos
    for symmetry in range(1, symmetries(game)):
        image = transform(game, pos, symmetry)
        if image < least:
            least = image
    return least


@helper
def hashed(game: Any, pos: Any) -> tuple[int, int]:
    """Two independent hashes of a position up to symmetry, sixty-three bits each."""
    fields = least_image(game, pos)
    one, two = (mixed(_weighed(fields, factor)) for factor in _FACTORS)
    return one >> 1, two >> 1


def _weighed(fields: Any, factor: int) -> int:
    """The sum of all fields, each with another odd factor, in sixty-four bits."""
    terms = [(int(field) & ALL_BITS) * pow(factor, number + 1, 1 << 64) for number, field in enumerate(fields)]
    return sum(terms) & ALL_BITS


@hashed.compiled
def _hashed(game: Any, pos: Any) -> Callable[..., Any]:
    # Written out field by field: the factors become constants, and nothing goes through memory.
    sums = [
        " + ".join(
            f"np.uint64(least[{number}]) * np.uint64({pow(factor, number + 1, 1 << 64)})"
            for number in range(len(pos.fields))
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
    """The notes of an entry in one word; never 0, which stands for an empty one."""
    return (((lower + MOST + 1) << 20 | upper + MOST + 1) << 10 | action ^ NO_ACTION) << 13 | effort << 7 | tag


@helper
def lower_of(notes: int) -> int:
    """The value is at least this."""
    return (notes >> 43) - MOST - 1


@helper
def upper_of(notes: int) -> int:
    """The value is at most this."""
    return (notes >> 23 & 0xFFFFF) - MOST - 1


@helper
def action_of(notes: int) -> int:
    """The action that proved most, or NO_ACTION, as for an empty entry."""
    return notes >> 13 & NO_ACTION ^ NO_ACTION


@helper
def are_of(check: int, notes: int, one: int, two: int) -> bool:
    """Whether the two words of an entry, each read once, are of the position with these hashes."""
    return check ^ notes == two and notes & _TAG == one >> _TAG_SHIFT


@helper
def look_up(table: Table, one: int, two: int) -> int:
    """The notes of a position, 0 for none."""
    start = (one & len(table) // WAYS - 1) * WAYS
    for slot in range(start, start + WAYS):
        check, notes = int(table[slot, 0]), int(table[slot, 1])
        if are_of(check, notes, one, two):
            return notes
    return 0


@helper
def keep(table: Table, one: int, two: int, lower: int, upper: int, action: int, effort: int) -> None:
    """Note bounds of a position, joined with those known of it, in place of the entry that took the least effort."""
    start = (one & len(table) // WAYS - 1) * WAYS
    place, least = start, 64
    for slot in range(start, start + WAYS):
        check, notes = int(table[slot, 0]), int(table[slot, 1])
        if are_of(check, notes, one, two):
            place = slot
            lower, upper = max(lower, lower_of(notes)), min(upper, upper_of(notes))
            action = action_of(notes) if action == NO_ACTION else action
            break
        if notes >> 7 & 63 < least:
            place, least = slot, notes >> 7 & 63
    notes = packed(lower, upper, action, effort, one >> _TAG_SHIFT)
    table[place, 0] = two ^ notes
    table[place, 1] = notes
