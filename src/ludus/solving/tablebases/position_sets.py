"""Sets of positions, as sorted keys in little more room than information theory asks for, numbered in their order.

The high bits of a key say in which bucket it is; of each key only the remaining bits are stored (Elias 1974, Fano 1971).
A set of n keys of b bits takes about b - log2(n) + 6 bits a key. The keys of an index need no set: a range of numbers,
some of which are not reached.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import helper, kernel
from ludus.compiled.rows import borrowed

Keys = npt.NDArray[np.int64]  # [positions], ascending
NOT_FOUND = -1
_IN_A_BUCKET = 4  # binary logarithm of about how many keys
_WIDEST = 56  # bits of a remainder: with a shift of up to 7 they fit a word


class PositionSet(NamedTuple):
    """Sorted keys; where `directory` is empty, all whole numbers from `least` on."""

    directory: npt.NDArray[np.uint32]  # [buckets + 1]: where the keys of each bucket begin
    remainders: npt.NDArray[np.uint8]  # the low bits of each key, one after another
    width: int  # bits of a remainder
    least: int
    size: int

    def keys(self, begin: int, end: int) -> Keys:
        """The keys of numbers begin .. end-1."""
        if not len(self.directory):
            return np.arange(self.least + begin, self.least + end, dtype=np.int64)
        found = np.empty(end - begin, np.int64)
        bucket = int(np.searchsorted(self.directory, begin, side="right")) - 1
        read_keys(self, bucket, begin, found)
        return found

    def numbers(self, keys: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The number of each key, or NOT_FOUND."""
        found = np.empty(len(keys), np.int64)
        find_numbers(self, keys, found)
        return found


def index_range(least: int, size: int) -> PositionSet:
    """The set of a range of an index."""
    return PositionSet(np.zeros(0, np.uint32), np.zeros(0, np.uint8), 0, least, size)


def set_of(runs: list[Keys], bits: int) -> PositionSet:
    """The set of keys below 2**bits, all different, given in order by runs."""
    size = sum(map(len, runs))
    width = min(_WIDEST, max(1, bits - max(0, size.bit_length() - _IN_A_BUCKET)))
    directory = np.zeros((1 << max(0, bits - width)) + 1, np.int64)
    remainders = np.zeros((size * width + 7) // 8 + 8, np.uint8)
    begin = 0
    for keys in runs:
        directory[1:] += np.bincount(keys >> width, minlength=len(directory) - 1)
        write_remainders(keys, begin, width, remainders)
        begin += len(keys)
    return PositionSet(np.cumsum(directory).astype(np.uint32), remainders, width, 0, size)


@kernel(work=lambda keys, begin, width, remainders: 3 * len(keys))
def write_remainders(keys: Keys, begin: int, width: int, remainders: npt.NDArray[np.uint8]) -> None:
    """Writes the low bits of keys, whose numbers begin with `begin`, one after another."""
    keys, remainders = borrowed(keys), borrowed(remainders)
    ones = (1 << width) - 1
    for number in range(len(keys)):
        place = (begin + number) * width
        bits = (int(keys[number]) & ones) << (place & 7)
        byte = place >> 3
        while bits != 0:
            remainders[byte] |= bits & 255
            bits >>= 8
            byte += 1


@helper
def remainder_at(positions: PositionSet, number: int) -> int:
    """The low bits of the key of a number."""
    place = number * positions.width
    shift, byte = place & 7, place >> 3
    bits = 0
    for k in range((shift + positions.width + 7) >> 3):
        bits |= int(positions.remainders[byte + k]) << (8 * k)
    return bits >> shift & ((1 << positions.width) - 1)


@helper
def number_of(positions: PositionSet, key: int) -> int:
    """The number of a key, or NOT_FOUND."""
    if len(positions.directory) == 0:
        number = key - positions.least
        return number if 0 <= number < positions.size else NOT_FOUND
    bucket, wanted = key >> positions.width, key & ((1 << positions.width) - 1)
    if key < 0 or bucket + 1 >= len(positions.directory):
        return NOT_FOUND
    for number in range(int(positions.directory[bucket]), int(positions.directory[bucket + 1])):
        found = remainder_at(positions, number)
        if found >= wanted:
            return number if found == wanted else NOT_FOUND
    return NOT_FOUND


@kernel(work=lambda positions, keys, found: 10 * len(keys))
def find_numbers(positions: PositionSet, keys: npt.NDArray[np.int64], found: npt.NDArray[np.int64]) -> None:
    """Writes the number of each key."""
    positions, keys, found = borrowed(positions), borrowed(keys), borrowed(found)
    for place in range(len(keys)):
        found[place] = number_of(positions, int(keys[place]))


@kernel(work=lambda positions, bucket, begin, found: 3 * len(found))
def read_keys(positions: PositionSet, bucket: int, begin: int, found: Any) -> None:
    """Writes the keys of numbers from begin on; `bucket` is that of the first."""
    positions, found = borrowed(positions), borrowed(found)
    for place in range(len(found)):
        number = begin + place
        while int(positions.directory[bucket + 1]) <= number:
            bucket += 1
        found[place] = bucket << positions.width | remainder_at(positions, number)
