"""Opening books: the values of all positions of the first plies of a game, up to symmetry, worked out once and kept.

The positions at the last of these plies are searched; those before follow from them. What is found is written down
every few minutes and at an interrupt, joined with what another process wrote meanwhile, and building the same book
again goes on from there.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from threading import Event
from typing import Any

import numpy as np

from ludus.errors import LudusError
from ludus.game import unbanked
from ludus.masks import actions, is_empty
from ludus.rows import unpack
from ludus.solving.book_files import Arrays, read, write
from ludus.solving.search import DEFAULT_MEMORY, Searcher
from ludus.solving.search_table import least_image
from ludus.solving.search_tree import before_it, gained, seen_by_mover, unit

DEFAULT_PLIES = 2

_MOST = 1_000_000  # positions: years of search
_NONE = -1  # plies of a book that is not worked out whole
_SECONDS = 120  # between two times that what is found is written down

Values = dict[Any, int]


class Book:
    """The values of positions, for the player to move, as `search_tree` counts them; all of them down to `plies`."""

    def __init__(self, game: Any, plies: int, values: Values) -> None:
        self.game, self.plies, self.values = game, plies, values

    def __len__(self) -> int:
        return len(self.values)

    def get(self, pos: Any) -> int | None:
        """The value of a position, None if the book does not hold it."""
        return self.values.get(_key(self.game, pos))


def load(game: Any) -> Book | None:
    """The book of a game that is kept on disk, as far as it is worked out; None if there is none."""
    plies, values = _read(game)
    return Book(game, plies, values) if values else None


def build(
    game: Any,
    plies: int = DEFAULT_PLIES,
    *,
    memory: int = DEFAULT_MEMORY,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Book:
    """Work out the book of a game down to so many plies and keep it; all cores search, with one table, by default.

    `progress` is told how many positions are done, and of how many, which grows while they are being listed.
    """
    if plies < 0:
        raise LudusError(f"a book goes down to ply 0 or more, not {plies}")
    searcher = Searcher(game, memory=memory)
    complete, values = _read(game)
    if complete >= plies:
        return Book(game, complete, values)
    *before, last = _levels(game, plies, progress)
    _search_all(searcher, last, values, _Diary(game, values, progress), threads)
    for level in reversed(before):
        for pos in level:
            values[pos] = _from_successors(game, pos, values)
    return Book(game, *_write(game, plies, values))


class _Diary:
    """Writes down what is found every now and then, and tells how far it is."""

    def __init__(self, game: Any, values: Values, progress: Callable[[int, int], None] | None) -> None:
        self.game, self.values, self.progress = game, values, progress
        self.written = time.monotonic()

    def tell(self, done: int, total: int) -> None:
        """Note that so many of all positions are done."""
        if time.monotonic() - self.written > _SECONDS:
            self.write()
        if self.progress:
            self.progress(done, total)

    def write(self) -> None:
        """Put all that is found on disk."""
        _write(self.game, _NONE, self.values)
        self.written = time.monotonic()


def _search_all(searcher: Searcher, positions: list[Any], values: Values, diary: _Diary, threads: int | None) -> None:
    """Add the values of positions, by as many searches at once as there are threads; stops soon at an interrupt."""
    stopped = Event()
    count = threads or os.cpu_count() or 1
    idle = [searcher] + [searcher.partner() for _ in range(count - 1)]
    for each in idle:
        each.progress = partial(_stop_if, stopped)
    wanted = [pos for pos in positions if pos not in values]
    with ThreadPoolExecutor(count) as pool:
        try:
            searches = {pool.submit(_search_one, idle, pos): pos for pos in wanted}
            for done, search in enumerate(as_completed(searches), len(positions) - len(wanted) + 1):
                values[searches[search]] = search.result()
                diary.tell(done, len(positions))
        except BaseException:
            stopped.set()
            pool.shutdown(cancel_futures=True)
            diary.write()
            raise


def _search_one(idle: list[Searcher], pos: Any) -> int:
    searcher = idle.pop()
    try:
        return searcher.solved(pos)
    finally:
        idle.append(searcher)


def _stop_if(stopped: Event, nodes: int) -> None:
    if stopped.is_set():
        raise InterruptedError


def _key(game: Any, pos: Any) -> Any:
    return least_image(game, unbanked(game, pos))


def _levels(game: Any, plies: int, progress: Callable[[int, int], None] | None) -> list[list[Any]]:
    """The positions, without banked points and up to symmetry, in which the game goes on after 0, 1, ... plies."""
    if is_empty(game.legal(game.start())):
        raise LudusError(f"{type(game).__name__} is over at its start: there is nothing to work out")
    levels = [[_key(game, game.start())]]
    while len(levels) <= plies and (level := _next_level(game, levels[-1], progress)):
        levels.append(level)
    return levels


def _next_level(game: Any, level: list[Any], progress: Callable[[int, int], None] | None) -> list[Any]:
    found: dict[Any, None] = {}
    for pos in level:
        for action in actions(game.legal(pos)):
            after = _key(game, game.play(pos, action))
            if not is_empty(game.legal(after)):
                found[after] = None
        if len(found) > _MOST:
            raise LudusError(f"a book that deep has more than {_MOST:,} positions to search: ask for fewer plies")
        if progress:
            progress(0, len(found))
    return list(found)


def _from_successors(game: Any, pos: Any, values: Values) -> int:
    """The value of a position by one ply of play."""
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


def _read(game: Any) -> tuple[int, Values]:
    """What is on disk: down to which ply it is all there, and the values."""
    found = read(game)
    if found is None:
        return _NONE, {}
    arrays, notes = found
    like = game.start()
    rows = (unpack(like, row) for row in arrays["positions"])
    return notes["plies"], dict(zip(rows, arrays["values"].tolist(), strict=True))


def _write(game: Any, plies: int, values: Values) -> tuple[int, Values]:
    """Put values on disk, with those that are there already; what is there then."""
    complete, written = _read(game)
    plies, values = max(plies, complete), written | values
    arrays: Arrays = {
        "positions": np.array(list(values), np.int64).reshape(len(values), len(game.start())),
        "values": np.array(list(values.values()), np.int32),
    }
    write(game, arrays, {"plies": plies})
    return plies, values
