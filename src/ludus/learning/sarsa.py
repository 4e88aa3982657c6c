"""Tabular SARSA (Rummery and Niranjan 1994; Sutton and Barto 2018, section 6.4).

On-policy: the target of an action is the reward, plus gamma times the value of the action that the same player takes
next. Difference from the literature: two players share one table, or have one each; a player's next state is its next
turn, after the reply.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ludus.agents.tabular import NEW, stored_action
from ludus.compiled.masks import Mask
from ludus.learning.loop import settings as s
from ludus.learning.loop.episodes import NO_ROOM, Episode
from ludus.learning.loop.tabular import TableState, epsilon_greedy, look_up, reward, tabular, update_last, wait


@tabular
class Sarsa(NamedTuple):
    """Tabular SARSA."""

    epsilon: s.Epsilon = s.Schedule.parse("0.1")
    alpha: s.Alpha = s.Rate.parse("0.1")
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
        """Choose an action, then update the last one by its value."""
        turn = look_up(game, pos, who, state)
        if turn.number == NEW:
            return NO_ROOM
        action = epsilon_greedy(self.epsilon, self.ties, game, pos, mask, turn, state, episode)
        kept = stored_action(game, pos, action, turn.symmetry)
        update_last(self.alpha, turn.player, self.gamma * state.entries.values[turn.table, turn.number, kept], state)
        wait(game, pos, action, turn, state)
        return action

    def finish(self, game: Any, pos: Any, score: int, ended: bool, state: TableState, episode: Episode) -> None:
        """Update the last action of each player by its reward; a game that was cut gives none."""
        if ended:
            for player in range(2):
                update_last(self.alpha, player, reward(self, score, player), state)
