"""Updates of a network with a policy and a value: the loss, and Adam with weight decay."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ludus.learning.alphazero.replay import ILLEGAL, Batches
from ludus.networks.dense import Parameters
from ludus.networks.residual import residual
from ludus.networks.runtime import jax

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
