"""Deep networks that JAX computes: dense layers, and a residual network with a policy head and a value head."""

from __future__ import annotations

import enum
import math
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ludus.errors import LudusError
from ludus.networks.runtime import jax

Parameters = dict[str, npt.NDArray[np.float32]]


def new_dense(sizes: list[int], generator: np.random.Generator) -> Parameters:
    """Dense layers of these sizes; weights and biases are uniform within 1/sqrt(inputs of the layer)."""
    made: Parameters = {}
    for layer, (before, after) in enumerate(pairwise(sizes)):
        bound = before**-0.5
        made[f"weights.{layer}"] = generator.uniform(-bound, bound, (before, after)).astype(np.float32)
        made[f"biases.{layer}"] = generator.uniform(-bound, bound, after).astype(np.float32)
    return made


def dense(parameters: Any, inputs: Any) -> Any:
    """The outputs of dense layers with ReLU between them, for JAX or NumPy arrays."""
    layers = len(parameters) // 2
    rows = inputs.reshape(len(inputs), -1)
    for layer in range(layers):
        rows = rows @ parameters[f"weights.{layer}"] + parameters[f"biases.{layer}"]
        if layer < layers - 1:
            rows = _relu(rows)
    return rows


def require_numbers(*outputs: Any) -> None:
    """Raises LudusError if a network gives what is no number."""
    if not all(np.isfinite(each).all() for each in outputs):
        raise LudusError("the weights of the network have diverged: train with a smaller learning_rate")


def check_fit(parameters: Any, inputs: int, outputs: int, game: str) -> None:
    """Raises LudusError unless dense layers have the inputs and outputs that a game needs."""
    layers = len(parameters) // 2
    have = parameters["weights.0"].shape[0], parameters[f"weights.{layers - 1}"].shape[1]
    if have != (inputs, outputs):
        raise LudusError(f"the network has {have[0]} inputs and {have[1]} outputs; {game} needs {inputs} and {outputs}")
    sizes = [inputs, *(len(parameters[f"biases.{layer}"]) for layer in range(layers))]
    check_shapes(parameters, new_dense(sizes, np.random.default_rng(0)), game)


# ---- residual network ----


class Trunk(enum.Enum):
    """The layers between the inputs and the heads; auto: conv over boards of 4x4 and more, else dense."""

    AUTO = 0
    DENSE = 1
    CONV = 2


_MIN_BOARD = 4  # rows and columns from which convolutions pay off
_WIDTH = {Trunk.DENSE: 128, Trunk.CONV: 32}  # default units or channels
_VALUE_UNITS = 64  # of the value head's hidden layer
_HEAD_CHANNELS = 8  # channels of a convolutional trunk that the heads receive


def new_residual(
    shape: tuple[int, ...], actions: int, trunk: Trunk, width: int, blocks: int, generator: np.random.Generator
) -> Parameters:
    """A network with blocks of `width` units or channels, 0 for the default; LudusError for conv without a board."""
    is_board, made = len(shape) == 3, Parameters()
    if trunk is Trunk.AUTO:
        trunk = Trunk.CONV if is_board and min(shape[1:]) >= _MIN_BOARD else Trunk.DENSE
    is_conv, width = trunk is Trunk.CONV, width or _WIDTH[trunk]
    if is_conv and not is_board:
        raise LudusError(f"a network over planes needs a board, not inputs of shape {shape}: trunk=dense")
    _add(made, "stem", (3, 3, shape[0], width) if is_conv else (math.prod(shape), width), generator)
    layer = (3, 3, width, width) if is_conv else (width, width)
    for block in range(blocks):
        _add(made, f"block.{block}.0", layer, generator)
        _add(made, f"block.{block}.1", layer)
    flat = width
    if is_conv:
        _add(made, "flat", (width, _HEAD_CHANNELS), generator)
        flat = _HEAD_CHANNELS * math.prod(shape[1:])
    _add(made, "policy", (flat, actions))
    _add(made, "value.0", (flat, _VALUE_UNITS), generator)
    _add(made, "value.1", (_VALUE_UNITS, 1))
    return made


def _add(made: Parameters, name: str, shape: tuple[int, ...], generator: np.random.Generator | None = None) -> None:
    """Adds a layer: random weights for ReLU (He et al., 2015), or zeros; and zero biases."""
    spread = math.sqrt(2 / math.prod(shape[:-1]))
    weights = np.zeros(shape) if generator is None else generator.normal(0, spread, shape)
    made[f"{name}.weights"] = weights.astype(np.float32)
    made[f"{name}.biases"] = np.zeros(shape[-1], np.float32)


def residual(parameters: Any, inputs: Any) -> tuple[Any, Any]:
    """The policy logits [positions, actions], and the value logits [positions]: value = tanh(logit / 2)."""
    is_conv = parameters["stem.weights"].ndim > 2
    layer = _conv if is_conv else _dense
    rows = inputs.transpose(0, 2, 3, 1) if is_conv else inputs.reshape(len(inputs), -1)
    rows = _relu(layer(parameters, "stem", rows))
    block = 0
    while f"block.{block}.0.weights" in parameters:
        rows = _relu(rows + layer(parameters, f"block.{block}.1", _relu(layer(parameters, f"block.{block}.0", rows))))
        block += 1
    if is_conv:
        rows = _relu(_dense(parameters, "flat", rows)).reshape(len(inputs), -1)
    hidden = _relu(_dense(parameters, "value.0", rows))
    return _dense(parameters, "policy", rows), _dense(parameters, "value.1", hidden)[:, 0]


def policy_value(parameters: Any, inputs: Any) -> tuple[Any, Any]:
    """The policy logits, and the values for the side to move, from -1 to 1."""
    logits, values = residual(parameters, inputs)
    return logits, jax().numpy.tanh(values / 2)


def _relu(rows: Any) -> Any:
    return rows * (rows > 0)


def _dense(parameters: Any, name: str, rows: Any) -> Any:
    return rows @ parameters[f"{name}.weights"] + parameters[f"{name}.biases"]


def _conv(parameters: Any, name: str, rows: Any) -> Any:
    weights, order = parameters[f"{name}.weights"], ("NHWC", "HWIO", "NHWC")
    made = jax().lax.conv_general_dilated(rows, weights, (1, 1), "SAME", dimension_numbers=order)
    return made + parameters[f"{name}.biases"]


def check_shapes(parameters: Any, expected: Parameters, game: str) -> None:
    """Raises LudusError unless the parameters have the same names, shapes and types as those expected."""
    for name, array in expected.items():
        have = parameters[name].shape if name in parameters else None
        if have != array.shape:
            raise LudusError(f"the network does not fit {game}: {name} should be of shape {array.shape}, not {have}")
        if (kind := parameters[name].dtype) != array.dtype:
            raise LudusError(f"the network does not fit {game}: {name} should be {array.dtype}, not {kind}")
    if extra := [name for name in parameters if name not in expected]:
        raise LudusError(f"the network does not fit {game}: it has {extra[0]}, which is not needed")
