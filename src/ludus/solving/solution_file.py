"""Files of solutions (docs/solutions.md): sorted blocks of positions and values, with checksums.

A probe reads the header, the index and one block; everything that is read is checked.
"""

from __future__ import annotations

import hashlib
import json
import os
from bisect import bisect_right
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from annotated_types import Ge, Lt

from ludus import face
from ludus.compiled.masks import actions
from ludus.compiled.rows import pack, unpack
from ludus.documents import parse
from ludus.errors import LudusError
from ludus.files import open_regular, write_whole
from ludus.fingerprints import fingerprint
from ludus.game import transform
from ludus.parameters import format_with_parameters
from ludus.solving.position_index import Lookup, Words, canonical_symmetry, encode, fits, packing_for, table_for
from ludus.solving.retrograde import ENDLESS
from ludus.solving.solution import Answers, Counts, Solution, after, value_of
from ludus.solving.value import Value

MAGIC = b"LUDUS SOLUTION 1\n"
BLOCK = 4096  # positions
_DIGEST = 16  # bytes of a checksum
_LENGTH = 8  # bytes of the header's length
_MOST_HEADER = 1 << 20  # bytes
_INTEGERS, _SCORES_OF_CHANCE = ("|i1", "<i2", "<i4", "<i8"), ("<f8",)  # types of scores and plies
_Int = Annotated[int, Ge(-(1 << 63)), Lt(1 << 63)]


class _Header(NamedTuple):
    """What a file says of itself; masks: the bits of each field."""

    game: str
    fingerprint: str
    start: list[_Int]
    symmetric: bool
    masks: list[_Int]
    score: str  # its type
    plies: str
    gap: Annotated[float, Ge(0.0)] | None
    counts: Counts
    index_digest: str


def save(solution: Solution, path: Path) -> None:
    """Writes a solution to a file, atomically."""
    lookup = solution.answers.lookup
    order = np.lexsort(lookup.words.T[::-1])
    score, plies = (_smallest(column[order]) for column in (solution.answers.score, solution.answers.plies))
    columns, starts = (lookup.words[order], score, plies), range(0, len(order), BLOCK)
    index = b"".join(columns[0][start].tobytes() + _digest(_block(columns, start)) for start in starts)
    header = _Header(
        format_with_parameters(type(solution.game).__name__, solution.game),
        fingerprint(solution.game),
        [int(field) for field in solution.start],
        bool(lookup.symmetric),
        lookup.packing.masks.tolist(),
        score.dtype.str,
        plies.dtype.str,
        solution.gap,
        solution.counts(),
        _digest(index).hex(),
    )
    text = json.dumps(header._asdict() | {"counts": header.counts._asdict()}).encode()
    head = MAGIC + len(text).to_bytes(_LENGTH, "little") + _digest(text) + text + index
    write_whole(path, chain([head], (_block(columns, start) for start in starts)))


def load(path: Path, game: Any) -> Solution:
    """Reads a whole solution and checks every byte."""
    with SolutionFile(path, game) as file:
        blocks = [file.block(number) for number in range(file.num_blocks)]
    words, score, plies = (np.concatenate(column) for column in zip(*blocks, strict=True))
    if len(np.unique(words, axis=0)) != len(words) or plies.min() < ENDLESS or plies.max() > len(words):
        raise LudusError(f"{path} is damaged: its positions, or their plies, cannot be those of a solution")
    score = score.astype(np.int64 if file.gap is None else np.float64)
    lookup = Lookup(file.packing, words, table_for(words, len(words), 2 * len(words)), file.symmetric)
    solution = Solution(game, file.start, Answers(lookup, score, plies.astype(np.int32)), file.gap)
    if file.start not in solution or solution.counts() != file.counts():
        raise LudusError(f"{path} is damaged: it does not hold the positions that it counts")
    return solution


