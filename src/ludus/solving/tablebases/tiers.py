"""A tier on disk: which positions are in it, and once it is solved the value of each in one byte, or two."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from annotated_types import Ge, Lt

from ludus.documents import Count, parse
from ludus.solving.tablebases.files import ArrayFile, write_arrays
from ludus.solving.tablebases.position_sets import NOT_FOUND, PositionSet, find_numbers

Marks = npt.NDArray[np.uint8]
Codes = npt.NDArray[np.unsignedinteger]
NO_VALUE, ENDLESS = 0, 1  # codes of what is not reached, or not solved yet, and of endless play; a pair each from 2 on
_AT_ONCE = 1 << 22
_Int = Annotated[int, Ge(-(1 << 63)), Lt(1 << 63)]
_Plies = Annotated[int, Ge(0), Lt(1 << 31)]


class _Positions(NamedTuple):
    """How positions are stored, the scores of ended games for the side to move, and the tiers that actions lead to."""

    width: Annotated[int, Ge(0), Lt(64)]
    least: Count
    size: Count
    reached: Count
    scores: list[_Int]
    below: list[_Int]


class _Values(NamedTuple):
    """The score for the side to move and the plies that codes 2, 3, ... stand for, and how often each code occurs."""

    pairs: list[tuple[_Int, _Plies]]
    counts: list[Count]


def write_positions(path: Path, positions: PositionSet, marks: Marks, scores: list[int], below: list[int]) -> None:
    """Writes the positions of a tier; `marks` are those reached of an index, and empty for others."""
    size = int(np.count_nonzero(marks)) if len(marks) else positions.size
    facts = _Positions(positions.width, positions.least, positions.size, size, scores, below)
    arrays: dict[str, npt.NDArray[Any]] = {"directory": positions.directory, "remainders": positions.remainders}
    arrays["reached"] = np.packbits(marks)
    write_arrays(path, facts._asdict(), arrays)


def write_values(path: Path, pairs: list[tuple[int, int]], codes: Codes) -> None:
    """Writes the values of a tier, with codes that are in use alone: one byte each if that suffices."""
    counts = counts_of(codes)
    used = [0, 1, *(code for code in range(2, len(counts)) if counts[code])]
    dense = np.zeros(len(counts), np.uint8 if len(used) <= 256 else np.uint16)
    dense[used] = np.arange(len(used))
    facts = _Values([pairs[code - 2] for code in used[2:]], [int(counts[code]) for code in used])
    write_arrays(path, facts._asdict(), {"codes": dense[codes]})


def counts_of(codes: Codes) -> npt.NDArray[np.int64]:
    """How often each code occurs."""
    counts = np.zeros(1 << 16, np.int64)
    for begin in range(0, len(codes), _AT_ONCE):
        counts += np.bincount(codes[begin : begin + _AT_ONCE], minlength=len(counts))
    return counts[: max(2, 1 + int(np.flatnonzero(counts).max(initial=0)))]


def positions_path(folder: Path, number: int) -> Path:
    """The file of the positions of a tier."""
    return folder / f"{number}.positions"


def values_path(folder: Path, number: int) -> Path:
    """The file of the values of a tier."""
    return folder / f"{number}.values"


class Tier:
    """The positions of a tier, and their values once it is solved, read where they lie."""

    def __init__(self, folder: Path, number: int) -> None:
        self.number = number
        self._file = ArrayFile(positions_path(folder, number))
        self._values_path = values_path(folder, number)
        self.facts = parse(_Positions, json.dumps(self._file.facts), self._file.path)
        directory, remainders = (self._file.unchecked(name) for name in ("directory", "remainders"))
        self.positions = PositionSet(directory, remainders, self.facts.width, self.facts.least, self.facts.size)
        if len(remainders) * 64 < self.facts.size * self.facts.width or (self.facts.width and not len(directory)):
            raise self._file.damaged("it is shorter than it says")

    @property
    def name(self) -> str:
        """For people."""
        return f"tier {self.number}"

    def __len__(self) -> int:
        return self.facts.reached

    @cached_property
    def reached(self) -> npt.NDArray[np.bool_] | None:
        """Which numbers of an index are reached; None where all positions are."""
        if self.facts.width:
            return None
        return np.unpackbits(self._file.array("reached"), count=self.facts.size).view(np.bool_)

    @cached_property
    def _values(self) -> ArrayFile:
        return ArrayFile(self._values_path)

    @cached_property
    def _meaning(self) -> _Values:
        return parse(_Values, json.dumps(self._values.facts), self._values_path)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The score for the side to move and the plies of codes 2, 3, ..."""
        return self._meaning.pairs

    @property
    def counts(self) -> list[int]:
        """How often each code occurs."""
        return self._meaning.counts

    @property
    def codes(self) -> Codes:
        """The code of each number."""
        return self._values.unchecked("codes")

    def check(self) -> None:
        """Raises LudusError unless all is as it was written."""
        for name in ("directory", "remainders", "reached"):
            self._file.array(name)
        if self._values_path.exists():
            codes = self._values.array("codes")
            if len(codes) != self.facts.size or (len(codes) and int(codes.max()) >= len(self.pairs) + 2):
                raise self._values.damaged("it holds other values than it says")

    def value(self, key: int) -> tuple[int, int | None] | None:
        """The score for the side to move and the plies of a key, None if it is not reached; checks what it reads."""
        number = self._number(key)
        if number == NOT_FOUND:
            return None
        self._values.check("codes", number, number + 1)
        code = int(self.codes[number])
        return None if code == NO_VALUE else (0, None) if code == ENDLESS else self.pairs[code - 2]

    def _number(self, key: int) -> int:
        positions = self.positions
        if self.facts.width:
            bucket = key >> positions.width
            if not 0 <= bucket < len(positions.directory) - 1:
                return NOT_FOUND
            self._file.check("directory", bucket, bucket + 2)
            begin, end = (int(place) * positions.width // 64 for place in positions.directory[bucket : bucket + 2])
            self._file.check("remainders", begin, min(end + 2, len(positions.remainders)))
        found = np.empty(1, np.int64)
        find_numbers.run_plainly(positions, np.array([key]), found)  # loads no compiler
        return int(found[0])
