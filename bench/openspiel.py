"""OpenSpiel: its own rollouts in C++, and the same games driven from Python."""

from __future__ import annotations

import random
from typing import Any

from bench.player import MissingError, Sample

try:
    import pyspiel
except ImportError as error:
    raise MissingError("OpenSpiel is not installed") from error

ROLLOUTS = 1000
SAMPLED_GAMES = 20_000
SEED = 1


def play_from_python(game: Any, games: int) -> Sample:
    """Random games, written as in OpenSpiel's own examples."""
    random.seed(SEED)
    plies = 0
    results = {1.0: 0, -1.0: 0, 0.0: 0}
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(random.choice(state.legal_actions()))
            plies += 1
        results[state.returns()[0]] += 1
    return Sample(games, plies, results[1.0], results[-1.0], results[0.0])


class PythonPlayer:
    """OpenSpiel driven from Python."""

    def __init__(self, name: str) -> None:
        self.game = pyspiel.load_game(name)

    def play(self, amount: int) -> int:
        """Plays a number of games."""
        return play_from_python(self.game, amount).plies

    def note(self) -> str:
        """Empty: the label says it."""
        return ""


class BotsPlayer(PythonPlayer):
    """OpenSpiel's evaluate_bots in C++: two uniformly random bots, called for each game."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        sampled = play_from_python(self.game, SAMPLED_GAMES)
        self.mean_plies = sampled.plies / SAMPLED_GAMES
        self.bots = [pyspiel.make_uniform_random_bot(player, SEED) for player in range(2)]

    def play(self, amount: int) -> int:
        """So many games; their mean length is taken from games driven from Python."""
        for index in range(amount):
            pyspiel.evaluate_bots(self.game.new_initial_state(), self.bots, index)
        return round(amount * self.mean_plies)


class RolloutPlayer(PythonPlayer):
    """OpenSpiel's RandomRolloutEvaluator in C++.

    Python can reach it only through a search: one simulation, which evaluates the start and nothing else.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.start = self.game.new_initial_state()
        evaluator = pyspiel.RandomRolloutEvaluator(ROLLOUTS, SEED)
        self.search = pyspiel.MCTSBot(self.game, evaluator, 1.0, 1, 1, False, SEED, False)
        self.sampled = play_from_python(self.game, SAMPLED_GAMES)
        self.mean_plies = self.sampled.plies / SAMPLED_GAMES

    def play(self, amount: int) -> int:
        """A thousand times so many games; rollouts do not count plies, so their mean is taken from the sample."""
        for _ in range(amount):
            self.search.mcts_search(self.start)
        return round(amount * ROLLOUTS * self.mean_plies)

    def sample(self) -> Sample:
        """The games by which the plies were counted."""
        return self.sampled

    def note(self) -> str:
        """How the plies were counted."""
        return f"{self.mean_plies:.2f} plies a game, counted in {SAMPLED_GAMES:,} games from Python"
