"""What a learner remembers: its last moves with what came of them, from which it draws at random.

Each is one row: what was seen, the output taken, what was earned, what the next position counts, what was seen there,
and which outputs could be taken there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import helper, kernel
from ludus.compiled.randomness import State, below, stream_start, uniform
from ludus.compiled.rows import borrowed, unpack
from ludus.game import gives_shaping, shaping
from ludus.learning.loop.episodes import Ints
from ludus.learning.loop.lanes import ASTRAY, ENDED, FRESH, NOTHING, NUMBER, PLAYER, STATUS, Lanes
from ludus.learning.loop.schedules import Schedule, share_now
from ludus.networks.inputs import ILLEGAL, Outputs

Floats = npt.NDArray[np.float32]


# Of `totals`: moves stored so far, those of them that were learned for, updates, and those in the curve of losses.
STORED, PAID, UPDATES, TOLD, COUNTERS = range(5)


class Memory(NamedTuple):
    """A ring of rows, and counters."""

    rows: Floats
    totals: Ints


class Batch(NamedTuple):
    """The parts of some rows."""

    inputs: Any
    taken: Any
    earned: Any
    discount: Any
    next_inputs: Any
    can_be_taken: Any


def new_memory(size: int, inputs: int, outputs: int) -> Memory:
    """Of so many moves, empty."""
    return Memory(np.zeros((size, 2 * inputs + 3 + outputs), np.float32), np.zeros(COUNTERS, np.int64))


def parts(rows: Any, inputs: int) -> Batch:
    """Take rows apart, of JAX or of NumPy."""
    ends = [inputs, inputs + 1, inputs + 2, inputs + 3, 2 * inputs + 3, rows.shape[1]]
    seen, taken, earned, discount, after, can = (
        rows[:, begin:end] for begin, end in zip([0, *ends[:-1]], ends, strict=True)
    )
    return Batch(seen, taken[:, 0].astype(np.int32), earned[:, 0], discount[:, 0], after, can > 0)


@kernel
def draw_rows(memory: Memory, key: np.uint64, stream: State, out: Floats) -> None:
    """Fill batches x rows with what is drawn for the next updates, each by random numbers of its own."""
    memory, out = borrowed(memory), borrowed(out)
    held = min(memory.totals[STORED], len(memory.rows))
    for batch in range(len(out)):
        stream[0] = stream_start(key, int(memory.totals[UPDATES]) + batch)
        for number in range(out.shape[1]):
            out[batch, number] = memory.rows[below(stream, held)]


@helper
def store(
    memory: Memory, inputs: Floats, taken: int, earned: float, discount: float, after: Floats, allowed: Any, mask: bool
) -> None:
    """Remember a move in place of the oldest; `allowed`: the outputs of the next position's actions."""
    row, size = memory.rows[memory.totals[STORED] % len(memory.rows)], len(inputs)
    row[:size] = inputs
    row[size], row[size + 1], row[size + 2] = taken, earned, discount
    row[size + 3 : 2 * size + 3] = after
    row[2 * size + 3 :] = 0.0 if mask else 1.0
    for action in range(len(allowed)):
        if mask and allowed[action] != ILLEGAL:
            row[2 * size + 3 + allowed[action]] = 1.0
    memory.totals[STORED] += 1


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


@kernel
def choose_moves(
    game: Any,
    like: Any,
    lanes: Lanes,
    ready: Ints,
    moves: Moves,
    rules: Rules,
    inputs: Floats,
    outputs: Outputs,
    worth: Floats,
    chosen: Ints,
) -> None:
    """Choose in each of these lanes by what the outputs are worth, and let the move wait for what comes of it."""
    lanes, ready, moves, inputs = borrowed(lanes), borrowed(ready), borrowed(moves), borrowed(inputs)
    outputs, worth, chosen = borrowed(outputs), borrowed(worth), borrowed(chosen)
    for which in range(len(ready)):
        lane = ready[which]
        state, stream = lanes.state[lane], lanes.streams[lane : lane + 1]
        if state[ASTRAY] > 0:
            chosen[lane] = action_of(outputs[which], best_output(outputs[which], worth[which], True))
            continue
        player = state[PLAYER]
        taken = pick(outputs[which], worth[which], rules, state, moves.lost[player], stream)
        wait(moves, lane, player, inputs[which], taken)
        chosen[lane] = action_of(outputs[which], taken)
        if chosen[lane] == NOTHING:
            moves.foul[lane] = player
            lanes.scores[lane] = -1 if player == 0 else 1
            state[STATUS] = ENDED
        elif gives_shaping(game) and rules.shaping != 0.0:
            after = game.play(unpack(like, lanes.rows[lane]), chosen[lane])
            moves.since[lane, player] += rules.shaping * shaping(game, after)


@helper
def pick(allowed: Any, worth: Floats, rules: Rules, state: Ints, lost: float, stream: State) -> int:
    """The output to take: the best, or any as often as the learner explores and where it sets out."""
    fresh = state[FRESH] != 0
    state[FRESH] = 0
    if fresh or uniform(stream) < share_now(rules.epsilon, int(state[NUMBER]), lost):
        return below(stream, len(worth)) if rules.explores_all else any_output(allowed, stream)
    return best_output(allowed, worth, rules.mask)


@helper
def any_output(allowed: Any, stream: State) -> int:
    """The output of an allowed action, all alike."""
    number = 0
    for action in range(len(allowed)):
        number += allowed[action] != ILLEGAL
    place = below(stream, number)
    for action in range(len(allowed)):
        place -= allowed[action] != ILLEGAL
        if place < 0:
            return int(allowed[action])
    return ILLEGAL


@helper
def best_output(allowed: Any, worth: Floats, mask: bool) -> int:
    """The highest output, with `mask` of an allowed action; the first of several."""
    best = ILLEGAL
    for place in range(len(allowed)):
        output = int(allowed[place]) if mask else place
        if output != ILLEGAL and (best == ILLEGAL or worth[output] > worth[best]):
            best = output
    return best


@helper
def action_of(allowed: Any, output: int) -> int:
    """The action that an output stands for; NOTHING if none that is allowed."""
    for action in range(len(allowed)):
        if allowed[action] == output:
            return action
    return NOTHING
