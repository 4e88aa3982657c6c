"""The agent `guided`: tree search by what a trained network says of positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ludus import catalog
from ludus.agents.agent import Probabilities, agent_for
from ludus.agents.gumbel_search import Roots, Verdicts, halving, searched, verdicts
from ludus.agents.mcts import stream_of
from ludus.compiled.masks import actions, is_empty
from ludus.errors import LudusError
from ludus.game import num_actions

_MOST_SIMULATIONS = 100_000
_CONSIDERED = 16  # actions at the root, at most
_AT_ONCE = 256  # positions


class Guided(NamedTuple):
    """The action that holds best in `sims` simulations guided by the network of a run, without chance.

    A position is always answered in the same way.
    """

    run: str
    sims: int = 100

    plain = True  # type: ignore[misc]

    def validate(self) -> None:
        """At least one simulation."""
        if not 1 <= self.sims <= _MOST_SIMULATIONS:
            raise ValueError(f"sims must be 1 to {_MOST_SIMULATIONS:,}, not {self.sims}")

    def for_game(self, game: Any, starts: tuple[Any, ...]) -> Searching:
        """The agent with its network; LudusError if the run has none with a policy and a value for this game."""
        network = agent_for(catalog.make_agent(self.run), game, starts)
        if not hasattr(network, "evaluate"):
            raise LudusError(f"guided needs a run of a network with a policy and a value (alphazero), not {self.run}")
        return Searching(network, self.sims)

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """What the agent for the game does."""
        self.for_game(game, (pos,)).policy(game, pos, out)

    def opinion(self, game: Any, pos: Any) -> dict[int, float]:
        """What each action is worth."""
        return self.opinions(game, [pos])[0]

    def opinions(self, game: Any, positions: Sequence[Any]) -> list[dict[int, float]]:
        """The same in each position."""
        return self.for_game(game, tuple(positions)).opinions(game, positions)


class Searching:
    """Searches by the `evaluate` of a network, over many positions at once."""

    def __init__(self, network: Any, sims: int) -> None:
        self._network, self._sims = network, sims

    def policies(self, game: Any, positions: Sequence[Any]) -> Probabilities:
        """All on one action, in each position."""
        shares = np.zeros((len(positions), num_actions(game)))
        for begin in range(0, len(positions), _AT_ONCE):
            part = positions[begin : begin + _AT_ONCE]
            shares[np.arange(begin, begin + len(part)), self._verdicts(game, part).actions] = 1.0
        return shares

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """The same in one position."""
        if not is_empty(game.legal(pos)):
            out[:] = self.policies(game, [pos])[0]

    def opinion(self, game: Any, pos: Any) -> dict[int, float]:
        """What each action is worth, from -1, lost, to 1, won."""
        return self.opinions(game, [pos])[0]

    def opinions(self, game: Any, positions: Sequence[Any]) -> list[dict[int, float]]:
        """The same in each position."""
        told: list[dict[int, float]] = []
        for begin in range(0, len(positions), _AT_ONCE):
            part = positions[begin : begin + _AT_ONCE]
            rows = zip(part, self._verdicts(game, part).findings, strict=True)
            told += ({action: float(row[action]) for action in actions(game.legal(pos))} for pos, row in rows)
        return told

    def _verdicts(self, game: Any, positions: Sequence[Any]) -> Verdicts:
        rows = np.array(positions, np.int64).reshape(len(positions), len(game.start()))
        streams = np.array([stream_of(row, 0) for row in rows], np.uint64)
        roots = Roots(np.zeros((len(rows), num_actions(game))), streams, halving(_CONSIDERED, self._sims))
        rules = self._network.rules
        return verdicts(searched(game, rows, self._network.evaluate, roots, rules), roots, rules)
