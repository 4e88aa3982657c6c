"""The network of a learner, its copy that says what comes next, and the optimiser, as flat vectors."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ludus.learning.dqn.replay_buffer import Floats, parts
from ludus.learning.loop.trainer import Arrays
from ludus.networks.deep import Parameters, dense, new_dense
from ludus.networks.runtime import jax


class Kind(NamedTuple):
    """What is compiled for: units of all layers, and the rule of learning."""

    sizes: tuple[int, ...]
    tau: float
    double: bool


class Mind(NamedTuple):
    """A network at work; loss: the sum over the updates since it was last read; adam: the optimiser's state."""

    network: Any
    target: Any
    adam: Any
    loss: Any


class Functions(NamedTuple):
    """What is done with a mind.

    learn(mind, rate, batches x rows, inputs): after so many updates, with what it then makes of the inputs; ask(mind,
    inputs); copied(mind): with the network in place of its copy.
    """

    learn: Callable[[Mind, Any, Floats, Floats], tuple[Mind, Any]]
    ask: Callable[[Mind, Floats], Any]
    copied: Callable[[Mind], Mind]


def new_mind(kind: Kind, seed: list[int]) -> Mind:
    """With random weights."""
    return mind_of(kind, new_dense(list(kind.sizes), np.random.default_rng(seed)))


def mind_of(kind: Kind, layers: Parameters) -> Mind:
    """With these weights, before the first update."""
    flat = np.concatenate([layers[name].ravel() for name in sorted(layers)])
    return to_mind(kind, {"network": flat, "target": flat})


def to_mind(kind: Kind, arrays: Arrays) -> Mind:
    """Of such vectors, and moments if there are any; from a file, where single numbers are vectors too."""
    adam = _adam().init(arrays["network"])
    tree, shape = jax().tree.flatten(adam)
    state = [np.reshape(arrays.get(f"adam.{number}", leaf), leaf.shape) for number, leaf in enumerate(tree)]
    loss = np.reshape(arrays.get("loss", np.float32(0)), ())
    held = arrays["network"], arrays["target"], shape.unflatten(state), loss
    made: Mind = jax().tree.map(jax().numpy.array, Mind(*held))
    return made


def to_arrays(mind: Mind) -> Arrays:
    """All that is in it."""
    adam = {f"adam.{number}": np.asarray(leaf) for number, leaf in enumerate(jax().tree.leaves(mind.adam))}
    held = {"network": mind.network, "target": mind.target, "loss": mind.loss}
    return adam | {name: np.asarray(array) for name, array in held.items()}


def parameters(kind: Kind, flat: Any) -> Parameters:
    """The layers in a flat vector: biases, then weights, in the order of the layers."""
    pairs = list(zip(kind.sizes[:-1], kind.sizes[1:], strict=True))
    shapes: dict[str, tuple[int, ...]] = {f"biases.{layer}": (after,) for layer, (_, after) in enumerate(pairs)}
    shapes |= {f"weights.{layer}": pair for layer, pair in enumerate(pairs)}
    made, begin = {}, 0
    for name in sorted(shapes):
        end = begin + int(np.prod(shapes[name]))
        made[name] = flat[begin:end].reshape(shapes[name])
        begin = end
    return made


@cache
def functions(kind: Kind) -> Functions:
    """Compiled for a kind."""
    lax = jax().lax

    def learn(mind: Mind, rate: Any, batches: Any, inputs: Any) -> tuple[Mind, Any]:
        if len(batches) == 1:  # a loop would take a tenth longer
            mind = updated(kind, mind, rate, batches[0])
        else:
            mind, _ = lax.scan(lambda mind, rows: (updated(kind, mind, rate, rows), None), mind, batches)
        return mind, worth(kind, mind.network, inputs)

    def ask(mind: Mind, inputs: Any) -> Any:
        return worth(kind, mind.network, inputs)

    def copied(mind: Mind) -> Mind:
        return mind._replace(target=jax().numpy.array(mind.network))

    return Functions(jax().jit(learn, donate_argnums=0), jax().jit(ask), copied)


def updated(kind: Kind, mind: Mind, rate: Any, rows: Any) -> Mind:
    """After one update by a batch of moves: a step of Adam, so far at most as the rate says."""
    batch, wanted = parts(rows, kind.sizes[0]), wanted_of(kind, mind.network, mind.target, rows)
    layers = parameters(kind, mind.network)  # a flat vector's slope would be a sum of as many as there are layers
    both = jax().value_and_grad(lambda layers: loss_of(dense(layers, batch.inputs), batch.taken, wanted))
    loss, slopes = both(layers)
    slope = jax().numpy.concatenate([slopes[name].ravel() for name in sorted(slopes)])
    step, adam = _adam().update(slope, mind.adam)
    network = mind.network - rate * step
    target = mind.target + kind.tau * (network - mind.target) if kind.tau else mind.target
    return Mind(network, target, adam, mind.loss + loss)


def loss_of(said: Any, taken: Any, wanted: Any) -> Any:
    """The mean Huber loss of what a network says of moves, by the outputs taken, beside what is wanted of it."""
    import optax

    told = jax().numpy.take_along_axis(said, taken[:, None], axis=1)[:, 0]
    return optax.losses.huber_loss(told, wanted).mean()


def wanted_of(kind: Kind, network: Any, target: Any, rows: Any) -> Any:
    """What the network ought to say of moves: what they earned, and what the next position is worth."""
    jnp, batch = jax().numpy, parts(rows, kind.sizes[0])
    held = worth(kind, target, batch.next_inputs)
    guide = worth(kind, network, batch.next_inputs) if kind.double else held
    best = jnp.where(batch.can_be_taken, guide, -jnp.inf).argmax(axis=1)
    then = jnp.take_along_axis(held, best[:, None], axis=1)[:, 0]
    return batch.earned + batch.discount * then


def worth(kind: Kind, flat: Any, inputs: Any) -> Any:
    """What a network makes of inputs."""
    return dense(parameters(kind, flat), inputs)


@cache
def _adam() -> Any:
    jax()
    import optax

    return optax.scale_by_adam()
