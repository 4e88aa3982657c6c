"""Whether a position may be known: one bit for each of so many hashes, few enough for the processor's own cache.

Most positions of a large game are new, and a look into a table that is larger than the cache takes longer than a ply.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ludus.agents.entries import HASHED, Entries
from ludus.compiling import helper, kernel
from ludus.rows import Row, borrowed
from ludus.solving.lookup import hash_words

Hints = npt.NDArray[np.uint64]

_WORDS = 1 << 18  # of 64 hints each; a power of two


def hints_for(entries: Entries) -> Hints:
    """Hints at all positions that the tables hold."""
    hints = np.zeros(_WORDS, np.uint64)
    if entries.by == HASHED:
        for rows, filled in zip(entries.rows, entries.filled, strict=True):
            hint_at_all(hints, rows[:filled])
    return hints


@kernel
def hint_at_all(hints: Hints, rows: npt.NDArray[np.int64]) -> None:
    """Hint at every row."""
    hints, rows = borrowed(hints), borrowed(rows)
    for row in rows:
        hint_at(hints, row)


@helper
def hint_at(hints: Hints, row: Row) -> None:
    """Say that a position is known."""
    place = hash_words(row) & (64 * len(hints) - 1)
    hints[place >> 6] |= np.uint64(1) << np.uint64(place & 63)


@helper
def may_know(hints: Hints, row: Row) -> bool:
    """Whether a position may be known; if not, it is new."""
    place = hash_words(row) & (64 * len(hints) - 1)
    return bool(hints[place >> 6] >> np.uint64(place & 63) & np.uint64(1))
