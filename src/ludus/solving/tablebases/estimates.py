"""What a tablebase takes, estimated within seconds and before the work: positions, memory, disk and time.

The number of positions lies between two bounds. From below: few of the positions of many random games are equal, so
that there are many (`ludus.solving.forecast`). From above: the size of the index, or the bits of a key; and where play
always ends, the number of lines of play (Knuth 1975: the mean, over random games, of the product of the numbers of
actions). Between them, the likely number follows from how the numbers of positions grow from ply to ply: their ratio
falls, and is continued along a line.
"""

from __future__ import annotations

import hashlib
import math
from contextlib import suppress
from time import thread_time
from typing import Any, NamedTuple

import numpy as np

from ludus.compiled.compiling import always_compiled
from ludus.compiled.masks import actions
from ludus.compiled.randomness import mixed
from ludus.compiled.rows import unpack
from ludus.fingerprints import fingerprint
from ludus.game import gives_index, num_positions, symmetries, tier
from ludus.loops import recurring_position
from ludus.memo import recall, remember
from ludus.solving.explore import Explored, explore
from ludus.solving.forecast import clock, fewest_positions, in_bytes
from ludus.solving.position_index import decoded
from ludus.solving.tablebases.keys import Keying, canonical, key_of, keying_for, used_bits, with_bits
from ludus.solving.tablebases.successors import blocks

_GLANCE = 100_000  # positions explored
_GAMES, _PLIES = 300, 300  # played at random
_BYTES_AN_ACTION = 12  # on disk while a tier is solved: as it is found, and where it arrives
_BYTES_A_POSITION = 3  # in memory while a tier is solved, beside the set
_OTHER_SECONDS = 1.2e-7  # an action, beside the two times that the rules are run
_SAMPLE = 2_000  # positions
_FEWEST_PLIES, _TOO_MANY = 3, 1e18


class Cost(NamedTuple):
    """What so many positions take, at most, if they are all in one tier."""

    positions: int
    kept: int  # bytes of the tablebase
    memory: int  # bytes, while it is made
    disk: int  # bytes, while it is made
    seconds: float  # of one core

    def __str__(self) -> str:
        return (
            f"{self.positions:,} positions: {in_bytes(self.kept)} of tablebase, and to make it {in_bytes(self.memory)}"
            f" of memory, {in_bytes(self.disk)} of disk and {clock(self.seconds)} of one core"
        )


class Estimate(NamedTuple):
    """Bounds on the number of positions, the mean number of their actions, and the likely and the least cost."""

    least: int
    most: int
    actions: float
    likely_cost: Cost
    least_cost: Cost

    def __str__(self) -> str:
        return f"about {self.likely_cost} (positions: {self.least:,} at least, {self.most:,} at most)"


def estimated(game: Any, start: Any) -> Estimate:
    """The estimate for a game from a position; made once, and remembered."""
    words = f"{fingerprint(game)} {[int(field) for field in start]}"
    key = hashlib.sha256(words.encode()).hexdigest()[:24]
    with suppress(KeyError, TypeError, ValueError):
        facts = recall("estimate", key) or {}
        costs = (Cost(*facts[name]) for name in ("likely_cost", "least_cost"))
        return Estimate(int(facts["least"]), int(facts["most"]), float(facts["actions"]), *costs)
    found = _estimated(explore(game, start, limit=_GLANCE))
    remember("estimate", key, found._asdict())
    return found


def _estimated(explored: Explored) -> Estimate:
    """The estimate for a game of which the first positions are explored."""
    game, start = explored.game, explored.start
    fields = np.bitwise_or(used_bits(game, start), explored.lookup.packing.masks)
    keying = keying_for(game, with_bits(fields, fields))
    images = symmetries(game) if keying.symmetric and not explored.lookup.symmetric else 1
    whole = int(num_positions(game)) if gives_index(game) else 0
    branching, each = _measured(explored, keying)
    least = len(explored) if explored.complete else max(len(explored), fewest_positions(explored))
    most = max(least, whole or _most(game, start, keying.bits))
    likely = least if explored.complete else whole or min(most, max(least, _by_growth(explored.level_sizes[:-1])))
    costs = (_cost(max(1, number // images), branching, each, keying.bits, whole) for number in (likely, least))
    return Estimate(max(1, least // images), max(1, most // images), branching, *costs)


def _cost(positions: int, branching: float, each: float, bits: int, indexed: int) -> Cost:
    """The cost of so many positions, with so many actions each, whose successors take so many seconds an action."""
    in_set = max(1.0, bits - math.log2(positions) + 6) / 8
    kept = indexed or int(positions * (1 + in_set))
    memory = indexed * _BYTES_A_POSITION or int(positions * (_BYTES_A_POSITION + in_set))
    links = positions * branching
    return Cost(positions, kept, memory, int(kept + links * _BYTES_AN_ACTION), links * (2 * each + _OTHER_SECONDS))


def _most(game: Any, start: Any, bits: int) -> int:
    """An upper bound on the number of positions."""
    return 1 << bits if recurring_position(game) is not None else min(1 << bits, _lines_of_play(game, start))


def _by_growth(sizes: list[int]) -> int:
    """The number of positions, if from ply to ply the logarithm of their growth goes on falling along a line."""
    growth = np.diff(np.log(np.array(sizes, np.float64)))
    latest = growth[len(growth) // 2 :]
    if len(latest) < _FEWEST_PLIES:
        return sum(sizes)
    falling, now = np.polyfit(np.arange(1 - len(latest), 1), latest, 1)
    total, size, ply = float(sum(sizes)), float(sizes[-1]), 0
    while size >= 1 and total < _TOO_MANY:
        ply += 1
        size *= math.exp(min(now + falling * ply, latest.max()))
        total += size
    return int(total)


def _lines_of_play(game: Any, start: Any) -> int:
    """The number of lines of play of all lengths, the empty one included, by Knuth's estimator."""
    total = 0
    for number in range(_GAMES):
        pos, weight = start, 1
        for ply in range(_PLIES):
            total += weight
            legal = actions(game.legal(pos))
            if not legal:
                break
            weight *= len(legal)
            pos = game.play(pos, legal[mixed(number << 20 | ply) % len(legal)])
    return total // _GAMES


def _measured(explored: Explored, keying: Keying) -> tuple[float, float]:
    """The mean number of actions of the latest positions explored, and the seconds that the rules take for one."""
    game, row = explored.game, np.zeros(len(explored.start), np.int64)
    words = explored.lookup.words[-_SAMPLE:]
    latest = (unpack(explored.start, fields) for fields in decoded(explored.lookup.packing, words))
    images = [canonical(game, pos, keying) for pos in latest]
    keys = np.array([key_of(game, image, keying, row) for image in images], np.int64)
    highest = max(int(tier(game, image)) for image in images)
    for _ in range(2):  # the first compiles
        began = thread_time()
        with always_compiled():
            links = sum(len(block.key) for _, block in blocks(game, keying, keys[keys >= 0], highest))
        seconds = thread_time() - began
    return max(1.0, links / len(keys)), seconds / max(1, links)
