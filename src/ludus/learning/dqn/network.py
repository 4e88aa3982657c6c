"""The online network, the target network and the optimiser of deep Q-learning, as flat vectors."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ludus.learning.dqn.replay_buffer import Floats, split
from ludus.learning.loop.restoring import Arrays
from ludus.networks.deep import Parameters, dense, new_dense
from ludus.networks.runtime import jax


class NetworkSpec(NamedTuple):
    """The sizes of all layers, and how targets are computed; functions are compiled for it."""

    sizes: tuple[int, ...]
    tau: float
    double: bool


class TrainState(NamedTuple):
    """The networks and the optimiser's state; loss: the sum over the updates since it was last read."""

    online: Any  # [parameters]
    target: Any  # [parameters]
    adam: Any
    loss: Any


class Functions(NamedTuple):
    """Compiled functions of a train state."""

    update: Callable[[TrainState, Any, Floats, Floats], tuple[TrainState, Any]]  # (state, learning rate,
    # batches [updates, batch, row], inputs [positions, inputs]) -> the new state, and the values of the inputs
    values: Callable[[TrainState, Floats], Any]  # (state, inputs) -> action values
    sync: Callable[[TrainState], TrainState]  # copies the online network into the target network


def new_train_state(spec: NetworkSpec, seed: list[int]) -> TrainState:
    """Random weights, before the first update."""
    return initial_state(new_dense(list(spec.sizes), np.random.default_rng(seed)))


def initial_state(layers: Parameters) -> TrainState:
    """These weights in both networks, before the first update."""
    flat = np.concatenate([layers[name].ravel() for name in sorted(layers)])
    return from_arrays({"online": flat, "target": flat})


def from_arrays(arrays: Arrays) -> TrainState:
    """The state that `to_arrays` gave; without an optimiser's state, that before the first update."""
    leaves, tree = jax().tree.flatten(_adam().init(arrays["online"]))
    adam = [np.reshape(arrays.get(f"adam.{number}", leaf), leaf.shape) for number, leaf in enumerate(leaves)]
    loss = np.reshape(arrays.get("loss", np.float32(0)), ())
    state = TrainState(arrays["online"], arrays["target"], tree.unflatten(adam), loss)
    made: TrainState = jax().tree.map(jax().numpy.array, state)
    return made


def to_arrays(state: TrainState) -> Arrays:
    """The whole state; a single number is a vector, as in a file."""
    adam = {f"adam.{number}": np.atleast_1d(leaf) for number, leaf in enumerate(jax().tree.leaves(state.adam))}
    return adam | {name: np.atleast_1d(getattr(state, name)) for name in ("online", "target", "loss")}


def layers_of(spec: NetworkSpec, flat: Any) -> Parameters:
    """The layers in a flat vector: all biases, then all weights."""
    pairs = list(pairwise(spec.sizes))
    shapes: dict[str, tuple[int, ...]] = {f"biases.{layer}": (after,) for layer, (_, after) in enumerate(pairs)}
    shapes |= {f"weights.{layer}": pair for layer, pair in enumerate(pairs)}
    made, begin = {}, 0
    for name in sorted(shapes):
        end = begin + int(np.prod(shapes[name]))
        made[name] = flat[begin:end].reshape(shapes[name])
        begin = end
    return made


@cache
def functions(spec: NetworkSpec) -> Functions:
    """The functions compiled for a network."""
    lax = jax().lax

    def update(state: TrainState, rate: Any, batches: Any, inputs: Any) -> tuple[TrainState, Any]:
        if len(batches) == 1:  # a loop would take a tenth longer
            state = updated(spec, state, rate, batches[0])
        else:
            state, _ = lax.scan(lambda state, rows: (updated(spec, state, rate, rows), None), state, batches)
        return state, q_values(spec, state.online, inputs)

    def values(state: TrainState, inputs: Any) -> Any:
        return q_values(spec, state.online, inputs)

    def sync(state: TrainState) -> TrainState:
        return state._replace(target=jax().numpy.array(state.online))

    return Functions(jax().jit(update, donate_argnums=0), jax().jit(values), sync)


def updated(spec: NetworkSpec, state: TrainState, rate: Any, rows: Any) -> TrainState:
    """The state after one update: a step of Adam down the gradient of the loss of a batch."""
    batch, targets = split(rows, spec.sizes[0]), td_targets(spec, state.online, state.target, rows)
    layers = layers_of(spec, state.online)  # the gradient of the flat vector would be a sum over its slices
    loss_and_gradient = jax().value_and_grad(
        lambda layers: huber_loss(dense(layers, batch.inputs), batch.actions, targets)
    )
    loss, gradients = loss_and_gradient(layers)
    gradient = jax().numpy.concatenate([gradients[name].ravel() for name in sorted(gradients)])
    step, adam = _adam().update(gradient, state.adam)
    online = state.online - rate * step
    target = state.target + spec.tau * (online - state.target) if spec.tau else state.target
    return TrainState(online, target, adam, state.loss + loss)


def huber_loss(values: Any, actions: Any, targets: Any) -> Any:
    """The mean Huber loss between the values of the actions taken and their targets."""
    import optax

    taken = jax().numpy.take_along_axis(values, actions[:, None], axis=1)[:, 0]
    return optax.losses.huber_loss(taken, targets).mean()


def td_targets(spec: NetworkSpec, online: Any, target: Any, rows: Any) -> Any:
    """Reward + discount * value of the best next action; with `double`, the online network says which is best."""
    jnp, batch = jax().numpy, split(rows, spec.sizes[0])
    values = q_values(spec, target, batch.next_inputs)
    selecting = q_values(spec, online, batch.next_inputs) if spec.double else values
    best = jnp.where(batch.next_legal, selecting, -jnp.inf).argmax(axis=1)
    return batch.rewards + batch.discounts * jnp.take_along_axis(values, best[:, None], axis=1)[:, 0]


def q_values(spec: NetworkSpec, flat: Any, inputs: Any) -> Any:
    """The action values [positions, actions] by a network in a flat vector."""
    return dense(layers_of(spec, flat), inputs)


@cache
def _adam() -> Any:
    jax()
    import optax

    return optax.scale_by_adam()
