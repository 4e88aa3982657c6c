"""Enumerates the positions of a tier: breadth first, by sorted runs of keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import kernel
from ludus.compiled.rows import borrowed
from ludus.errors import LudusError
from ludus.machine import run_in_threads
from ludus.solving.tablebases.keys import Keying
from ludus.solving.tablebases.position_sets import Keys, PositionSet, index_range, set_of
from ludus.solving.tablebases.successors import MisfitError, blocks

SLICE = 1 << 19  # positions of a task
_AT_ONCE = 1 << 22  # keys that are sorted together
_PART_BITS = 4  # of a key: ranges of keys, each for one thread at a time
Marks = npt.NDArray[np.uint8]


class Found(NamedTuple):
    """What came of expanding a slice of positions; misfit: the fields of a position whose bits were not known."""

    actions: int
    tiers: list[int]  # that were reached
    scores: list[int]  # of ended games, for the side to move
    misfit: list[int]


# ---- a task: expand a slice ----


def found_path(work: Path, tier: int, number: int, name: str) -> Path:
    """The file of the keys in one tier that were found from a slice of another."""
    return work / f"{tier}.from.{number}.{name}"


def expand_slice(game: Any, keying: Keying, number: int, work: Path, begin: int, end: int, name: str) -> Found:
    """Writes the distinct successors of positions begin .. end-1 of those to do, tier by tier."""
    keys = np.fromfile(work / "todo", np.int64, end - begin, offset=8 * begin)
    gathered: dict[int, list[Keys]] = {}
    scores, actions = set[int](), 0
    try:
        for _, block in blocks(game, keying, keys, number):
            actions += len(block.key)
            scores.update(np.unique(block.score[block.degree == 0]).tolist())
            for tier, some in _by_tier(block.tier, block.key, number):
                _gather(gathered.setdefault(tier, []), some)
    except MisfitError as misfit:
        return Found(0, [], [], misfit.row.tolist())
    for tier, runs in gathered.items():
        distinct(np.concatenate(runs)).tofile(found_path(work, tier, number, name))
    return Found(actions, sorted(gathered), sorted(scores), [])


def _by_tier(tiers: npt.NDArray[np.int64], keys: Keys, most: int) -> Iterator[tuple[int, Keys]]:
    """The keys of each tier."""
    least = most if not len(tiers) else int(tiers.min())
    for tier in [most] if least == most else np.unique(tiers).tolist():
        yield tier, keys[tiers == tier]


def _gather(runs: list[Keys], keys: Keys) -> None:
    """Adds keys to runs, which are sorted, without what occurs twice, once there are many."""
    runs.append(keys)
    if sum(map(len, runs)) > _AT_ONCE + len(runs[0]):
        runs[:] = [distinct(np.concatenate(runs))]


def distinct(keys: Keys) -> Keys:
    """The keys in order, each once; the array given is used up."""
    keys.sort()
    if len(keys) < 2:
        return keys
    found: Keys = keys[np.append(True, keys[1:] != keys[:-1])]
    return found


# ---- what was found so far ----


class Known:
    """All keys below 2**bits that were found so far: in each part of their range sorted runs, ever shorter ones.

    Runs beyond so many bytes of memory are kept in files of a folder.
    """

    def __init__(self, bits: int, folder: Path, memory: int) -> None:
        self.bits, self._folder, self._memory = bits, folder, memory
        self._numbers = count()
        self._bounds = [part << max(0, bits - _PART_BITS) for part in range(min(1 << bits, 1 << _PART_BITS))]
        self._parts: list[list[Keys]] = [[] for _ in self._bounds]

    def add(self, found: Sequence[Keys]) -> list[Keys]:
        """Adds runs of sorted keys; returns the new ones, part by part in order."""
        cuts = [np.append(np.searchsorted(keys, self._bounds), len(keys)) for keys in found]
        jobs = (
            partial(
                self._add_to, runs, [keys[cut[part] : cut[part + 1]] for keys, cut in zip(found, cuts, strict=True)]
            )
            for part, runs in enumerate(self._parts)
        )
        return list(run_in_threads(jobs))

    def _add_to(self, runs: list[Keys], found: list[Keys]) -> Keys:
        keys = np.array(found[0]) if len(found) == 1 else distinct(np.concatenate(found))
        for run in runs:
            if len(keys):
                fresh = np.ones(len(keys), np.bool_)
                mark_known(run, keys, fresh)
                keys = keys[fresh]
        if len(keys):
            runs.append(keys)
        while len(runs) > 1 and len(runs[-2]) < 2 * len(runs[-1]):
            self._merge_last(runs)
        return keys

    def _merge_last(self, runs: list[Keys]) -> None:
        """Merges the last two runs of a part."""
        one, other = runs[-2:]
        out = np.empty(len(one) + len(other), np.int64)
        merge(one, other, out)
        runs[-2:] = [out if 8 * len(out) * len(self._parts) <= self._memory else self._in_file(out)]
        for run in (one, other):
            if isinstance(run, np.memmap):
                Path(str(run.filename)).unlink()

    def _in_file(self, keys: Keys) -> Keys:
        path = self._folder / f"run.{next(self._numbers)}"
        keys.tofile(path)
        return np.memmap(path, np.int64, "r")

    def as_set(self) -> tuple[PositionSet, Marks]:
        """All keys as a set."""
        for runs in self._parts:
            while len(runs) > 1:
                self._merge_last(runs)
        return set_of([run for runs in self._parts for run in runs], self.bits), np.zeros(0, np.uint8)


@kernel(work=lambda one, other, out: 0.5 * len(out))
def merge(one: Keys, other: Keys, out: Keys) -> None:
    """Writes two sorted runs as one."""
    one, other, out = borrowed(one), borrowed(other), borrowed(out)
    i = j = 0
    for place in range(len(out)):
        if j == len(other) or (i < len(one) and one[i] <= other[j]):
            out[place] = one[i]
            i += 1
        else:
            out[place] = other[j]
            j += 1


@kernel(work=lambda run, keys, fresh: 5 * len(keys))
def mark_known(run: Keys, keys: Keys, fresh: npt.NDArray[np.bool_]) -> None:
    """Clears the marks of sorted keys that are in a sorted run, by galloping through it (Bentley and Yao 1976)."""
    run, keys, fresh = borrowed(run), borrowed(keys), borrowed(fresh)
    low = 0
    for place in range(len(keys)):
        key, step = keys[place], 1
        while low + step < len(run) and run[low + step] < key:
            low += step
            step *= 2
        high = min(low + step, len(run))
        while low < high:
            middle = (low + high) >> 1
            if run[middle] < key:
                low = middle + 1
            else:
                high = middle
        if low == len(run):
            return
        if run[low] == key:
            fresh[place] = False


class Reached:
    """The numbers of a range of an index that were found so far."""

    def __init__(self, least: int, size: int) -> None:
        self.least, self.marks = least, np.zeros(size, np.uint8)

    def add(self, found: Sequence[Keys]) -> list[Keys]:
        """Adds runs of sorted keys; returns the new ones."""
        new = []
        for keys in found:
            if len(keys) and not self.least <= keys[0] <= keys[-1] < self.least + len(self.marks):
                raise LudusError("index and tier disagree: a larger index must never have a smaller tier")
            fresh = keys[self.marks[keys - self.least] == 0]
            self.marks[fresh - self.least] = 1
            new.append(fresh)
        return new

    def as_set(self) -> tuple[PositionSet, Marks]:
        """All numbers, and which of them were found."""
        return index_range(self.least, len(self.marks)), self.marks
