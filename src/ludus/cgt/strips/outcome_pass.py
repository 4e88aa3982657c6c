"""The outcome of every arrangement of a board of Toads and Frogs, by a pass over all of them, sixty-four at a time.

A *row* is all arrangements with the toads on the same squares. The other squares are its *slots*, numbered from the
left without the toads. Every move is simple there:

- a frog that moves, by a slide or a hop, goes from slot p to slot p - 1;
- a toad that slides leaves all frogs in their slots;
- a toad that hops over a frog in slot p - 1 shifts it to slot p.

So a move works on a whole row at once. The bits of a word are the ways to fill the lowest six slots with frogs, its
place in the row the way to fill the others. A toad's move adds one or two to the sum of the toads' squares: the rows
are filled by that sum, the highest first, and only the last two levels are kept. A frog's move stays within the row, so
other rows need to know only where frogs win, moving first.

The pass decides several games at once, the *planes* of a row: the board minus 0, 1, 2 ... (free moves of the frogs),
each without and with a star, which either side may take.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiled.bits import lowest, popcount
from ludus.compiled.compiling import helper, kernel
from ludus.machine import run_in_threads

Words = npt.NDArray[np.uint64]
Progress = Callable[[int], None]
LOW = 6  # slots within the bits of a word
_HALF = 1 << LOW - 1  # of the bits of a word
_LOW_PARTS = range(1 << LOW)
_KEPT_LEVELS = 3  # the one being filled, and the next two
_WORDS_PER_ROW = 5  # of the tables, while they are made
_JOBS_PER_LEVEL = 16
_LEAST_JOB = 1 << 18  # words: a smaller job does not pay for a thread


class Board(NamedTuple):
    """A start T^toads []^gaps F^frogs, and the largest number of free moves of the frogs to decide."""

    toads: int
    gaps: int
    frogs: int
    number: int = 0

    @property
    def squares(self) -> int:
        """The length of the strip."""
        return self.toads + self.gaps + self.frogs

    @property
    def slots(self) -> int:
        """The squares without toads."""
        return self.gaps + self.frogs

    @property
    def planes(self) -> int:
        """The number of games decided for each arrangement."""
        return 2 * (self.number + 1)

    @property
    def arrangements(self) -> int:
        """The number of ways to place the pieces."""
        return comb(self.squares, self.toads) * comb(self.slots, self.frogs)


class Slots(NamedTuple):
    """The effect of moves on the words of a row; from slot LOW on, words come in pairs."""

    blank: Words  # [slots, words]: the bits at which a slot is blank
    within: Words  # [LOW]: the bits with a frog in slot p and none in p - 1
    first: npt.NDArray[np.int64]  # [slots + 1]: where the pairs of slot p begin
    upper: npt.NDArray[np.int32]  # [pairs]: the word with a frog in slot p,
    lower: npt.NDArray[np.int32]  # [pairs]: and that after this frog moves to p - 1


class Levels(NamedTuple):
    """The rows by the sum of the toads' squares."""

    toads: npt.NDArray[np.int64]  # [rows]: bitboards
    start: npt.NDArray[np.int64]  # [levels + 1]: where each level begins
    place: npt.NDArray[np.int32]  # [rows]: the place in its level, by the rank of the bitboard
    ways: npt.NDArray[np.int64]  # [squares, toads + 1]: binomial coefficients for the rank


class Outcomes(NamedTuple):
    """Whether toads and whether frogs win from the start when they move first, by plane."""

    toads: list[bool]
    frogs: list[bool]


def high_parts(board: Board) -> npt.NDArray[np.int64]:
    """The ways to fill the slots from LOW on that leave the others a possible number of frogs: one for each word."""
    high = max(board.slots - LOW, 0)
    return np.sort(np.concatenate([bitboards(high, frogs) for frogs in _high_frogs(board)]))


def _high_frogs(board: Board) -> range:
    return range(max(board.frogs - LOW, 0), min(board.frogs, max(board.slots - LOW, 0)) + 1)


def new_slots(board: Board) -> Slots:
    """The tables for a board's moves."""
    parts = high_parts(board)
    blank = np.empty((board.slots, len(parts)), np.uint64)
    for slot in range(board.slots):
        if slot < LOW:
            blank[slot] = sum(1 << low for low in _LOW_PARTS if not low >> slot & 1)
        else:
            blank[slot] = np.where(parts >> slot - LOW & 1, np.uint64(0), ~np.uint64(0))
    pairs = [_pairs(slot, parts) for slot in range(board.slots)]
    first = np.cumsum([0, *map(len, pairs)])
    upper, lower = np.concatenate([*pairs, np.empty((0, 2), np.int32)]).T.copy()
    within = [sum(1 << low for low in _LOW_PARTS if low << 1 >> slot & 3 == 2) for slot in range(LOW)]
    return Slots(blank, np.array(within, np.uint64), first, upper, lower)


