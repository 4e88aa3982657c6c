"""Training data of `alphazero`: trajectories of games in progress, then positions with their targets; and updates."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.agents.gumbel_search import SearchResults
from ludus.compiled.compiling import helper, kernel
from ludus.compiled.masks import first, is_empty, without_first
from ludus.compiled.randomness import State, below
from ludus.compiled.rows import Row, borrowed, unpack
from ludus.game import num_actions, observe, symmetries, transform, transform_action
from ludus.learning.loop.episodes import Ints
from ludus.learning.loop.lanes import PLAYER, PLY
from ludus.networks.deep import Parameters, residual
from ludus.networks.inputs import Inputs, input_shape, view_symmetry
from ludus.networks.runtime import jax

Floats = npt.NDArray[np.float32]
ILLEGAL = -1.0  # in place of the probability of an action
_FIRST_ROOM = 64  # moves of one game that there is room for at first


class Trajectories(NamedTuple):
    """The moves of the games in progress."""

    rows: Row  # [lanes, moves, fields of the position]
    plies: Ints  # [lanes, moves]
    movers: Ints  # [lanes, moves], the player to move
    policies: Floats  # [lanes, moves, actions], improved by the search
    values: Floats  # [lanes, moves], of the search, for the player to move
    counts: Ints  # [lanes], the number of moves


class ReplayBuffer(NamedTuple):
    """The last positions with their targets, in a ring."""

    rows: Row  # [size, fields of the position]
    policies: Floats  # [size, actions]
    values: Floats  # [size]
    total: Ints  # [1], the number of positions ever stored


class Batches(NamedTuple):
    """Inputs and targets of some updates, or of one without the first axis."""

    inputs: Inputs  # [updates, batch, *input shape]
    policies: Floats  # [updates, batch, outputs], with ILLEGAL ones
    values: Floats  # [updates, batch]


def new_trajectories(game: Any, lanes: int, room: int = _FIRST_ROOM) -> Trajectories:
    """No moves yet."""
    return Trajectories(
        np.zeros((lanes, room, len(game.start())), np.int64),
        np.zeros((lanes, room), np.int64),
        np.zeros((lanes, room), np.int64),
        np.zeros((lanes, room, num_actions(game)), np.float32),
        np.zeros((lanes, room), np.float32),
        np.zeros(lanes, np.int64),
    )


def with_room(moves: Trajectories) -> Trajectories:
    """The same trajectories, with room for one more move in every lane."""
    room = moves.plies.shape[1]
    return moves if moves.counts.max() < room else resized(moves, 2 * room)


def resized(moves: Trajectories, room: int) -> Trajectories:
    """The same trajectories, with room for this number of moves in every lane."""
    made, kept = [], min(room, moves.plies.shape[1])
    for array in moves[:-1]:
        made.append(np.zeros((len(array), room, *array.shape[2:]), array.dtype))
        made[-1][:, :kept] = array[:, :kept]
    return Trajectories(*made, moves.counts)  # type: ignore[call-arg]


def append(moves: Trajectories, lanes: Ints, rows: Row, state: Ints, found: SearchResults) -> None:
    """Appends a move in each of these lanes, given their positions, states and search results."""
    places = lanes, moves.counts[lanes]
    moves.rows[places], moves.plies[places], moves.movers[places] = rows, state[:, PLY], state[:, PLAYER]
    moves.policies[places], moves.values[places] = found.policies, found.values
    moves.counts[lanes] += 1


def new_buffer(game: Any, size: int) -> ReplayBuffer:
    """An empty buffer."""
    return ReplayBuffer(
        np.zeros((size, len(game.start())), np.int64),
        np.zeros((size, num_actions(game)), np.float32),
        np.zeros(size, np.float32),
        np.zeros(1, np.int64),
    )


def store(buffer: ReplayBuffer, moves: Trajectories, lane: int, results: Floats, trust: float) -> int:
    """Stores the positions of a finished game; returns their number.

    Value target = trust * search value + (1 - trust) * result, for the player to move.
    """
    count = int(moves.counts[lane])
    places = (buffer.total[0] + np.arange(count)) % len(buffer.rows)
    buffer.rows[places], buffer.policies[places] = moves.rows[lane, :count], moves.policies[lane, :count]
    buffer.values[places] = (1 - trust) * results + trust * moves.values[lane, :count]
    buffer.total[0] += count
    for array in moves[:-1]:
        array[lane, :count] = 0  # so that what is saved depends on the games in progress alone
    moves.counts[lane] = 0
    return count


def sample(game: Any, buffer: ReplayBuffer, updates: int, batch: int, stream: State, *, symmetric: bool) -> Batches:
    """Samples random positions, each transformed by a random symmetry if wanted."""
    size = updates * batch
    inputs = np.zeros((size, *input_shape(game)), np.float32)
    flat = Batches(inputs, np.full((size, num_actions(game)), ILLEGAL, np.float32), np.zeros(size, np.float32))
    fill(game, game.start(), buffer, stream, symmetric, flat)
    return Batches(*(array.reshape(updates, batch, *array.shape[1:]) for array in flat))


@kernel
def fill(game: Any, like: Any, buffer: ReplayBuffer, stream: State, symmetric: bool, batch: Batches) -> None:
    """Fills a batch with random positions."""
    buffer, batch = borrowed(buffer), borrowed(batch)
    held = min(buffer.total[0], len(buffer.rows))
    for number in range(len(batch.values)):
        place = below(stream, held)
        symmetry = below(stream, symmetries(game)) if symmetric else 0
        batch.values[number] = buffer.values[place]
        pos = unpack(like, buffer.rows[place])
        encode_transformed(game, pos, symmetry, buffer.policies[place], batch.inputs[number], batch.policies[number])


@helper
def encode_transformed(game: Any, pos: Any, symmetry: int, policy: Floats, inputs: Inputs, target: Floats) -> None:
    """Writes the inputs of a transformed position, and its policy by outputs."""
    transformed = transform(game, pos, symmetry)
    view = view_symmetry(game, transformed)
    observe(game, transform(game, transformed, view), inputs)
    left = game.legal(pos)
    while not is_empty(left):
        action = first(left)
        left = without_first(left)
        output = transform_action(game, transformed, transform_action(game, pos, action, symmetry), view)
        target[output] = policy[action]


# ---- updates ----

_MASKED = -1e9  # in place of the logit of an illegal action


class TrainState(NamedTuple):
    """A network and the state of Adam: the means of the gradients and of their squares, and the number of updates."""

    parameters: Any
    means: Any
    squares: Any
    updates: Any


def new_train_state(parameters: Parameters) -> TrainState:
    """Before the first update."""
    zeros = {name: np.zeros_like(array) for name, array in parameters.items()}
    state = TrainState(parameters, zeros, zeros, np.zeros((), np.int32))
    return jax().device_put(state)  # type: ignore[no-any-return]


def losses(parameters: Any, batch: Batches) -> tuple[Any, Any]:
    """The mean cross entropies of the policy and of the value with their targets, in nats."""
    numpy, nn = jax().numpy, jax().nn
    logits, values = residual(parameters, batch.inputs)
    legal = batch.policies > ILLEGAL
    logs = nn.log_softmax(numpy.where(legal, logits, _MASKED))
    policy = -(numpy.where(legal, batch.policies, 0) * logs).sum(axis=1).mean()
    wins = (1 + batch.values) / 2
    value = -(wins * nn.log_sigmoid(values) + (1 - wins) * nn.log_sigmoid(-values)).mean()
    return policy, value


def update(state: TrainState, batches: Batches, rate: float, decay: float) -> tuple[TrainState, Any]:
    """Makes an update with each batch; returns the new state and the mean losses of policy and value.

    Not in a compiled loop, in which convolutions take ten times as long on a CPU.
    """
    found = []
    for one in zip(*batches, strict=True):
        state, both = _compiled_update()(state, Batches(*one), np.float32(rate), np.float32(decay))
        found.append(both)
    return state, np.mean(np.array(found, np.float64), axis=0)


@cache
def _compiled_update() -> Any:
    """One update, compiled: (state, batch, learning rate, weight decay) -> the new state and both losses."""
    import optax

    adam = optax.scale_by_adam()

    def loss(parameters: Any, batch: Batches) -> tuple[Any, Any]:
        policy, value = losses(parameters, batch)
        return policy + value, jax().numpy.stack([policy, value])

    def one_update(state: TrainState, batch: Batches, rate: Any, decay: Any) -> tuple[TrainState, Any]:
        gradients, found = jax().grad(loss, has_aux=True)(state.parameters, batch)
        moments = optax.ScaleByAdamState(state.updates, state.means, state.squares)
        steps, moments = adam.update(gradients, moments)
        moved = jax().tree.map(lambda old, step: old - rate * (step + decay * old), state.parameters, steps)
        return TrainState(moved, moments.mu, moments.nu, moments.count), found

    return jax().jit(one_update, donate_argnums=0)
