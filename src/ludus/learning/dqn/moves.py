"""Moves that wait for what comes of them: the reply, or several moves and replies, or the end of the game."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiling import helper, kernel
from ludus.learning.dqn.memory import Floats, Memory, store
from ludus.learning.lanes import NOTHING, PLAYER, Lanes
from ludus.learning.lesson import Ints
from ludus.learning.schedules import Schedule
from ludus.networks.inputs import Outputs
from ludus.rows import borrowed


class Rules(NamedTuple):
    """A config as compiled code reads it."""

    epsilon: Schedule
    gamma: float
    win: float
    loss: float
    draw: float
    illegal: float
    margin: bool
    shaping: float
    mask: bool
    explores_all: bool
    reply: bool


class Moves(NamedTuple):
    """For each lane and player the moves that wait, oldest first.

    inputs: what was seen; taken: the output; earned: since then, discounted; discount: of what is earned next; number:
    how many wait; since: what the player earned since its last move; foul: who chose what is illegal, NOTHING if nobody
    did; lost: the part of games that each player lost lately.
    """

    inputs: Floats
    taken: Ints
    earned: npt.NDArray[np.float64]
    discount: npt.NDArray[np.float64]
    number: Ints
    since: npt.NDArray[np.float64]
    foul: Ints
    lost: npt.NDArray[np.float64]


def new_moves(lanes: int, steps: int, inputs: int) -> Moves:
    """Room for so many steps in so many lanes."""
    return Moves(
        np.zeros((lanes, 2, steps, inputs), np.float32),
        np.zeros((lanes, 2, steps), np.int64),
        np.zeros((lanes, 2, steps)),
        np.zeros((lanes, 2, steps)),
        np.zeros((lanes, 2), np.int64),
        np.zeros((lanes, 2)),
        np.full(lanes, NOTHING, np.int64),
        np.full(2, 0.5),
    )


@kernel
def remember(
    lanes: Lanes, ready: Ints, moves: Moves, memory: Memory, rules: Rules, inputs: Floats, outputs: Outputs, alone: bool
) -> None:
    """Let the moves that wait in these lanes know what was earned, and store those that looked far enough ahead.

    alone: whether the learner plays itself; without waiting for a reply, the other player's moves are stored too.
    """
    lanes, ready, moves, memory = borrowed(lanes), borrowed(ready), borrowed(moves), borrowed(memory)
    inputs, outputs = borrowed(inputs), borrowed(outputs)
    for which in range(len(ready)):
        lane = ready[which]
        for player in range(2):
            own = player == lanes.state[lane, PLAYER]
            if own or (alone and not rules.reply):
                credit(moves, lane, player, moves.since[lane, player], rules.gamma)
                if moves.number[lane, player] == moves.taken.shape[2]:
                    store_oldest(moves, lane, player, memory, rules, inputs[which], outputs[which], 1 if own else -1)


@helper
def credit(moves: Moves, lane: int, player: int, earned: float, gamma: float) -> None:
    """Give all moves of a player what was earned since its last."""
    for place in range(moves.number[lane, player]):
        moves.earned[lane, player, place] += moves.discount[lane, player, place] * earned
        moves.discount[lane, player, place] *= gamma
    moves.since[lane, player] = 0.0


@helper
def store_oldest(
    moves: Moves, lane: int, player: int, memory: Memory, rules: Rules, after: Floats, allowed: Any, sign: int
) -> None:
    """Store the oldest move with what is seen now, -1 if by the other player, and move up the others."""
    seen, taken = moves.inputs[lane, player], moves.taken[lane, player]
    earned, discount = moves.earned[lane, player], moves.discount[lane, player]
    store(memory, seen[0], taken[0], earned[0], sign * discount[0], after, allowed, rules.mask)
    moves.number[lane, player] -= 1
    for place in range(moves.number[lane, player]):
        seen[place] = seen[place + 1]
        taken[place], earned[place], discount[place] = taken[place + 1], earned[place + 1], discount[place + 1]


@kernel
def end_moves(moves: Moves, lane: int, player: int, memory: Memory, rules: Rules, earned: float, learned: bool) -> None:
    """Store what waits where a game is over, if anything is learned from its end."""
    moves, memory = borrowed(moves), borrowed(memory)
    credit(moves, lane, player, moves.since[lane, player] + earned, rules.gamma)
    for place in range(moves.number[lane, player] if learned else 0):
        seen, taken = moves.inputs[lane, player, place], moves.taken[lane, player, place]
        nowhere = moves.taken[lane, player, :0]
        store(memory, seen, taken, moves.earned[lane, player, place], 0.0, seen, nowhere, rules.mask)
    moves.number[lane, player] = 0


@helper
def wait(moves: Moves, lane: int, player: int, inputs: Floats, taken: int) -> None:
    """Add a move to those that wait."""
    place = moves.number[lane, player]
    moves.inputs[lane, player, place], moves.taken[lane, player, place] = inputs, taken
    moves.earned[lane, player, place], moves.discount[lane, player, place] = 0.0, 1.0
    moves.number[lane, player] = place + 1
