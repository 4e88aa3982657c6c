"""Sums of strips of Toads and Frogs in a short form: dead pieces cut away, parts sorted, opposites cancelled.

A sum is one strip for the player to move, whose pieces are always the toads, with walls TTFF between its parts; what is
a whole number is counted beside it, and so is a star, which either player may take.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.bits import highest, lowest, reverse
from ludus.compiling import helper

MOST_SQUARES = 26  # of a strip that is searched
_MOST_PARTS = MOST_SQUARES // 4
_WALL_TOADS, _WALL_FROGS, _WALL_SQUARES = 0b0011, 0b1100, 4

Parts = npt.NDArray[np.int64]  # parts x (squares, toads, frogs)


class Sum(NamedTuple):
    """Bitboards of a strip, a whole number of free moves for its toads (for its frogs if negative), a star or none."""

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
    """The same sum as the other player sees it: its negative."""
    toads, frogs = reverse(pos.frogs, pos.squares), reverse(pos.toads, pos.squares)
    return Sum(toads, frogs, pos.squares, -pos.number, pos.star)


@helper
def spread_up(seeds: int, through: int) -> int:
    """The seeds, and all squares above that are joined to one by squares of `through`."""
    for shift in (1, 2, 4, 8, 16, 32):
        seeds |= seeds << shift & through
        through &= through << shift
    return seeds


@helper
def spread_down(seeds: int, through: int) -> int:
    """The seeds, and all squares below that are joined to one by squares of `through`."""
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
    """How many moves toads have if nobody is in their way."""
    moves = 0
    while toads:
        squares -= 1
        moves += squares - highest(toads)
        toads ^= 1 << highest(toads)
    return moves


@helper
def settled(pos: Sum, parts: Parts) -> Sum:
    """The same sum in short form; `parts` is room to work in."""
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
    """Add a part in its order, or strike out its opposite; returns how many there are then."""
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
    """The parts as one strip, never longer than the one that they come from: no wall is shorter than ours."""
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
