"""Opening books: exact values of the first plies of a game, found by search and kept on disk.

A file begins with two lines of text: MAGIC and a digest of all that follows. The next line is JSON, a `_Header`. Then
follow the fields of all positions as int64 and their values as int32.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager
from pathlib import Path
from threading import Event
from typing import Annotated, Any, NamedTuple

import numpy as np
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
from ludus.solving.alpha_beta import DEFAULT_MEMORY, Searcher
from ludus.solving.transposition_table import least_image
from ludus.solving.value import before_it, gained, seen_by_mover, unit

Values = dict[Any, int]
Progress = Callable[[int, int], None]  # positions done, and their total, which grows while they are enumerated
MAGIC = b"LUDUS BOOK 2\n"
DEFAULT_PLIES = 2
_MOST = 1_000_000  # positions: years of search
_NONE = -1  # plies of an incomplete book
_SECONDS = 120  # between two writes to disk


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


def path_for(game: Any, fingerprinted: str | None = None) -> Path:
    """The path of a game's book."""
    return home() / "books" / f"{type(game).__name__}-{fingerprinted or searched_fingerprint(game)}.book"


def _digest(*parts: bytes | memoryview) -> bytes:
    """One line of text."""
    whole = hashlib.blake2b(digest_size=16)
    for part in parts:
        whole.update(part)
    return whole.hexdigest().encode() + b"\n"


class _Header(NamedTuple):
    """What a file says of itself: down to which ply it is complete, and how many positions it holds."""

    game: str
    fingerprint: str
    plies: Annotated[int, Ge(_NONE)]
    positions: Count


class Book:
    """Search values of positions, for the side to move; complete down to `plies`."""

    def __init__(self, game: Any, plies: int, values: Values) -> None:
        self.game, self.plies, self.values = game, plies, values

    def __len__(self) -> int:
        return len(self.values)

    def get(self, pos: Any) -> int | None:
        """The value of a position, or None."""
        return self.values.get(_key(self.game, pos))


def load(game: Any) -> Book | None:
    """The book of a game on disk, complete or not; None if there is none."""
    plies, values = _read(game)
    return Book(game, plies, values) if values else None


