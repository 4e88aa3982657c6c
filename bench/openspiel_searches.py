"""OpenSpiel's MCTSBot in C++."""

from __future__ import annotations

from typing import Any

from bench.open_positions import EXPLORATION, OPENINGS, SEED, SIMULATIONS
from bench.player import MissingError

try:
    import pyspiel
except ImportError as error:
    raise MissingError("OpenSpiel is not installed") from error

MEGABYTES = 1000  # room for every node: the tree is never pruned


class OpenSpielSearcher:
    """The bot asked for its tree in every position: UCT, one random game a leaf, proven results backpropagated."""

    def __init__(self, game: str) -> None:
        self.game = pyspiel.load_game(game)
        evaluator = pyspiel.RandomRolloutEvaluator(1, SEED)
        self.bot = pyspiel.MCTSBot(self.game, evaluator, EXPLORATION, SIMULATIONS, MEGABYTES, True, SEED, False)
        self.states = [self.state_after(actions) for actions in OPENINGS[game]]
        for state in self.states:
            assert visited_nodes(self.bot.mcts_search(state)) == SIMULATIONS  # each has added one

    def state_after(self, actions: tuple[int, ...]) -> Any:
        """The position after these actions of Ludus."""
        state = self.game.new_initial_state()
        for action in actions:
            state.apply_action(renumbered(state, action))
        return state

    def play(self, amount: int) -> int:
        """Searches every position `amount` times; returns the simulations."""
        for state in self.states * amount:
            self.bot.mcts_search(state)
        return amount * len(self.states) * SIMULATIONS

    def note(self) -> str:
        """Empty: the label says it."""
        return ""


def renumbered(state: Any, action: int) -> int:
    """The action of Ludus as OpenSpiel numbers it: its mancala counts all holes in one round."""
    if state.get_game().get_type().short_name != "mancala":
        return action
    return 6 - action if state.current_player() == 0 else 13 - action


def visited_nodes(node: Any) -> int:
    """How many nodes of a tree were visited at least once."""
    return 1 + sum(visited_nodes(child) for child in node.children if child.explore_count)
