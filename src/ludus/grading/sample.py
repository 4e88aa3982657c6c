"""A sample of positions of a game too large to enumerate, with action values by limited searches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ludus import catalog
from ludus.agents.simple import Random
from ludus.arena.match import GameResult, Match
from ludus.cluster import Job, JobProgress, run_jobs
from ludus.compiled.masks import count
from ludus.compiled.rows import pack
from ludus.errors import LudusError
from ludus.grading.decisions import Choices
from ludus.solving.alpha_beta import Searcher
from ludus.solving.retrograde import ENDLESS
from ludus.solving.solver import Progress, Searched, TooCostlyError
from ludus.solving.tablebases.tablebase import Tablebase
from ludus.solving.value import Value

ActionValues = dict[int, Value] | None  # None where the search costs too much
OnProgress = Callable[[int, int], None]
MOST_NODES = 1 << 22  # of a search of one position


# One search makes the next one cheaper, so each chunk starts afresh with a fixed memory: the skipped positions are the
# same on every machine.
_CHUNK = 5
_MEMORY = 1 << 28
_FEW = 20  # positions are searched sooner than processes start


def action_values(
    truth: Searched | Tablebase, positions: Sequence[Any], on_progress: OnProgress | None = None
) -> list[ActionValues]:
    """The value of each action, position after position."""
    found = list[ActionValues]()
    for pos in positions:
        if on_progress:
            on_progress(len(found), len(positions))
        found.append(_values_of(truth, pos))
    return found


def _values_of(truth: Searched | Tablebase, pos: Any) -> ActionValues:
    try:
        with truth.within(MOST_NODES):
            return truth.actions(pos)
    except TooCostlyError:
        return None


def action_values_by_jobs(
    game: Any, on: str, positions: Sequence[Any], on_progress: OnProgress | None = None
) -> list[ActionValues]:
    """The same by jobs, see `run_jobs`; few positions are searched in this process instead of on local."""
    here = on == "local=1" or (on == "local" and len(positions) <= _FEW)
    named = game if here else catalog.lasting_name(game)
    chunks = [positions[begin : begin + _CHUNK] for begin in range(0, len(positions), _CHUNK)]
    jobs = [Job(f"search {number}", search_chunk, (named, [*map(tuple, chunk)])) for number, chunk in enumerate(chunks)]
    found = dict[int, list[ActionValues]]()

    def report(progress: JobProgress) -> None:
        if on_progress:
            on_progress(min(progress.done * _CHUNK, len(positions)), len(positions))

    run_jobs(jobs, "local=1" if here else on, done=found.__setitem__, on_progress=report)
    return [values for number in range(len(chunks)) for values in found[number]]


def search_chunk(game: Any, positions: Sequence[tuple[int, ...]]) -> list[ActionValues]:
    """The value of each action in some positions, in any process; the game may be a name."""
    chosen = catalog.make_game(game) if isinstance(game, str) else game
    start = chosen.start()
    return action_values(
        Searched(chosen, start, Searcher(chosen, memory=_MEMORY)), [type(start)(*pos) for pos in positions]
    )


Search = Callable[[Sequence[Any], OnProgress | None], list[ActionValues]]
_GAMES_AT_ONCE = 16  # few are played in vain, and progress moves


class Sample(NamedTuple):
    """The positions searched, the positions skipped as too costly, and the seed."""

    positions: int
    skipped: int
    seed: int


def sampled_choices(
    agent: Any, game: Any, wanted: int, seed: int, search: Search, progress: Progress | None = None
) -> tuple[Choices, Sample]:
    """Different positions from the second halves of the agent's games, with the values of all actions.

    Half of the games are against itself, the others against `random` from either seat; each gives one position in which
    the agent has a choice. Positions whose search costs too much are left out.
    """
    positions = sampled_positions(agent, game, wanted, seed, progress and partial(progress, "sampling"))
    found = search(positions, progress and partial(progress, "judging"))
    known = {pos: values for pos, values in zip(positions, found, strict=True) if values is not None}
    if not known:
        raise LudusError("no position of the agent's games could be searched; there is nothing to grade")
    return choices_from(game, known), Sample(len(known), len(positions) - len(known), seed)


class _EnoughError(Exception):
    """Enough positions were found."""


def sampled_positions(
    agent: Any, game: Any, wanted: int, seed: int, progress: Callable[[int, int], None] | None = None
) -> list[Any]:
    """Different positions from the second halves of the agent's games, one a game."""
    found: dict[Any, None] = {}
    rng = np.random.default_rng(seed)

    def play(opponent: Any, games: int, record: Callable[[GameResult], None]) -> None:
        match = Match(game, (agent, opponent), recorded=True).prepared()
        match.result(games, seed=seed, batch=_GAMES_AT_ONCE, record=record)

    def note(result: GameResult, *, both_seats: bool) -> None:
        open_to_it = [pos for pos in second_half(game, result) if both_seats or game.player(pos) == result.seat]
        if open_to_it:
            found[open_to_it[rng.integers(len(open_to_it))]] = None
        if progress:
            progress(len(found), wanted)
        if len(found) == wanted:
            raise _EnoughError

    with suppress(_EnoughError):
        play(agent, (wanted + 1) // 2, record=partial(note, both_seats=True))
        play(Random(), wanted, record=partial(note, both_seats=False))
    return list(found)


def second_half(game: Any, result: GameResult) -> Iterator[Any]:
    """The positions of the second half of a game with more than one action, or in which a player resigned."""
    pos = result.start
    for ply, action in enumerate(result.actions):
        if 2 * ply >= len(result.actions) and count(game.legal(pos)) > 1:
            yield pos
        pos = game.play(pos, action)
    if result.resigned:
        yield pos


def choices_from(game: Any, known: dict[Any, dict[int, Value]]) -> Choices:
    """Choices with these values; the policy is still zero."""
    positions = np.zeros((len(known), len(game.start())), np.int64)
    for row, pos in zip(positions, known, strict=True):
        pack(pos, row)
    values = [value for actions in known.values() for value in actions.values()]
    return Choices(
        positions,
        np.cumsum([0, *(len(actions) for actions in known.values())]),
        np.array([game.player(pos) for pos in known], np.int8),
        np.array([action for actions in known.values() for action in actions], np.int32),
        np.array([value.score for value in values], np.float64),
        np.array([ENDLESS if value.plies is None else value.plies for value in values], np.int32),
        np.zeros(len(values)),
        np.zeros(len(known), np.int64),
    )
