"""Endgame tables: the value of every position whose heaps hold at most a given number in all.

Heaps a, b, c ... of at most n in all are a combination: the combinatorial number system maps their sums a, a+b,
a+b+c ... to an index, and those with fewer in all come first.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import helper, kernel
from ludus.compiled.masks import first, is_empty, without_first
from ludus.compiled.rows import Row, pack, unpack
from ludus.errors import LudusError
from ludus.game import endgame_heap, endgame_heaps, endgame_position, unbanked
from ludus.machine import run_in_threads
from ludus.solving.value import gained, seen_by_mover

Ints = npt.NDArray[np.int64]
Values = npt.NDArray[np.int8]
UNKNOWN = -128

NUMBER, TRIED, BEST = range(3)  # columns of `Line.notes`
FILLED, TOO_LONG, TOO_LARGE = range(3)  # results of `fill`
LARGEST = 126  # in the heaps: values fit a byte if no more can be won
CHUNK = 1 << 17  # positions per job: short enough for an interrupt
DEEPEST = 1 << 12  # plies between positions with as many in their heaps


class Endgames(NamedTuple):
    """Values of all positions with at most `most` in their heaps."""

    values: Values  # [positions]: for the side to move
    counts: Ints  # [heaps, most + 2]: counts[h, n] is the number of ways to have fewer than n in h + 1 heaps
    most: int  # -1 for no table


def no_endgames() -> Endgames:
    """A table that holds nothing."""
    return Endgames(np.zeros(0, np.int8), np.zeros((0, 0), np.int64), -1)


@helper
def index_of(game: Any, pos: Any, endgames: Endgames) -> int:
    """The index of a position, -1 if the table does not hold it."""
    total = index = 0
    for number in range(endgame_heaps(game)):
        total += endgame_heap(game, pos, number)
        if total > endgames.most:
            return -1
        index += endgames.counts[number, total]
    return index


@helper
def sizes_at(index: int, endgames: Endgames, sizes: Ints) -> None:
    """Writes the heaps of an index into `sizes`."""
    total = endgames.most
    for number in range(len(sizes) - 1, -1, -1):
        while endgames.counts[number, total] > index:
            total -= 1
        index -= endgames.counts[number, total]
        if number + 1 < len(sizes):
            sizes[number + 1] -= total
        sizes[number] = total


def num_endgames(game: Any, most: int) -> int:
    """The number of positions with at most `most` in their heaps."""
    return math.comb(most + endgame_heaps(game), endgame_heaps(game))


def compute(
    game: Any, most: int, *, threads: int | None = None, progress: Callable[[int], None] | None = None
) -> Endgames:
    """Computes the values of all positions with at most `most` in their heaps, one byte each."""
    return extended(game, no_endgames(), most, threads=threads, progress=progress)


class Storage(Protocol):
    """Where tiers are kept: a tier is all positions with one number in their heaps."""

    def read(self, number: int, values: Values) -> bool:
        """Reads the values of a tier; False if they are not there."""

    def keep(self, endgames: Endgames, number: int) -> None:
        """Takes a table whose tiers up to this one are computed."""


def extended(
    game: Any,
    known: Endgames,
    most: int,
    *,
    storage: Storage | None = None,
    threads: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Endgames:
    """The table extended to all positions with at most `most` in their heaps: tiers are read, or else computed."""
    endgames = _with_room(game, known, most)
    for number in range(known.most + 1, most + 1):
        if storage and storage.read(number, tier_values(endgames, number)):
            continue
        begin, end = tier_range(endgames, number)
        jobs = (partial(_fill_chunk, game, endgames, at, min(at + CHUNK, end)) for at in range(begin, end, CHUNK))
        for count in run_in_threads(jobs, threads):
            begin += count
            if progress:
                progress(begin)
        if storage:
            storage.keep(endgames, number)
    return endgames


def _with_room(game: Any, known: Endgames, most: int) -> Endgames:
    """A larger table, with the values that are known."""
    if most > LARGEST:
        raise LudusError(f"endgame tables go up to {LARGEST} in the heaps, not {most}")
    values = np.full(num_endgames(game, most), UNKNOWN, np.int8)
    values[: len(known.values)] = known.values
    heaps = range(endgame_heaps(game))
    counts = np.array([[math.comb(n + h, h + 1) for n in range(most + 2)] for h in heaps], np.int64)
    return Endgames(values, counts, most)


def tier_range(endgames: Endgames, number: int) -> tuple[int, int]:
    """The first index of the positions with so many in their heaps, and the one after the last."""
    begin, end = endgames.counts[-1, number : number + 2].tolist()
    return begin, end


def tier_values(endgames: Endgames, number: int) -> Values:
    """The part of a table with so many in their heaps."""
    return endgames.values[slice(*tier_range(endgames, number))]


def _fill_chunk(game: Any, endgames: Endgames, start: int, end: int) -> int:
    line = Line(np.zeros((DEEPEST, len(game.start())), np.int64), np.zeros((DEEPEST, 3), np.int64))
    filled = fill(game, game.start(), endgames, start, end, line, np.zeros(endgame_heaps(game), np.int64))
    if filled == TOO_LONG:
        raise LudusError(f"after {DEEPEST} plies the heaps are as large as before: does the game always end?")
    if filled == TOO_LARGE:
        raise LudusError(f"{type(game).__name__} cannot have endgame tables: more is won than its heaps hold")
    return end - start


class Line(NamedTuple):
    """Positions whose values wait for each other."""

    rows: Row  # [plies, fields]
    notes: Ints  # [plies, 3]: NUMBER, TRIED, BEST


@kernel
def fill(game: Any, like: Any, endgames: Endgames, start: int, end: int, line: Line, sizes: Ints) -> int:
    """Computes the values of positions start .. end-1; sizes [heaps] is room; FILLED, or why it failed."""
    for number in range(start, end):
        if endgames.values[number] != UNKNOWN:
            continue
        sizes_at(number, endgames, sizes)
        wait_for(endgame_position(game, sizes), number, 0, line)
        depth = 1
        while depth > 0:
            if depth == len(line.rows):
                return TOO_LONG
            step = work_on(game, unpack(like, line.rows[depth - 1]), depth - 1, endgames, line)
            if step == 0:
                return TOO_LARGE
            depth += step
    return FILLED


@helper
def wait_for(pos: Any, number: int, depth: int, line: Line) -> None:
    """Puts a position on the line."""
    pack(pos, line.rows[depth])
    line.notes[depth, NUMBER], line.notes[depth, TRIED], line.notes[depth, BEST] = number, 0, UNKNOWN


@helper
def work_on(game: Any, pos: Any, depth: int, endgames: Endgames, line: Line) -> int:
    """Continues the last position of the line: 1 if a successor must come first, -1 when done, 0 on failure."""
    note = line.notes[depth]
    left = game.legal(pos)
    if is_empty(left):
        note[BEST] = seen_by_mover(game, pos, game.score(pos))
    place = 0
    while not is_empty(left):
        if place == note[TRIED]:
            after = game.play(pos, first(left))
            rest = unbanked(game, after)
            number = index_of(game, rest, endgames)
            value = int(endgames.values[number])
            if value == UNKNOWN:
                wait_for(rest, number, depth + 1, line)
                return 1
            value = value if game.player(after) == game.player(pos) else -value
            note[BEST] = max(note[BEST], gained(game, pos, after) + value)
            note[TRIED] += 1
        place += 1
        left = without_first(left)
    if abs(note[BEST]) > LARGEST:
        return 0
    endgames.values[note[NUMBER]] = note[BEST]
    return -1
