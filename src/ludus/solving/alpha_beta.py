"""Alpha-beta search with a transposition table: the exact value of a position in a game too large to enumerate.

Values are integers for the side to move. Where the score adds up (`banked`) a value is what the player will still win
or lose. Elsewhere it is the score in units of UNIT, less one for each ply to the end, so that faster wins and slower
losses are better; a draw is 0 however long it takes.

A search has a null window: it returns a number >= `beta` if the value is at least that number, else one < `beta` that
the value does not exceed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from itertools import repeat
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ludus.compiled.bits import highest
from ludus.compiled.compiling import helper, kernel
from ludus.compiled.masks import actions, first, is_empty, without_first
from ludus.compiled.rows import borrowed, pack, prefetch, unpack
from ludus.errors import LudusError
from ludus.game import (
    ANY_PLIES,
    ANY_SCORE,
    CHANCE,
    banked,
    bounds,
    candidates,
    gives_banked,
    gives_endgames,
    gives_odds,
    num_actions,
    plies_left,
    promise,
    unbanked,
    validate,
)
from ludus.loops import recurring_position
from ludus.solving import endgame_tables, endgames, transposition_table
from ludus.solving.endgames import Endgames, index_of
from ludus.solving.transposition_table import (
    MOST,
    NO_ACTION,
    Table,
    action_of,
    hashed,
    keep,
    line_of,
    look_up,
    lower_of,
    upper_of,
)
from ludus.solving.value import UNIT, Value, after_it, before_it, gained, seen_by_mover, unit

Ints = npt.NDArray[np.int64]
LONGEST = UNIT // 2  # plies that count in a value; more could turn it into a draw on its way up
# `counters`: positions visited, the depth of the line, why the search failed, the game's own bounds of the value.
NODES, DEPTH, TROUBLE, LOW, HIGH, COUNTERS = range(6)
TOO_LARGE, BY_CHANCE = 1, 2  # TROUBLE
ANSWERED, PAUSED, FULL = range(3)  # why `advance` stopped

# A row of `children`: key and tag in the table, points banked by the action, whether its player moves again, and the
# fields of the position.
KEY, TAG, GAIN, AGAIN, FIELDS = range(5)

# A row of `frames`: the window, the best value so far and its action, how many actions wait, which one is searched, and
# the nodes visited before. The position itself is a child of the frame before.
BETA, BEST, ACTION, WAITING, TRIED, BEFORE, FRAME = range(7)

# An entry of `queues`: the priority of an action, above two fields of ten bits: its own best answer, and the action.
_BITS = 10
_FIELD = (1 << _BITS) - 1


class Search(NamedTuple):
    """The line of play being searched, so that a search can stop and resume anywhere, and its tables."""

    children: Ints  # [plies, actions, FIELDS + fields of a position]: after each action; at ply 0 only the root
    queues: Ints  # [plies, actions]: the actions to search, in order
    frames: Ints  # [plies, FRAME]: the state of the search at each ply
    counters: Ints  # [COUNTERS]
    table: Table
    endgames: Endgames


@kernel
def begin(game: Any, pos: Any, search: Search) -> None:
    """Prepares the search of a position that is not over and has no banked points."""
    search.counters[TROUBLE] = BY_CHANCE if game.player(pos) == CHANCE else 0
    search.counters[LOW], search.counters[HIGH] = within(game, pos)
    search.counters[DEPTH] = 0
    root = search.children[0, 0]
    root[KEY], root[TAG] = hashed(game, pos)
    pack(pos, root[FIELDS:])
    search.frames[0, TRIED] = 0
    search.queues[0, 0] = action_of(look_up(search.table, root[KEY], root[TAG])) << _BITS


@kernel
def advance(game: Any, like: Any, beta: int, search: Search, limit: int) -> int:
    """Searches with the window at beta, or resumes that, until it is done, at `limit` nodes, or too deep."""
    search = borrowed(search)
    depth = search.counters[DEPTH]
    stopped = PAUSED
    while stopped == PAUSED and search.counters[NODES] < limit and search.counters[TROUBLE] == 0:
        frame = search.frames[depth]
        if depth > 0 and (frame[BEST] >= frame[BETA] or frame[TRIED] == frame[WAITING]):
            remember(search, depth)
            depth -= 1
            if depth == 0:
                stopped = ANSWERED
            else:  # the result of the ply below
                frame, child = search.frames[depth], tried(search, depth)
                answer = search.frames[depth + 1, BEST]
                value = before_it(game, child[GAIN], answer if child[AGAIN] else -answer)
                if value > frame[BEST]:
                    frame[BEST], frame[ACTION] = value, search.queues[depth, frame[TRIED]] & _FIELD
                frame[TRIED] += 1
        elif depth + 1 == len(search.frames):
            stopped = FULL
        else:  # the position after the next queued action, or the root
            child, window = tried(search, depth), beta
            if depth > 0:
                window = after_it(game, child[GAIN], frame[BETA])
                window = window if child[AGAIN] else 1 - window
            depth += 1
            expand(game, unpack(like, child[FIELDS:]), window, depth, search)
    search.counters[DEPTH] = depth
    return stopped


@helper
def tried(search: Search, depth: int) -> Ints:
    """The child that is being searched."""
    action = search.queues[depth, search.frames[depth, TRIED]] & _FIELD
    child: Ints = search.children[depth, action]
    return child


@helper
def expand(game: Any, pos: Any, beta: int, depth: int, search: Search) -> None:
    """Enters a position: known successors may cut it off, the others are queued."""
    search.counters[NODES] += 1
    frame = search.frames[depth]
    frame[BETA], frame[BEST], frame[ACTION] = beta, -MOST, NO_ACTION
    frame[WAITING] = frame[TRIED] = 0
    frame[BEFORE] = search.counters[NODES]
    favourite = search.queues[depth - 1, search.frames[depth - 1, TRIED]] >> _BITS & _FIELD
    waiting = left = candidates(game, pos)
    while not is_empty(left):
        generate(game, pos, first(left), depth, search)
        left = without_first(left)
    while not is_empty(waiting) and frame[BEST] < beta:
        action = first(waiting)
        if not is_decided(game, pos, action, depth, search):
            enqueue(action, MOST if action == favourite else priority(game, pos, action, depth, search), depth, search)
        waiting = without_first(waiting)
    if frame[BEST] < beta:
        consult_table(game, depth, search)


@helper
def generate(game: Any, pos: Any, action: int, depth: int, search: Search) -> None:
    """Plays an action, and begins to load what the table holds of the position after it."""
    child = search.children[depth, action]
    after = game.play(pos, action)
    rest = unbanked(game, after)
    child[KEY], child[TAG] = hashed(game, rest)
    prefetch(search.table, line_of(search.table, child[KEY]))
    pack(rest, child[FIELDS:])
    child[GAIN] = gained(game, pos, after)
    child[AGAIN] = game.player(after) == game.player(pos)
    if game.player(after) == CHANCE:
        search.counters[TROUBLE] = BY_CHANCE
    if gives_banked(game) and not (fits(child[GAIN]) and fits(search.frames[depth, BETA] - child[GAIN])):
        search.counters[TROUBLE] = TOO_LARGE


@helper
def is_decided(game: Any, like: Any, action: int, depth: int, search: Search) -> bool:
    """Whether bounds and endgames decide an action, which is counted then."""
    child = search.children[depth, action]
    low, high = known(game, unpack(like, child[FIELDS:]), search.endgames)
    if low > MOST or high < -MOST:
        search.counters[TROUBLE] = TOO_LARGE
    return settles(game, child, low, high, action, search.frames[depth])


@helper
def priority(game: Any, pos: Any, action: int, depth: int, search: Search) -> int:
    """How early to search an action."""
    child = search.children[depth, action]
    return int(promise(game, pos, action) + 2 * child[GAIN] + child[AGAIN])


@helper
def enqueue(action: int, order: int, depth: int, search: Search) -> None:
    """Queues an action, the highest order first."""
    queue, entry, place = search.queues[depth], order << 2 * _BITS | action, search.frames[depth, WAITING]
    while place > 0 and queue[place - 1] < entry:
        queue[place] = queue[place - 1]
        place -= 1
    queue[place] = entry
    search.frames[depth, WAITING] += 1


@helper
def settles(game: Any, child: Ints, low: int, high: int, action: int, frame: Ints) -> bool:
    """Whether bounds of the position after an action put it on one side of beta; if so, they are counted."""
    if child[AGAIN] == 0:
        low, high = -high, -low
    low, high = before_it(game, child[GAIN], low), before_it(game, child[GAIN], high)
    if low < frame[BETA] <= high:
        return False
    value = low if low >= frame[BETA] else high
    if value > frame[BEST]:
        frame[BEST], frame[ACTION] = value, action
    return True


@helper
def consult_table(game: Any, depth: int, search: Search) -> None:
    """Looks up all queued actions in one go, so that memory latencies overlap."""
    frame, queue = search.frames[depth], search.queues[depth]
    kept = 0
    for place in range(frame[WAITING]):
        action = queue[place] & _FIELD
        child = search.children[depth, action]
        notes = look_up(search.table, child[KEY], child[TAG])
        if notes == 0 or not settles(game, child, lower_of(notes), upper_of(notes), action, frame):
            queue[kept] = queue[place] | action_of(notes) << _BITS
            kept += 1
    frame[WAITING] = kept


@helper
def remember(search: Search, depth: int) -> None:
    """Stores the result in the transposition table."""
    frame, child = search.frames[depth], tried(search, depth - 1)
    if not fits(frame[BEST]):
        search.counters[TROUBLE] = TOO_LARGE
        return
    low, high = (frame[BEST], MOST) if frame[BEST] >= frame[BETA] else (-MOST, frame[BEST])
    effort = highest(int(search.counters[NODES] - frame[BEFORE] + 1))
    keep(search.table, child[KEY], child[TAG], low, high, frame[ACTION], effort)


# ---- bounds ----


@helper
def fits(value: int) -> bool:
    """Whether a value can be stored and differs from an unknown one."""
    return -MOST < value < MOST


@helper
def known(game: Any, pos: Any, endgames: Endgames) -> tuple[int, int]:
    """Bounds of a value without search."""
    if is_empty(game.legal(pos)):
        score = seen_by_mover(game, pos, clipped(game.score(pos), ANY_SCORE)) * unit(game)
        return score, score
    if gives_endgames(game):
        index = index_of(game, pos, endgames)
        if index >= 0:
            return int(endgames.values[index]), int(endgames.values[index])
    return within(game, pos)


@helper
def within(game: Any, pos: Any) -> tuple[int, int]:
    """The game's own bounds as search values."""
    low, high = bounds(game, pos)
    low, high = clipped(low, ANY_SCORE), clipped(high, ANY_SCORE)
    if game.player(pos) != 0:
        low, high = -high, -low
    if not gives_banked(game):
        fewest, most = plies_left(game, pos)
        fewest, most = clipped(fewest, ANY_PLIES), most if most < LONGEST else ANY_PLIES
        low, high = -counted(-low, fewest, most), counted(high, fewest, most)
    return max(low, -MOST), min(high, MOST)


