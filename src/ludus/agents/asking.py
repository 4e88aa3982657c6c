"""Asking an agent of any kind what it does, over many positions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ludus import catalog, face
from ludus.agents.agent import Probabilities, is_batched, is_compiled, probabilities
from ludus.agents.program import Program
from ludus.compiled.compiling import kernel
from ludus.compiled.rows import Row, unpack
from ludus.errors import LudusError
from ludus.game import num_actions
from ludus.machine import run_in_threads

Ints = npt.NDArray[np.int64]

_MOST_AT_ONCE = 1024  # positions in a job
_JOBS_PER_CORE = 16  # at least, where there are as many positions
_ASKED_AGAIN = 50  # positions


def answers_of(agent: Any, game: Any, positions: Row) -> Probabilities:
    """What an agent of any kind gives each action in each of these positions, one a row."""
    like = game.start()
    if is_compiled(agent):
        table = np.zeros((len(positions), num_actions(game)))
        fill_in(agent, game, like, positions, table)
        return table
    unpacked = [unpack(like, row) for row in positions]
    if is_batched(agent):
        return np.asarray(agent.policies(game, unpacked), np.float64)
    return np.array([probabilities(agent, game, pos) for pos in unpacked])


@kernel
def fill_in(agent: Any, game: Any, like: Any, positions: Row, table: Probabilities) -> None:
    """Let a compiled agent write its policy into a row for each position."""
    for number in range(len(positions)):
        agent.policy(game, unpack(like, positions[number]), table[number])


def answers_in_turn(agent: Any, game: Any, jobs: Iterable[Row]) -> Iterator[Probabilities]:
    """What `answers_of` gives for the positions of each job; a compiled agent works on all cores."""
    return run_in_threads((partial(answers_of, agent, game, job) for job in jobs), None if is_compiled(agent) else 1)


def job_size(positions: int) -> int:
    """How many positions make a job: few enough for all cores to have work, and for progress to be seen to move."""
    return max(1, min(_MOST_AT_ONCE, positions // (_JOBS_PER_CORE * (os.cpu_count() or 1))))


def shares_of(
    given: Probabilities, place: Ints, game: Any, positions: Row, *, resigning: bool = False
) -> Probabilities:
    """Probabilities that add up to one in each position, from what was given to its legal actions, one after another.

    place: in which row the position of each action is. Raises LudusError where no probabilities were given; those of
    an agent that is `resigning` may all be 0.
    """
    total = np.bincount(place, given, len(positions))
    if resigning:
        total[total == 0] = 1.0
    wrong = ~np.isfinite(total) | (total <= 0)
    wrong[place[~(given >= 0)]] = True
    if wrong.any():
        pos = unpack(game.start(), positions[np.flatnonzero(wrong)[0]])
        raise LudusError(f"the agent's policy gives no probabilities in {face.format_position(game, pos)}")
    return given / total[place]


def check_answers_alike(agent: Any, game: Any, positions: Row) -> None:
    """Ask an outside program twice for some of these positions; raise LudusError if it does not answer alike.

    Other agents say what they do by probabilities, and are not asked.
    """
    if not isinstance(agent, Program):
        return
    some = positions[:: max(1, -(-len(positions) // _ASKED_AGAIN))]
    once, again = (answers_of(agent, game, some) for _ in range(2))
    for row, before, after in zip(some, once, again, strict=True):
        if not np.array_equal(before, after):
            written = face.format_position(game, unpack(game.start(), row))
            raise LudusError(
                f"{catalog.name_of(agent)} answered {written} in two ways; it must answer a position always alike,"
                " or with a `policy`"
            )


@contextmanager
def ended_after(agent: Any) -> Iterator[None]:
    """End an outside program when what is done meanwhile is over."""
    try:
        yield
    finally:
        if isinstance(agent, Program):
            agent.close()
