"""Opening books: exact values and best actions of positions near the start of a game, found by search.

A book ships with Ludus, or lies in the user's folder, where `ludus.solving.book_building` puts it. A file begins with
two lines of text: MAGIC and a digest of all that follows. The next line is JSON, a `_Header`. The rest is compressed by
zlib: the columns of a table of positions, each with all lowest bytes of its numbers first.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from bisect import bisect_left
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import reduce
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from annotated_types import Ge

from ludus.compiled.masks import actions, is_empty, words
from ludus.compiled.rows import unpack
from ludus.documents import Count, parse
from ludus.errors import LudusError
from ludus.files import home, is_there, made_folder, read_regular, write_whole
from ludus.fingerprints import fingerprint, plain, random_positions
from ludus.game import (
    banked,
    bounds,
    candidates,
    endgame_heap,
    endgame_heaps,
    endgame_position,
    gives_endgames,
    plies_left,
    symmetries,
    transform,
    unbanked,
)
from ludus.locks import waited_for
from ludus.parameters import format_with_parameters
from ludus.solving.transposition_table import least_image
from ludus.solving.value import before_it, gained, seen_by_mover, unit

MAGIC = b"LUDUS BOOK 3\n"
SHIPPED = Path(__file__).parents[1] / "books"
MOST = 1_000_000  # positions: years of search
INCOMPLETE = -1  # plies of a book that is complete down to none
NO_ACTION = -1


class Entry(NamedTuple):
    """What a book holds of a position: its search value for the side to move, one best action, the effort to find both.

    `action`: NO_ACTION where only the value was searched. `effort`: the bits of the number of nodes visited with empty
    tables, 0 where that was not measured.
    """

    value: int
    action: int = NO_ACTION
    effort: int = 0


Entries = dict[Any, Entry]  # by `key_of`


class Extent(NamedTuple):
    """How far a book goes: all positions down to a ply, and a repertoire down to searches of so many nodes, or none."""

    plies: int = INCOMPLETE
    nodes: int = 0

    def covers(self, other: Extent) -> bool:
        """Whether a book of this extent has nothing to add for the other."""
        return self.plies >= other.plies and (other.nodes == 0 or 0 < self.nodes <= other.nodes)

    def joined(self, other: Extent) -> Extent:
        """The extent of a book that holds both."""
        return Extent(max(self.plies, other.plies), min(filter(None, (self.nodes, other.nodes)), default=0))


class Columns(NamedTuple):
    """The table of a book, sorted by position."""

    positions: npt.NDArray[np.int64]  # [entries, fields of a position]
    values: npt.NDArray[np.int32]  # [entries]
    actions: npt.NDArray[np.int16]  # [entries]
    efforts: npt.NDArray[np.int8]  # [entries]


class Book:
    """The entries of positions and how far they go; answers for all positions that these decide."""

    def __init__(self, game: Any, extent: Extent, columns: Columns) -> None:
        self.game, self.extent, self.columns = game, extent, columns

    def __len__(self) -> int:
        return len(self.columns.values)

    def get(self, pos: Any) -> int | None:
        """The search value of a position, by one-step lookahead where it is not stored; None if that is not known."""
        key = key_of(self.game, pos)
        found = self._entry(key)
        if found is not None:
            return found.value
        known = None if is_empty(self.game.legal(key)) else action_values(self.game, key, self._value)
        return max(known.values()) if known else None

    def best(self, pos: Any) -> list[int]:
        """The stored best action of a position, with those that are equal to it by symmetry; empty if none is."""
        game, key, rest = self.game, key_of(self.game, pos), unbanked(self.game, pos)
        found = self._entry(key)
        if found is None or found.action not in actions(game.legal(key)):
            return []
        goal = after_action(game, key, found.action)
        return [action for action in actions(game.legal(rest)) if after_action(game, rest, action) == goal]

    def entries(self) -> Entries:
        """All entries by position."""
        start, (positions, values, actions, efforts) = self.game.start(), self.columns
        found = zip(values.tolist(), actions.tolist(), efforts.tolist(), strict=True)
        return {unpack(start, row): Entry(*one) for row, one in zip(positions, found, strict=True)}

    def _value(self, key: Any) -> int | None:
        found = self._entry(key)
        return None if found is None else found.value

    def _entry(self, key: Any) -> Entry | None:
        positions, values, actions, efforts = self.columns
        wanted = list(key)
        place = bisect_left(range(len(positions)), wanted, key=lambda row: positions[row].tolist())
        if place == len(positions) or positions[place].tolist() != wanted:
            return None
        return Entry(int(values[place]), int(actions[place]), int(efforts[place]))


# ---- positions up to symmetry and banked points ----


def key_of(game: Any, pos: Any) -> Any:
    """The position that stands for all images of a position, whatever is banked."""
    return least_image(game, unbanked(game, pos))


def after_action(game: Any, pos: Any, action: int) -> tuple[Any, int, bool]:
    """The key of the position after an action, the points that it banks, and whether its player moves again."""
    after = game.play(pos, action)
    return key_of(game, after), int(gained(game, pos, after)), bool(game.player(after) == game.player(pos))


def action_values(game: Any, pos: Any, value_of: Callable[[Any], int | None]) -> dict[int, int] | None:
    """The search value of each action, given those of keys; None if one of these is not known."""
    found = {}
    for action in actions(game.legal(pos)):
        key, gain, again = after_action(game, pos, action)
        over = is_empty(game.legal(key))
        value = seen_by_mover(game, key, game.score(key)) * unit(game) if over else value_of(key)
        if value is None:
            return None
        found[action] = int(before_it(game, gain, value if again else -value))
    return found


# ---- files ----


def load(game: Any) -> Book | None:
    """The book of a game, complete or not: what ships with Ludus and what the user's folder adds; None for neither."""
    pattern = f"{type(game).__name__}-*.book"
    folders = [folder for folder in (home() / "books", SHIPPED) if any(folder.glob(pattern))]
    if not folders:  # the fingerprint takes a while
        return None
    whose = searched_fingerprint(game)
    books = [read(game, folder / _name(game, whose), whose) for folder in folders]
    found = [book for book in books if book is not None]
    return reduce(_merged, found) if found else None