@helper
def clipped(number: int, limit: int) -> int:
    """The number limited to -limit .. limit."""
    return max(-limit, min(number, limit))


@helper
def counted(points: int, if_won: int, if_lost: int) -> int:
    """Points as a search value, given the plies of a win and of a loss."""
    return points * UNIT - if_won * (points > 0) + if_lost * (points < 0)


DEFAULT_MEMORY = 1 << 30
SLICE = 1 << 18  # nodes visited before an interrupt is heard
FIRST_DEPTH = 128
DEEPEST = 1 << 16  # plies; where plies count, values leave room for fewer
NODES_PER_ENDGAME = 2  # searched before computing an endgame pays
READ_PER_NODE = 16  # endgames, that are read from disk as quickly as a node is searched


class Book(Protocol):
    """An opening book."""

    def get(self, pos: Any) -> int | None:
        """The search value of a position for the side to move, or None."""

    def best(self, pos: Any) -> list[int]:
        """Some best actions of a position; empty where none is known."""


def obstacle_to_search(game: Any) -> str:
    """Why a game cannot be searched; empty if nothing is known against it."""
    if gives_odds(game):
        return "it leaves something to chance"
    if num_actions(game) > NO_ACTION:
        return f"it has {num_actions(game):,} actions, and a search takes {NO_ACTION:,}"
    recurring = recurring_position(game)
    return "" if recurring is None else f"play can come back to {recurring}, so that it need not end"


