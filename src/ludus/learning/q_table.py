"""Tabular Q-learning (Watkins 1989; Watkins and Dayan 1992).

The target of an action is the reward since, plus gamma times the highest value at the player's next turn. Differences
from the paper: two players share one table, or have one each; `backward` updates a game from its last move to its first
once it is over; `max_over=all` also takes the maximum over illegal actions, as the TapnSwap author's program does.
"""

from __future__ import annotations

import enum
from typing import Annotated, Any, NamedTuple

from ludus.agents.tabular import NEW, symmetry_for
from ludus.compiled.compiling import helper
from ludus.compiled.masks import Mask
from ludus.compiled.rows import unpack
from ludus.errors import LudusError
from ludus.game import CHANCE, gives_shaping, shaping
from ludus.learning.loop import settings as s
from ludus.learning.loop.episodes import NO_ROOM, Episode, EpisodeTrainer
from ludus.learning.loop.tabular import (
    TableState,
    Turn,
    best_of,
    epsilon_greedy,
    look_up,
    record,
    reward,
    tabular,
    trainer,
    update,
    update_last,
    wait,
)


class MaxOver(enum.IntEnum):
    """The actions over which the next value is the maximum."""

    LEGAL = 0
    ALL = 1


@tabular
class QTable(NamedTuple):
    """Tabular Q-learning."""

    epsilon: s.Epsilon = s.Schedule.parse("0.1")
    alpha: s.Alpha = s.Rate.parse("1/n")
    gamma: s.Gamma = 1.0
    max_over: Annotated[MaxOver, "Take the next maximum over legal actions, or over all (illegal ones count 0)."] = (
        MaxOver.LEGAL
    )
    ties: s.TieBreak = s.Ties.RANDOM
    tables: s.Layout = s.Tables.SHARED
    symmetry: s.Symmetry = False
    random_plies: s.RandomPlies = 0
    random_side: s.RandomOpener = s.RandomSide.ANY
    backward: Annotated[bool, "Update a game once it is over, from its last move to its first."] = False
    win: s.Win = 1.0
    loss: s.Loss = -1.0
    draw: s.Draw = 0.0
    margin: s.Margin = False
    shaping: Annotated[float, "Add the game's shaping rewards, times this."] = 0.0
    epsilon_second: Annotated[s.SecondShare, "Epsilon of the player who moves second: as epsilon, or same."] = (
        s.SecondShare.parse("same")
    )

    def validate(self) -> None:
        """Raise ValueError for settings out of range."""
        s.validate_ranges(self)
        if self.backward and self.shaping:
            raise ValueError("extra rewards are learned from move by move: shaping or backward")

    def trainer(self, game: Any, *, twin: bool = False) -> EpisodeTrainer:
        """The training in progress of a learner, and of a twin."""
        if self.shaping and not gives_shaping(game):
            raise LudusError(f"{type(game).__name__} gives no extra rewards: shaping=0")
        return trainer(self, game, twin=twin)

    def decide(self, game: Any, pos: Any, mask: Mask, who: int, state: TableState, episode: Episode) -> int:
        """Update the last action by the highest value here, then choose the next."""
        turn = look_up(game, pos, who, state)
        if turn.number == NEW:
            return NO_ROOM
        if not self.backward:
            update_last(self.alpha, turn.player, self.gamma * next_value(self, game, pos, mask, turn, state), state)
        starter = game.player(game.start())
        is_second = turn.player != (0 if starter == CHANCE else starter)
        epsilon = self.epsilon_second.schedule if is_second and not self.epsilon_second.is_same else self.epsilon
        action = epsilon_greedy(epsilon, self.ties, game, pos, mask, turn, state, episode)
        if self.backward:
            record(game, pos, action, turn, state)
        else:
            wait(game, pos, action, turn, state)
        return action

    def played(self, game: Any, pos: Any, after: Any, state: TableState) -> None:
        """Collect the shaping rewards of the game."""
        if gives_shaping(game) and self.shaping != 0.0 and game.player(pos) != CHANCE:
            state.rewards[game.player(pos)] += self.shaping * shaping(game, after)

    def finish(self, game: Any, pos: Any, score: int, ended: bool, state: TableState, episode: Episode) -> None:
        """Update the last actions of both players; of a game that was cut, they learn nothing."""
        if self.backward:
            update_backward(self, game, pos, score, ended, state)
        elif ended:
            for player in range(2):
                update_last(self.alpha, player, reward(self, score, player), state)


@helper
def next_value(config: QTable, game: Any, pos: Any, mask: Mask, turn: Turn, state: TableState) -> float:
    """The highest value that a player knows here."""
    values = state.entries.values[turn.table, turn.number]
    top, _ = best_of(game, pos, mask, turn.symmetry, values)
    if config.max_over == MaxOver.ALL:
        for action in range(len(values)):
            top = max(top, values[action])
    return top


@helper
def update_backward(config: QTable, game: Any, like: Any, score: int, ended: bool, state: TableState) -> None:
    """Update the moves of a game from the last to the first, each by what its player then knows of the next."""
    targets, known = (reward(config, score, 0), reward(config, score, 1)), (ended, ended)
    for place in range(state.recorded[0] - 1, -1, -1):
        move = state.moves[place]
        pos = unpack(like, move[3:])
        player, symmetry = game.player(pos), symmetry_for(game, pos, state.entries)
        if known[player]:
            update(config.alpha, move, targets[player], state.entries)
        turn = Turn(player, move[0], move[1], symmetry)
        target = config.gamma * next_value(config, game, pos, game.legal(pos), turn, state)
        targets = (target, targets[1]) if player == 0 else (targets[0], target)
        known = (True, known[1]) if player == 0 else (known[0], True)