def path_for(game: Any, fingerprinted: str | None = None) -> Path:
    """The path of a game's book in the user's folder."""
    return home() / "books" / _name(game, fingerprinted or searched_fingerprint(game))


def save(game: Any, extent: Extent, entries: Entries) -> Book:
    """Adds entries to the book in the user's folder, atomically; returns what it holds then."""
    whose = searched_fingerprint(game)
    path, made = path_for(game, whose), Book(game, extent, _columns(game, entries))
    with locked(game):
        there = read(game, path, whose)
        book = made if there is None else _merged(there, made)
        whole = [column.astype(f"<i{column.itemsize}") for column in book.columns]
        name = format_with_parameters(type(game).__name__, game)
        header = _Header(name, whose, *book.extent, len(book))
        parts = json.dumps(header._asdict()).encode() + b"\n", zlib.compress(b"".join(map(_by_bytes, whole)), 9)
        write_whole(path, [MAGIC + digest(*parts), *parts])
    return book


def read(game: Any, path: Path, whose: str) -> Book | None:
    """The book in a file, None if there is none; LudusError for a damaged file or one of other rules."""
    if not is_there(path):
        return None
    content = read_regular(path)
    body = memoryview(content)[len(MAGIC) + len(digest()) :]
    if not content.startswith(MAGIC + digest(body)):
        raise LudusError(f"{path} is damaged, or not of this version of Ludus: remove it and make it anew")
    first, _, rest = bytes(body).partition(b"\n")
    header = parse(_Header, first, path)
    if header.fingerprint != whose:
        raise LudusError(f"{path} was made for other rules: {header.game}")
    columns = _columns_in(rest, header.positions, len(game.start()))
    if columns is None:
        raise LudusError(f"{path} is damaged: it does not hold {header.positions:,} positions; remove it")
    return Book(game, Extent(header.plies, header.nodes), columns)


