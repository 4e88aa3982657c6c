"""Enumerates the reachable positions of a game as a graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import helper, kernel
from ludus.compiled.masks import actions, count, first, is_empty, without_first
from ludus.compiled.rows import Row, borrowed, pack, unpack
from ludus.game import CHANCE, odds, swaps_players, symmetries, transform, validate
from ludus.solving.position_index import (
    Lookup,
    Packing,
    Table,
    Words,
    canonical_symmetry,
    decode,
    decoded,
    encode,
    encoded,
    enter,
    fits,
    packing_for,
    swaps_sides,
    table_for,
    widened,
)

ENDED = 3  # the mover where the game is over


class Graph(NamedTuple):
    """Positions 0, 1, ... in the order of discovery, the start first, and the edges between them."""

    first: npt.NDArray[np.int64]  # [positions + 1]: where the edges of each position begin, and where the last end
    targets: npt.NDArray[np.integer]  # [edges]: the successor by each action, in the order of the actions
    mover: npt.NDArray[np.int8]  # [positions]: 0, 1, CHANCE or ENDED
    score: npt.NDArray[np.int64]  # [positions]: for player 0 where the game is over, else 0
    weights: npt.NDArray[np.float64]  # [edges]: the odds of chance's edges, or empty where there is no chance


Ints = npt.NDArray[np.int64]
Progress = Callable[[int], None]  # receives the number of positions found
_FIRST_CAPACITY = 1 << 12
_STEP = 1 << 16  # positions expanded between two calls of `progress`
_WALKED, _WALK_SECONDS = 6_000, 0.4  # positions found, and time spent, before exploring is compiled
_WALK_BYTES = 1 << 26  # more than a walk finds
_BYTES_PER_POSITION, _BYTES_PER_EDGE = 48, 8  # of exploring and solving, at most, beside words and table
_CONTINUE, _POSITIONS_FULL, _EDGES_FULL, _TABLE_FULL, _TOO_NARROW = range(5)  # the status of a step


class Room(NamedTuple):
    """The arrays of a `Lookup` and a `Graph`, with room to grow."""

    packing: Packing
    words: Words  # [positions, words]
    table: Table  # [slots]
    first: Ints  # [positions + 1]
    targets: npt.NDArray[np.int32]  # [edges]
    flips: npt.NDArray[np.bool_]  # [edges]: which exchange the players; empty if none can
    mover: npt.NDArray[np.int8]  # [positions]
    score: Ints  # [positions]


@dataclass
class Walk:
    """The first part of a graph, as lists: explored in plain Python, in the same order as `expand` does."""

    positions: list[Any]
    level_ends: list[int]
    first: list[int] = field(default_factory=lambda: [0])
    targets: list[int] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)
    flips: list[bool] = field(default_factory=list)
    mover: list[int] = field(default_factory=list)
    score: list[int] = field(default_factory=list)

    def expand(self, game: Any, symmetric: bool, limit: int, progress: Progress) -> None:
        """Expands positions until all are, the last level exceeds the limit, or compiled code would pay."""
        numbers = {pos: number for number, pos in enumerate(self.positions)}
        deadline = perf_counter() + _WALK_SECONDS
        for pos in self.positions:  # which grow
            found = len(self.positions)
            if len(self.mover) == self.level_ends[-1]:
                self.level_ends.append(found)
                progress(found)
                if found > limit:
                    return
            if found > _WALKED or len(self.targets) > 10 * _WALKED or perf_counter() > deadline:
                return
            self._expand_one(game, pos, symmetric, numbers)

    def _expand_one(self, game: Any, pos: Any, symmetric: bool, numbers: dict[Any, int]) -> None:
        legal = actions(game.legal(pos))
        self.mover.append(int(game.player(pos)) if legal else ENDED)
        self.score.append(0 if legal else int(game.score(pos)))
        self.actions += legal
        for action in legal:
            after = game.play(pos, action)
            if symmetric:
                symmetry = canonical_symmetry(game, after)
                after = transform(game, after, symmetry)
                self.flips.append(bool(swaps_sides(game, symmetry)))
            number = numbers.setdefault(after, len(self.positions))
            if number == len(self.positions):
                self.positions.append(type(pos)(*map(int, after)))
            self.targets.append(number)
        self.first.append(len(self.targets))


class Explored:
    """The positions found; incomplete if `limit` or `memory` cut the last level, which is then not expanded."""

    def __init__(self, game: Any, start: Any, room: Room, symmetric: bool, done: int, level_ends: list[int]) -> None:
        self.game, self.start = game, start
        size = level_ends[-1]
        self.done = done  # positions whose successors are known
        self.edges = int(room.first[done])
        self.lookup = Lookup(room.packing, room.words[:size], room.table, symmetric)
        self.level_ends = level_ends
        self.level_sizes = [int(level) for level in np.diff([0, *level_ends])]
        self.complete = done == size
        self.ended = int(np.count_nonzero(room.mover[:done] == ENDED))
        self.flips = room.flips[: self.edges if len(room.flips) else 0]
        self.room = room

    def __len__(self) -> int:
        return len(self.lookup.words)

    @property
    def num_bytes(self) -> int:
        """The memory that exploring and solving take so far."""
        return _bytes(self.room, len(self), self.done)

    @cached_property
    def positions(self) -> Row:
        """The fields of each position."""
        return self.lookup.rows

    @cached_property
    def graph(self) -> Graph:
        """The positions and edges; complete explorations only."""
        size, room = len(self), self.room
        mover = room.mover[:size]
        weights = np.zeros(self.edges if CHANCE in mover else 0)
        if len(weights):
            weigh(self.game, self.start, room, np.zeros(len(self.start), np.int64), weights)
        return Graph(room.first[: size + 1], room.targets[: self.edges], mover, room.score[:size], weights)

    @cached_property
    def actions(self) -> npt.NDArray[np.int32]:
        """The action of each edge; complete explorations only."""
        found = np.zeros(self.edges, np.int32)
        list_actions(self.game, self.start, self.room, np.zeros(len(self.start), np.int64), found)
        return found


def explore(
    game: Any,
    start: Any = None,
    *,
    also: Sequence[Any] = (),
    symmetric: bool = False,
    limit: int = 10_000_000,
    memory: int | None = None,
    progress: Progress | None = None,
) -> Explored:
    """Enumerates the positions reachable from `start`, by default the game's own, and from those in `also`.

    Stops soon after `limit` positions, or before solving them would take more than `memory` bytes. With `symmetric`,
    one position stands for all its images under the game's symmetries.
    """
    validate(game)
    start = game.start() if start is None else start
    starts = [start, *also]
    if symmetric:
        starts = [transform(game, pos, canonical_symmetry(game, pos)) for pos in starts]
    starts = list(dict.fromkeys(starts))
    walk = Walk(starts, [len(starts)])
    swapping = symmetric and any(swaps_players(game, symmetry) for symmetry in range(1, symmetries(game)))
    room, row = _room_of(walk, swapping), np.zeros(len(start), np.int64)
    progress = progress or (lambda found: None)
    worth_walking = len(starts) <= limit and (memory is None or memory >= _WALK_BYTES)
    if worth_walking and expand.runs_plainly(game, starts[0], room, row, 0, 1, len(starts), symmetric):
        with expand.plain_time():
            walk.expand(game, symmetric, limit, progress)
        room = _room_of(walk, swapping)
    cut = [len(walk.positions)] * (len(walk.positions) > walk.level_ends[-1])
    walked = Explored(game, starts[0], room, symmetric, len(walk.mover), walk.level_ends + cut)
    explored = explore_further(walked, limit=limit, memory=memory, progress=progress)
    if len(walk.mover) == explored.done:
        explored.actions = np.array(walk.actions, np.int32)
    return explored


def explore_further(
    explored: Explored, *, limit: int, memory: int | None = None, progress: Progress | None = None
) -> Explored:
    """Continues an exploration that was cut, as far as these limits allow; the given one must not be used again."""
    game, start, room, symmetric = explored.game, explored.start, explored.room, explored.lookup.symmetric
    done, filled, level_ends = explored.done, len(explored), list(explored.level_ends)
    if done < sum(level_ends[-2:-1]):
        level_ends.pop()  # of a level that was cut
    row = np.zeros(len(start), np.int64)

    within_step, most = done not in (0, *level_ends), 1 << 62 if memory is None else memory
    while done < filled and (within_step or filled <= limit) and _bytes(room, filled, done) <= most:
        end = min(level_ends[-1], done + _STEP)
        done, filled, status = expand(game, start, room, row, done, end, filled, symmetric)
        if done == level_ends[-1] and filled > done:
            level_ends.append(filled)
        within_step = status != _CONTINUE
        if within_step:
            room = _grown(room, status, row, filled, done)
        elif progress:
            progress(filled)
    if filled > level_ends[-1]:
        level_ends.append(filled)
    return Explored(game, start, room, symmetric, done, level_ends)


def _bytes(room: Room, filled: int, done: int) -> int:
    """The memory of exploring and solving, for so many positions, of which so many have their edges."""
    per_position = 8 * int(room.words.shape[1]) + _BYTES_PER_POSITION
    per_edge = _BYTES_PER_EDGE + (len(room.flips) > 0)
    return filled * per_position + int(room.first[done]) * per_edge + int(room.table.nbytes)


def _room_of(walk: Walk, swapping: bool) -> Room:
    """The arrays of what a walk found."""
    rows = np.array([[int(number) for number in pos] for pos in walk.positions], np.int64)
    packing = widened(packing_for(np.zeros(rows.shape[1], np.int64)), np.bitwise_or.reduce(rows))
    size, edges = max(len(rows), _FIRST_CAPACITY), max(len(walk.targets), _FIRST_CAPACITY)
    words = np.zeros((size, packing.num_words), np.int64)
    words[: len(rows)] = encoded(packing, rows)
    return Room(
        packing,
        words,
        table_for(words, len(rows), 2 * size),
        _padded(walk.first, size + 1, np.int64),
        _padded(walk.targets, edges, np.int32),
        _padded(walk.flips, edges if swapping else 0, np.bool_),
        _padded(walk.mover, size, np.int8),
        _padded(walk.score, size, np.int64),
    )


def _padded(numbers: list[Any], length: int, kind: Any) -> Any:
    """An array of this length that begins with these numbers."""
    array = np.zeros(length, kind)
    array[: len(numbers)] = numbers[:length]
    return array


def _grown(room: Room, full: int, row: Row, filled: int, done: int) -> Room:
    """A larger room, or one with a packing that the row fits."""
    if full == _TOO_NARROW:
        packing = widened(room.packing, row)
        words = np.empty((len(room.words), packing.num_words), np.int64)
        words[:filled] = encoded(packing, decoded(room.packing, room.words[:filled]))
        return room._replace(packing=packing, words=words, table=table_for(words, filled, len(room.table)))
    if full == _TABLE_FULL:
        return room._replace(table=table_for(room.words, filled, 2 * len(room.table)))
    if full == _EDGES_FULL:
        edges = int(room.first[done])
        return room._replace(targets=_longer(room.targets, edges), flips=_longer(room.flips, edges))
    return room._replace(
        words=_longer(room.words, filled),
        first=_longer(room.first, done + 1),
        mover=_longer(room.mover, done),
        score=_longer(room.score, done),
    )


def _longer(array: Any, filled: int) -> Any:
    """An array of twice the length with the same beginning."""
    longer = np.empty((2 * len(array), *array.shape[1:]), array.dtype)
    longer[:filled] = array[:filled]
    return longer


@kernel(work=lambda game, like, room, row, done, end, filled, symmetric: 0.0 if done == 0 else np.inf)  # by a `Walk`
def expand(
    game: Any, like: Any, room: Room, row: Row, done: int, end: int, filled: int, symmetric: bool
) -> tuple[int, int, int]:
    """Appends the successors of positions done .. end-1 with edges, movers, scores; returns (done, filled, status)."""
    room, row = borrowed(room), borrowed(row)
    while done < end:
        decode(room.packing, room.words[done], row)
        pos = unpack(like, row)
        mask = game.legal(pos)
        edge = room.first[done]
        full = full_part(room, filled + count(mask), edge + count(mask))
        if full != _CONTINUE:
            return done, filled, full
        room.mover[done] = ENDED if is_empty(mask) else game.player(pos)
        room.score[done] = game.score(pos) if is_empty(mask) else 0
        while not is_empty(mask):
            after = game.play(pos, first(mask))
            if symmetric:
                symmetry = canonical_symmetry(game, after)
                after = transform(game, after, symmetry)
                if len(room.flips) > 0:
                    room.flips[edge] = swaps_sides(game, symmetry)
            pack(after, row)
            if not fits(room.packing, row):
                return done, filled, _TOO_NARROW  # for the position in `row`
            encode(room.packing, row, room.words[filled])
            number = enter(room.words, room.table, filled)
            filled += number == filled
            room.targets[edge] = number
            edge += 1
            mask = without_first(mask)
        done += 1
        room.first[done] = edge
    return done, filled, _CONTINUE


@helper
def full_part(room: Room, positions: int, edges: int) -> int:
    """The part of the room that is too small for this number of positions and edges."""
    if positions >= len(room.mover):
        return _POSITIONS_FULL
    if edges > len(room.targets):
        return _EDGES_FULL
    return _TABLE_FULL if 3 * positions > 2 * len(room.table) else _CONTINUE


@kernel(work=lambda game, like, room, row, weights: 10 * len(weights))
def weigh(game: Any, like: Any, room: Room, row: Row, weights: npt.NDArray[np.float64]) -> None:
    """Writes the odds of each edge of CHANCE; row [fields] is room, weights [edges]."""
    for number in range(len(room.words)):
        if room.first[number] == len(weights):
            return
        if room.mover[number] != CHANCE:
            continue
        decode(room.packing, room.words[number], row)
        pos = unpack(like, row)
        mask = game.legal(pos)
        for edge in range(room.first[number], room.first[number + 1]):
            weights[edge] = odds(game, pos, first(mask))
            mask = without_first(mask)


@kernel(work=lambda game, like, room, row, found: 10 * len(found))
def list_actions(game: Any, like: Any, room: Room, row: Row, found: npt.NDArray[np.int32]) -> None:
    """Writes the action of each edge; row [fields] is room, found [edges]."""
    for number in range(len(room.words)):
        if room.first[number] == len(found):
            return
        decode(room.packing, room.words[number], row)
        mask = game.legal(unpack(like, row))
        for edge in range(room.first[number], room.first[number + 1]):
            found[edge] = first(mask)
            mask = without_first(mask)
