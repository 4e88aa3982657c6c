"""Checks a tablebase: each value against those of its successors, by code that shares only the positions with solving.

Wins and losses follow by induction over margin and plies, draws because no side has an action that leaves them in its
favour.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus import face
from ludus.compiled.compiling import helper, kernel
from ludus.compiled.rows import borrowed
from ludus.errors import LudusError
from ludus.machine import run_in_threads
from ludus.solving.retrograde import ENDLESS
from ludus.solving.solution import length_of_both
from ludus.solving.tablebases.keys import position_of
from ludus.solving.tablebases.position_sets import NOT_FOUND
from ludus.solving.tablebases.successors import Block, blocks
from ludus.solving.tablebases.tablebase import Tablebase
from ludus.solving.tablebases.tiers import Tier

_AT_ONCE = 1 << 15  # positions
NOT_THERE = 1 << 62  # in place of a score


class Known(NamedTuple):
    """Values for the side to move."""

    score: npt.NDArray[np.int64]
    plies: npt.NDArray[np.int64]  # ENDLESS where nobody can force an end


def verify(
    tablebase: Tablebase, sample: int | None = None, seed: int = 0, progress: Callable[[int], None] | None = None
) -> int:
    """Checks all files and about `sample` positions, by default all; returns how many.

    Raises LudusError that names the first position whose value does not follow from its successors.
    """
    tiers = [tablebase.tier(number) for number in tablebase.numbers]
    for tier in tiers:
        tier.check()
    if tablebase.start not in tablebase:
        raise LudusError(f"{tablebase.folder} is damaged: it does not hold the position that it was made from")
    ranges = [(tier, at) for tier in tiers for at in range(0, tier.facts.size, _AT_ONCE)]
    if sample is not None:
        wanted = -(-sample * len(ranges) // max(1, len(tablebase)))
        chosen = np.random.default_rng(seed).permutation(len(ranges))[:wanted]
        ranges = [ranges[place] for place in sorted(chosen.tolist())]
    done = 0
    for checked in run_in_threads(partial(_check_range, tablebase, tier, at) for tier, at in ranges):
        done += checked
        if progress:
            progress(done)
    return done


def _check_range(tablebase: Tablebase, tier: Tier, at: int) -> int:
    """Checks a range of numbers; returns how many positions it holds."""
    end = min(tier.facts.size, at + _AT_ONCE)
    keys, own = tier.positions.keys(at, end), np.asarray(tier.codes[at:end])
    if tier.reached is not None:
        keys, own = keys[tier.reached[at:end]], own[tier.reached[at:end]]
    for place, block in blocks(tablebase.game, tablebase.keying, keys, tier.number):
        of_block = slice(place, place + len(block.degree))
        wrong = first_wrong(block, _successors(tablebase, block), _meaning(tier, own[of_block]))
        if wrong < len(block.degree):
            game, start = tablebase.game, tablebase.start
            row = np.zeros(len(start), np.int64)
            pos = position_of(game, start, tablebase.keying, int(keys[place + wrong]), row)
            words = face.format_position(game, pos)
            raise LudusError(f"the tablebase is wrong: the value of {words} does not follow from its successors")
    return len(keys)


def _successors(tablebase: Tablebase, block: Block) -> Known:
    """The values of all successors, each for its own side to move; a score of NOT_THERE for one that is missing."""
    found = Known(np.full(len(block.key), NOT_THERE), np.zeros(len(block.key), np.int64))
    for number, chosen in _by_tier(tablebase, block):
        tier = tablebase.tier(number)
        places = tier.positions.numbers(block.key[chosen])
        there = places != NOT_FOUND
        chosen, places = chosen[there], places[there]
        found.score[chosen], found.plies[chosen] = _meaning(tier, tier.codes[places])
    return found


def _by_tier(tablebase: Tablebase, block: Block) -> Iterator[tuple[int, npt.NDArray[np.int64]]]:
    for number in np.unique(block.tier).tolist():
        if number in tablebase.numbers:
            yield number, np.flatnonzero(block.tier == number)


def _meaning(tier: Tier, codes: Any) -> Known:
    """What codes stand for."""
    pairs = np.array([(NOT_THERE, 0), (0, ENDLESS), *tier.pairs], np.int64)
    return Known(pairs[codes, 0], pairs[codes, 1])


@kernel(work=lambda block, after, own: 2 * len(block.key))
def first_wrong(block: Block, after: Known, own: Known) -> int:
    """The first position of a block whose value does not follow from those of its successors, or how many there are."""
    block, after, own = borrowed(block), borrowed(after), borrowed(own)
    edge = 0
    for place in range(len(block.degree)):
        if block.degree[place] == 0:
            if own.score[place] != block.score[place] or own.plies[place] != 0:
                return place
            continue
        best, length = best_of(block, after, edge, edge + block.degree[place])
        if own.score[place] != best or own.plies[place] != length or (best != 0 and length == ENDLESS):
            return place
        edge += block.degree[place]
    return len(block.degree)


@helper
def best_of(block: Block, after: Known, begin: int, end: int) -> tuple[int, int]:
    """The best score that actions begin .. end-1 give, and the plies; NOT_THERE if the value of one is not known."""
    best, length = -NOT_THERE, 0
    for edge in range(begin, end):
        if after.score[edge] == NOT_THERE:
            return NOT_THERE, 0
        score = -after.score[edge] if block.changes[edge] else after.score[edge]
        if score > best:
            best, length = score, after.plies[edge]
        elif score == best:
            length = length_of_both(score, length, after.plies[edge])
    return best, length if length == ENDLESS else length + 1
