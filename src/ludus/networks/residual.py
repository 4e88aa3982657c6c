"""The kinds of networks; apart from them, so that the command line can name them without NumPy."""

from __future__ import annotations

import enum
import math
from typing import Any

import numpy as np

from ludus.errors import LudusError
from ludus.networks.dense import Parameters


class Trunk(enum.Enum):
    """What stands between the inputs and the heads; auto: conv over boards of 4x4 and more, else dense."""

    AUTO = 0
    DENSE = 1
    CONV = 2


_LEAST = 4  # rows and columns of a board over which convolutions are worth their while

_WIDTH = {Trunk.DENSE: 128, Trunk.CONV: 32}  # unless another is asked for

_PLANES = 3  # dimensions of an observation that is a board

_HEAD = 64  # units of the value head

_FLAT = 8  # channels that the heads see of a convolutional trunk


def trunk_for(shape: tuple[int, ...], trunk: Trunk) -> Trunk:
    """The trunk meant, for inputs of a shape; LudusError if it needs a board and there is none."""
    is_board = len(shape) == _PLANES
    if trunk is Trunk.AUTO:
        return Trunk.CONV if is_board and min(shape[1:]) >= _LEAST else Trunk.DENSE
    if trunk is Trunk.CONV and not is_board:
        raise LudusError(f"a network over planes needs a board, not inputs of shape {shape}: trunk=dense")
    return trunk


def new_residual(
    shape: tuple[int, ...], actions: int, trunk: Trunk, width: int, blocks: int, generator: np.random.Generator
) -> Parameters:
    """A network for inputs of this shape: so many blocks of so many units or channels, 0 for as many as is usual."""
    kind, made = trunk_for(shape, trunk), Parameters()
    is_conv, width = kind is Trunk.CONV, width or _WIDTH[kind]
    _add(made, "stem", (3, 3, shape[0], width) if is_conv else (math.prod(shape), width), generator)
    layer = (3, 3, width, width) if is_conv else (width, width)
    for block in range(blocks):
        _add(made, f"block.{block}.0", layer, generator)
        _add(made, f"block.{block}.1", layer)
    flat = width
    if is_conv:
        _add(made, "flat", (width, _FLAT), generator)
        flat = _FLAT * math.prod(shape[1:])
    _add(made, "policy", (flat, actions))
    _add(made, "value.0", (flat, _HEAD), generator)
    _add(made, "value.1", (_HEAD, 1))
    return made


def _add(made: Parameters, name: str, shape: tuple[int, ...], generator: np.random.Generator | None = None) -> None:
    """A layer: random weights for ReLU (He et al., 2015), or zeros; and biases."""
    spread = math.sqrt(2 / math.prod(shape[:-1]))
    weights = np.zeros(shape) if generator is None else generator.normal(0, spread, shape)
    made[f"{name}.weights"] = weights.astype(np.float32)
    made[f"{name}.biases"] = np.zeros(shape[-1], np.float32)


def residual(parameters: Any, inputs: Any) -> tuple[Any, Any]:
    """Of each input the logits of all actions, and the worth for the player to move as a logit of twice its size."""
    rows = _trunk(parameters, inputs)
    hidden = _relu(_dense(parameters, "value.0", rows))
    return _dense(parameters, "policy", rows), _dense(parameters, "value.1", hidden)[:, 0]


def judged(parameters: Any, inputs: Any) -> tuple[Any, Any]:
    """Of each input the logits of all actions, and the worth for the player to move, between -1 and 1."""
    from ludus.networks.runtime import jax

    logits, worths = residual(parameters, inputs)
    return logits, jax().numpy.tanh(worths / 2)


def _trunk(parameters: Any, inputs: Any) -> Any:
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
    return rows


def _relu(rows: Any) -> Any:
    return rows * (rows > 0)


def _dense(parameters: Any, name: str, rows: Any) -> Any:
    return rows @ parameters[f"{name}.weights"] + parameters[f"{name}.biases"]


def _conv(parameters: Any, name: str, rows: Any) -> Any:
    from ludus.networks.runtime import jax

    weights, order = parameters[f"{name}.weights"], ("NHWC", "HWIO", "NHWC")
    made = jax().lax.conv_general_dilated(rows, weights, (1, 1), "SAME", dimension_numbers=order)
    return made + parameters[f"{name}.biases"]


def check_shapes(parameters: Any, wanted: Parameters, game: str) -> None:
    """Raise LudusError if these are not the layers of a network like the one wanted."""
    for name, array in wanted.items():
        have = parameters[name].shape if name in parameters else None
        if have != array.shape:
            raise LudusError(f"the network does not fit {game}: {name} should be of shape {array.shape}, not {have}")
    extra = [name for name in parameters if name not in wanted]
    if extra:
        raise LudusError(f"the network does not fit {game}: it has {extra[0]}, which is not needed")
