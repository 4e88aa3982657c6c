"""First-visit Monte Carlo control (Sutton and Barto 2018, section 5.4).

The target of an action is the return of its player: the reward at the end of the game, discounted once for each own
move until then. Of several visits of a position and action in one game the first counts. With `random_plies` games have
exploring starts (section 5.3). Difference from the literature: two players share one table, or have one each.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ludus.agents.tabular import NEW
from ludus.compiled.masks import Mask
from ludus.compiled.rows import unpack
from ludus.learning.loop import settings as s
from ludus.learning.loop.episodes import NO_ROOM, Episode
from ludus.learning.loop.tabular import TableState, epsilon_greedy, look_up, record, reward, tabular, update_first_visit


@tabular
class MonteCarlo(NamedTuple):
    """First-visit Monte Carlo control."""

    epsilon: s.Epsilon = s.Schedule.parse("0.1")
    alpha: s.Alpha = s.Rate.parse("1/n")
    gamma: s.Gamma = 1.0
    ties: s.TieBreak = s.Ties.RANDOM
    tables: s.Layout = s.Tables.SHARED
    symmetry: s.Symmetry = False
    random_plies: s.RandomPlies = 0
    random_side: s.RandomOpener = s.RandomSide.ANY
    win: s.Win = 1.0
    loss: s.Loss = -1.0
    draw: s.Draw = 0.0
    margin: s.Margin = False

    def decide(self, game: Any, pos: Any, mask: Mask, who: int, state: TableState, episode: Episode) -> int:
        """Choose an action, and record it for the end of the game."""
        turn = look_up(game, pos, who, state)
        if turn.number == NEW:
            return NO_ROOM
        action = epsilon_greedy(self.epsilon, self.ties, game, pos, mask, turn, state, episode)
        record(game, pos, action, turn, state)
        return action

    def finish(self, game: Any, pos: Any, score: int, ended: bool, state: TableState, episode: Episode) -> None:
        """Update the first visit of each recorded action by its return; a game that was cut has none."""
        first, second = reward(self, score, 0), reward(self, score, 1)
        for place in range(state.recorded[0] - 1 if ended else -1, -1, -1):
            player = game.player(unpack(pos, state.moves[place, 3:]))
            update_first_visit(self.alpha, place, first if player == 0 else second, state)
            first, second = (self.gamma * first, second) if player == 0 else (first, self.gamma * second)