class Searcher:
    """Alpha-beta searches that share tables of at most `memory` bytes, half of them for endgames where a game has some.

    `progress` is called with the nodes visited so far, some times a second; an exception that it raises stops the
    search, which stays usable. Plies are not counted in draws, nor in games whose score adds up.
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
        if obstacle := obstacle_to_search(game):
            raise LudusError(f"{type(game).__name__} cannot be searched: {obstacle}")
        self.game, self.memory, self.progress, self.book = game, memory, progress, book
        self._latest: tuple[Any, int] | None = None
        self._endgames = endgame_tables.Growing(game)
        self._table = transposition_table.Growing(memory // 2 if gives_endgames(game) else memory)
        self._code: tuple[Callable[..., None], Callable[..., int]] | None = None
        counters = np.zeros(COUNTERS, np.int64)
        self._search = Search(*_room(game, FIRST_DEPTH), counters, self._table.table, self._endgames.table)

    def partner(self, progress: Callable[[int], None] | None = None) -> Searcher:
        """A searcher for another thread that shares the tables; it counts its own nodes, for its own `progress`."""
        other = copy(self)
        other.progress = progress
        counters = np.zeros_like(self._search.counters)
        other._search = Search(*_room(self.game, FIRST_DEPTH), counters, *self._search[4:])
        return other

    def prepare(self) -> None:
        """Compiles the search, if need be, ahead of the first question."""
        self._machine_code(unbanked(self.game, self.game.start()))

    def _machine_code(self, pos: Any) -> tuple[Callable[..., None], Callable[..., int]]:
        """The kernels `begin` and `advance` for this game; to find them takes longer than many a search."""
        if self._code is None:
            args = self.game, pos
            self._code = begin.entry(*args, self._search), advance.entry(*args, 0, self._search, 0)
        return self._code

    @property
    def nodes(self) -> int:
        """The positions visited so far."""
        return int(self._search.counters[NODES])

    def value(self, pos: Any) -> Value:
        """The value of a position under perfect play."""
        game = self.game
        if is_empty(game.legal(pos)):
            return Value(game.score(pos), None if gives_banked(game) else 0)
        return self.as_value(pos, self.search_value(pos))

    def as_value(self, pos: Any, found: int) -> Value:
        """The value of a position, given its search value for the side to move."""
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
        """The actions that reach the value of a position, plies included, or the one of them that its book plays."""
        if is_empty(self.game.legal(pos)):
            return []
        known = self.book.best(pos) if self.book else []
        return known or self.reaching(pos, self.search_value(pos))

    def optimal(self, pos: Any) -> list[int]:
        """The actions that keep the score of a position, in any number of plies."""
        if gives_banked(self.game) or is_empty(self.game.legal(pos)):
            return self.best(pos)
        value = self.search_value(pos)  # and the least one of the same score
        return self.reaching(pos, (value - 1) // UNIT * UNIT + 1 if value > 0 else value // UNIT * UNIT)

    def reaching(self, pos: Any, value: int) -> list[int]:
        """The actions that have at least this search value for the side to move."""
        game, rest, found = self.game, unbanked(self.game, pos), []
        for action in actions(game.legal(pos)):
            after = game.play(rest, action)
            beta = after_it(game, gained(game, rest, after), value)
            again = game.player(after) == game.player(rest)
            if self._at_least(after, beta if again else 1 - beta) == again:
                found.append(action)
        return found

    def _at_least(self, pos: Any, beta: int) -> bool:
        """Whether a position has at least the value beta for the side to move."""
        game, rest = self.game, unbanked(self.game, pos)
        if is_empty(game.legal(rest)):
            return seen_by_mover(game, rest, game.score(rest)) * unit(game) >= beta
        known = self.book.get(rest) if self.book else None
        return (self._ask(rest, beta) if known is None else known) >= beta

    def search_value(self, pos: Any) -> int:
        """The search value of a position that is not over; the latest one is cached."""
        if self._latest is None or self._latest[0] != pos:
            *_, (value, _) = self.narrowing(pos)
            self._latest = pos, value
        return self._latest[1]

    def narrowing(self, pos: Any) -> Iterator[tuple[int, int]]:
        """Bounds of the search value, tighter and tighter until they meet."""
        known = self.book.get(pos) if self.book else None
        if known is not None:
            yield known, known
            return
        rest = unbanked(self.game, pos)
        low, high = self._begin(rest)
        yield low, high
        beta = max(low + 1, min(0, high))
        while low < high:
            before = low
            low, high = self._narrowed(rest, beta, low, high)
            beta = low + 1 if low > before else high
            yield low, high

    def _narrowed(self, pos: Any, beta: int, low: int, high: int) -> tuple[int, int]:
        """The bounds of a value after a search with the window at beta."""
        answer = self._ask(pos, beta)
        return (answer, high) if answer >= beta else (low, answer)

    def _begin(self, pos: Any) -> tuple[int, int]:
        """Prepares the search of a position; returns the game's own bounds."""
        start, _ = self._machine_code(pos)
        start(self.game, pos, self._search)
        low, high = self._search.counters[[LOW, HIGH]].tolist()
        return low, high

    def _ask(self, pos: Any, beta: int) -> int:
        """A number >= beta that the value reaches, or one < beta that it does not exceed."""
        *_, answer = self.asking(pos, beta, repeat(SLICE))
        assert answer is not None
        return answer

    def asking(self, pos: Any, beta: int, slices: Iterable[int]) -> Iterator[int | None]:
        """The same in slices of so many nodes: yields None after each, and at last the answer."""
        self._begin(pos)
        _, resume = self._machine_code(pos)
        for size in slices:
            table = self._table.with_room_for(self.nodes)
            self._search = self._search._replace(table=table)
            room = size if self._table.is_grown else min(size, len(table))
            stopped = resume(self.game, pos, beta, self._search, self.nodes + room)
            name, trouble = type(self.game).__name__, self._search.counters[TROUBLE]
            if trouble == BY_CHANCE:
                raise LudusError(f"{name} cannot be searched: that needs a game that leaves nothing to chance")
            if trouble:
                raise LudusError(f"a score of {name} is larger than a search can handle")
            if stopped == ANSWERED:
                yield int(self._search.frames[1, BEST])
                return
            if stopped == FULL:
                self._deepen()
            self._on_progress()
            if gives_endgames(self.game):
                self._extend_endgames()
            yield None

    def _on_progress(self, *_: int) -> None:
        if self.progress:
            self.progress(self.nodes)

    def _deepen(self) -> None:
        """Doubles the room for plies."""
        old = self._search[:3]
        depth = 2 * len(old[0])
        if depth > (DEEPEST if gives_banked(self.game) else LONGEST):
            raise LudusError(
                f"{type(self.game).__name__} lasts more than {depth // 2} plies, too many for a search;"
                " perhaps play can come back to a position"
            )
        larger = _room(self.game, depth)
        for new, part in zip(larger, old, strict=True):
            new[: len(part)] = part
        self._search = Search(*larger, *self._search[3:])

    def _extend_endgames(self) -> None:
        """Reads or computes more endgames once the search has taken long enough for them to pay."""
        room = self.memory - self._table.most_bytes - len(self._endgames.table.values)
        most, readable = (
            self._largest_endgames(min(room, int(size)))
            for size in (self.nodes / NODES_PER_ENDGAME, self.nodes * READ_PER_NODE)
        )
        table = self._endgames.with_at_least(most, readable, self._on_progress)
        self._search = self._search._replace(endgames=table)

    def _largest_endgames(self, size: int) -> int:
        """The largest number in the heaps of which a table of so many bytes holds all positions."""
        most = -1
        while most < endgames.LARGEST and endgames.num_endgames(self.game, most + 1) <= size:
            most += 1
        return most


def _room(game: Any, depth: int) -> tuple[Ints, Ints, Ints]:
    """Empty arrays for a line of `depth` plies: children, queues and frames."""
    actions = num_actions(game)
    shapes = (depth, actions, FIELDS + len(game.start())), (depth, actions), (depth, FRAME)
    children, queues, frames = (np.zeros(shape, np.int64) for shape in shapes)
    return children, queues, frames
