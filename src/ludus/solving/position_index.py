"""Finds the number of a position: positions are packed into few words, and a hash table maps words to numbers.

A position may stand for all its images under the game's symmetries: then the least image is stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiled.bits import deposit, extract
from ludus.compiled.compiling import helper, kernel
from ludus.compiled.randomness import ALL_BITS, mixed
from ludus.compiled.rows import Row, borrowed, pack, unpack
from ludus.game import swaps_players, symmetries, transform

Words = npt.NDArray[np.int64]  # [positions, words]
Table = npt.NDArray[np.int32]  # [slots]: position numbers plus one; 0 is an empty slot
NOT_FOUND = -1
_ROOM = 63  # bits in a word: the highest is the sign
_WHOLE = -1  # the mask of a field that takes a word of its own
_AT_ONCE = 1 << 13  # rows that fit the processor's cache


@helper
def canonical_symmetry(game: Any, pos: Any) -> int:
    """The symmetry that maps a position to its least image."""
    best, least = 0, pos
    for symmetry in range(1, symmetries(game)):
        other = transform(game, pos, symmetry)
        if other < least:
            best, least = symmetry, other
    return best


@helper
def swaps_sides(game: Any, symmetry: int) -> bool:
    """Whether a symmetry exchanges the players; the identity never does."""
    return symmetry > 0 and swaps_players(game, symmetry)


# ---- packing ----


class Packing(NamedTuple):
    """Where each field is stored: the bits of its mask, extracted, in one word from a shift on."""

    masks: npt.NDArray[np.int64]  # [fields]
    words: npt.NDArray[np.int64]  # [fields]
    shifts: npt.NDArray[np.int64]  # [fields]

    @property
    def num_words(self) -> int:
        """The words that a position takes."""
        return int(self.words.max()) + 1 if len(self.words) else 1


def packing_for(masks: npt.NDArray[np.int64]) -> Packing:
    """Each field in the first word that has room for it."""
    free: list[int] = []
    words, shifts = np.zeros(len(masks), np.int64), np.zeros(len(masks), np.int64)
    for field, mask in enumerate(masks.tolist()):
        width = _ROOM if mask == _WHOLE else mask.bit_count()
        word = next((number for number, room in enumerate(free) if room >= width), len(free))
        if word == len(free):
            free.append(_ROOM)
        words[field], shifts[field] = word, _ROOM - free[word]
        free[word] -= width
    return Packing(masks, words, shifts)


def widened(packing: Packing, row: Row) -> Packing:
    """A packing that this row fits too; a field that may be negative or fills a word is kept whole."""
    masks = packing.masks | row
    return packing_for(np.where((masks < 0) | (masks == (1 << _ROOM) - 1), _WHOLE, masks))


@helper
def fits(packing: Packing, row: Row) -> bool:
    """Whether the packing keeps all bits of a row."""
    outside = 0
    for field in range(len(row)):
        outside |= row[field] & ~packing.masks[field]
    return outside == 0


@helper
def encode(packing: Packing, row: Row, words: Row) -> None:
    """Write the fields of a row into words."""
    words[:] = 0
    for field in range(len(row)):
        if packing.masks[field] == _WHOLE:
            words[packing.words[field]] = row[field]
        else:
            words[packing.words[field]] |= extract(row[field], packing.masks[field]) << packing.shifts[field]


@helper
def decode(packing: Packing, words: Row, row: Row) -> None:
    """Write the fields stored in words into a row."""
    for field in range(len(row)):
        word = words[packing.words[field]]
        if packing.masks[field] == _WHOLE:
            row[field] = word
        else:
            row[field] = deposit(word >> packing.shifts[field], packing.masks[field])


def encoded(packing: Packing, rows: Row) -> Words:
    """The words of all rows [positions, fields]."""
    words = np.zeros((len(rows), packing.num_words), np.int64)
    for field, mask, word, shift in _stored(packing):
        for low, ones, place in _runs(mask):
            words[:, word] |= (rows[:, field] >> low & ones) << shift + place
    return words


def decoded(packing: Packing, words: Words) -> Row:
    """The fields of all positions [positions, fields]."""
    rows = np.zeros((len(words), len(packing.masks)), np.int64)
    for begin in range(0, len(words), _AT_ONCE):
        some, into = words[begin : begin + _AT_ONCE], rows[begin : begin + _AT_ONCE]
        for field, mask, word, shift in _stored(packing):
            for low, ones, place in _runs(mask):
                into[:, field] |= (some[:, word] >> shift + place & ones) << low
    return rows


def _stored(packing: Packing) -> Iterator[tuple[int, int, int, int]]:
    """Each field with its mask, word and shift."""
    return zip(range(len(packing.masks)), *(column.tolist() for column in packing), strict=True)


def _runs(mask: int) -> Iterator[tuple[int, int, int]]:
    """The runs of ones in a mask: the lowest bit of each, its ones, and the place of its bits once extracted."""
    if mask == _WHOLE:
        yield 0, _WHOLE, 0
        return
    place = 0
    while mask:
        low = (mask & -mask).bit_length() - 1
        length = (~(mask >> low) & (mask >> low) + 1).bit_length() - 1
        ones = (1 << length) - 1
        yield low, ones, place
        mask &= ~(ones << low)
        place += length


# ---- looking up ----


class Lookup(NamedTuple):
    """The packed words of positions 0, 1, ..., and the table that finds them."""

    packing: Packing
    words: Words
    table: Table
    symmetric: bool  # whether a position stands for all its images

    @property
    def rows(self) -> Row:
        """The fields of all positions, [positions, fields]."""
        return decoded(self.packing, self.words)


@helper
def position_at(like: Any, lookup: Lookup, number: int, row: Row) -> Any:
    """The position of a number; `row` is room for its fields."""
    decode(lookup.packing, lookup.words[number], row)
    return unpack(like, row)


def table_for(words: Words, filled: int, size: int) -> Table:
    """A table of at least this size, a power of two, that holds the first `filled` positions."""
    table = np.zeros(1 << max(size - 1, 1).bit_length(), np.int32)
    enter_all(words, table, filled)
    return table


@kernel(work=lambda words, table, filled: 3 * filled)
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
    """Enter a position into the table unless an equal one is there; returns the number of the one that is."""
    slot = find_slot(words, table, words[number])
    if table[slot] == 0:
        table[slot] = number + 1
    return int(table[slot]) - 1


@helper
def find(lookup: Lookup, game: Any, pos: Any, row: Row, key: Row) -> int:
    """The number of a position, or NOT_FOUND; `row` and `key` are room for its fields and words."""
    if lookup.symmetric:
        pack(transform(game, pos, canonical_symmetry(game, pos)), row)
    else:
        pack(pos, row)
    if not fits(lookup.packing, row):
        return NOT_FOUND
    encode(lookup.packing, row, key)
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
