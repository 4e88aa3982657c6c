"""Finding the number of a position: packed words, and a hash table over them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiling import helper, kernel
from ludus.game import transform
from ludus.randomness import ALL_BITS, mixed
from ludus.rows import Row, borrowed, pack
from ludus.solving.canonical import canonical_symmetry
from ludus.solving.packing import Packing, Words, fits, squeeze

Table = npt.NDArray[np.int32]  # of numbers plus one; 0 is an empty slot

NOT_LISTED = -1


class Lookup(NamedTuple):
    """The packed words of positions 0, 1, ..., and where to find each; symmetric if one stands for all alike."""

    packing: Packing
    words: Words
    table: Table
    symmetric: bool


def table_for(words: Words, filled: int, size: int) -> Table:
    """A table of at least this size, a power of two, with the first `filled` positions entered."""
    table = np.zeros(1 << max(size - 1, 1).bit_length(), np.int32)
    enter_all(words, table, filled)
    return table


@kernel
def enter_all(words: Words, table: Table, filled: int) -> None:
    """Enter the first `filled` positions, all different, into an empty table."""
    words, table = borrowed(words), borrowed(table)
    for number in range(filled):
        slot = hash_words(words[number]) & (len(table) - 1)
        while table[slot] != 0:
            slot = (slot + 1) & (len(table) - 1)
        table[slot] = number + 1


@helper
def enter(words: Words, table: Table, number: int) -> int:
    """Enter a position into the table unless an equal one is there; the number of the one that is."""
    slot = find_slot(words, table, words[number])
    if table[slot] == 0:
        table[slot] = number + 1
    return int(table[slot]) - 1


@helper
def find(lookup: Lookup, game: Any, pos: Any, row: Row, key: Row) -> int:
    """The number of a position, or NOT_LISTED; `row` and `key` are room for its fields and words."""
    if lookup.symmetric:
        pack(transform(game, pos, canonical_symmetry(game, pos)), row)
    else:
        pack(pos, row)
    if not fits(lookup.packing, row):
        return NOT_LISTED
    squeeze(lookup.packing, row, key)
    return int(lookup.table[find_slot(lookup.words, lookup.table, key)]) - 1


@helper
def find_slot(words: Words, table: Table, key: Row) -> int:
    """The slot of the position with these words, or the empty one where it belongs."""
    slot = hash_words(key) & (len(table) - 1)
    while table[slot] != 0 and not same_words(words[table[slot] - 1], key):
        slot = (slot + 1) & (len(table) - 1)
    return slot


@helper
def same_words(one: Row, other: Row) -> bool:
    """Whether two rows of words are equal."""
    for word in range(len(one)):  # noqa: SIM110, a loop compiles and all() does not
        if one[word] != other[word]:
            return False
    return True


@helper
def hash_words(words: Row) -> int:
    """Sixty-two well mixed bits of a row of words."""
    mix = 0x9E3779B97F4A7C15
    for word in range(len(words)):
        mix = mixed(mix ^ int(np.uint64(int(words[word]) & ALL_BITS)))
    return int(np.int64(mix >> 2))
