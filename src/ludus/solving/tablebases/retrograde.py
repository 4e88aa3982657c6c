"""Retrograde analysis of one tier, given the tiers below: values by rising distance from the end, loops allowed.

Positions are valued in the order of time: by falling margin, then by rising plies, as in `ludus.solving.retrograde`.
Each has a code, for the score to its side to move and the plies. A code of a later time is a promise: what actions into
lower tiers, and those valued so far, guarantee. When its time comes, a win or a tie is final; a loss is final if no
action is open by then, and void otherwise, because an open action ends later.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import kernel
from ludus.compiled.rows import borrowed
from ludus.errors import LudusError
from ludus.machine import run_in_threads
from ludus.solving.tablebases.tiers import ENDLESS, NO_VALUE, counts_of

NOT_REACHED = 65535  # the code of such numbers of an index while a tier is solved
_MOST_CODES = 65535
_FAR = 1 << 40  # plies
_MOST_THREADS = 4  # each reads all that is handed on
Numbers = npt.NDArray[np.uint32]


class State(NamedTuple):
    """What is known of the positions of a tier."""

    code: npt.NDArray[np.uint16]  # [positions]
    open: npt.NDArray[np.unsignedinteger]  # [positions]: actions within the tier not yet known to lose; endless ones


class Arrivals(NamedTuple):
    """The actions within a tier that lead to a part of its positions."""

    begin: int  # the number of the first of these positions
    first: npt.NDArray[np.uint32]  # [positions + 1]: where those to each position begin
    sources: Numbers  # [actions]: twice the position it comes from, plus one if the side to move changes


class Pairs:
    """The score for the side to move and the plies that each code stands for; more are added as play gets longer."""

    def __init__(self, pairs: Sequence[tuple[int, int]]) -> None:
        self.pairs: list[tuple[int, int]] = []
        self._margin = max((abs(score) for score, _ in pairs), default=0)  # a tier has no larger one
        self._codes: dict[tuple[int, int], int] = {}
        for score, plies in pairs:
            self.code(score, plies)

    def code(self, score: int, plies: int) -> int:
        """The code of a pair, a new one if need be."""
        found = self._codes.setdefault((score, plies), len(self.pairs) + 2)
        if found == len(self.pairs) + 2:
            if found == _MOST_CODES:
                raise LudusError(f"a tablebase holds at most {_MOST_CODES:,} different values a tier")
            self.pairs.append((score, plies))
        return found

    def time(self, code: int) -> int:
        """When a code comes of age."""
        score, plies = self.pairs[code - 2]
        return (self._margin - abs(score)) * _FAR + plies

    def tables(self) -> Tables:
        """Scores and times by code."""
        scores = [0, 0, *(score for score, _ in self.pairs)]
        times = [0, 0, *(self.time(code) for code in range(2, len(self.pairs) + 2))]
        return Tables(np.array(scores, np.int64), np.array(times, np.int64))


class Tables(NamedTuple):
    """What kernels need to know of codes."""

    score: npt.NDArray[np.int64]  # [codes]
    time: npt.NDArray[np.int64]  # [codes]


@kernel(work=lambda state, tables, sources, codes: 2 * len(sources))
def promise(state: State, tables: Tables, sources: npt.NDArray[np.int64], codes: npt.NDArray[np.uint16]) -> None:
    """Takes note of actions whose values are known: for each its position and the code that it gives this one."""
    state, tables, sources, codes = borrowed(state), borrowed(tables), borrowed(sources), borrowed(codes)
    for action in range(len(sources)):
        source, code = sources[action], int(codes[action])
        held = int(state.code[source])
        is_loss = held != NO_VALUE and tables.score[held] < 0
        if code == ENDLESS:
            state.open[source] += 1
        elif tables.score[code] >= 0:
            if held == NO_VALUE or is_loss or tables.time[code] < tables.time[held]:
                state.code[source] = code
        elif held == NO_VALUE or (is_loss and tables.time[code] > tables.time[held]):
            state.code[source] = code


class Level(NamedTuple):
    """What comes of age together: the time, and the codes of those it is handed on to, one ply earlier in play."""

    time: int
    same: int  # where the side to move stays
    changed: int  # where it changes


def solve_tier(state: State, arrivals: Sequence[Arrivals], pairs: Pairs, progress: Callable[[int], None]) -> None:
    """Completes the codes of a tier; `arrivals` are those to all its positions, part by part."""
    done, size, threads = 0, len(state.code), min(_MOST_THREADS, len(os.sched_getaffinity(0)))
    waiting = {int(code) for code in np.flatnonzero(counts_of(state.code)[:NOT_REACHED]) if code >= 2}
    bounds = [size * thread // threads for thread in range(threads + 1)]
    while waiting:
        now = min(map(pairs.time, waiting))
        codes = sorted(code for code in waiting if pairs.time(code) == now)
        waiting.difference_update(codes)
        of_age = {code: _of_age(state, arrivals, code, pairs.pairs[code - 2][0] < 0) for code in codes}
        for code, numbers in of_age.items():
            score, plies = pairs.pairs[code - 2]
            level = Level(now, pairs.code(score, plies + 1), pairs.code(-score, plies + 1))
            tables = pairs.tables()
            jobs = (
                partial(_hand_on_all, state, tables, arrivals, numbers, level, low, high)
                for low, high in pairwise(bounds)
            )
            for changed in run_in_threads(jobs, threads):
                waiting |= {level.same} if changed & 1 else set()
                waiting |= {level.changed} if changed & 2 else set()
            done += sum(map(len, numbers))
        progress(done)
    state.code[state.code == NO_VALUE] = ENDLESS
    state.code[state.code == NOT_REACHED] = NO_VALUE


def _of_age(state: State, arrivals: Sequence[Arrivals], code: int, is_loss: bool) -> list[Numbers]:
    """The positions with this code, part by part, without void losses, whose codes are taken back."""
    jobs = (partial(_of_age_in, state, part.begin, len(part.first) - 1, code, is_loss) for part in arrivals)
    return list(run_in_threads(jobs))


def _of_age_in(state: State, begin: int, length: int, code: int, is_loss: bool) -> Numbers:
    numbers = (np.flatnonzero(state.code[begin : begin + length] == code) + begin).astype(np.uint32)
    if is_loss:
        is_final = state.open[numbers] == 0
        state.code[numbers[~is_final]] = NO_VALUE
        numbers = numbers[is_final]
    return numbers


def _hand_on_all(
    state: State, tables: Tables, arrivals: Sequence[Arrivals], of_age: list[Numbers], level: Level, low: int, high: int
) -> int:
    """What came of age, handed on to the positions low .. high-1, of which no other thread writes any."""
    changed = 0
    for part, numbers in zip(arrivals, of_age, strict=True):
        if len(numbers):
            changed |= hand_on(state, tables, part, numbers, level, low, high)
    return changed


@kernel(work=lambda state, tables, arrivals, numbers, level, low, high: 3 * len(arrivals.sources))
def hand_on(
    state: State, tables: Tables, arrivals: Arrivals, numbers: Numbers, level: Level, low: int, high: int
) -> int:
    """Hands the value of positions on to those before them; returns which of the level's codes were given, as bits."""
    state, tables = borrowed(state), borrowed(tables)
    arrivals, numbers = borrowed(arrivals), borrowed(numbers)
    changed = 0
    for place in range(len(numbers)):
        target = int(numbers[place]) - arrivals.begin
        for arrival in range(int(arrivals.first[target]), int(arrivals.first[target + 1])):
            packed = int(arrivals.sources[arrival])
            source = packed >> 1
            held = int(state.code[source]) if low <= source < high else NOT_REACHED
            if held == NOT_REACHED or (held != NO_VALUE and tables.time[held] <= level.time):
                continue
            code = level.changed if packed & 1 else level.same
            is_loss = held != NO_VALUE and tables.score[held] < 0
            if tables.score[code] >= 0:
                better = held == NO_VALUE or is_loss or tables.time[code] < tables.time[held]
            else:
                state.open[source] -= 1
                better = held == NO_VALUE or (is_loss and tables.time[code] > tables.time[held])
                better = better and state.open[source] == 0
            if better:
                state.code[source] = code
                changed |= 1 + (packed & 1)
    return changed


