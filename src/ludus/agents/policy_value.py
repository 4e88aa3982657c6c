"""Play by a network that has a policy and a value: the bare policy, without any search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ludus.agents.guided_tree import Rules
from ludus.agents.network import Highest
from ludus.networks.asked import Asked
from ludus.networks.inputs import Inputs


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