class SolutionFile:
    """A solution that stays on disk: `value` and `actions` read one block a position. A context manager."""

    method = "listed"

    def __init__(self, path: Path, game: Any) -> None:
        self.path, self.game = path, game
        self._file = open_regular(path)
        try:
            self._read_header()
        except LudusError:
            self._file.close()
            raise

    def __enter__(self) -> SolutionFile:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def _read_header(self) -> None:
        if self._file.read(len(MAGIC)) != MAGIC:
            raise LudusError(f"{self.path} is no solution that this version of Ludus reads")
        length = int.from_bytes(self._file.read(_LENGTH), "little")
        checksum = self._file.read(_DIGEST)
        text = self._file.read(min(length, _MOST_HEADER))
        header = parse(_Header, self._intact(text, checksum), self.path)
        if header.fingerprint != fingerprint(self.game):
            raise LudusError(f"{self.path} was solved for other rules: {header.game}")
        fields, has_chance = len(self.game.start()), header.gap is not None
        if (
            not len(header.start) == len(header.masks) == fields
            or header.score not in (_SCORES_OF_CHANCE if has_chance else _INTEGERS)
            or header.plies not in _INTEGERS
        ):
            raise LudusError(f"{self.path} is damaged: its header contradicts itself or the game")
        self.start = unpack(self.game.start(), np.array(header.start, np.int64))
        self.symmetric, self.gap = header.symmetric, header.gap
        self._counts, self.positions = header.counts, header.counts.positions
        self.packing = packing_for(np.array(header.masks, np.int64))
        self._types = np.dtype(header.score), np.dtype(header.plies)
        self.num_blocks = -(-self.positions // BLOCK)
        self._each = 8 * self.packing.num_words + sum(kind.itemsize for kind in self._types)
        entry = np.dtype([("first", np.int64, (self.packing.num_words,)), ("checksum", np.uint8, (_DIGEST,))])
        self._blocks_begin = self._file.tell() + self.num_blocks * entry.itemsize
        size = os.fstat(self._file.fileno()).st_size
        if not self.positions or size != self._blocks_begin + self.positions * self._each:
            raise LudusError(f"{self.path} is damaged: it is not as long as it should be")
        index = self._file.read(self.num_blocks * entry.itemsize)
        if _digest(index).hex() != header.index_digest:
            raise LudusError(f"{self.path} is damaged: a checksum does not match")
        self._index = np.frombuffer(index, entry)
        self._firsts = [tuple(first) for first in self._index["first"].tolist()]

    def __len__(self) -> int:
        return int(self.positions)

    def counts(self) -> Counts:
        """The numbers of positions by value."""
        return self._counts

    def block(self, number: int) -> tuple[Words, npt.NDArray[Any], npt.NDArray[Any]]:
        """The words, scores and plies of one block, its checksum verified."""
        num_words = self.packing.num_words
        size = min(BLOCK, self.positions - number * BLOCK)
        self._file.seek(self._blocks_begin + number * BLOCK * self._each)
        content = self._intact(self._file.read(size * self._each), self._index["checksum"][number].tobytes())
        score_at = 8 * num_words * size
        plies_at = score_at + self._types[0].itemsize * size
        return (
            np.frombuffer(content[:score_at], np.int64).reshape(size, num_words),
            np.frombuffer(content[score_at:plies_at], self._types[0]),
            np.frombuffer(content[plies_at:], self._types[1]),
        )

    def _intact(self, content: bytes, checksum: bytes) -> bytes:
        if _digest(content) != checksum:
            raise LudusError(f"{self.path} is damaged: a checksum does not match")
        return content

    def value(self, pos: Any) -> Value:
        """The value of a position under perfect play; reads one block."""
        seen = transform(self.game, pos, canonical_symmetry(self.game, pos)) if self.symmetric else pos
        row, key = np.zeros(len(pos), np.int64), np.zeros(self.packing.num_words, np.int64)
        pack(seen, row)
        if fits(self.packing, row):
            encode(self.packing, row, key)
            number = max(0, bisect_right(self._firsts, tuple(key.tolist())) - 1)
            words, score, plies = self.block(number)
            found = np.flatnonzero((words == key).all(axis=1))
            if len(found):
                empty = Lookup(self.packing, words, np.zeros(1, np.int32), self.symmetric)
                answers = Answers(empty, score.astype(np.int64 if self.gap is None else np.float64), plies)
                return value_of(self.game, pos, answers, int(found[0]), self.gap is not None)
        raise LudusError(f"{face.format_position(self.game, pos)} is not in {self.path}")

    def actions(self, pos: Any) -> dict[int, Value]:
        """The value of each legal action, its plies counted from here."""
        return {action: after(self.value(self.game.play(pos, action))) for action in actions(self.game.legal(pos))}


def _block(columns: tuple[npt.NDArray[Any], ...], start: int) -> bytes:
    return b"".join(column[start : start + BLOCK].tobytes() for column in columns)


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST).digest()


def _smallest(numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Integers in the smallest type that holds them all; floats stay as they are."""
    if numbers.dtype.kind == "f":
        return numbers
    for kind in (np.int8, np.int16, np.int32):
        if np.iinfo(kind).min <= numbers.min() and numbers.max() <= np.iinfo(kind).max:
            return numbers.astype(kind)
    return numbers
