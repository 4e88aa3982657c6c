"""Sets of positions, as sorted keys in little more room than information theory asks for, numbered in their order.

The high bits of a key say in which bucket it is, and only its other bits are stored (Elias 1974, Fano 1971). A set of n
keys of b bits takes about b - log2(n) + 6 bits a key. The keys of an index need no set: a range of numbers, some of
which are not reached.
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
_WIDEST = 56  # bits of a remainder


class PositionSet(NamedTuple):
    """Sorted keys; where `directory` is empty, all whole numbers from `least` on."""

    directory: npt.NDArray[np.uint32]  # [buckets + 1]: where the keys of each bucket begin
    remainders: npt.NDArray[np.int64]  # the low bits of each key, one after another, from the lowest bit on
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
        """The number of each key, or NOT_FOUND; they are looked up in order, which spares the memory's latency."""
        in_order, places = sorted_with(keys, np.arange(len(keys)))
        found, numbers = np.empty(len(keys), np.int64), np.empty(len(keys), np.int64)
        find_numbers(self, in_order, found)
        numbers[places] = found
        return numbers


def sorted_with(keys: npt.NDArray[np.int64], labels: npt.NDArray[np.int64]) -> tuple[Keys, npt.NDArray[np.int64]]:
    """Keys in order, and the labels that belong to them."""
    if not len(keys):
        return keys, labels
    width = int(labels.max()).bit_length()
    if int(keys.max()).bit_length() + width > 63:
        order = np.argsort(keys)
        return keys[order], labels[order]
    both = keys << width | labels  # several times as fast
    both.sort()
    return both >> width, both & (1 << width) - 1


def index_range(least: int, size: int) -> PositionSet:
    """The set of a range of an index."""
    return PositionSet(np.zeros(0, np.uint32), np.zeros(0, np.int64), 0, least, size)


def set_of(runs: list[Keys], bits: int) -> PositionSet:
    """The set of keys below 2**bits, all different, given in order by runs."""
    size = sum(map(len, runs))
    width = min(_WIDEST, max(1, bits - max(0, size.bit_length() - _IN_A_BUCKET)))
    directory = np.zeros((1 << max(0, bits - width)) + 1, np.int64)
    remainders = np.zeros(size * width // 64 + 2, np.int64)
    begin = 0
    for keys in runs:
        directory[1:] += np.bincount(keys >> width, minlength=len(directory) - 1)
        write_remainders(keys, begin, width, remainders.view(np.uint8))
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
    word, shift = place >> 6, place & 63
    bits = int(positions.remainders[word]) >> shift
    if shift + positions.width > 64:
        bits = bits & ((1 << (64 - shift)) - 1) | int(positions.remainders[word + 1]) << (64 - shift)
    return bits & ((1 << positions.width) - 1)


@kernel(work=lambda positions, keys, found: 5 * len(keys))
def find_numbers(positions: PositionSet, keys: Keys, found: npt.NDArray[np.int64]) -> None:
    """Writes the number of each key, or NOT_FOUND; the keys are in order."""
    positions, keys, found = borrowed(positions), borrowed(keys), borrowed(found)
    if len(positions.directory) == 0:
        for place in range(len(keys)):
            number = keys[place] - positions.least
            found[place] = number if 0 <= number < positions.size else NOT_FOUND
        return
    number, ones = 0, (1 << positions.width) - 1
    for place in range(len(keys)):
        bucket, wanted = int(keys[place]) >> positions.width, int(keys[place]) & ones
        found[place] = NOT_FOUND
        if 0 <= bucket < len(positions.directory) - 1:
            number, end = max(number, int(positions.directory[bucket])), int(positions.directory[bucket + 1])
            while number < end and remainder_at(positions, number) < wanted:
                number += 1
            if number < end and remainder_at(positions, number) == wanted:
                found[place] = number


@kernel(work=lambda positions, bucket, begin, found: 3 * len(found))
def read_keys(positions: PositionSet, bucket: int, begin: int, found: Any) -> None:
    """Writes the keys of numbers from begin on; `bucket` is that of the first."""
    positions, found = borrowed(positions), borrowed(found)
    for place in range(len(found)):
        number = begin + place
        while int(positions.directory[bucket + 1]) <= number:
            bucket += 1
        found[place] = bucket << positions.width | remainder_at(positions, number)
