"""Positions to learn from: noted while their games last, then remembered with what came of them."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.agents.gumbel_search import Verdicts
from ludus.compiled.compiling import helper, kernel
from ludus.compiled.masks import first, is_empty, without_first
from ludus.compiled.randomness import State, below
from ludus.compiled.rows import Row, borrowed, unpack
from ludus.game import num_actions, observe, symmetries, transform, transform_action
from ludus.learning.loop.episodes import Ints
from ludus.learning.loop.lanes import PLAYER, PLY
from ludus.learning.loop.trainer import Arrays
from ludus.networks.deep import Parameters, residual
from ludus.networks.inputs import Inputs, input_shape, view_symmetry
from ludus.networks.runtime import jax

Floats = npt.NDArray[np.float32]


ILLEGAL = -1.0  # in place of the share of an action

_FIRST_ROOM = 64  # moves of one game that there is room for at first


class Notes(NamedTuple):
    """Lanes x moves of the games in progress; counts: how many moves there are of each game.

    Of a move: the position, its ply, who is to move, the improved policy, and what the search found it worth to them.
    """

    rows: Row
    plies: Ints
    movers: Ints
    policies: Floats
    worths: Floats
    counts: Ints


class Memory(NamedTuple):
    """The last positions, as in a ring; total: how many there ever were; worths: what the value is to learn."""

    rows: Row
    policies: Floats
    worths: Floats
    total: Ints


class Batches(NamedTuple):
    """Updates x positions: what the network sees, the policy by its outputs with ILLEGAL ones, and the worth."""

    inputs: Inputs
    policies: Floats
    worths: Floats


def new_notes(game: Any, lanes: int, room: int = _FIRST_ROOM) -> Notes:
    """Before the first move."""
    return Notes(
        np.zeros((lanes, room, len(game.start())), np.int64),
        np.zeros((lanes, room), np.int64),
        np.zeros((lanes, room), np.int64),
        np.zeros((lanes, room, num_actions(game)), np.float32),
        np.zeros((lanes, room), np.float32),
        np.zeros(lanes, np.int64),
    )


def with_room(notes: Notes) -> Notes:
    """The same notes, with room for one more move in every lane."""
    if notes.counts.max() < notes.plies.shape[1]:
        return notes
    *arrays, counts = notes
    return Notes(*(np.concatenate([array, np.zeros_like(array)], axis=1) for array in arrays), counts)  # type: ignore


def note(notes: Notes, lanes: Ints, rows: Row, state: Ints, found: Verdicts) -> None:
    """Note a move in each of these lanes, which are in such states."""
    places = lanes, notes.counts[lanes]
    notes.rows[places], notes.plies[places], notes.movers[places] = rows, state[:, PLY], state[:, PLAYER]
    notes.policies[places], notes.worths[places] = found.policies, found.worths
    notes.counts[lanes] += 1


def noted(notes: Notes) -> Arrays:
    """The notes as arrays to be saved, as far as they are filled."""
    most = int(notes.counts.max())
    named = notes._asdict().items()
    return {f"notes.{name}": array[:, :most] if array.ndim > 1 else array for name, array in named}


def notes_from(game: Any, arrays: Arrays) -> Notes:
    """The notes that were saved."""
    counts = arrays["notes.counts"]
    made = new_notes(game, len(counts), max(int(counts.max()), _FIRST_ROOM))
    for name, array in made._asdict().items():
        given = arrays[f"notes.{name}"]
        array[tuple(slice(size) for size in given.shape)] = given
    return made


def new_memory(game: Any, size: int) -> Memory:
    """Nothing is remembered yet."""
    return Memory(
        np.zeros((size, len(game.start())), np.int64),
        np.zeros((size, num_actions(game)), np.float32),
        np.zeros(size, np.float32),
        np.zeros(1, np.int64),
    )


def remember(memory: Memory, notes: Notes, lane: int, results: Floats, trust: float) -> int:
    """Take over the notes of a game that is over, with the result as each mover is to see it; how many there are."""
    count = int(notes.counts[lane])
    places = (memory.total[0] + np.arange(count)) % len(memory.rows)
    memory.rows[places], memory.policies[places] = notes.rows[lane, :count], notes.policies[lane, :count]
    memory.worths[places] = (1 - trust) * results + trust * notes.worths[lane, :count]
    memory.total[0] += count
    notes.counts[lane] = 0
    return count


def remembered(memory: Memory) -> Arrays:
    """The memory as arrays to be saved, as far as it is filled."""
    known = int(memory.total[0])
    return {f"memory.{name}": array[:known] for name, array in memory._asdict().items() if name != "total"} | {
        "memory.total": memory.total
    }


def memory_from(game: Any, size: int, arrays: Arrays) -> Memory:
    """The memory that was saved."""
    made = new_memory(game, size)
    for name, array in made._asdict().items():
        given = arrays[f"memory.{name}"]
        array[: len(given)] = given
    return made


def drawn(game: Any, memory: Memory, updates: int, batch: int, stream: State, *, symmetric: bool) -> Batches:
    """Positions at random, each by a symmetry at random if wanted."""
    size = updates * batch
    inputs = np.zeros((size, *input_shape(game)), np.float32)
    policies, worths = np.full((size, num_actions(game)), ILLEGAL, np.float32), np.zeros(size, np.float32)
    known = min(int(memory.total[0]), len(memory.rows))
    draw_positions(game, game.start(), memory, known, stream, symmetric, inputs, policies, worths)
    return Batches(*(array.reshape(updates, batch, *array.shape[1:]) for array in (inputs, policies, worths)))


@kernel
def draw_positions(
    game: Any,
    like: Any,
    memory: Memory,
    known: int,
    stream: State,
    symmetric: bool,
    inputs: Inputs,
    policies: Floats,
    worths: Floats,
) -> None:
    """Fill all rows."""
    memory, inputs, policies = borrowed(memory), borrowed(inputs), borrowed(policies)
    for number in range(len(worths)):
        place = below(stream, known)
        symmetry = below(stream, symmetries(game)) if symmetric else 0
        worths[number] = memory.worths[place]
        show(game, unpack(like, memory.rows[place]), symmetry, memory.policies[place], inputs[number], policies[number])


@helper
def show(game: Any, pos: Any, symmetry: int, policy: Floats, inputs: Inputs, policies: Floats) -> None:
    """What a network sees of a position by a symmetry, and the share of each output in the policy."""
    turned = transform(game, pos, symmetry)
    view = view_symmetry(game, turned)
    observe(game, transform(game, turned, view), inputs)
    left = game.legal(pos)
    while not is_empty(left):
        action = first(left)
        left = without_first(left)
        output = transform_action(game, turned, transform_action(game, pos, action, symmetry), view)
        policies[output] = policy[action]


_FAR = -1e9  # in place of the logit of an illegal action


class Taught(NamedTuple):
    """A network and the state of its optimiser: the means of its gradients and of their squares, and their number."""

    parameters: Any
    means: Any
    squares: Any
    updates: Any


def untaught(parameters: Parameters) -> Taught:
    """Before the first update."""
    zeros = {name: np.zeros_like(array) for name, array in parameters.items()}
    return jax().device_put(Taught(parameters, zeros, zeros, np.zeros((), np.int32)))  # type: ignore[no-any-return]


def losses(parameters: Any, batch: Batches) -> tuple[Any, Any]:
    """How far the policy and the value are from what they are to learn, in nats: cross entropies, means of a batch."""
    numpy, nn = jax().numpy, jax().nn
    logits, worths = residual(parameters, batch.inputs)
    legal = batch.policies > ILLEGAL
    logs = nn.log_softmax(numpy.where(legal, logits, _FAR))
    policy = -(numpy.where(legal, batch.policies, 0) * logs).sum(axis=1).mean()
    wins = (1 + batch.worths) / 2
    value = -(wins * nn.log_sigmoid(worths) + (1 - wins) * nn.log_sigmoid(-worths)).mean()
    return policy, value


def taught_by(taught: Taught, batches: Batches, rate: float, decay: float) -> tuple[Taught, Any]:
    """What is taught after an update by each of the batches, and both mean losses.

    Update by update: in a loop that is compiled, convolutions take ten times as long on a CPU.
    """
    found = []
    for inputs, policies, worths in zip(*batches, strict=True):
        batch = Batches(inputs, policies, worths)
        taught, told = _updated()(taught, batch, np.float32(rate), np.float32(decay))
        found.append(told)
    return taught, np.mean(np.array(found, np.float64), axis=0)


@cache
def _updated() -> Any:
    """A compiled function of what is taught, a batch, rate and decay: what is taught then, and both losses."""
    import optax

    adam = optax.scale_by_adam()

    def loss(parameters: Any, batch: Batches) -> tuple[Any, Any]:
        policy, value = losses(parameters, batch)
        return policy + value, jax().numpy.stack([policy, value])

    def update(taught: Taught, batch: Batches, rate: Any, decay: Any) -> tuple[Taught, Any]:
        gradients, found = jax().grad(loss, has_aux=True)(taught.parameters, batch)
        state = optax.ScaleByAdamState(taught.updates, taught.means, taught.squares)
        steps, state = adam.update(gradients, state)
        moved = jax().tree.map(lambda old, by: old - rate * (by + decay * old), taught.parameters, steps)
        return Taught(moved, state.mu, state.nu, state.count), found

    return jax().jit(update, donate_argnums=0)
