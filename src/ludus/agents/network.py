"""A network with its parameters, ready to be asked about many positions at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ludus.agents.agent import Probabilities
from ludus.agents.gumbel_search import Rules
from ludus.compiled.masks import actions
from ludus.game import num_actions
from ludus.networks.inputs import ILLEGAL, Inputs, encode
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


class Highest:
    """Takes the legal action of the highest output, any of several; `apply` says what the network makes of inputs.

    Where an output that stands for no legal action is higher still, with `slips` any legal action, with `may_resign`
    none. With `alike`, it sees positions that are alike up to symmetry as one.
    """

    def __init__(
        self,
        apply: Callable[[Any, Any], Any],
        parameters: Any,
        *,
        slips: bool = False,
        may_resign: bool = False,
        alike: bool = False,
    ) -> None:
        self._asked, self._slips, self.may_resign, self._alike = Asked(apply, parameters), slips, may_resign, alike

    def policies(self, game: Any, positions: Sequence[Any]) -> Probabilities:
        """All on the best, in each position."""
        worth, highest = self._worth(game, positions)
        best = worth == worth.max(axis=1, keepdims=True)
        slipped = (highest > worth.max(axis=1))[:, None]
        if self._slips:
            best |= (worth > -np.inf) & slipped
        if self.may_resign:
            best &= ~slipped
        shares: Probabilities = best / np.maximum(best.sum(axis=1, keepdims=True), 1)
        return shares

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """The same in one position."""
        out[:] = self.policies(game, [pos])[0]

    def opinion(self, game: Any, pos: Any) -> dict[int, float]:
        """The output for each action."""
        return self.opinions(game, [pos])[0]

    def opinions(self, game: Any, positions: Sequence[Any]) -> list[dict[int, float]]:
        """The same in each position."""
        worths, _ = self._worth(game, positions)
        legal = [actions(game.legal(pos)) for pos in positions]
        return [{action: float(row[action]) for action in own} for row, own in zip(worths, legal, strict=True)]

    def _worth(self, game: Any, positions: Sequence[Any]) -> tuple[Probabilities, Probabilities]:
        """The output for each action, minus infinity where it is illegal; and the highest of all outputs."""
        rows = np.array(positions, np.int64).reshape(len(positions), len(game.start()))
        inputs, outputs = encode(game, rows, canonical=self._alike)
        said = self._asked(inputs)
        worth = np.take_along_axis(said, np.maximum(outputs, 0), axis=1).astype(np.float64)
        legal = np.where(outputs == ILLEGAL, -np.inf, worth).reshape(len(positions), num_actions(game))
        return legal, said.max(axis=1).astype(np.float64)


class PolicyValue(Highest):
    """Takes the legal action that its policy likes best; `apply` gives logits and worths.

    rules: how a search by this network weighs what it finds.
    """

    def __init__(self, apply: Callable[[Any, Any], tuple[Any, Any]], parameters: Any, rules: Rules) -> None:
        super().__init__(lambda parameters, inputs: apply(parameters, inputs)[0], parameters)
        self.rules, self._both = rules, Asked(apply, parameters)

    def evaluate(self, inputs: Inputs) -> tuple[Any, Any]:
        """The logits of all outputs, and the worth for the player to move, of each input."""
        logits, worths = self._both(inputs)
        return logits, worths

    def opinions(self, game: Any, positions: Sequence[Any]) -> list[dict[int, float]]:
        """The share of each action in its policy, in each position."""
        return [_shares(logits) for logits in super().opinions(game, positions)]


def _shares(logits: dict[int, float]) -> dict[int, float]:
    highest = max(logits.values())
    shares = {action: float(np.exp(logit - highest)) for action, logit in logits.items()}
    return {action: share / sum(shares.values()) for action, share in shares.items()}
