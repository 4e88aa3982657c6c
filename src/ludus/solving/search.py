"""Exact values of positions in games too large to list."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from typing import Any, Protocol

import numpy as np

from ludus.compiled.masks import actions, is_empty
from ludus.errors import LudusError
from ludus.game import banked, gives_banked, gives_endgames, gives_odds, max_plies, num_actions, unbanked, validate
from ludus.solving import endgames
from ludus.solving.alpha_beta import (
    ANSWERED,
    BEST,
    BY_CHANCE,
    FIELDS,
    FRAME,
    FULL,
    LONGEST,
    NODES,
    TROUBLE,
    Ints,
    Search,
    advance,
    begin,
    within,
)
from ludus.solving.transposition_table import NO_ACTION, new_table
from ludus.solving.value import UNIT, Value, after_it, gained, seen_by_mover, unit

DEFAULT_MEMORY = 1 << 30

_SLICE = 1 << 18  # nodes visited before an interrupt is heard
_FIRST_DEPTH = 128
_DEEPEST = 1 << 16  # plies; where plies count, values leave room for fewer
_NODES_PER_ENDGAME = 0.5  # spent in search before an endgame is worth working out
# Asked first where plies count, because the answer is cheap: is it won, or lost, within so many plies?
_SOON = 8
_QUICK_QUESTIONS = (UNIT - _SOON, 1 - (UNIT - _SOON))


class Book(Protocol):
    """Values that are known beforehand."""

    def get(self, pos: Any) -> int | None:
        """The value of a position as searches count, for the player to move, or None."""


def searchable(game: Any) -> bool:
    """Whether the game says that it always ends, by not giving max_plies; leaves nothing to chance; has few actions."""
    return max_plies(game) == 0 and not gives_odds(game) and num_actions(game) <= NO_ACTION


class Searcher:
    """A search that remembers what it finds, in at most `memory` bytes; where there are endgames, half is for them.

    `progress` is told the nodes visited so far, some times a second; what it raises stops the search, which can be
    asked again. Draws are not counted in plies, nor is anything in games whose score adds up.
    """

    def __init__(
        self,
        game: Any,
        *,
        memory: int = DEFAULT_MEMORY,
        progress: Callable[[int], None] | None = None,
        book: Book | None = None,
    ) -> None:
        validate(game)
        if not searchable(game):
            raise LudusError(
                f"{type(game).__name__} cannot be searched: that needs a game that always ends and gives no max_plies,"
                f" leaves nothing to chance, and has at most {NO_ACTION} actions"
            )
        self.game, self.memory, self.progress, self.book = game, memory, progress, book
        self._latest: tuple[Any, int] | None = None
        self._endgames = endgames.Growing()
        table = new_table(memory // 2 if gives_endgames(game) else memory)
        counters = np.zeros(3, np.int64)
        self._search = Search(*_room(game, _FIRST_DEPTH), counters, table, self._endgames.table)

    def partner(self) -> Searcher:
        """Another search of the same game that shares its tables, to be used by another thread."""
        other = copy(self)
        counters = np.zeros_like(self._search.counters)
        other._search = Search(*_room(self.game, _FIRST_DEPTH), counters, *self._search[4:])
        return other

    @property
    def nodes(self) -> int:
        """The positions visited so far."""
        return int(self._search.counters[NODES])

    def value(self, pos: Any) -> Value:
        """What perfect play makes of a position."""
        game = self.game
        if is_empty(game.legal(pos)):
            return Value(game.score(pos), None if gives_banked(game) else 0)
        return self.told(pos, self.solved(pos))

    def told(self, pos: Any, found: int) -> Value:
        """What a value, as `search_tree` counts it for who moves in a position, says of that position."""
        game = self.game
        if gives_banked(game):
            return Value(banked(game, pos) + seen_by_mover(game, pos, found))
        points = -(-abs(found) // UNIT)
        score = seen_by_mover(game, pos, points if found > 0 else -points)
        return Value(score, points * UNIT - abs(found) if points else None)

    def actions(self, pos: Any) -> dict[int, Value]:
        """The value of each legal action, its plies counted from here."""
        return {action: self.action(pos, action) for action in actions(self.game.legal(pos))}

    def action(self, pos: Any, action: int) -> Value:
        """The value of one action."""
        score, plies = self.value(self.game.play(pos, action))
        return Value(score, None if plies is None or score == 0 else plies + 1)

    def best(self, pos: Any) -> list[int]:
        """The legal actions that reach the value of a position; asks less than the value of every action would."""
        return [] if is_empty(self.game.legal(pos)) else self._reaching(pos, self.solved(pos))

    def keeping(self, pos: Any) -> list[int]:
        """The legal actions that give nothing away but plies."""
        if gives_banked(self.game) or is_empty(self.game.legal(pos)):
            return self.best(pos)
        return self._reaching(pos, _least_alike(self.solved(pos)))

    def _reaching(self, pos: Any, value: int) -> list[int]:
        return [action for action in actions(self.game.legal(pos)) if self._reaches(pos, action, value)]

    def _reaches(self, pos: Any, action: int, value: int) -> bool:
        """Whether an action is worth so much to the player who moves."""
        game, rest = self.game, unbanked(self.game, pos)
        after = game.play(rest, action)
        beta = after_it(game, gained(game, rest, after), value)
        if game.player(after) == game.player(rest):
            return self._at_least(after, beta)
        return not self._at_least(after, 1 - beta)

    def _at_least(self, pos: Any, beta: int) -> bool:
        """Whether a position is worth so much to the player to move, or who would be."""
        game, rest = self.game, unbanked(self.game, pos)
        if is_empty(game.legal(rest)):
            return seen_by_mover(game, rest, game.score(rest)) * unit(game) >= beta
        known = self.book.get(rest) if self.book else None
        return (self._ask(rest, beta) if known is None else known) >= beta

    def solved(self, pos: Any) -> int:
        """The value of a position in which the game goes on, as `search_tree` counts; the latest is remembered."""
        if self._latest is None or self._latest[0] != pos:
            self._latest = pos, self._find_out(pos)
        return self._latest[1]

    def _find_out(self, pos: Any) -> int:
        """The same from the book, or by questions that close in."""
        for low, _ in self.closing_in(pos):  # noqa: B007, the last counts
            pass
        return low

    def closing_in(self, pos: Any) -> Iterator[tuple[int, int]]:
        """Bounds of the same value, tighter and tighter until they meet."""
        known = self.book.get(pos) if self.book else None
        if known is not None:
            yield known, known
            return
        rest = unbanked(self.game, pos)
        low, high = within(self.game, rest)
        yield low, high
        for beta in () if gives_banked(self.game) else _QUICK_QUESTIONS:
            if low < beta <= high:
                low, high = self._narrowed(rest, beta, low, high)
                yield low, high
        beta = max(low + 1, min(0, high))
        while low < high:
            before = low
            low, high = self._narrowed(rest, beta, low, high)
            beta = low + 1 if low > before else high
            yield low, high

    def _narrowed(self, pos: Any, beta: int, low: int, high: int) -> tuple[int, int]:
        """The bounds of a value after asking whether it is at least beta."""
        answer = self._ask(pos, beta)
        return (answer, high) if answer >= beta else (low, answer)

    def _ask(self, pos: Any, beta: int) -> int:
        """A number at least beta, which the value then reaches, or one below it, which the value does not exceed."""
        begin(self.game, pos, beta, self._search)
        while True:
            stopped = advance(self.game, pos, self._search, self.nodes + _SLICE)
            if self._search.counters[TROUBLE]:
                raise LudusError(self._trouble())
            if stopped == ANSWERED:
                return int(self._search.frames[1, BEST])
            if stopped == FULL:
                self._deepen()
            self._on_progress()
            if gives_endgames(self.game):
                self._extend_endgames()

    def _trouble(self) -> str:
        name = type(self.game).__name__
        if self._search.counters[TROUBLE] == BY_CHANCE:
            return f"{name} cannot be searched: that needs a game that leaves nothing to chance"
        return f"a score of {name} is larger than a search can handle"

    def _on_progress(self, *_: int) -> None:
        if self.progress:
            self.progress(self.nodes)

    def _deepen(self) -> None:
        """Make room for twice as many plies."""
        old = self._search[:3]
        depth = 2 * len(old[0])
        if depth > (_DEEPEST if gives_banked(self.game) else LONGEST):
            raise LudusError(
                f"{type(self.game).__name__} goes on for more than {depth // 2} plies, too many for a search;"
                " a game that may never end must give max_plies"
            )
        larger = _room(self.game, depth)
        for new, part in zip(larger, old, strict=True):
            new[: len(part)] = part
        self._search = Search(*larger, *self._search[3:])

    def _extend_endgames(self) -> None:
        """Work out more endgames once the search has taken long enough for them to pay."""
        room = self.memory - self._search.table.nbytes - len(self._endgames.table.values)
        most = endgames.most_within(self.game, min(room, int(self.nodes / _NODES_PER_ENDGAME)))
        table = self._endgames.with_at_least(self.game, most, self._on_progress)
        self._search = self._search._replace(endgames=table)


def _least_alike(value: int) -> int:
    """The least value of the same score, where plies count."""
    return (value - 1) // UNIT * UNIT + 1 if value > 0 else value // UNIT * UNIT


def _room(game: Any, depth: int) -> tuple[Ints, Ints, Ints]:
    """Space for a line of play of so many plies: children, queues and frames."""
    actions = num_actions(game)
    shapes = (depth, actions, FIELDS + len(game.start())), (depth, actions), (depth, FRAME)
    children, queues, frames = (np.zeros(shape, np.int64) for shape in shapes)
    return children, queues, frames
