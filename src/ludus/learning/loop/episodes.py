"""The episode loop: game after game, ply by ply, of a learner against itself, a twin, or an opponent.

A learner is a config, a NamedTuple of hyperparameters. It brings the hooks below as methods, of which only `decide` and
one of `finish` and `visit` are usually needed; they compile inside the one kernel, `play_episodes`. Its arrays, the
`state`, and the arrays of the loop, the `episode`, hold everything between two calls, so that a training can stop at
any ply: to make room, to ask an opponent in plain Python, to show progress, to be saved.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ludus.agents.agent import (
    Probabilities,
    choose,
    draw_action,
    may_resign,
    probabilities,
    resigns,
    score_of_resigning,
    work_of,
)
from ludus.agents.simple import Random
from ludus.compiled.compiling import helper, hook, kernel
from ludus.compiled.masks import Mask, count, is_empty, nth
from ludus.compiled.randomness import State, below, stream_start
from ludus.compiled.rows import Row, borrowed, pack, unpack
from ludus.game import CHANCE, gives_odds, num_actions
from ludus.learning.loop.plan import NEVER
from ludus.learning.loop.restoring import Arrays, as_arrays, from_arrays, require, require_positions
from ludus.learning.loop.restrictions import Forbidden, Unrestricted, permitted
from ludus.playout import random_action

Ints = npt.NDArray[np.int64]
LEARNER, TWIN, OPPONENT = range(3)  # who plays for a player, if not CHANCE
PLAYED, PAUSED, FULL, ASKING = range(4)  # why the loop stopped: all games played, enough plies, no room, to ask

# `counters`: games played; the ply of this game, or BETWEEN two; plies played in all; how many learners play this game;
# how many random opening plies are left, which player plays them, and whether a learner's first decision is still due.
GAME, PLY, PLIES, LEARNERS, RANDOM_LEFT, RANDOM_PLAYER, FIRST_DECISION, COUNTERS = range(8)
BOTH, ANY = 2, 3  # in place of the player of random plies; ANY: drawn for each game
WINS, DRAWS, LOSSES, CUT = range(4)  # columns of `results`
BETWEEN = -1
NOTHING, NO_ROOM, RESIGNED = -1, -2, -3  # in place of an action
_MEMORY = 0.99  # of the share of lost games: about the last hundred count


class Episode(NamedTuple):
    """Where the loop stands."""

    row: Ints  # [fields]: the position
    counters: Ints  # [COUNTERS]
    results: Ints  # [players, 4]: of the learner's games
    lost: npt.NDArray[np.float64]  # [players]: the share of games that each player lost lately
    stream: npt.NDArray[np.uint64]  # [1]: the random numbers of this game


class Setting(NamedTuple):
    """What holds for a stretch of games."""

    holders: Ints  # [parity of the game, players]: who plays
    key: np.uint64  # of the random numbers
    cap: int  # the ply at which a game is cut
    random_plies: int  # at most; then the learner's first decision is random, too
    random_side: int  # the player of these plies, BOTH or ANY
    asks: bool  # whether the opponent is in plain Python
    forbidden: Forbidden | Unrestricted
    end: int = NEVER  # the first game that is not one of them


class Scratch(NamedTuple):
    """Room for a position and for the probabilities of actions; `like` is a position of the game."""

    like: Any
    row: Row  # [fields]
    out: npt.NDArray[np.float64]  # [actions]


def new_scratch(game: Any) -> Scratch:
    """Room for a game."""
    return Scratch(game.start(), np.zeros(len(game.start()), np.int64), np.zeros(num_actions(game)))


class Limits(NamedTuple):
    """Where the loop stops at the latest; `answer`: what an opponent who was asked does, an action or RESIGNED."""

    games: int
    plies: int
    answer: int = NOTHING


# ---- the hooks of a learner ----


@hook
def begin(learner: Any, game: Any, state: Any) -> bool:
    """Prepare for the next game; False if there is no room for it."""
    return True


@hook
def visit(learner: Any, game: Any, pos: Any, state: Any, episode: Episode) -> None:
    """Learn on reaching a position, whoever moves there; after a stop it may be called again for the same ply."""


@hook
def decide(learner: Any, game: Any, pos: Any, mask: Mask, who: int, state: Any, episode: Episode) -> int:
    """Choose an action at the turn of the learner, or of its twin (`who`), and learn; NO_ROOM if more is needed."""
    return nth(mask, below(episode.stream, count(mask)))


@hook
def greedy(learner: Any, game: Any, pos: Any, mask: Mask, who: int, state: Any, episode: Episode) -> int:
    """Choose without learning, while the other side plays random opening plies."""
    return nth(mask, below(episode.stream, count(mask)))


@hook
def played(learner: Any, game: Any, pos: Any, after: Any, state: Any) -> None:
    """Learn from a ply of any player."""


@hook
def finish(learner: Any, game: Any, pos: Any, score: int, ended: bool, state: Any, episode: Episode) -> None:
    """Learn from the end of a game; `score` for player 0; not `ended`: it was cut."""


# ---- the loop ----


def _work(
    game: Any, opponent: Any, learner: Any, state: Any, episode: Episode, setting: Setting, scratch: Any, limits: Limits
) -> float:
    """Microseconds in plain Python, by the length of the games so far."""
    games, plies = int(episode.counters[GAME]), limits.plies
    if games:
        plies = min(plies, (limits.games - games) * int(episode.counters[PLIES]) // games)
    is_opposed = bool((setting.holders == OPPONENT).any()) and not setting.asks
    return plies * (70 + (work_of(opponent, game) if is_opposed else 0.0))


@kernel(work=_work)
def play_episodes(
    game: Any,
    opponent: Any,
    learner: Any,
    state: Any,
    episode: Episode,
    setting: Setting,
    scratch: Scratch,
    limits: Limits,
) -> int:
    """Play and learn up to the limits; why it stopped."""
    state, episode, setting, scratch = borrowed(state), borrowed(episode), borrowed(setting), borrowed(scratch)
    plies, answer = limits.plies, limits.answer
    while episode.counters[GAME] < limits.games:
        if episode.counters[PLY] == BETWEEN and not open_game(learner, game, state, setting, episode):
            return FULL
        pos = unpack(scratch.like, episode.row)
        mask = game.legal(pos)
        ended = is_empty(mask) or answer == RESIGNED
        if ended or episode.counters[PLY] >= setting.cap:
            score = final_score(game, pos, mask, answer)
            finish(learner, game, pos, score, ended, state, episode)
            close_game(episode, setting.holders, score, ended)
            answer = NOTHING
            continue
        if plies == 0:
            return PAUSED
        action = answer
        if action == NOTHING:
            visit(learner, game, pos, state, episode)
            who = side_to_move(game, pos, episode.counters, setting.holders)
            if who < OPPONENT:  # the learner or its twin
                allowed = permitted(setting.forbidden, game, pos, mask, int(episode.counters[PLY]), scratch.row)
                action = own_action(learner, game, pos, allowed, who, state, episode)
            else:
                action = other_action(opponent, game, pos, mask, who, setting.asks, scratch.out, episode.stream)
        if action < 0:
            return FULL if action == NO_ROOM else ASKING
        after = game.play(pos, action)
        played(learner, game, pos, after, state)
        pack(after, episode.row)
        episode.counters[PLY] += 1
        episode.counters[PLIES] += 1
        episode.counters[RANDOM_LEFT] -= episode.counters[RANDOM_LEFT] > 0
        plies, answer = plies - 1, NOTHING
    return PLAYED


@helper
def side_to_move(game: Any, pos: Any, counters: Ints, holders: Ints) -> int:
    """Who plays: CHANCE, LEARNER, TWIN or OPPONENT."""
    player = game.player(pos)
    return CHANCE if gives_odds(game) and player == CHANCE else int(holders[counters[GAME] % 2, player])


@helper
def own_action(learner: Any, game: Any, pos: Any, mask: Mask, who: int, state: Any, episode: Episode) -> int:
    """The action of the learner or its twin; NO_ROOM if it needs more."""
    counters = episode.counters
    if counters[RANDOM_LEFT] == 0:
        return decide(learner, game, pos, mask, who, state, episode)
    if counters[RANDOM_PLAYER] == BOTH or counters[RANDOM_PLAYER] == game.player(pos):
        return nth(mask, below(episode.stream, count(mask)))
    return greedy(learner, game, pos, mask, who, state, episode)


@helper
def other_action(
    opponent: Any, game: Any, pos: Any, mask: Mask, who: int, asks: bool, out: Probabilities, stream: State
) -> int:
    """The action of chance or of the opponent; NOTHING if that must be asked."""
    if who == CHANCE:
        return random_action(game, pos, mask, stream)
    return NOTHING if asks else choose(opponent, game, pos, mask, out, stream)


@helper
def open_game(learner: Any, game: Any, state: Any, setting: Setting, episode: Episode) -> bool:
    """Set up the next game; its random numbers depend on its number alone. False if the learner has no room for it."""
    if not begin(learner, game, state):
        return False
    counters, holders, parity = episode.counters, setting.holders, episode.counters[GAME] % 2
    episode.stream[0] = stream_start(setting.key, int(counters[GAME]))
    counters[PLY] = counters[RANDOM_LEFT] = 0
    counters[LEARNERS] = 2 if holders[parity, 0] == TWIN or holders[parity, 1] == TWIN else 1
    counters[FIRST_DECISION] = setting.random_plies > 0
    if setting.random_plies:
        counters[RANDOM_LEFT] = below(episode.stream, setting.random_plies + 1)
        drawn = setting.random_side == ANY
        counters[RANDOM_PLAYER] = below(episode.stream, BOTH + 1) if drawn else setting.random_side
    pack(game.start(), episode.row)
    return True


@helper
def final_score(game: Any, pos: Any, mask: Mask, answer: int) -> int:
    """The score of a game that is over, or that an opponent ends with the answer RESIGNED; 0 of one that is cut."""
    if answer == RESIGNED:
        return score_of_resigning(game, pos)
    return game.score(pos) if is_empty(mask) else 0


@helper
def close_game(episode: Episode, holders: Ints, score: int, ended: bool) -> None:
    """Count the result, and move on to the next game."""
    parity = episode.counters[GAME] % 2
    for player in range(2):
        own = score if player == 0 else -score
        if ended:
            episode.lost[player] = _MEMORY * episode.lost[player] + (1 - _MEMORY) * (own < 0)
        if holders[parity, player] == LEARNER:
            column = CUT if not ended else WINS if own > 0 else LOSSES if own < 0 else DRAWS
            episode.results[player, column] += 1
    episode.counters[GAME] += 1
    episode.counters[PLY] = BETWEEN


# ---- the live objects ----


class Trainer(Protocol):
    """A training in progress, which may stop and be saved whenever `learn` returns."""

    @property
    def game(self) -> Any:
        """The game that is learned."""

    @property
    def learner(self) -> Any:
        """The config as of now."""

    @property
    def games(self) -> int:
        """The games played so far."""

    @property
    def plies(self) -> int:
        """The plies played so far."""

    @property
    def results(self) -> Ints:
        """Of the learner's own games: [players, 4], the columns WINS, DRAWS, LOSSES, CUT."""

    @property
    def position(self) -> Any:
        """The position of a game in progress, or of one that has just ended."""

    def learn(self, opponent: Any, setting: Setting, until: int, most: int = NEVER) -> bool:
        """Play and learn up to game `until`, for some time, or for about `most` plies; whether it was that far."""

    def change(self, learner: Any) -> None:
        """Continue with a config that differs in changeable settings."""

    def init_from(self, parameters: Arrays) -> None:
        """Start from the parameters of another run of this learner; so does a twin."""

    def parameters(self) -> Arrays:
        """What was learned: what the config's `agent(game, parameters)` needs."""

    def metrics(self) -> dict[str, Any]:
        """What it reports of itself at an evaluation, as JSON."""

    def arrays(self) -> Arrays:
        """The whole state."""

    def restore(self, arrays: Arrays) -> None:
        """Continue from what `arrays` gave."""


