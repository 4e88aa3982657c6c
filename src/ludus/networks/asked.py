"""A network with its parameters, ready to be asked about many positions at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ludus.networks.inputs import Inputs
from ludus.networks.runtime import jax

_SIZES = (1, 16, 256, 4096)  # of the batches it is compiled for


class Asked:
    """`apply(parameters, inputs)` compiled, in batches of few sizes."""

    def __init__(self, apply: Callable[[Any, Any], Any], parameters: Any) -> None:
        self._apply, self._parameters = jax().jit(apply), jax().device_put(parameters)

    def __call__(self, inputs: Inputs) -> Any:
        """What it says of each row: an array, or several, of as many rows."""
        parts = [self._batch(inputs[begin : begin + _SIZES[-1]]) for begin in range(0, len(inputs), _SIZES[-1])]
        return jax().tree.map(lambda *arrays: np.concatenate(arrays), *parts)

    def _batch(self, inputs: Inputs) -> Any:
        size = next(size for size in _SIZES if size >= len(inputs))
        padded = np.zeros((size, *inputs.shape[1:]), np.float32)
        padded[: len(inputs)] = inputs
        said = self._apply(self._parameters, padded)
        return jax().tree.map(lambda array: np.asarray(array)[: len(inputs)], said)