class _Header(NamedTuple):
    """What a file says of itself: how far it goes, and how many positions it holds."""

    game: str
    fingerprint: str
    plies: Annotated[int, Ge(INCOMPLETE)]
    nodes: Count
    positions: Count


def digest(*parts: bytes | memoryview) -> bytes:
    """A line of text that stands for all bytes of a file behind it."""
    whole = hashlib.blake2b(digest_size=16)
    for part in parts:
        whole.update(part)
    return whole.hexdigest().encode() + b"\n"


def _name(game: Any, fingerprinted: str) -> str:
    return f"{type(game).__name__}-{fingerprinted}.book"


def locked(game: Any) -> AbstractContextManager[None]:
    """Lets one process at a time write the books of a kind of game."""
    return waited_for(made_folder(home() / "books") / f"{type(game).__name__}.lock")


def _columns(game: Any, entries: Entries) -> Columns:
    """The table of some entries, in whatever order they were found."""
    keys = sorted(entries)
    values, actions, efforts = (np.array([entries[key][part] for key in keys]) for part in range(3))
    positions = np.array(keys, np.int64).reshape(len(keys), len(game.start()))
    return Columns(positions, values.astype(np.int32), actions.astype(np.int16), efforts.astype(np.int8))


def _merged(one: Book, other: Book) -> Book:
    """All entries of two books of a game; of two for a position, that which says more."""
    pairs: Any = zip(one.columns, other.columns, strict=True)
    whole = [np.concatenate(pair) for pair in pairs]
    positions, _, actions, efforts = whole
    order = np.lexsort((-actions, -efforts, *positions.T[::-1]))
    again = (np.diff(positions[order], axis=0) == 0).all(axis=1)
    kept = order[np.concatenate(([True] * min(len(order), 1), ~again))]
    return Book(one.game, one.extent.joined(other.extent), Columns(*(column[kept] for column in whole)))


def _by_bytes(column: npt.NDArray[Any]) -> bytes:
    """A column with all lowest bytes of its numbers first, which compresses far better."""
    return column.reshape(len(column), -1).view(np.uint8).T.tobytes()


def _columns_in(packed: bytes, count: int, fields: int) -> Columns | None:
    """The columns of a table of `count` entries; None if that is not its size."""
    sizes = [8 * fields, 4, 2, 1]
    if count > MOST:
        return None
    try:
        content = zlib.decompressobj().decompress(packed, count * sum(sizes) + 1)
    except zlib.error:
        return None
    if len(content) != count * sum(sizes):
        return None
    parts, at = [], 0
    for size in sizes:
        part = np.frombuffer(content, np.uint8, count * size, at).reshape(size, count).T
        parts.append(np.ascontiguousarray(part))
        at += count * size
    positions, values, actions, efforts = parts
    return Columns(
        positions.view("<i8"), values.view("<i4").ravel(), actions.view("<i2").ravel(), efforts.view("<i1").ravel()
    )


def searched_fingerprint(game: Any) -> str:
    """Sixteen hex digits over the rules of a game and over what its hooks give a search in random games."""
    whole = hashlib.sha256(fingerprint(game).encode())
    for pos in random_positions(game):
        whole.update(repr(_hooks(game, unbanked(game, pos), int(banked(game, pos)))).encode())
    return whole.hexdigest()[:16]


def _hooks(game: Any, pos: Any, points: int) -> tuple[Any, ...]:
    """The hooks' results in a position that had these points banked."""
    images = [plain(transform(game, pos, symmetry)) for symmetry in range(symmetries(game))]
    sizes = np.array([endgame_heap(game, pos, number) for number in range(endgame_heaps(game))], np.int64)
    heaped = plain(endgame_position(game, sizes)) if gives_endgames(game) else ()
    if is_empty(game.legal(pos)):
        return points, images, sizes.tolist(), heaped
    chosen = words(candidates(game, pos)), plain(bounds(game, pos)), plain(plies_left(game, pos))
    return points, images, sizes.tolist(), heaped, chosen