class Store(Protocol):
    """The arrays of a learner, how they grow, and how they are saved; by default they are complete from the start."""

    state: Any  # the NamedTuple of arrays that the hooks get

    def start(self, key: np.uint64) -> None:
        """Initialise what depends on the seed, once."""
        return

    def grow(self) -> None:
        """Make room."""
        return

    def check(self) -> None:
        """Raise LudusError for parameters that have become no numbers."""
        return

    def change(self, learner: Any) -> None:
        """Take over changed settings."""
        return

    def init_from(self, parameters: Arrays) -> None:
        """As of a trainer; likewise all below."""

    def parameters(self) -> Arrays: ...  # noqa: D102
    def metrics(self) -> dict[str, Any]: ...  # noqa: D102
    def arrays(self) -> Arrays: ...  # noqa: D102
    def restore(self, arrays: Arrays) -> None: ...  # noqa: D102


_FIRST_PLIES = 1 << 7  # played at first, and then twice as many each time: small work is not compiled
_PLIES = 1 << 19  # played at most before an interrupt is noticed and progress is shown
_PATIENCE = 0.5  # seconds in which an opponent in plain Python is asked until then


class EpisodeTrainer:
    """A learner in the episode loop: the config with its hooks, its store, and the state of the loop."""

    def __init__(self, game: Any, learner: Any, store: Store) -> None:
        self.game, self.learner, self.store = game, learner, store
        self.episode = Episode(
            np.array(game.start(), np.int64),
            np.zeros(COUNTERS, np.int64),
            np.zeros((2, 4), np.int64),
            np.full(2, 0.5),
            np.zeros(1, np.uint64),
        )
        self.episode.counters[PLY] = BETWEEN
        self._scratch, self._plies = new_scratch(game), _FIRST_PLIES
        self.init_from, self.parameters, self.metrics = store.init_from, store.parameters, store.metrics

    @property
    def games(self) -> int:
        """The games played so far."""
        return int(self.episode.counters[GAME])

    @property
    def plies(self) -> int:
        """The plies played so far."""
        return int(self.episode.counters[PLIES])

    @property
    def results(self) -> Ints:
        """Of the learner's own games by its player."""
        return self.episode.results

    @property
    def position(self) -> Any:
        """The position of the game in progress."""
        return unpack(self.game.start(), self.episode.row)

    def learn(self, opponent: Any, setting: Setting, until: int, most: int = NEVER) -> bool:
        """Play and learn; an opponent in plain Python is asked whenever the kernel stops for it."""
        began, plies = time.monotonic(), min(self._plies, _PLIES)
        compiled = Random() if setting.asks else opponent
        limits = Limits(until, min(plies, most))
        stopped = self.play(compiled, setting, limits)
        while stopped == ASKING:
            stopped = self.play(compiled, setting, limits._replace(answer=self._ask(opponent)))
            if time.monotonic() - began > _PATIENCE:
                break
        self._plies = 2 * plies if most > plies else plies
        return stopped == PLAYED

    def play(self, opponent: Any, setting: Setting, limits: Limits) -> int:
        """Play and learn up to the limits; why it stopped, never for want of room."""
        self.store.start(setting.key)
        while True:
            parts = self.learner, self.store.state, self.episode, setting, self._scratch
            stopped = play_episodes(self.game, opponent, *parts, limits)
            if stopped != FULL:
                self.store.check()
                return stopped
            self.store.grow()
            limits = limits._replace(answer=NOTHING)  # what was answered is played by now

    def _ask(self, opponent: Any) -> int:
        """What an opponent in plain Python does in the position that waits for it."""
        pos = unpack(self.game.start(), self.episode.row)
        shares, mask = probabilities(opponent, self.game, pos), self.game.legal(pos)
        if may_resign(opponent) and resigns(shares, mask):
            return RESIGNED
        return draw_action(shares, mask, self.episode.stream)

    def change(self, learner: Any) -> None:
        """Continue with other settings."""
        self.learner = learner
        self.store.change(learner)

    def arrays(self) -> Arrays:
        """The store and the state of the loop."""
        return self.store.arrays() | as_arrays("episode", self.episode)

    def restore(self, arrays: Arrays) -> None:
        """Continue from these."""
        self.store.restore(arrays)
        self.episode = from_arrays("episode", self.episode, arrays)
        require("episode.counters", self.episode.counters, BETWEEN, NEVER)
        require("episode.lost", self.episode.lost, 0.0, np.nextafter(1.0, 2.0))
        require_positions("episode.row", self.episode.row[None], self.game)
