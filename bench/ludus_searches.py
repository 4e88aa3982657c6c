"""Ludus's agent `mcts`."""

from __future__ import annotations

from functools import reduce

import numpy as np

from bench.ludus_playouts import game_called
from bench.open_positions import EXPLORATION, OPENINGS, SEED, SIMULATIONS
from ludus.agents.mcts import Mcts
from ludus.game import num_actions


class LudusSearcher:
    """The agent asked for its action in every position."""

    def __init__(self, game: str) -> None:
        self.game = game_called(game)
        self.agent = Mcts(sims=SIMULATIONS, c=EXPLORATION, seed=SEED)
        self.positions = [reduce(self.game.play, actions, self.game.start()) for actions in OPENINGS[game]]
        for position in self.positions:
            assert sum(found.visits for found in self.agent.study(self.game, position).values()) == SIMULATIONS
        self.play(1)

    def play(self, amount: int) -> int:
        """Searches every position `amount` times; returns the simulations."""
        out = np.zeros(num_actions(self.game))
        for position in self.positions * amount:
            self.agent.policy(self.game, position, out)
        return amount * len(self.positions) * SIMULATIONS

    def note(self) -> str:
        """Empty: all others are compared with this."""
        return ""
