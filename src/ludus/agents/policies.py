"""The policies of agents of any kind over many positions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ludus import catalog, face
from ludus.agents.agent import Probabilities, is_batched, is_compiled, probabilities, work_of
from ludus.agents.program import Program
from ludus.compiled.compiling import kernel
from ludus.compiled.rows import Row, unpack
from ludus.errors import LudusError
from ludus.game import num_actions
from ludus.machine import run_in_threads

Ints = npt.NDArray[np.int64]
_MOST_AT_ONCE = 1024  # positions in a job
_JOBS = 64  # at least, where there are as many positions; on any machine, as networks may depend on their batches
_ASKED_AGAIN = 50  # positions


def policies_of(agent: Any, game: Any, positions: Row) -> Probabilities:
    """The policy of an agent of any kind in each of these positions [positions, actions]."""
    like = game.start()
    if is_compiled(agent):
        table = np.zeros((len(positions), num_actions(game)))
        fill_in(agent, game, like, positions, table)
        return table
    unpacked = [unpack(like, row) for row in positions]
    if is_batched(agent):
        return np.asarray(agent.policies(game, unpacked), np.float64)
    return np.array([probabilities(agent, game, pos) for pos in unpacked])


@kernel(work=lambda agent, game, like, positions, table: len(positions) * work_of(agent, game))
def fill_in(agent: Any, game: Any, like: Any, positions: Row, table: Probabilities) -> None:
    """Let a compiled agent write its policy into a row for each position."""
    for number in range(len(positions)):
        agent.policy(game, unpack(like, positions[number]), table[number])


def policies_in_turn(agent: Any, game: Any, jobs: Iterable[Row]) -> Iterator[Probabilities]:
    """The policies in the positions of each job; a compiled agent uses all cores."""
    return run_in_threads((partial(policies_of, agent, game, job) for job in jobs), None if is_compiled(agent) else 1)


def job_size(positions: int) -> int:
    """The number of positions in a job: few enough to keep all cores busy and progress moving."""
    return max(1, min(_MOST_AT_ONCE, positions // _JOBS))


def normalised(
    given: Probabilities, place: Ints, game: Any, positions: Row, *, resigning: bool = False
) -> Probabilities:
    """Probabilities that add up to one in each position; `place`: the row of each action's position.

    Raises LudusError where they are no probabilities; those of an agent that is `resigning` may all be 0.
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


def check_repeatable(agent: Any, game: Any, positions: Row) -> None:
    """Ask an outside program twice in some positions; LudusError if its answers differ. Others need no check."""
    if not isinstance(agent, Program):
        return
    some = positions[:: max(1, -(-len(positions) // _ASKED_AGAIN))]
    once, again = (policies_of(agent, game, some) for _ in range(2))
    for row, before, after in zip(some, once, again, strict=True):
        if not np.array_equal(before, after):
            written = face.format_position(game, unpack(game.start(), row))
            raise LudusError(
                f"{catalog.name_of(agent)} answered {written} in two ways; it must answer a position always alike,"
                " or with a `policy`"
            )


@contextmanager
def ended_after(agent: Any) -> Iterator[None]:
    """End an outside program at the end of the block."""
    try:
        yield
    finally:
        if isinstance(agent, Program):
            agent.close()
