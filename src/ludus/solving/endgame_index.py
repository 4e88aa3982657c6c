"""The number of a position among all those with as many in its heaps, or fewer.

Heaps a, b, c ... of at most n in all are a combination: their sums a, a+b, a+b+c ..., read in the combinatorial number
system, give each a number, and those with fewer in all come first.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import helper
from ludus.game import endgame_heap, endgame_heaps

Values = npt.NDArray[np.int8]
Counts = npt.NDArray[np.int64]

UNKNOWN = -128
NOT_THERE = -(1 << 40)  # no value is as low


class Endgames(NamedTuple):
    """Values, for the player to move, of all positions with at most `most` in their heaps; `most` is -1 for no table.

    counts: how many positions come before: counts[h, n] for h + 1 heaps of fewer than n in all.
    """

    values: Values
    counts: Counts
    most: int


def no_endgames() -> Endgames:
    """A table that holds nothing."""
    return Endgames(np.zeros(0, np.int8), np.zeros((0, 0), np.int64), -1)


def counts_of(number: int, most: int) -> Counts:
    """How many ways there are to have fewer than n in h + 1 heaps, for each h and n up to one more than most."""
    return np.array([[math.comb(n + h, h + 1) for n in range(most + 2)] for h in range(number)], np.int64)


@helper
def index_of(game: Any, pos: Any, endgames: Endgames) -> int:
    """The number of a position, -1 where the table does not hold it."""
    total = index = 0
    for number in range(endgame_heaps(game)):
        total += endgame_heap(game, pos, number)
        if total > endgames.most:
            return -1
        index += endgames.counts[number, total]
    return index


@helper
def looked_up(game: Any, pos: Any, endgames: Endgames) -> int:
    """The value of a position, NOT_THERE where the table does not hold it."""
    index = index_of(game, pos, endgames)
    return int(endgames.values[index]) if index >= 0 else NOT_THERE


@helper
def sizes_at(index: int, endgames: Endgames, sizes: npt.NDArray[np.int64]) -> None:
    """Write the heaps of a number into `sizes`."""
    total = endgames.most
    for number in range(len(sizes) - 1, -1, -1):
        while endgames.counts[number, total] > index:
            total -= 1
        index -= endgames.counts[number, total]
        if number + 1 < len(sizes):
            sizes[number + 1] -= total
        sizes[number] = total
