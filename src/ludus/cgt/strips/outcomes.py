"""Outcomes of big boards of Toads and Frogs: whether a start T^a []^b F^a is 0, * or neither, without canonical forms.

A position is 0 if the first player loses it, and * if the first player loses its sum with *. Two independent methods
decide: a pass over all arrangements (`outcome_pass`), and a search.

The search reduces sums of strips: dead pieces are cut away, parts sorted, opposites cancelled. A sum is one strip for
the player to move, whose pieces are always the toads, with walls TTFF between its parts, beside an integer and a star.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.cgt.strips.outcome_pass import Board, outcomes, pass_bytes
from ludus.compiled.bits import extract, highest, lowest, reverse
from ludus.compiled.compiling import helper, kernel
from ludus.compiled.randomness import mixed
from ludus.errors import LudusError
from ludus.machine import budget

Parts = npt.NDArray[np.int64]  # [parts, 3]: squares, toads, frogs
Table = npt.NDArray[np.int64]  # [lines, _WAYS]: the last used first; a sum in a word, with _WIN or not
Stack = npt.NDArray[np.int64]  # [plies, 6]: the sums on the line of play and their options not yet tried
Progress = Callable[[int], None]
MOST_SQUARES = 26  # of a strip that is searched
_MOST_PARTS = MOST_SQUARES // 4
_WALL_TOADS, _WALL_FROGS, _WALL_SQUARES = 0b0011, 0b1100, 4
_STAR, _NUMBER = 1 << MOST_SQUARES, 1 << MOST_SQUARES + 1  # as options: take the star, make a free move
_MOST_NUMBER = 1 << 8
_WIN = 1 << 62
_WAYS = 8  # entries of a line: one cache line
_UNKNOWN = -1
_MOST_PLIES = 2 * MOST_SQUARES**2
_SUMS_AT_ONCE = 1 << 22  # between two checks for an interrupt
MOST_BY_METHOD = {"pass": 40, "search": MOST_SQUARES}
MOST_NUMBER = 200
_MOST_TABLE_BYTES = 1 << 31
_ENTRY_BYTES = 8
_ORDERS = (("equal", "less"), ("more", "confused"))  # by whether toads and frogs win the difference, moving first


class Sum(NamedTuple):
    """Bitboards of a strip, the free moves of its toads (of its frogs if negative), and a star or none."""

    toads: int
    frogs: int
    squares: int
    number: int
    star: int


def new_parts() -> Parts:
    """Room for the parts of a sum."""
    return np.zeros((_MOST_PARTS, 3), np.int64)


@helper
def mirrored(pos: Sum) -> Sum:
    """The negative of a sum: the same sum for the other player."""
    toads, frogs = reverse(pos.frogs, pos.squares), reverse(pos.toads, pos.squares)
    return Sum(toads, frogs, pos.squares, -pos.number, pos.star)


@helper
def spread_up(seeds: int, through: int) -> int:
    """The seeds, and all squares above that are connected to one by squares of `through`."""
    for shift in (1, 2, 4, 8, 16, 32):
        seeds |= seeds << shift & through
        through &= through << shift
    return seeds


@helper
def spread_down(seeds: int, through: int) -> int:
    """The seeds, and all squares below that are connected to one by squares of `through`."""
    for shift in (1, 2, 4, 8, 16, 32):
        seeds |= seeds >> shift & through
        through &= through >> shift
    return seeds


@helper
def dead(toads: int, frogs: int, squares: int) -> int:
    """The pieces that never move again and let no other pass.

    Nothing moves within a run of pieces from two toads, or the left end, to two frogs, or the right end. A frog at the
    left end and a toad at the right end are home.
    """
    pieces, top = toads | frogs, 1 << squares - 1
    behind_toads = spread_up(toads & toads >> 1 | pieces & 1, pieces)
    behind_frogs = spread_down(frogs & frogs << 1 | pieces & top, pieces)
    return behind_toads & behind_frogs | frogs & 1 | toads & top


@helper
def free_moves(toads: int, squares: int) -> int:
    """The number of moves of toads if nothing is in their way."""
    moves = 0
    while toads:
        squares -= 1
        moves += squares - highest(toads)
        toads ^= 1 << highest(toads)
    return moves


@helper
def reduced(pos: Sum, parts: Parts) -> Sum:
    """The sum in reduced form; `parts` is room to work in."""
    if pos.squares == 0:
        return pos
    number, count = pos.number, 0
    alive = (1 << pos.squares) - 1 & ~dead(pos.toads, pos.frogs, pos.squares)
    while alive:
        begin = lowest(alive)
        squares = lowest(~(alive >> begin))
        run = (1 << squares) - 1
        alive &= ~(run << begin)
        toads, frogs = pos.toads >> begin & run, pos.frogs >> begin & run
        if toads == 0 or frogs == 0 or lowest(toads) > highest(frogs):
            number += free_moves(toads, squares) - free_moves(reverse(frogs, squares), squares)
        else:
            count = _joined(parts, count, squares, toads, frogs)
    return _written(parts, count, number, pos.star)


@helper
def _joined(parts: Parts, count: int, squares: int, toads: int, frogs: int) -> int:
    """Adds a part in its order, or cancels its opposite; returns the number of parts."""
    opposite = squares, reverse(frogs, squares), reverse(toads, squares)
    for place in range(count):
        if _part(parts, place) == opposite:
            for later in range(place + 1, count):
                _put(parts, later - 1, _part(parts, later))
            return count - 1
    place = count
    while place > 0 and _part(parts, place - 1) > (squares, toads, frogs):
        _put(parts, place, _part(parts, place - 1))
        place -= 1
    _put(parts, place, (squares, toads, frogs))
    return count + 1


@helper
def _part(parts: Parts, place: int) -> tuple[int, int, int]:
    return int(parts[place, 0]), int(parts[place, 1]), int(parts[place, 2])


@helper
def _put(parts: Parts, place: int, part: tuple[int, int, int]) -> None:
    parts[place, 0], parts[place, 1], parts[place, 2] = part


@helper
def _written(parts: Parts, count: int, number: int, star: int) -> Sum:
    """The parts as one strip, never longer than their source: no wall is shorter than TTFF."""
    toads, frogs, squares = 0, 0, 0
    for place in range(count):
        if place > 0:
            toads |= _WALL_TOADS << squares
            frogs |= _WALL_FROGS << squares
            squares += _WALL_SQUARES
        length, own_toads, own_frogs = _part(parts, place)
        toads |= own_toads << squares
        frogs |= own_frogs << squares
        squares += length
    return Sum(toads, frogs, squares, number, star)


class Searcher:
    """Decides sums by search, with a transposition table of at most `memory` bytes."""

    def __init__(self, memory: int, progress: Progress | None = None) -> None:
        self.table: Table = np.zeros((1 << max((memory // (8 * _WAYS)).bit_length() - 1, 0), _WAYS), np.int64)
        self.stack: Stack = np.zeros((_MOST_PLIES, len(Sum._fields) + 1), np.int64)
        self.parts, self.visited, self.progress = new_parts(), 0, progress

    def mover_loses(self, pos: Sum) -> bool:
        """Whether the owner of the toads, moving first, loses."""
        # The line begins with a free move of the other player that leads to the position.
        before = mirrored(pos)
        self.stack[0] = *before._replace(number=before.number + 1), _NUMBER
        depth, result = 1, _UNKNOWN
        while result == _UNKNOWN:
            depth, result, entered = search(self.table, self.stack, self.parts, depth, _SUMS_AT_ONCE)
            self.visited += entered
            if self.progress:
                self.progress(self.visited)
        return result == 1


@kernel
def search(table: Table, stack: Stack, parts: Parts, depth: int, most: int) -> tuple[int, int, int]:
    """Continues a line of play for `most` moves; returns its length, the result if that is 0, and the sums entered."""
    entered = 0
    for _ in range(most):
        pos = _next(stack[depth - 1], parts)
        result = _known(table, pos)
        if result == _UNKNOWN:
            frame = stack[depth]
            frame[0], frame[1], frame[2], frame[3], frame[4] = pos.toads, pos.frogs, pos.squares, pos.number, pos.star
            frame[5] = _options(pos)
            depth += 1
            entered += 1
            continue
        while result == 0 or stack[depth - 1, 5] == 0:
            depth -= 1
            result = 1 - result
            if depth == 0:
                return 0, result, entered
            word = _word(_sum(stack[depth]))  # in place of the least recently used
            _put_first(table[_line(table, word)], _WAYS - 1, word | _WIN if result == 1 else word)
    return depth, _UNKNOWN, entered


@helper
def _sum(frame: npt.NDArray[np.int64]) -> Sum:
    return Sum(int(frame[0]), int(frame[1]), int(frame[2]), int(frame[3]), int(frame[4]))


@helper
def _blank(pos: Sum) -> int:
    return (1 << pos.squares) - 1 & ~(pos.toads | pos.frogs)


@helper
def _options(pos: Sum) -> int:
    """The squares of the toads that can move, with _STAR and _NUMBER."""
    blank = _blank(pos)
    movers = pos.toads & (blank >> 1 | pos.frogs >> 1 & blank >> 2)
    return movers | (_STAR if pos.star else 0) | (_NUMBER if pos.number > 0 else 0)


@helper
def _next(frame: npt.NDArray[np.int64], parts: Parts) -> Sum:
    """Tries the next option: the star, slides, hops, free moves; of the toads the one furthest back."""
    pos, options = _sum(frame), int(frame[5])
    toads, number, star = pos.toads, pos.number, pos.star
    blank = _blank(pos)
    slides, movers = options & blank >> 1, options & _STAR - 1
    if options & _STAR:
        option, star = _STAR, 0
    elif slides:
        option = slides & -slides
        toads ^= option | option << 1
    elif movers:
        option = movers & -movers
        toads ^= option | option << 2
    else:
        option, number = _NUMBER, number - 1
    frame[5] ^= option
    return reduced(mirrored(Sum(toads, pos.frogs, pos.squares, number, star)), parts)


@helper
def _known(table: Table, pos: Sum) -> int:
    """1 if the side to move wins, 0 if not, or _UNKNOWN."""
    if pos.squares == 0:
        return int(pos.number > 0 or (pos.number == 0 and pos.star == 1))
    if _options(pos) == 0:
        return 0
    word = _word(pos)
    line = table[_line(table, word)]
    for way in range(_WAYS):
        if line[way] & ~_WIN == word:
            found = line[way]
            _put_first(line, way, found)
            return int(found & _WIN != 0)
    return _UNKNOWN


@helper
def _put_first(line: npt.NDArray[np.int64], way: int, entry: int) -> None:
    for later in range(way, 0, -1):
        line[later] = line[later - 1]
    line[0] = entry


@helper
def _word(pos: Sum) -> int:
    """A reduced sum as a number without the bit _WIN: toads and a bit above, frogs among the other squares."""
    frogs = extract(pos.frogs, (1 << pos.squares) - 1 ^ pos.toads)
    above = (pos.number + _MOST_NUMBER) << 1 | pos.star
    return (above << MOST_SQUARES - 1 | frogs) << MOST_SQUARES + 1 | 1 << pos.squares | pos.toads


@helper
def _line(table: Table, word: int) -> int:
    return int(np.int64(mixed(int(np.uint64(word))) >> 1)) & len(table) - 1


class Decided(NamedTuple):
    """The value of a start, as far as it was decided, and the cost of that."""

    value: str  # a number such as "0", that number and a star ("*" for 0*), or "neither"
    compared: dict[str, str]  # by the pass alone: equal, more, less or confused with 0, *, 1, 1* and so on
    method: str
    arrangements: int  # ways to place its pieces
    visited: int  # arrangements of the pass, or sums of the search
    seconds: float
    bytes: int  # of the pass, or of the table of the search


def decide(
    pieces: int,
    gaps: int,
    *,
    frogs: int | None = None,
    number: int = 0,
    method: str = "pass",
    threads: int | None = None,
    progress: Progress | None = None,
    memory: int | None = None,
) -> Decided:
    """Decides whether T^pieces []^gaps F^pieces, or F^frogs, is a number, that number and a star, or neither.

    `progress` is called with the number visited so far. The pass runs on all cores by default, in at most `memory`
    bytes, by default 70 % of what is free.
    """
    if method not in MOST_BY_METHOD:
        raise LudusError(f"method must be {' or '.join(MOST_BY_METHOD)}, not {method!r}")
    board, most = Board(pieces, gaps, pieces if frogs is None else frogs, number), MOST_BY_METHOD[method]
    if min(board) < 0 or number > MOST_NUMBER:
        raise LudusError(
            f"pieces, gaps and frogs must be at least 0, and the number 0 to {MOST_NUMBER},"
            f" not {board.toads}, {board.gaps}, {board.frogs} and {board.number}"
        )
    if not 1 <= board.squares <= most:
        start = f"T^{board.toads} []^{board.gaps} F^{board.frogs}"
        raise LudusError(f"{start} has {board.squares} squares: the {method} takes strips of 1 to {most}")
    allowed = budget() if memory is None else memory
    if method == "pass":
        return _by_pass(board, threads, progress, allowed)
    return _by_search(board, progress, allowed)


def _by_pass(board: Board, threads: int | None, progress: Progress | None, allowed: int) -> Decided:
    began, memory = perf_counter(), pass_bytes(board)
    if memory > allowed:
        raise LudusError(
            f"the pass needs {memory / 1e9:,.1f} GB, and only {allowed / 1e9:,.1f} GB may be used:"
            " take fewer pieces or gaps, or the method search"
        )
    names = [f"{number or ('' if star else 0)}{star}" for number in range(board.number + 1) for star in ("", "*")]
    wins = zip(names, *outcomes(board, threads=threads, progress=progress), strict=True)
    compared = {name: _ORDERS[toads_win][frogs_win] for name, toads_win, frogs_win in wins}
    is_number, is_with_star = (order == "equal" for order in [*compared.values()][-2:])
    value, arrangements = _named(board, is_number, is_with_star), board.arrangements
    return Decided(value, compared, "pass", arrangements, arrangements, perf_counter() - began, memory)


def _by_search(board: Board, progress: Progress | None, allowed: int) -> Decided:
    began, wanted = perf_counter(), min(_ENTRY_BYTES << board.arrangements.bit_length(), _MOST_TABLE_BYTES)
    searcher = Searcher(min(wanted, allowed), progress)
    toads, frogs = (1 << board.toads) - 1, (1 << board.squares) - (1 << board.toads + board.gaps)

    def first_loses(star: int) -> bool:
        pos = Sum(toads, frogs, board.squares, -board.number, star)
        return searcher.mover_loses(pos) and (pos == mirrored(pos) or searcher.mover_loses(mirrored(pos)))

    is_number = first_loses(0)
    value = _named(board, is_number, not is_number and first_loses(1))
    visited, memory = searcher.visited, searcher.table.nbytes
    return Decided(value, {}, "search", board.arrangements, visited, perf_counter() - began, memory)


def _named(board: Board, is_number: bool, is_with_star: bool) -> str:
    if is_number:
        return str(board.number)
    return f"{board.number or ''}*" if is_with_star else "neither"