def _pairs(slot: int, parts: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    """The pairs of words for a slot, pairs x 2; none below LOW. Slot LOW - 1 is within the word, the others are not."""
    if slot < LOW:
        return np.empty((0, 2), np.int32)
    frog, before = 1 << slot - LOW, 1 << slot - LOW >> 1
    upper = np.flatnonzero((parts & (frog | before)) == frog)
    lower = parts[upper] - frog + before
    place = np.minimum(np.searchsorted(parts, lower), len(parts) - 1)
    there = parts[place] == lower
    return np.column_stack((upper[there], place[there])).astype(np.int32)


def bitboards(squares: int, pieces: int) -> npt.NDArray[np.int64]:
    """All bitboards of this number of pieces, by rank, in ascending order too."""
    boards = [np.zeros(1, np.int64), *(np.zeros(0, np.int64) for _ in range(pieces))]
    for square in range(squares):
        for count in range(pieces, 0, -1):
            boards[count] = np.concatenate((boards[count], boards[count - 1] | 1 << square))
    return boards[pieces]


def new_levels(board: Board) -> Levels:
    """All rows of a board."""
    toads = bitboards(board.squares, board.toads)
    sums = np.full(len(toads), -comb(board.toads, 2))
    for square in range(board.squares):
        sums += (toads >> square & 1) * square
    order = np.argsort(sums, kind="stable")
    start = np.searchsorted(sums[order], np.arange(board.toads * board.slots + 2))
    place = np.empty(len(toads), np.int32)
    place[order] = np.arange(len(toads)) - start[sums[order]]
    ways = [[comb(square, count) for count in range(board.toads + 1)] for square in range(board.squares)]
    return Levels(toads[order], start, place, np.array(ways, np.int64))


def pass_bytes(board: Board) -> int:
    """The memory of a pass: the kept levels and the tables."""
    words = sum(comb(max(board.slots - LOW, 0), frogs) for frogs in _high_frogs(board))
    kept = _KEPT_LEVELS * max(level_sizes(board)) * board.planes * words
    return 8 * (kept + 2 * board.slots * words + _WORDS_PER_ROW * comb(board.squares, board.toads))


def level_sizes(board: Board) -> list[int]:
    """The number of rows of each level: ways to place the toads, by their total distance from the start."""
    ways = np.zeros((board.toads + 1, board.toads * board.slots + 1), np.int64)
    ways[0, 0] = 1
    for square in range(board.squares):
        for count in range(min(board.toads, square + 1), 0, -1):
            far = square - count + 1
            ways[count, far:] += ways[count - 1, : ways.shape[1] - far]
    return [int(size) for size in ways[-1]]


def outcomes(board: Board, *, threads: int | None = None, progress: Progress | None = None) -> Outcomes:
    """Fills all rows of a board; `progress` is called with the number of arrangements done."""
    levels, start = new_levels(board), (1 << board.slots) - (1 << board.gaps)  # all frogs in the highest slots
    for _, frogs, toads in _filled(board, levels, threads, progress):
        last = frogs[0], toads
    first, toads_first = last
    return Outcomes(_won(board, start, toads_first), _won(board, start, first))


def frogs_win(board: Board, arrangements: Sequence[tuple[int, int]], *, threads: int | None = None) -> list[bool]:
    """Whether frogs win, moving first, in each of these arrangements of a board's pieces: (toads, frogs), bitboards."""
    levels, found = new_levels(board), [False] * len(arrangements)
    places: dict[int, list[tuple[int, int, int]]] = {}
    for number, (toads, frogs) in enumerate(arrangements):
        slots = "".join(str(frogs >> square & 1) for square in range(board.squares) if not toads >> square & 1)
        row = int(np.flatnonzero(levels.toads == toads)[0])
        level = int(np.searchsorted(levels.start, row, "right")) - 1
        places.setdefault(level, []).append((number, row - int(levels.start[level]), int(slots[::-1], 2)))
    for level, rows, _ in _filled(board, levels, threads, None):
        for number, row, filled in places.pop(level, ()):
            found[number] = _won(board, filled, rows[row])[0]
        if not places:
            break
    return found


def _filled(
    board: Board, levels: Levels, threads: int | None, progress: Progress | None
) -> Iterator[tuple[int, Words, Words]]:
    """Each level, the last first: its number, where frogs win in its rows, and where toads win in its last row."""
    slots = new_slots(board)
    shape = int(np.diff(levels.start).max()), board.planes, len(slots.blank.T)
    kept = [np.empty(shape, np.uint64) for _ in range(_KEPT_LEVELS)]
    for level in range(board.toads * board.slots, -1, -1):
        rows = slice(int(levels.start[level]), int(levels.start[level + 1]))
        size = max(-(-(rows.stop - rows.start) // _JOBS_PER_LEVEL), _LEAST_JOB // kept[0][0].size)
        starts = [slice(begin, min(begin + size, rows.stop)) for begin in range(rows.start, rows.stop, size)]
        jobs = [
            partial(fill_rows, slots, levels, levels.toads[part], kept[0][part.start - rows.start :], kept[1], kept[2])
            for part in starts
        ]
        toads = jobs[0]() if len(jobs) == 1 else list(run_in_threads(jobs, threads))[-1]
        yield level, kept[0], toads
        kept = [kept[-1], *kept[:-1]]
        if progress:
            progress((len(levels.toads) - rows.start) * comb(board.slots, board.frogs))


def _won(board: Board, filled: int, planes: Words) -> list[bool]:
    """The planes of a row where these slots hold the frogs."""
    word = int(np.searchsorted(high_parts(board), filled >> LOW))
    return [bool(int(plane[word]) >> filled % (1 << LOW) & 1) for plane in planes]


@kernel
def fill_rows(slots: Slots, levels: Levels, toads: npt.NDArray[np.int64], rows: Words, one: Words, two: Words) -> Words:
    """Fills rows, [rows, planes, words], with where frogs win, moving first; returns where toads do in the last row.

    `one` and `two` are the rows of the next two levels.
    """
    left = np.empty(rows.shape[1:], np.uint64)
    for row in range(len(toads)):
        left[:] = 0
        rows[row] = 0
        for plane in range(len(left)):
            _move_toads(slots, levels, int(toads[row]), left[plane], one, two, plane)
            if plane & 1:
                _add(left[plane], rows[row, plane - 1])
                _add(rows[row, plane], left[plane - 1])
            if plane > 1:
                _add(rows[row, plane], left[plane - 2])
            _move_frogs(slots, int(toads[row]), rows[row, plane], left[plane])
    return left


@helper
def _add(wins: Words, other: Words) -> None:
    """Win where the other side, then to move, does not."""
    for word in range(len(wins)):
        wins[word] |= ~other[word]


@helper
def _move_toads(slots: Slots, levels: Levels, toads: int, wins: Words, one: Words, two: Words, plane: int) -> None:
    """Win where a toad can move to where frogs do not."""
    squares, slot = len(levels.ways), 0
    for square in range(squares - 1):
        if not toads >> square & 1:
            slot += 1
        elif not toads >> square + 1 & 1:
            _slide(slots, slot, wins, one[_place(levels, toads ^ 3 << square), plane])
            if square + 2 < squares and not toads >> square + 2 & 1:
                _hop(slots, slot + 1, wins, two[_place(levels, toads ^ 5 << square), plane])


@helper
def _place(levels: Levels, toads: int) -> int:
    """Where in its level the row of these toads is."""
    rank, count = 0, 1
    while toads:
        rank += levels.ways[lowest(toads), count]
        toads &= toads - 1
        count += 1
    return int(levels.place[rank])


@helper
def _slide(slots: Slots, slot: int, wins: Words, frogs_win: Words) -> None:
    """Win by a slide into a slot."""
    blank = slots.blank[slot]
    for word in range(len(wins)):
        wins[word] |= ~frogs_win[word] & blank[word]


@helper
def _hop(slots: Slots, slot: int, wins: Words, frogs_win: Words) -> None:
    """Win by a hop that brings a frog up into a slot."""
    if slot < LOW:
        within, shift = slots.within[slot], np.uint64(1 << slot - 1)
        for word in range(len(wins)):
            wins[word] |= (~frogs_win[word] & within) >> shift
        return
    shift = np.uint64(_HALF if slot == LOW else 0)
    for pair in range(slots.first[slot], slots.first[slot + 1]):
        wins[slots.lower[pair]] |= ~frogs_win[slots.upper[pair]] << shift


@helper
def _move_frogs(slots: Slots, toads: int, wins: Words, toads_win: Words) -> None:
    """Win where a frog can move to where toads do not."""
    slot, before = 0, 0
    for square in range(len(slots.blank) + popcount(toads)):
        if toads >> square & 1:
            continue
        if slot > 0 and square - before <= 2:
            _step(slots, slot, wins, toads_win)
        slot, before = slot + 1, square


@helper
def _step(slots: Slots, slot: int, wins: Words, toads_win: Words) -> None:
    """Win by the move of a frog down from a slot."""
    if slot < LOW:
        within, shift = slots.within[slot], np.uint64(1 << slot - 1)
        for word in range(len(wins)):
            wins[word] |= ~toads_win[word] << shift & within
        return
    shift = np.uint64(_HALF if slot == LOW else 0)
    for pair in range(slots.first[slot], slots.first[slot + 1]):
        wins[slots.upper[pair]] |= ~toads_win[slots.lower[pair]] >> shift
