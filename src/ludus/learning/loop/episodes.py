"""One game after another, ply by ply, of a learner against itself, a twin, or an opponent: what all tables share.

The state of a training is kept in arrays between calls, so that it can stop anywhere: to make room, to ask an opponent
who is no compiled agent, to show progress, to be saved.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.agents.agent import score_of_resigning
from ludus.compiled.compiling import helper
from ludus.compiled.masks import is_empty
from ludus.compiled.randomness import below, stream_start
from ludus.compiled.rows import pack
from ludus.game import CHANCE
from ludus.learning.loop.plan import NEVER

Ints = npt.NDArray[np.int64]


LEARNER, TWIN, OPPONENT = 0, 1, 3  # who plays for a player; 2 is CHANCE

PLAYED, PAUSED, FULL, ASKING = range(4)  # why training stopped: all games played, enough plies, no room, to ask

# `counters`: games played, the ply of this game or BETWEEN two, plies played in all, moves of this game noted; how many
# plies it still goes astray, which player does so, and whether the learner has not set out from there yet.
GAME, PLY, PLIES, NOTED, ASTRAY, WANDERER, FRESH, COUNTERS = range(8)

BOTH, ANY = 2, 3  # in place of the player who goes astray; ANY: drawn for each game

WINS, DRAWS, LOSSES, CUT = range(4)  # columns of `results`

BETWEEN = -1

NOTHING, NO_ROOM, RESIGNED = -1, -2, -3  # in place of an action


_MEMORY = 0.99  # of the share of lost games: about the last hundred count


class Episode(NamedTuple):
    """Where a training stands.

    row: the position; waiting: for each player the table, position and action that wait for what comes of them, the
    position NOTHING for none; rewards: what each player has earned since; results: of the learner's games by its seat;
    lost: the part of games that each player lost lately.
    """

    row: Ints
    waiting: Ints
    rewards: npt.NDArray[np.float64]
    counters: Ints
    results: Ints
    lost: npt.NDArray[np.float64]
    stream: npt.NDArray[np.uint64]


class Setting(NamedTuple):
    """What holds for a stretch of games: who plays for each player in even and in odd games, and when games are cut.

    random_plies: for up to so many plies the wanderer goes astray; nothing is learned from that, and the learner then
    sets out with a random action; asks: whether the opponent is asked outside; end: the first game that is not among
    them.
    """

    holders: Ints
    key: np.uint64
    cap: int
    random_plies: int
    wanderer: int
    asks: bool
    end: int = NEVER


def new_episode(game: Any) -> Episode:
    """Before the first game."""
    episode = Episode(
        np.array(game.start(), np.int64),
        np.full((2, 3), NOTHING, np.int64),
        np.zeros(2),
        np.zeros(COUNTERS, np.int64),
        np.zeros((2, 4), np.int64),
        np.full(2, 0.5),
        np.zeros(1, np.uint64),
    )
    episode.counters[PLY] = BETWEEN
    return episode


@helper
def open_game(game: Any, setting: Setting, episode: Episode) -> None:
    """Set up the next game; its random numbers depend on its number alone."""
    episode.stream[0] = stream_start(setting.key, int(episode.counters[GAME]))
    episode.counters[PLY] = episode.counters[NOTED] = 0
    episode.waiting[:] = NOTHING
    episode.rewards[:] = 0.0
    episode.counters[FRESH] = setting.random_plies > 0
    if setting.random_plies:
        episode.counters[ASTRAY] = below(episode.stream, setting.random_plies + 1)
        episode.counters[WANDERER] = below(episode.stream, BOTH + 1) if setting.wanderer == ANY else setting.wanderer
    pack(game.start(), episode.row)


@helper
def final_score(game: Any, pos: Any, answer: int) -> int:
    """The score of a game that is over, or that an opponent ends with the answer RESIGNED; 0 of one that is cut."""
    if answer == RESIGNED:
        return score_of_resigning(game, pos)
    return game.score(pos) if is_empty(game.legal(pos)) else 0


@helper
def close_game(episode: Episode, setting: Setting, score: int, ended: bool) -> None:
    """Count the result, and go to the next game."""
    holders = setting.holders[episode.counters[GAME] % 2]
    for player in range(2):
        own = score if player == 0 else -score
        if ended:
            episode.lost[player] = _MEMORY * episode.lost[player] + (1 - _MEMORY) * (own < 0)
        if holders[player] == LEARNER:
            column = CUT if not ended else WINS if own > 0 else LOSSES if own < 0 else DRAWS
            episode.results[player, column] += 1
    episode.counters[GAME] += 1
    episode.counters[PLY] = BETWEEN


@helper
def holder_of(game: Any, pos: Any, setting: Setting, episode: Episode) -> int:
    """Who plays here: LEARNER, TWIN or OPPONENT; CHANCE where no player moves."""
    player = game.player(pos)
    return CHANCE if player == CHANCE else int(setting.holders[episode.counters[GAME] % 2, player])
