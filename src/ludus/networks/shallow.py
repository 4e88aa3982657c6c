"""A network with one hidden layer and one output, small enough to evaluate and train inside compiled code.

The activation of a hidden unit is 1.7159 tanh(2x/3), the output is linear (LeCun, Bottou, Orr and Müller, "Efficient
BackProp", 1998). Inputs and hidden units have a bias node, whose weights are the last row.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import helper
from ludus.errors import LudusError

Floats = npt.NDArray[np.float64]
AMPLITUDE, STEEPNESS = 1.7159, 2.0 / 3.0  # of the activation
_SATURATED = 20.0  # tanh is 1 from there on
_HALVINGS = 8  # of the exponent, so that a few terms of the series suffice
C2, C3, C4, C5, C6, C7 = (1.0 / math.factorial(n) for n in range(2, 8))


class Shallow(NamedTuple):
    """The weights below and above the hidden layer."""

    below: Floats  # [inputs + 1, units]
    above: Floats  # [units + 1]


def new_shallow(inputs: int, units: int, generator: np.random.Generator) -> Shallow:
    """Weights from a normal distribution with variance 1 / (weights into the same node)."""
    below = generator.normal(0.0, (inputs + 1) ** -0.5, (inputs + 1, units))
    return Shallow(below, generator.normal(0.0, (units + 1) ** -0.5, units + 1))


def as_layers(net: Shallow) -> dict[str, Any]:
    """Weights and biases by name."""
    return {
        "weights.0": net.below[:-1],
        "biases.0": net.below[-1],
        "weights.1": net.above[:-1, None],
        "biases.1": net.above[-1:],
    }


def from_layers(layers: Any, inputs: int, game: str) -> Shallow:
    """The network with these weights; LudusError if it does not have the inputs that a game needs."""
    try:
        below = np.concatenate([layers["weights.0"], layers["biases.0"][None]])
        above = np.concatenate([layers["weights.1"][:, 0], layers["biases.1"]])
    except (KeyError, IndexError, ValueError) as error:
        raise LudusError(f"these are not the weights of a network with one hidden layer: {error}") from None
    if len(below) - 1 != inputs or len(above) - 1 != below.shape[1]:
        raise LudusError(f"the network has {len(below) - 1} inputs; {game} needs {inputs}")
    return Shallow(np.ascontiguousarray(below, np.float64), np.ascontiguousarray(above, np.float64))


@helper
def activate(units: Floats) -> None:
    """Replaces each x by 1.7159 tanh(2x/3), to twelve digits, with arithmetic that the compiler vectorises."""
    for unit in range(len(units)):
        x = min(max(STEEPNESS * units[unit], -_SATURATED), _SATURATED)
        y = x * (-2.0 / (1 << _HALVINGS))
        e = 1.0 + y * (1.0 + y * (C2 + y * (C3 + y * (C4 + y * (C5 + y * (C6 + y * C7))))))
        for _ in range(_HALVINGS):
            e *= e
        units[unit] = AMPLITUDE * (1.0 - e) / (1.0 + e)


@helper
def output(net: Shallow, inputs: Any, units: Floats) -> float:
    """The output of the network; leaves the activations of the hidden layer in `units`."""
    units[:] = net.below[len(inputs)]
    for place in range(len(inputs)):
        x = float(inputs[place])
        if x != 0.0:
            weights = net.below[place]
            for unit in range(len(units)):
                units[unit] += x * weights[unit]
    activate(units)
    total = net.above[len(units)]
    for unit in range(len(units)):
        total += net.above[unit] * units[unit]
    return float(total)


@helper
def add_gradient(net: Shallow, inputs: Any, units: Floats, times: float, trace: Shallow) -> None:
    """Adds `times` the gradient of the output to a trace; inputs and units as `output` got and left them."""
    trace.above[len(units)] += times
    for unit in range(len(units)):
        y = units[unit]
        trace.above[unit] += times * y
        units[unit] = times * net.above[unit] * (STEEPNESS / AMPLITUDE) * (AMPLITUDE - y) * (AMPLITUDE + y)
    trace.below[len(inputs)] += units
    for place in range(len(inputs)):
        x = float(inputs[place])
        if x != 0.0:
            row = trace.below[place]
            for unit in range(len(units)):
                row[unit] += x * units[unit]
