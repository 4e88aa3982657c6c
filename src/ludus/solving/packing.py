"""Positions as few words as their fields need: the bits that occur in each field, side by side.

Which bits occur is learned on the way: a position that does not fit widens the packing, and what is there is repacked.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.bits import deposit, extract
from ludus.compiling import helper, kernel
from ludus.rows import Row

Words = npt.NDArray[np.int64]  # a row of words for each position

_ROOM = 63  # bits in a word: the highest is the sign
_WHOLE = -1  # the mask of a field that takes a word of its own


class Packing(NamedTuple):
    """Where the bits of each field are kept: those of its mask, in one word, moved up by a shift."""

    masks: npt.NDArray[np.int64]
    words: npt.NDArray[np.int64]
    shifts: npt.NDArray[np.int64]

    @property
    def num_words(self) -> int:
        """How many words a position takes."""
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
def squeeze(packing: Packing, row: Row, words: Row) -> None:
    """Write the fields of a row into words."""
    words[:] = 0
    for field in range(len(row)):
        if packing.masks[field] == _WHOLE:
            words[packing.words[field]] = row[field]
        else:
            words[packing.words[field]] |= extract(row[field], packing.masks[field]) << packing.shifts[field]


@helper
def spread(packing: Packing, words: Row, row: Row) -> None:
    """Write into a row the fields that are kept in words."""
    for field in range(len(row)):
        word = words[packing.words[field]]
        if packing.masks[field] == _WHOLE:
            row[field] = word
        else:
            row[field] = deposit(word >> packing.shifts[field], packing.masks[field])


@kernel
def repack(old: Packing, old_words: Words, new: Packing, new_words: Words, row: Row, filled: int) -> None:
    """Bring the first `filled` positions from one packing into another."""
    for number in range(filled):
        spread(old, old_words[number], row)
        squeeze(new, row, new_words[number])


@kernel
def spread_all(packing: Packing, words: Words, rows: Row) -> None:
    """Write the fields of all positions into rows."""
    for number in range(len(rows)):
        spread(packing, words[number], rows[number])
