"""Computes opening books: all positions of the first plies, and a repertoire below them.

The repertoire holds, for each side, one best action in its own positions and all replies of the other side. A line ends
where a search with empty tables finds value and best action within some number of nodes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from threading import Event
from typing import Any

from ludus.compiled.masks import actions, is_empty
from ludus.errors import LudusError
from ludus.game import promise
from ludus.solving.alpha_beta import DEFAULT_MEMORY, Searcher
from ludus.solving.opening_book import (
    MOST,
    NO_ACTION,
    Book,
    Entries,
    Entry,
    Extent,
    action_values,
    after_action,
    key_of,
    load,
    locked,
    save,
)

Progress = Callable[[str, int, int], None]  # the stage, positions done, and their total
OnNodes = Callable[[int], None]  # the `progress` of a searcher
Node = tuple[Any, bool]  # a position of the repertoire, and whether its own side is to move
DEFAULT_PLIES = 2
_LINE_MEMORY = 1 << 24  # bytes of the transposition table of one search in the repertoire
_SECONDS = 20  # between two writes to disk


def build(
    game: Any,
    plies: int = DEFAULT_PLIES,
    *,
    nodes: int = 0,
    memory: int = DEFAULT_MEMORY,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Book:
    """Computes the book of a game down to `plies`, with a repertoire down to searches of `nodes` nodes, and stores it.

    0 nodes: no repertoire. By default all cores search. A book that was interrupted is continued.
    """
    if plies < 0:
        raise LudusError(f"a book goes down to ply 0 or more, not {plies}")
    searcher = Searcher(game, memory=memory)
    extent = Extent(plies, nodes)
    with locked(game):
        known = load(game)
    if known is not None and known.extent.covers(extent):
        return known
    on_progress = progress or (lambda stage, done, total: None)
    building = _Building(searcher, known.entries() if known else {}, threads or os.cpu_count() or 1, on_progress)
    building.add_all(plies)
    if nodes:
        building.add_repertoire(extent)
    return save(game, known.extent.joined(extent) if known else extent, building.entries)


class _Building:
    """A book on its way: its entries so far, and the threads that search for more."""

    def __init__(self, searcher: Searcher, entries: Entries, threads: int, progress: Progress) -> None:
        self.game, self.searcher, self.entries = searcher.game, searcher, entries
        self.threads, self.progress = threads, progress
        self._idle: list[Searcher] = []  # partners of `searcher` that no thread uses
        self._unsaved, self._wrote = 0, time.monotonic()  # entries since they were written, and when that was

    # ---- all positions ----

    def add_all(self, plies: int) -> None:
        """Adds all positions down to a ply: the last ones by search, the others by lookahead."""
        *before, last = self._levels(plies)
        self._search(f"all positions, ply {plies}", last, [pos for pos in last if pos not in self.entries], self._value)
        for level in reversed(before):
            for pos in level:
                if pos not in self.entries:
                    self.entries[pos] = Entry(max(self._action_values(pos).values()))

    def _levels(self, plies: int) -> list[list[Any]]:
        """The positions that are not over after 0, 1, ... plies, up to symmetry and banked points."""
        levels = [[_root(self.game)]]
        while len(levels) <= plies and (level := self._next_level(levels[-1])):
            levels.append(level)
        return levels

    def _next_level(self, level: list[Any]) -> list[Any]:
        found: dict[Any, None] = {}
        for pos in level:
            found |= dict.fromkeys(after for after, _ in _successors(self.game, pos))
            _require_few(len(found))
            self.progress("listing", 0, len(found))
        return list(found)

    def _action_values(self, pos: Any) -> dict[int, int]:
        values = action_values(self.game, pos, lambda key: self.entries[key].value)
        assert values is not None
        return values

    # ---- the repertoire ----

    def add_repertoire(self, extent: Extent) -> None:
        """Adds best actions against every reply, ply by ply, until a search of so many nodes finds them."""
        root, ply = _root(self.game), 0
        level: set[Node] = {(root, True), (root, False)}
        while level:
            own = [pos for pos, is_own in level if is_own]
            self._add_best(own, ply, extent.plies)
            going_on = (node for node in level if ply <= extent.plies or self._goes_on(node, extent.nodes))
            level = {after for node in going_on for after in self._after(*node)}
            _require_few(len(self.entries) + len(level))
            ply += 1

    def _add_best(self, positions: list[Any], ply: int, plies: int) -> None:
        """Adds the best actions of positions at one ply; those above ply `plies` follow from the values below."""
        if ply < plies:
            for pos in positions:
                values = self._action_values(pos)
                value = max(values.values())
                self.entries[pos] = Entry(value, self._preferred(pos, (a for a in values if values[a] == value)))
            return
        look = self._best if ply == plies else self._alone
        missing = [pos for pos in positions if not self._is_answered(pos, measured=ply > plies)]
        self._search(f"repertoire, ply {ply}", positions, missing, look)

    def _is_answered(self, pos: Any, *, measured: bool) -> bool:
        """Whether the best action of a position is known, and how many nodes it takes, if that is to be measured."""
        found = self.entries.get(pos)
        return found is not None and found.action != NO_ACTION and (found.effort > 0 or not measured)

    def _goes_on(self, node: Node, nodes: int) -> bool:
        """Whether the lines through a position are continued."""
        pos, is_own = node
        return not is_own or self.entries[pos].effort > nodes.bit_length()

    def _after(self, pos: Any, is_own: bool) -> list[Node]:
        """What can follow: the best action of the own side, or all of the other one."""
        chosen = self.entries[pos].action if is_own else NO_ACTION
        found = _successors(self.game, pos, chosen)
        return [(after, is_own == again) for after, again in found]

    def _preferred(self, pos: Any, best: Iterable[int]) -> int:
        """One of the best actions: that of the highest promise."""
        return max(best, key=lambda action: (int(promise(self.game, pos, action)), -action))

    # ---- searches ----

    def _value(self, pos: Any, on_nodes: OnNodes) -> Entry:
        """The value alone, by a search that shares its table with all others."""
        with self._sharing(on_nodes) as searcher:
            return Entry(searcher.search_value(pos))

    def _best(self, pos: Any, on_nodes: OnNodes) -> Entry:
        """The same with a best action."""
        with self._sharing(on_nodes) as searcher:
            return Entry(searcher.search_value(pos), self._preferred(pos, searcher.best(pos)))

    @contextmanager
    def _sharing(self, on_nodes: OnNodes) -> Iterator[Searcher]:
        """A searcher with the table that all share, for one thread at a time."""
        try:
            searcher = self._idle.pop()
        except IndexError:
            searcher = self.searcher.partner()
        searcher.progress = on_nodes
        yield searcher
        self._idle.append(searcher)

    def _alone(self, pos: Any, on_nodes: OnNodes) -> Entry:
        """The same with empty tables, so that the effort does not depend on other searches."""
        searcher = Searcher(self.game, memory=_LINE_MEMORY, progress=on_nodes)
        value, action = searcher.search_value(pos), self._preferred(pos, searcher.best(pos))
        return Entry(value, action, max(searcher.nodes.bit_length(), 1))

    def _search(self, stage: str, level: list[Any], missing: list[Any], look: Callable[[Any, OnNodes], Entry]) -> None:
        """Adds entries, one search a thread, and writes them every now and then and after an interrupt."""
        stopped, ended = Event(), SimpleQueue[Future[Entry]]()

        def stop_if_asked(nodes: int) -> None:
            if stopped.is_set():
                raise InterruptedError

        known, pool = len(level) - len(missing), ThreadPoolExecutor(self.threads)
        self.progress(stage, known, len(level))
        try:
            searches = {pool.submit(look, pos, stop_if_asked): pos for pos in missing}
            for one in searches:
                one.add_done_callback(ended.put)
            for done in range(known + 1, len(level) + 1):
                one = self._next(ended)
                self.entries[searches[one]] = one.result()
                self._unsaved += 1
                self.progress(stage, done, len(level))
        except BaseException:
            self._save()
            raise
        finally:
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)  # a search stops at its next look

    def _next(self, ended: SimpleQueue[Future[Entry]]) -> Future[Entry]:
        """The next search that ends; what is found is written meanwhile."""
        while True:
            if self._unsaved and time.monotonic() - self._wrote > _SECONDS:
                self._save()
            with suppress(Empty):
                return ended.get(timeout=_SECONDS)

    def _save(self) -> None:
        """Writes the entries so far, if there are any."""
        if self.entries:
            save(self.game, Extent(), self.entries)
        self._unsaved, self._wrote = 0, time.monotonic()


def _root(game: Any) -> Any:
    if is_empty(game.legal(game.start())):
        raise LudusError(f"{type(game).__name__} is over at its start: there is nothing to search")
    return key_of(game, game.start())


def _successors(game: Any, pos: Any, only: int = NO_ACTION) -> list[tuple[Any, bool]]:
    """The positions after one action or all, and whether its player moves again; those that are over are left out."""
    chosen = actions(game.legal(pos)) if only == NO_ACTION else [only]
    found = [after_action(game, pos, action) for action in chosen]
    return [(after, again) for after, _, again in found if not is_empty(game.legal(after))]


def _require_few(positions: int) -> None:
    if positions > MOST:
        raise LudusError(f"a book that deep has more than {MOST:,} positions to search: ask for fewer plies")
