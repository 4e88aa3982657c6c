"""How an exported game is packed: a head in JSON, and columns of numbers behind it."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

_KINDS = ((np.uint8, "u1"), (np.uint16, "u2"), (np.uint32, "u4"))


class Pool:
    """Things of which each is kept once and called by its number."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}

    def number(self, thing: Hashable) -> int:
        """The number of a thing, which is taken in if it is new."""
        return self._numbers.setdefault(thing, len(self._numbers))

    @property
    def things(self) -> list[Any]:
        """All of them, in the order of their numbers."""
        return list(self._numbers)


class Columns:
    """Rows of numbers by name, each in as few bytes as its largest number needs."""

    def __init__(self) -> None:
        self._columns: dict[str, npt.NDArray[Any]] = {}

    def add(self, name: str, numbers: npt.ArrayLike) -> None:
        """Add a column: whole numbers from 0 on, or fractions, which are kept as they are."""
        column = np.asarray(numbers)
        if column.dtype.kind == "f":
            self._columns[name] = column.astype("<f8")
            return
        most = int(column.max(initial=0))
        kind = next(kind for kind, _ in _KINDS if most <= np.iinfo(kind).max)
        self._columns[name] = column.astype(np.dtype(kind).newbyteorder("<"))

    def add_lists(self, name: str, lists: Iterable[list[int]]) -> None:
        """Add a list of numbers for each row: all of them one after another, and how many each row has."""
        rows = list(lists)
        self.add(name, [number for row in rows for number in row])
        self.add(f"{name}.count", [len(row) for row in rows])

    def packed(self, head: dict[str, Any]) -> bytes:
        """The head, and the columns byte by byte: all first bytes, all second bytes, ..., which packs best."""
        listed = [[name, _kind(column), len(column)] for name, column in self._columns.items()]
        words = json.dumps(head | {"columns": listed}, ensure_ascii=False, separators=(",", ":")).encode()
        planes = [column.view(np.uint8).reshape(-1, column.itemsize).T.tobytes() for column in self._columns.values()]
        return gzip.compress(b"".join([len(words).to_bytes(4, "little"), words, *planes]), 9, mtime=0)


def _kind(column: npt.NDArray[Any]) -> str:
    return column.dtype.str.lstrip("<|")


def as_script(packed: bytes) -> bytes:
    """A script that leaves it where the page looks for it: pages from disk may read scripts, and nothing else."""
    return b'globalThis.ludusGame = "' + base64.b64encode(packed) + b'";\n'
