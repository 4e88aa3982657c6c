"""Random games, many at once: each player draws uniformly from its legal actions, CHANCE by its odds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import helper, kernel, member
from ludus.compiled.masks import Mask, count, first, is_empty, nth, without_first
from ludus.compiled.randomness import State, below, new_state, stream_key, stream_start
from ludus.compiled.rows import Row, pack, unpack
from ludus.game import CHANCE, gives_odds, max_plies, odds, validate
from ludus.machine import run_in_threads

_CHUNK = 1 << 14  # games per call of the kernel: short enough for a smooth progress bar


class Tally(NamedTuple):
    """What came of many random games: how often each player won, ties and cut games, plies, and the sum of scores."""

    games: int = 0
    first_wins: int = 0
    second_wins: int = 0
    ties: int = 0
    unfinished: int = 0
    plies: int = 0
    total_score: int = 0


def playouts(
    game: Any,
    games: int,
    *,
    seed: int = 0,
    threads: int | None = None,
    cap: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Tally:
    """Play random games from the start; the same seed gives the same tally whatever the threads.

    `cap` cuts games after so many plies (by default the game's own max_plies, 0 for never).
    """
    validate(game)
    key = stream_key(seed)
    limit = max_plies(game) if cap is None else cap
    total = np.zeros(len(Tally._fields), np.int64)
    sizes = ((start, min(_CHUNK, games - start)) for start in range(0, games, _CHUNK))
    jobs = (partial(_play_chunk, game, key, *chunk, limit) for chunk in sizes)
    for tally in run_in_threads(jobs, threads):
        total += tally
        if progress:
            progress(int(tally[0]))
    return Tally(*(int(number) for number in total))


def mean_plies(game: Any, pos: Any, games: int = 8) -> float:
    """The mean length of a few random games from a position: roughly how far the end is."""
    state, plies, cap = new_state(), 0, max_plies(game)
    for _ in range(games):
        at, mask, played = pos, game.legal(pos), 0
        while not is_empty(mask) and not played == cap > 0:
            at = game.play(at, random_action(game, at, mask, state))
            mask = game.legal(at)
            played += 1
        plies += played
    return plies / games


def _play_chunk(game: Any, key: np.uint64, start: int, size: int, cap: int) -> npt.NDArray[np.int64]:
    tally = np.zeros(len(Tally._fields), np.int64)
    play_games(game, key, start, size, cap, new_state(), tally)
    return tally


@kernel
def play_games(
    game: Any, key: np.uint64, start: int, size: int, cap: int, state: State, tally: npt.NDArray[np.int64]
) -> None:
    """Play the games numbered start .. start+size-1 and add what came of them to tally [fields of Tally]."""
    first_wins = second_wins = ties = unfinished = plies = total_score = 0
    limit = cap if cap else 1 << 62
    upcoming = stream_start(key, start)
    for index in range(start, start + size):
        state[0] = upcoming
        upcoming = stream_start(key, index + 1)  # early, so that the next game does not wait for the end of this one
        pos = game.start()
        mask = game.legal(pos)
        length = 0
        while not is_empty(mask) and length < limit:
            pos = game.play(pos, random_action(game, pos, mask, state))
            mask = game.legal(pos)
            length += 1
        plies += length
        if not is_empty(mask):
            unfinished += 1
            continue
        score = game.score(pos)
        total_score += score
        first_wins += score > 0
        second_wins += score < 0
        ties += score == 0
    tally += np.array([size, first_wins, second_wins, ties, unfinished, plies, total_score])


@helper
def random_action(game: Any, pos: Any, mask: Mask, state: State) -> int:
    """A legal action, uniform for a player, by the game's odds for CHANCE."""
    return (_drawn_by_odds if gives_odds(game) else _drawn_uniformly)(game, pos, mask, state)


@random_action.compiled
def _random_action(game: Any, pos: Any, mask: Any, state: Any) -> Callable[..., int]:
    return _drawn_uniformly if member(game.instance_class, "odds") is None else _drawn_by_odds


def _drawn_uniformly(game: Any, pos: Any, mask: Mask, state: State) -> int:
    return nth(mask, below(state, count(mask)))


def _drawn_by_odds(game: Any, pos: Any, mask: Mask, state: State) -> int:
    return (
        _weighted_action(game, pos, mask, state) if game.player(pos) == CHANCE else nth(mask, below(state, count(mask)))
    )


@helper
def _weighted_action(game: Any, pos: Any, mask: Mask, state: State) -> int:
    total = 0
    left = mask
    while not is_empty(left):
        total += odds(game, pos, first(left))
        left = without_first(left)
    point = below(state, total)
    left = mask
    while point >= odds(game, pos, first(left)):
        point -= odds(game, pos, first(left))
        left = without_first(left)
    return first(left)


def perft(game: Any, depth: int, start: Any = None) -> int:
    """The number of action sequences of exactly `depth` plies from `start`, the game's own by default."""
    validate(game)
    pos = game.start() if start is None else start
    rows = np.zeros((max(depth, 1), len(pos)), np.int64)
    return int(count_sequences(game, pos, depth, rows, np.zeros(max(depth, 1), np.int64))) if depth else 1


@kernel
def count_sequences(game: Any, start: Any, depth: int, rows: Row, tried: npt.NDArray[np.int64]) -> int:
    """Walk to depth - 1 and add up the legal actions there; rows [depth, fields] and tried [depth] are the stack."""
    pack(start, rows[0])
    level = total = 0
    while level >= 0:
        pos = unpack(start, rows[level])
        mask = game.legal(pos)
        if level == depth - 1:
            total += count(mask)
            level -= 1
        elif tried[level] == count(mask):
            tried[level] = 0
            level -= 1
        else:
            pack(game.play(pos, nth(mask, int(tried[level]))), rows[level + 1])
            tried[level] += 1
            level += 1
    return total
