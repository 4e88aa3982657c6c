"""A network of one hidden layer with one output, so small that it is asked and taught inside compiled code.

A hidden unit answers 1.7159 tanh(2x/3), the output is linear; inputs and hidden units have a bias node beside them
(LeCun, Bottou, Orr and Müller, "Efficient BackProp", 1998), whose weights stand in the last row.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import helper
from ludus.errors import LudusError

Floats = npt.NDArray[np.float64]

HEIGHT, SLOPE = 1.7159, 2.0 / 3.0  # of what a hidden unit answers
_MOST = 20.0  # tanh is 1 from there on
_HALVINGS = 8  # of what is exponentiated, so that few terms of the series do
C2, C3, C4, C5, C6, C7 = (1.0 / math.factorial(n) for n in range(2, 8))


class Shallow(NamedTuple):
    """below: weights of the hidden units, (inputs + 1) x units; above: of the output, units + 1."""

    below: Floats
    above: Floats


def new_shallow(inputs: int, units: int, generator: np.random.Generator) -> Shallow:
    """Weights drawn from a normal distribution with a variance of one over how many lead into the same node."""
    below = generator.normal(0.0, (inputs + 1) ** -0.5, (inputs + 1, units))
    return Shallow(below, generator.normal(0.0, (units + 1) ** -0.5, units + 1))


def as_layers(net: Shallow) -> dict[str, Any]:
    """The weights by name, apart from the biases."""
    return {
        "weights.0": net.below[:-1],
        "biases.0": net.below[-1],
        "weights.1": net.above[:-1, None],
        "biases.1": net.above[-1:],
    }


def from_layers(layers: Any, inputs: int, game: str) -> Shallow:
    """The network of such weights; LudusError if it is not for a game with so many inputs."""
    try:
        below = np.concatenate([layers["weights.0"], layers["biases.0"][None]])
        above = np.concatenate([layers["weights.1"][:, 0], layers["biases.1"]])
    except (KeyError, IndexError, ValueError) as error:
        raise LudusError(f"these are no weights of a network with one hidden layer: {error}") from None
    if len(below) - 1 != inputs or len(above) - 1 != below.shape[1]:
        raise LudusError(f"the network has {len(below) - 1} inputs; {game} needs {inputs}")
    return Shallow(np.ascontiguousarray(below, np.float64), np.ascontiguousarray(above, np.float64))


@helper
def squash(units: Floats) -> None:
    """Let hidden units answer: 1.7159 tanh(2x/3) of each, to twelve digits, by arithmetic that runs side by side."""
    for unit in range(len(units)):
        x = min(max(SLOPE * units[unit], -_MOST), _MOST)
        y = x * (-2.0 / (1 << _HALVINGS))
        e = 1.0 + y * (1.0 + y * (C2 + y * (C3 + y * (C4 + y * (C5 + y * (C6 + y * C7))))))
        for _ in range(_HALVINGS):
            e *= e
        units[unit] = HEIGHT * (1.0 - e) / (1.0 + e)


@helper
def output(net: Shallow, seen: Any, units: Floats) -> float:
    """What the network says of inputs; what its hidden units answered is in `units` then."""
    inputs = len(seen)
    units[:] = net.below[inputs]
    for place in range(inputs):
        x = float(seen[place])
        if x != 0.0:
            weights = net.below[place]
            for unit in range(len(units)):
                units[unit] += x * weights[unit]
    squash(units)
    total = net.above[len(units)]
    for unit in range(len(units)):
        total += net.above[unit] * units[unit]
    return float(total)


@helper
def add_gradient(net: Shallow, seen: Any, units: Floats, times: float, trace: Shallow) -> None:
    """Add so many times the gradient of the output to a trace; inputs and units as `output` had and left them."""
    inputs = len(seen)
    trace.above[len(units)] += times
    for unit in range(len(units)):
        y = units[unit]
        trace.above[unit] += times * y
        units[unit] = times * net.above[unit] * (SLOPE / HEIGHT) * (HEIGHT - y) * (HEIGHT + y)
    trace.below[inputs] += units
    for place in range(inputs):
        x = float(seen[place])
        if x != 0.0:
            row = trace.below[place]
            for unit in range(len(units)):
                row[unit] += x * units[unit]