def build(
    game: Any,
    plies: int = DEFAULT_PLIES,
    *,
    memory: int = DEFAULT_MEMORY,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Book:
    """Computes the book of a game down to `plies` and stores it; by default all cores search, with one table."""
    if plies < 0:
        raise LudusError(f"a book goes down to ply 0 or more, not {plies}")
    searcher = Searcher(game, memory=memory)
    with _locked(game):
        complete, values = _read(game)
    if complete >= plies:
        return Book(game, complete, values)
    on_progress = progress or (lambda done, total: None)
    *before, last = _levels(game, plies, on_progress)
    _search_all(searcher, last, values, on_progress, threads)
    for level in reversed(before):
        for pos in level:
            values[pos] = _from_successors(game, pos, values)
    return Book(game, *_write(game, plies, values))


def _search_all(
    searcher: Searcher, positions: list[Any], values: Values, progress: Progress, threads: int | None
) -> None:
    """Adds the values of positions, one search a thread, and writes them every now and then and after an interrupt."""
    stopped, written = Event(), time.monotonic()
    count = threads or os.cpu_count() or 1
    idle = [searcher] + [searcher.partner() for _ in range(count - 1)]

    def stop_if_asked(nodes: int) -> None:
        if stopped.is_set():
            raise InterruptedError

    def search(pos: Any) -> int:
        searcher = idle.pop()
        try:
            return searcher.search_value(pos)
        finally:
            idle.append(searcher)

    for each in idle:
        each.progress = stop_if_asked
    wanted = [pos for pos in positions if pos not in values]
    known, pool = len(positions) - len(wanted), ThreadPoolExecutor(count)
    try:
        searches = {pool.submit(search, pos): pos for pos in wanted}
        for done, found in enumerate(as_completed(searches), known + 1):
            values[searches[found]] = found.result()
            if time.monotonic() - written > _SECONDS:
                _write(searcher.game, _NONE, values)
                written = time.monotonic()
            progress(done, len(positions))
    except BaseException:
        _write(searcher.game, _NONE, values)
        raise
    finally:
        stopped.set()
        pool.shutdown(wait=False, cancel_futures=True)  # a search stops at its next look


def _key(game: Any, pos: Any) -> Any:
    return least_image(game, unbanked(game, pos))


def _levels(game: Any, plies: int, progress: Progress) -> list[list[Any]]:
    """The positions that are not over after 0, 1, ... plies, up to symmetry and banked points."""
    if is_empty(game.legal(game.start())):
        raise LudusError(f"{type(game).__name__} is over at its start: there is nothing to search")
    levels = [[_key(game, game.start())]]
    while len(levels) <= plies and (level := _next_level(game, levels[-1], progress)):
        levels.append(level)
    return levels


def _next_level(game: Any, level: list[Any], progress: Progress) -> list[Any]:
    found: dict[Any, None] = {}
    for pos in level:
        for action in actions(game.legal(pos)):
            after = _key(game, game.play(pos, action))
            if not is_empty(game.legal(after)):
                found[after] = None
        if len(found) > _MOST:
            raise LudusError(f"a book that deep has more than {_MOST:,} positions to search: ask for fewer plies")
        progress(0, len(found))
    return list(found)


def _from_successors(game: Any, pos: Any, values: Values) -> int:
    """The value of a position by one-step lookahead."""
    best = []
    for action in actions(game.legal(pos)):
        after = game.play(pos, action)
        rest = unbanked(game, after)
        if is_empty(game.legal(rest)):
            value = seen_by_mover(game, rest, game.score(rest)) * unit(game)
        else:
            value = values[_key(game, rest)]
        again = game.player(after) == game.player(pos)
        best.append(before_it(game, gained(game, pos, after), value if again else -value))
    return max(best)


def _locked(game: Any) -> AbstractContextManager[None]:
    """Lets one process at a time write the books of a kind of game."""
    return waited_for(made_folder(home() / "books") / f"{type(game).__name__}.lock")


def _read(game: Any) -> tuple[int, Values]:
    """The ply down to which the book on disk is complete, and its values; LudusError for a damaged or foreign file."""
    if not any((home() / "books").glob(f"{type(game).__name__}-*.book")):  # saves taking the fingerprint
        return _NONE, {}
    whose = searched_fingerprint(game)
    path = path_for(game, whose)
    if not is_there(path):
        return _NONE, {}
    content = read_regular(path)
    body = memoryview(content)[len(MAGIC) + len(_digest()) :]
    if not content.startswith(MAGIC + _digest(body)):
        raise LudusError(f"{path} is damaged, or not of this version of Ludus: remove it and make it anew")
    first, _, rest = content[len(content) - len(body) :].partition(b"\n")
    header = parse(_Header, first, path)
    if header.fingerprint != whose:
        raise LudusError(f"{path} was made for other rules: {header.game}")
    fields, count = len(game.start()), header.positions
    if len(rest) != count * (8 * fields + 4):
        raise LudusError(f"{path} is damaged: it does not hold {count:,} positions; remove it and make it anew")
    rows = np.frombuffer(rest, "<i8", count * fields).reshape(count, fields)
    values = np.frombuffer(rest, "<i4", count, 8 * count * fields)
    return header.plies, dict(zip((unpack(game.start(), row) for row in rows), values.tolist(), strict=True))


def _write(game: Any, plies: int, values: Values) -> tuple[int, Values]:
    """Merges values into the book on disk, atomically; returns what it holds then."""
    whose = searched_fingerprint(game)
    path = path_for(game, whose)
    with _locked(game):
        complete, written = _read(game)
        plies, values = max(plies, complete), dict(sorted((written | values).items()))  # in whatever order found
        header = _Header(format_with_parameters(type(game).__name__, game), whose, plies, len(values))
        parts = [
            json.dumps(header._asdict()).encode() + b"\n",
            np.array(list(values), "<i8").tobytes(),
            np.array(list(values.values()), "<i4").tobytes(),
        ]
        write_whole(path, [MAGIC + _digest(*parts), *parts])
    return plies, values
