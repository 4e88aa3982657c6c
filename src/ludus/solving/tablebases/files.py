"""Files of arrays that are read where they lie: each block has a checksum, looked at before the block is used.

Layout, little-endian: the arrays one after another, each from a multiple of 64 bytes on; the checksums of all blocks
of 256 KiB (16 bytes of BLAKE2b each); a JSON object that says where each array is; its checksum; its length in 8 bytes;
the magic words.
"""

from __future__ import annotations

import hashlib
import json
import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.documents import Count, parse
from ludus.errors import LudusError
from ludus.files import open_regular, write_whole

_MAGIC = b"LUDUS ARRAYS 1\n\n"
_BLOCK, _ALIGNED, _DIGEST, _LENGTH = 1 << 18, 64, 16, 8
_MOST_HEADER = 1 << 24
_KINDS = ("<i8", "<u8", "<i4", "<u4", "<u2", "<i2", "|u1", "|i1")


class _Place(NamedTuple):
    """Where an array is."""

    name: str
    kind: str  # as NumPy writes it
    length: Count
    begin: Count


class _Footer(NamedTuple):
    """What a file says of itself."""

    facts: dict[str, Any]
    arrays: list[_Place]
    blocks: str  # the digest of all digests of blocks


def write_arrays(path: Path, facts: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> None:
    """Writes arrays of one dimension and some facts, JSON values, to a file that appears whole or not at all."""
    write_whole(path, _parts(facts, arrays))


def _parts(facts: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> Iterator[bytes | memoryview]:
    places, digests, at = [], [], 0
    for name, array in arrays.items():
        places.append(_Place(name, array.dtype.str, len(array), at))
        content = memoryview(np.ascontiguousarray(array).view(np.uint8).data)
        padding = bytes(-len(content) % _ALIGNED)
        for begin in range(0, len(content), _BLOCK):
            part: bytes | memoryview = content[begin : begin + _BLOCK]
            if begin + _BLOCK >= len(content):
                part = bytes(part) + padding
            digests.append(_digest(part))
            yield part
        at += len(content) + len(padding)
    yield b"".join(digests)
    footer = _Footer(facts, places, _digest(b"".join(digests)).hex())
    text = json.dumps(footer._asdict()).encode()
    yield text + _digest(text) + len(text).to_bytes(_LENGTH, "little") + _MAGIC


def _digest(content: bytes | memoryview) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST).digest()


class ArrayFile:
    """A file of arrays, mapped into memory; LudusError if it is damaged."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with open_regular(path) as file:
            try:
                self._content = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
            except (ValueError, OSError):
                raise self.damaged("it is empty") from None
        self._read_footer()
        self._intact = {name: np.zeros(-(-self._size(name) // _BLOCK), np.bool_) for name in self._places}

    def _read_footer(self) -> None:
        content, end = self._content, len(self._content) - len(_MAGIC)
        if end < 0 or content[end:] != _MAGIC:
            raise LudusError(f"{self.path} is no tablebase file that this version of Ludus reads, or was cut short")
        length = int.from_bytes(content[end - _LENGTH : end], "little")
        end -= _LENGTH + _DIGEST
        if not 0 <= length <= min(_MOST_HEADER, end):
            raise self.damaged()
        text = content[end - length : end]
        if _digest(text) != content[end : end + _DIGEST]:
            raise self.damaged()
        footer = parse(_Footer, text, self.path)
        self.facts = footer.facts
        self._places = {place.name: place for place in footer.arrays}
        count = sum(-(-self._size(name) // _BLOCK) for name in self._places)
        digests = content[max(0, end - length - count * _DIGEST) : end - length]
        if _digest(digests).hex() != footer.blocks or not self._fit(end - length - len(digests)):
            raise self.damaged()
        self._digests = np.frombuffer(digests, np.dtype((np.void, _DIGEST)))

    def _fit(self, room: int) -> bool:
        """Whether all arrays are of known kinds and lie within so many bytes."""
        return all(
            place.kind in _KINDS and place.begin % _ALIGNED == 0 and place.begin + self._size(place.name) <= room
            for place in self._places.values()
        )

    def _size(self, name: str) -> int:
        place = self._places[name]
        return int(place.length) * (np.dtype(place.kind).itemsize if place.kind in _KINDS else 1)

    def damaged(self, why: str = "a checksum does not match") -> LudusError:
        """The error that says so."""
        return LudusError(f"{self.path} is damaged: {why}; remove it, and solve again what it held")

    def unchecked(self, name: str) -> npt.NDArray[Any]:
        """An array as it lies in the file, for those who check what they read of it; LudusError if there is none."""
        if name not in self._places:
            raise self.damaged(f"it holds no {name}")
        place = self._places[name]
        if not place.length:
            return np.zeros(0, place.kind)
        return np.frombuffer(self._content, place.kind, place.length, place.begin)

    def array(self, name: str) -> npt.NDArray[Any]:
        """An array, all of it checked."""
        found = self.unchecked(name)
        self.check(name, 0, len(found))
        return found

    def check(self, name: str, begin: int, end: int) -> None:
        """Raises LudusError unless the entries begin .. end-1 of an array are as they were written."""
        place, intact = self._places[name], self._intact[name]
        each = np.dtype(place.kind).itemsize
        first_digest = 0
        for other in self._places:
            if other == name:
                break
            first_digest += len(self._intact[other])
        for block in range(begin * each // _BLOCK, -(-end * each // _BLOCK)):
            if not intact[block]:
                at = place.begin + block * _BLOCK
                end_of_array = place.begin + self._size(name)
                content = memoryview(self._content)[at : min(at + _BLOCK, end_of_array + -end_of_array % _ALIGNED)]
                if _digest(content) != self._digests[first_digest + block].tobytes():
                    raise self.damaged()
                intact[block] = True