# ---- the actions to each position ----


@kernel(work=lambda targets, begin, first: 3 * len(targets))
def count_arrivals(targets: Numbers, begin: int, first: npt.NDArray[np.uint32]) -> None:
    """Counts the actions to each position of a part, two places further on."""
    targets, first = borrowed(targets), borrowed(first)
    for action in range(len(targets)):
        first[int(targets[action]) - begin + 2] += 1


@kernel(work=lambda targets, sources, begin, first, arrivals: 3 * len(targets))
def enter_arrivals(
    targets: Numbers, sources: Numbers, begin: int, first: npt.NDArray[np.uint32], arrivals: Numbers
) -> None:
    """Enters actions; first[i + 1] moves from where those to position i begin to where they end."""
    targets, sources, first, arrivals = borrowed(targets), borrowed(sources), borrowed(first), borrowed(arrivals)
    for action in range(len(targets)):
        target = int(targets[action]) - begin
        arrivals[int(first[target + 1])] = sources[action]
        first[target + 1] += 1


def arrivals_of(actions: Sequence[tuple[Numbers, Numbers]], begin: int, size: int) -> Arrivals:
    """The actions to positions begin .. begin+size-1, given as runs of targets and sources."""
    first = np.zeros(size + 2, np.uint32)
    for targets, _ in actions:
        count_arrivals(targets, begin, first)
    np.cumsum(first, out=first)
    sources = np.empty(int(first[-1]), np.uint32)
    for targets, some in actions:
        enter_arrivals(targets, some, begin, first, sources)
    return Arrivals(begin, first[: size + 1], sources)
