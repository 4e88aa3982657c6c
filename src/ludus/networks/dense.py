"""Fully connected networks: layers of weights and biases, with ReLU between them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ludus.errors import LudusError

Parameters = dict[str, npt.NDArray[np.float32]]


def new_dense(sizes: list[int], generator: np.random.Generator) -> Parameters:
    """Layers between so many numbers, all uniform within one over the square root of the inputs of the layer."""
    made: Parameters = {}
    for layer, (before, after) in enumerate(pairwise(sizes)):
        bound = before**-0.5
        made[f"weights.{layer}"] = generator.uniform(-bound, bound, (before, after)).astype(np.float32)
        made[f"biases.{layer}"] = generator.uniform(-bound, bound, after).astype(np.float32)
    return made


def dense(parameters: Any, inputs: Any) -> Any:
    """What the network makes of rows of inputs, by JAX or by NumPy, whichever the arrays are of."""
    layers = len(parameters) // 2
    rows = inputs.reshape(len(inputs), -1)
    for layer in range(layers):
        rows = rows @ parameters[f"weights.{layer}"] + parameters[f"biases.{layer}"]
        if layer < layers - 1:
            rows = rows * (rows > 0)
    return rows


def check_fit(parameters: Any, inputs: int, outputs: int, game: str) -> None:
    """Raise LudusError if such a network is not for a game that has so many inputs and outputs."""
    layers = len(parameters) // 2
    have = parameters["weights.0"].shape[0], parameters[f"weights.{layers - 1}"].shape[1]
    if have != (inputs, outputs):
        raise LudusError(f"the network has {have[0]} inputs and {have[1]} outputs; {game} needs {inputs} and {outputs}")
