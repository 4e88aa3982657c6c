"""Play by a network that says what each action is worth, or how good a choice it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ludus.agents.agent import Probabilities
from ludus.game import num_actions
from ludus.masks import actions
from ludus.networks.asked import Asked
from ludus.networks.inputs import ILLEGAL, seen


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
        inputs, outputs = seen(game, rows, alike=self._alike)
        said = self._asked(inputs)
        worth = np.take_along_axis(said, np.maximum(outputs, 0), axis=1).astype(np.float64)
        legal = np.where(outputs == ILLEGAL, -np.inf, worth).reshape(len(positions), num_actions(game))
        return legal, said.max(axis=1).astype(np.float64)
