"""Checks an endgame table: each value against its successors, by code that shares only their numbers with computing.

Play always ends, so that all values are right if each follows from those of its successors.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ludus import face
from ludus.compiled.compiling import helper, kernel
from ludus.compiled.masks import first, is_empty, without_first
from ludus.errors import LudusError
from ludus.game import banked, endgame_heaps, endgame_position, unbanked
from ludus.machine import run_in_threads
from ludus.solving.endgames import Endgames, Ints, index_of, sizes_at
from ludus.solving.value import seen_by_mover

_AT_ONCE = 1 << 15  # positions
NOT_THERE = 1 << 62  # in place of a score


def verify(
    game: Any,
    endgames: Endgames,
    sample: int | None = None,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> int:
    """Checks about `sample` positions, by default all; returns how many.

    Raises LudusError that names the first position whose value does not follow from its successors.
    """
    starts = range(0, len(endgames.values), _AT_ONCE)
    chosen = np.arange(len(starts))
    if sample is not None:
        wanted = -(-sample * len(starts) // max(1, len(endgames.values)))
        chosen = np.sort(np.random.default_rng(seed).permutation(chosen)[:wanted])
    done = 0
    for checked in run_in_threads(partial(_check_range, game, endgames, starts[place]) for place in chosen):
        done += checked
        if progress:
            progress(done)
    return done


def _check_range(game: Any, endgames: Endgames, start: int) -> int:
    """Checks a range of positions; returns how many it holds."""
    end = min(start + _AT_ONCE, len(endgames.values))
    sizes = np.zeros(endgame_heaps(game), np.int64)
    wrong = first_wrong(game, endgames, start, end, sizes)
    if wrong < end:
        sizes_at(wrong, endgames, sizes)
        words = face.format_position(game, endgame_position(game, sizes))
        raise LudusError(f"the endgame table is wrong: the value of {words} does not follow from its successors")
    return end - start


@kernel(work=lambda game, endgames, start, end, sizes: 60 * (end - start))
def first_wrong(game: Any, endgames: Endgames, start: int, end: int, sizes: Ints) -> int:
    """The first position of start .. end-1 whose value does not follow from its successors, or end; sizes is room."""
    for number in range(start, end):
        sizes_at(number, endgames, sizes)
        pos = endgame_position(game, sizes)
        if best_score(game, pos, endgames) != seen_by_mover(game, pos, int(endgames.values[number])):
            return number
    return end


@helper
def best_score(game: Any, pos: Any, endgames: Endgames) -> int:
    """The score for player 0 that follows from the successors of a position; NOT_THERE if one is not in the table."""
    left = game.legal(pos)
    if is_empty(left):
        return int(game.score(pos))
    sign = seen_by_mover(game, pos, 1)
    best = -NOT_THERE
    while not is_empty(left):
        after = game.play(pos, first(left))
        rest = unbanked(game, after)
        number = index_of(game, rest, endgames)
        if number < 0:
            return NOT_THERE
        score = banked(game, after) + seen_by_mover(game, rest, int(endgames.values[number]))
        best = max(best, sign * score)
        left = without_first(left)
    return sign * best
