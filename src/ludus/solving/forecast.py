"""What it takes at least to enumerate a game: found by random games within seconds, and remembered.

Of m positions drawn independently from N, whatever the probabilities, the expected number of equal pairs is at least
m (m - 1) / 2 / N. So few equal pairs among the positions of many random games prove that there are many positions.
Games start where an exploration was cut, which spreads them widely. Where random play still keeps to few positions, as
in Pig, the bound is weak, and only memory ends the exploration.
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import kernel
from ludus.compiled.masks import count, is_empty, nth
from ludus.compiled.randomness import State, below, new_state, stream_key, stream_start
from ludus.compiled.rows import Row, pack, unpack
from ludus.fingerprints import fingerprint
from ludus.game import max_plies, symmetries
from ludus.memo import recall, remember
from ludus.playout import mean_plies
from ludus.solving.explore import Explored
from ludus.solving.position_index import decoded

_GAMES = 200_000
_LOOKS, _LONGEST = 6, 300  # plies at which positions are drawn, and the last of them
_FARTHEST, _FEWER_GAMES = 3_000, 60_000  # the same where play reaches its cap: it ends nowhere by itself
_SURE = 7.0  # equal pairs of which none is seen once in a thousand times
_SEED = 0
Ints = npt.NDArray[np.int64]


class Forecast(NamedTuple):
    """The fewest positions of a game, and the memory in bytes and the seconds that solving them takes, about."""

    positions: int
    memory: int
    seconds: float

    def __str__(self) -> str:
        several = f"{self.positions:,} position{'s' * (self.positions != 1)}"
        return f"at least {several}, which take {in_bytes(self.memory)} and {clock(self.seconds)}"


def in_bytes(size: int) -> str:
    """A size of memory in words."""
    for unit, length in (("GB", 1e9), ("MB", 1e6)):
        if size >= length:
            return f"{size / length:,.{int(unit == 'GB')}f} {unit}"
    return f"{size / 1e3:.0f} kB"


def clock(seconds: float) -> str:
    """A time in words."""
    for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:,.0f} {unit}"
    return f"{seconds:.0f} s"


def known_forecast(game: Any, start: Any, symmetric: bool) -> Forecast | None:
    """The forecast that is remembered, None if there is none."""
    facts = recall("forecast", _key(game, start, symmetric)) or {}
    try:
        return Forecast(int(facts["positions"]), int(facts["memory"]), float(facts["seconds"]))
    except (KeyError, TypeError, ValueError):
        return None


def remember_forecast(game: Any, start: Any, symmetric: bool, forecast: Forecast) -> None:
    """Keep a forecast for the next time."""
    remember("forecast", _key(game, start, symmetric), forecast._asdict())


def _key(game: Any, start: Any, symmetric: bool) -> str:
    words = f"{fingerprint(game)} {[int(field) for field in start]} {symmetric}"
    return hashlib.sha256(words.encode()).hexdigest()[:24]


def fewest_positions(explored: Explored) -> int:
    """A lower bound on the number of positions, almost surely, given some of them: games start from the latest ones."""
    game, like = explored.game, explored.start
    mean = mean_plies(game, like)
    length, games = min(max(1.0, 2 * mean), _LONGEST), _GAMES
    if 0 < max_plies(game) <= mean:
        length, games = _FARTHEST, _FEWER_GAMES
    plies = np.unique(np.geomspace(1, length, _LOOKS).astype(np.int64))
    latest = np.random.default_rng(_SEED).integers(explored.done // 2, len(explored), games)
    starts = decoded(explored.lookup.packing, explored.lookup.words[latest])
    rows, reached = np.zeros((games, len(plies), len(like)), np.int64), np.zeros(games, np.int64)
    draw_positions(game, like, starts, stream_key(_SEED), plies, new_state(), rows, reached)
    drawn = (rows[reached > look, look] for look in range(len(plies)))
    return max(map(_support, drawn)) // (symmetries(game) if explored.lookup.symmetric else 1)


def _support(rows: Ints) -> int:
    """The fewest values that so many rows are drawn from, by their equal pairs."""
    factors = np.random.default_rng(_SEED).integers(1 << 62, size=rows.shape[1]) | 1
    _, counts = np.unique(rows @ factors, return_counts=True)
    pairs = float((counts * (counts - 1) // 2).sum())
    return max(1, int(len(rows) * (len(rows) - 1) / 2 / (pairs + 3 * pairs**0.5 + _SURE)))


@kernel(work=lambda game, like, starts, key, plies, state, rows, reached: 40 * len(rows) * plies[-1])
def draw_positions(
    game: Any, like: Any, starts: Row, key: np.uint64, plies: Ints, state: State, rows: Ints, reached: Ints
) -> None:
    """Plays a random game from each start; writes its positions at these plies to rows [games, plies, fields].

    reached [games]: how many of the plies a game lasted. Where chance moves, too, all actions are equally likely.
    """
    for number in range(len(rows)):
        state[0] = stream_start(key, number)
        pos, played = unpack(like, starts[number]), 0
        mask = game.legal(pos)
        while reached[number] < len(plies) and not is_empty(mask):
            pos = game.play(pos, nth(mask, below(state, count(mask))))
            mask = game.legal(pos)
            played += 1
            if played == plies[reached[number]]:
                pack(pos, rows[number, reached[number]])
                reached[number] += 1
