"""The replay buffer of deep Q-learning, and the n-step transitions that are not complete yet."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import helper, kernel
from ludus.compiled.randomness import State, below, stream_start, uniform
from ludus.compiled.rows import borrowed, unpack
from ludus.game import gives_shaping, shaping
from ludus.learning.loop.episodes import Ints
from ludus.learning.loop.lanes import ENDED, FIRST_DECISION, NOTHING, NUMBER, PLAYER, RANDOM_LEFT, STATUS, Lanes
from ludus.learning.loop.settings import Schedule, share_now
from ludus.networks.inputs import ILLEGAL, Outputs

Floats = npt.NDArray[np.float32]

# Of `totals`: transitions stored, those of them that updates were made for, updates, and those in the loss curve.
STORED, TRAINED, UPDATES, REPORTED, COUNTERS = range(5)


class ReplayBuffer(NamedTuple):
    """The last transitions, in a ring."""

    rows: Floats  # [size, row]: inputs, action, reward, discount, next inputs, which next outputs are legal
    totals: Ints  # [COUNTERS]


class Batch(NamedTuple):
    """Columns of some rows; an action is the output of the network that stands for it."""

    inputs: Any  # [batch, inputs]
    actions: Any  # [batch]
    rewards: Any  # [batch]
    discounts: Any  # [batch], of the next position's value
    next_inputs: Any  # [batch, inputs]
    next_legal: Any  # [batch, outputs]


class Transition(NamedTuple):
    """One row to be stored."""

    inputs: Floats  # [inputs]
    action: int
    reward: float
    discount: float
    next_inputs: Floats  # [inputs]
    next_outputs: Any  # [actions], the output of each action, or ILLEGAL


def new_buffer(size: int, inputs: int, outputs: int) -> ReplayBuffer:
    """An empty buffer."""
    return ReplayBuffer(np.zeros((size, 2 * inputs + 3 + outputs), np.float32), np.zeros(COUNTERS, np.int64))


def split(rows: Any, inputs: int) -> Batch:
    """Splits rows of JAX or NumPy into their columns."""
    actions, rewards, discounts = (rows[:, inputs + place] for place in range(3))
    after, legal = rows[:, inputs + 3 : 2 * inputs + 3], rows[:, 2 * inputs + 3 :] > 0
    return Batch(rows[:, :inputs], actions.astype(np.int32), rewards, discounts, after, legal)


@kernel
def sample(buffer: ReplayBuffer, key: np.uint64, stream: State, batches: Floats) -> None:
    """Fills batches [updates, batch, row] with random rows; each update has its own random stream."""
    buffer, batches = borrowed(buffer), borrowed(batches)
    held = min(buffer.totals[STORED], len(buffer.rows))
    for batch in range(len(batches)):
        stream[0] = stream_start(key, int(buffer.totals[UPDATES]) + batch)
        for number in range(batches.shape[1]):
            place = below(stream, held)
            for column in range(batches.shape[2]):
                batches[batch, number, column] = buffer.rows[place, column]


@helper
def store(buffer: ReplayBuffer, transition: Transition, mask: bool) -> None:
    """Stores a transition in place of the oldest; without `mask`, every next output counts as legal."""
    row, size = buffer.rows[buffer.totals[STORED] % len(buffer.rows)], len(transition.inputs)
    for place in range(size):
        row[place], row[size + 3 + place] = transition.inputs[place], transition.next_inputs[place]
    row[size], row[size + 1], row[size + 2] = transition.action, transition.reward, transition.discount
    for place in range(2 * size + 3, len(row)):
        row[place] = 0.0 if mask else 1.0
    for action in range(len(transition.next_outputs)):
        if mask and transition.next_outputs[action] != ILLEGAL:
            row[2 * size + 3 + transition.next_outputs[action]] = 1.0
    buffer.totals[STORED] += 1


class Settings(NamedTuple):
    """The hyperparameters that compiled code reads."""

    epsilon: Schedule
    gamma: float
    shaping: float
    mask: bool
    explores_all: bool
    reply: bool


class Pending(NamedTuple):
    """For each lane and player the transitions that are not complete yet, oldest first."""

    inputs: Floats  # [lanes, 2, n_step, inputs]
    actions: Ints  # [lanes, 2, n_step]
    rewards: npt.NDArray[np.float64]  # [lanes, 2, n_step], discounted, since the action
    discounts: npt.NDArray[np.float64]  # [lanes, 2, n_step], of the next reward
    number: Ints  # [lanes, 2], how many there are
    since: npt.NDArray[np.float64]  # [lanes, 2], the rewards since the player's last action
    illegal: Ints  # [lanes], the player who chose an illegal action, NOTHING if none did
    lost: npt.NDArray[np.float64]  # [2], the moving average of lost games


class Ready(NamedTuple):
    """The lanes in which the learner is to move, and what its network sees there."""

    lanes: Ints  # [ready]
    inputs: Floats  # [ready, inputs]
    outputs: Outputs  # [ready, actions], the output of each action, or ILLEGAL


def new_pending(lanes: int, n_step: int, inputs: int) -> Pending:
    """No transitions, with room for n steps in every lane."""
    return Pending(
        np.zeros((lanes, 2, n_step, inputs), np.float32),
        np.zeros((lanes, 2, n_step), np.int64),
        np.zeros((lanes, 2, n_step)),
        np.zeros((lanes, 2, n_step)),
        np.zeros((lanes, 2), np.int64),
        np.zeros((lanes, 2)),
        np.full(lanes, NOTHING, np.int64),
        np.full(2, 0.5),
    )


@kernel
def complete(
    lanes: Lanes, ready: Ready, pending: Pending, buffer: ReplayBuffer, settings: Settings, self_play: bool
) -> None:
    """Adds the rewards of the last actions, and stores the transitions that have n steps.

    In self-play without `reply`, a position completes the transitions of both players.
    """
    lanes, ready, pending, buffer = borrowed(lanes), borrowed(ready), borrowed(pending), borrowed(buffer)
    for which in range(len(ready.lanes)):
        lane = ready.lanes[which]
        for player in range(2):
            own = player == lanes.state[lane, PLAYER]
            if own or (self_play and not settings.reply):
                add_reward(pending, lane, player, pending.since[lane, player], settings.gamma)
                if pending.number[lane, player] == pending.actions.shape[2]:
                    after, sign = (ready.inputs[which], ready.outputs[which]), 1 if own else -1
                    store_oldest(pending, lane, player, buffer, settings.mask, after, sign)


@helper
def add_reward(pending: Pending, lane: int, player: int, reward: float, gamma: float) -> None:
    """Adds a reward to all pending transitions of a player."""
    for place in range(pending.number[lane, player]):
        pending.rewards[lane, player, place] += pending.discounts[lane, player, place] * reward
        pending.discounts[lane, player, place] *= gamma
    pending.since[lane, player] = 0.0


@helper
def store_oldest(
    pending: Pending, lane: int, player: int, buffer: ReplayBuffer, mask: bool, after: Any, sign: int
) -> None:
    """Stores the oldest pending transition with the inputs and outputs after it; sign: -1 if the other player moves."""
    inputs, actions = pending.inputs[lane, player], pending.actions[lane, player]
    rewards, discounts = pending.rewards[lane, player], pending.discounts[lane, player]
    store(buffer, Transition(inputs[0], actions[0], rewards[0], sign * discounts[0], after[0], after[1]), mask)
    pending.number[lane, player] -= 1
    for step in range(pending.number[lane, player]):
        for place in range(inputs.shape[1]):
            inputs[step, place] = inputs[step + 1, place]
        actions[step], rewards[step], discounts[step] = actions[step + 1], rewards[step + 1], discounts[step + 1]


@kernel
def finish(
    pending: Pending, lane: int, player: int, buffer: ReplayBuffer, settings: Settings, reward: float, learns: bool
) -> None:
    """Stores all pending transitions of a player at the end of a game, if it learns from that, and clears them."""
    pending, buffer = borrowed(pending), borrowed(buffer)
    add_reward(pending, lane, player, pending.since[lane, player] + reward, settings.gamma)
    for place in range(pending.number[lane, player] if learns else 0):
        inputs, action = pending.inputs[lane, player, place], pending.actions[lane, player, place]
        total, none = pending.rewards[lane, player, place], pending.actions[lane, player, :0]
        store(buffer, Transition(inputs, action, total, 0.0, inputs, none), settings.mask)
    pending.number[lane, player] = 0


@kernel
def choose(
    game: Any, like: Any, lanes: Lanes, ready: Ready, pending: Pending, settings: Settings, values: Floats, chosen: Ints
) -> None:
    """Chooses an action in each ready lane by its values [ready, outputs], and adds a pending transition."""
    lanes, ready, pending = borrowed(lanes), borrowed(ready), borrowed(pending)
    values, chosen = borrowed(values), borrowed(chosen)
    for which in range(len(ready.lanes)):
        lane, outputs = ready.lanes[which], ready.outputs[which]
        state, stream = lanes.state[lane], lanes.streams[lane : lane + 1]
        if state[RANDOM_LEFT] > 0:
            chosen[lane] = action_of(outputs, best_output(outputs, values[which], True))
            continue
        player = state[PLAYER]
        output = epsilon_greedy(outputs, values[which], settings, state, pending.lost[player], stream)
        place = pending.number[lane, player]
        pending.inputs[lane, player, place], pending.actions[lane, player, place] = ready.inputs[which], output
        pending.rewards[lane, player, place], pending.discounts[lane, player, place] = 0.0, 1.0
        pending.number[lane, player] = place + 1
        chosen[lane] = action_of(outputs, output)
        if chosen[lane] == NOTHING:
            pending.illegal[lane] = player
            lanes.scores[lane] = -1 if player == 0 else 1
            state[STATUS] = ENDED
        elif gives_shaping(game) and settings.shaping != 0.0:
            after = game.play(unpack(like, lanes.rows[lane]), chosen[lane])
            pending.since[lane, player] += settings.shaping * shaping(game, after)


@helper
def epsilon_greedy(outputs: Any, values: Floats, settings: Settings, state: Ints, lost: float, stream: State) -> int:
    """The best output, or a random one: with probability epsilon, and right after random opening plies."""
    fresh = state[FIRST_DECISION] != 0
    state[FIRST_DECISION] = 0
    if fresh or uniform(stream) < share_now(settings.epsilon, int(state[NUMBER]), lost):
        return below(stream, len(values)) if settings.explores_all else random_output(outputs, stream)
    return best_output(outputs, values, settings.mask)


@helper
def random_output(outputs: Any, stream: State) -> int:
    """The output of a random legal action."""
    legal = outputs[outputs != ILLEGAL]
    return int(legal[below(stream, len(legal))])


@helper
def best_output(outputs: Any, values: Floats, mask: bool) -> int:
    """The output with the highest value, with `mask` of a legal action; the first of several."""
    best = ILLEGAL
    for place in range(len(outputs)):
        output = int(outputs[place]) if mask else place
        if output != ILLEGAL and (best == ILLEGAL or values[output] > values[best]):
            best = output
    return best


@helper
def action_of(outputs: Any, output: int) -> int:
    """The legal action of an output; NOTHING if there is none."""
    for action in range(len(outputs)):
        if outputs[action] == output:
            return action
    return NOTHING
