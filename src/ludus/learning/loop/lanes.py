"""Many games side by side, each in a lane, of a learner whose moves are chosen outside compiled code.

A lane is played on until one of the learners is to move. What happens depends on the state of the lanes alone, never on
when a training stops: games are opened in the order of the lanes, and each draws from a stream of random numbers of its
own.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.agents.agent import choose, draw_action, is_batched, may_resign, probabilities, resigns, score_of_resigning
from ludus.agents.simple import Random
from ludus.compiled.compiling import Kernel, helper, kernel
from ludus.compiled.masks import count, has, is_empty, nth
from ludus.compiled.randomness import below, stream_start
from ludus.compiled.rows import Row, borrowed, pack, unpack
from ludus.errors import LudusError
from ludus.game import CHANCE, gives_odds
from ludus.learning.loop.episodes import (
    ANY,
    BOTH,
    CUT,
    DRAWS,
    LEARNER,
    LOSSES,
    OPPONENT,
    WINS,
    Ints,
    Scratch,
    Setting,
    new_scratch,
)
from ludus.learning.loop.plan import NEVER, Bans
from ludus.learning.loop.restoring import Arrays, as_arrays, from_arrays, require, require_positions
from ludus.learning.loop.restrictions import Forbidden, forbidden, permitted
from ludus.learning.loop.settings import Starts
from ludus.networks.inputs import ILLEGAL, Inputs, Outputs, encode_rows, new_inputs
from ludus.playout import random_action
from ludus.solving.explore import explore

# Columns of `state`: the number of the game and its ply; how many random opening plies are left, which player plays
# them, and whether a learner's first decision is still due; what the lane waits for, and the side to move.
NUMBER, PLY, RANDOM_LEFT, RANDOM_PLAYER, FIRST_DECISION, STATUS, PLAYER, COLUMNS = range(8)
IDLE, READY, ASKED, ENDED, STOPPED = range(5)  # STATUS: for a game, a learner, an opponent outside; over, or cut
OPENED, FINISHED, PLIES = range(3)  # of `totals`
NOTHING = -1  # in place of an action
_MOST_STARTS = 4_000_000


class Lanes(NamedTuple):
    """Games side by side."""

    rows: Row  # [lanes, fields]: the positions
    state: Ints  # [lanes, COLUMNS]
    streams: npt.NDArray[np.uint64]  # [lanes]: the random numbers of each game
    scores: Ints  # [lanes]: for player 0, of games that ended
    totals: Ints  # [3]
    results: Ints  # [players, 4]: of the learner's games

    @property
    def ready(self) -> Ints:
        """The lanes in which a learner is to move."""
        return np.flatnonzero(self.state[:, STATUS] == READY)

    @property
    def over(self) -> Ints:
        """The lanes whose game is over, or was cut."""
        return np.flatnonzero(self.state[:, STATUS] >= ENDED)

    def position(self, game: Any, lane: int) -> Any:
        """Where the game in a lane stands."""
        return unpack(game.start(), self.rows[lane])


def new_lanes(game: Any, number: int) -> Lanes:
    """Lanes before the first game."""
    return Lanes(
        np.tile(np.array(game.start(), np.int64), (number, 1)),
        np.zeros((number, COLUMNS), np.int64),
        np.zeros(number, np.uint64),
        np.zeros(number, np.int64),
        np.zeros(3, np.int64),
        np.zeros((2, 4), np.int64),
    )


def rows_of(game: Any, starts: Starts) -> Row:
    """The positions in which games begin, with equal probability; LudusError if there are too many."""
    own = np.array([game.start()], np.int64)
    if starts is Starts.OWN:
        return own
    explored = explore(game, limit=_MOST_STARTS)
    if not explored.complete:
        raise LudusError(f"{type(game).__name__} has more than {_MOST_STARTS:,} positions: starts=own")
    found = explored.positions[np.diff(explored.graph.first) > 0]
    return found if starts is Starts.ANY else np.concatenate([found, np.repeat(own, len(found), axis=0)])


def ask(game: Any, opponent: Any, lanes: Lanes) -> Ints:
    """The actions of an opponent outside compiled code; NOTHING where no lane waits for it, or where it resigns."""
    asked = np.flatnonzero(lanes.state[:, STATUS] == ASKED)
    positions = [lanes.position(game, int(lane)) for lane in asked]
    if is_batched(opponent):
        given = opponent.policies(game, positions)
    else:
        given = [probabilities(opponent, game, pos) for pos in positions]
    resigning = may_resign(opponent)
    chosen = np.full(len(lanes.rows), NOTHING, np.int64)
    for lane, pos, shares in zip(asked, positions, given, strict=True):
        if resigning and resigns(shares, game.legal(pos)):
            lanes.scores[lane] = score_of_resigning(game, pos)
            lanes.state[lane, STATUS] = ENDED
            continue
        stream = lanes.streams[lane : lane + 1]
        chosen[lane] = draw_action(np.asarray(shares, np.float64), game.legal(pos), stream)
    return chosen


def close(lanes: Lanes, setting: Setting, lane: int) -> None:
    """Count the result of a game that is over."""
    state, score = lanes.state[lane], int(lanes.scores[lane])
    for player, holder in enumerate(setting.holders[state[NUMBER] % 2]):
        own = score if player == 0 else -score
        result = CUT if state[STATUS] == STOPPED else WINS if own > 0 else LOSSES if own < 0 else DRAWS
        if holder == LEARNER:
            lanes.results[player, result] += 1
    state[STATUS] = IDLE
    lanes.totals[FINISHED] += 1


@kernel
def advance(
    game: Any, opponent: Any, lanes: Lanes, starts: Row, chosen: Ints, setting: Setting, scratch: Scratch
) -> None:
    """Play the chosen actions [lanes], if any, open games in idle lanes, and play on until all lanes wait."""
    lanes, chosen, setting, starts = borrowed(lanes), borrowed(chosen), borrowed(setting), borrowed(starts)
    scratch = borrowed(scratch)
    for lane in range(len(chosen)):
        action = int(chosen[lane])
        opening = action == NOTHING and lanes.state[lane, STATUS] == IDLE and lanes.totals[OPENED] < setting.end
        if opening:
            open_in(lanes, lane, starts, setting)
        while action != NOTHING or opening:
            if not opening:
                play_in(game, scratch.like, lanes, lane, action)
            action, opening = next_action(game, opponent, lanes, lane, setting, scratch), False


@helper
def open_in(lanes: Lanes, lane: int, starts: Row, setting: Setting) -> None:
    """Set up the next game at one of the starts; its random numbers depend on its number alone."""
    state, stream = lanes.state[lane], lanes.streams[lane : lane + 1]
    state[NUMBER] = lanes.totals[OPENED]
    lanes.totals[OPENED] += 1
    stream[0] = stream_start(setting.key, int(state[NUMBER]))
    state[PLY] = state[RANDOM_LEFT] = 0
    state[FIRST_DECISION] = setting.random_plies > 0
    if setting.random_plies:
        state[RANDOM_LEFT] = below(stream, setting.random_plies + 1)
        state[RANDOM_PLAYER] = below(stream, BOTH + 1) if setting.random_side == ANY else setting.random_side
    start = below(stream, len(starts)) if len(starts) > 1 else 0
    for field in range(starts.shape[1]):
        lanes.rows[lane, field] = starts[start, field]


@helper
def play_in(game: Any, like: Any, lanes: Lanes, lane: int, action: int) -> None:
    """Play an action."""
    pack(game.play(unpack(like, lanes.rows[lane]), action), lanes.rows[lane])
    lanes.state[lane, PLY] += 1
    lanes.state[lane, RANDOM_LEFT] -= lanes.state[lane, RANDOM_LEFT] > 0
    lanes.totals[PLIES] += 1


@helper
def next_action(game: Any, opponent: Any, lanes: Lanes, lane: int, setting: Setting, scratch: Scratch) -> int:
    """The action of chance, a compiled opponent or a random opening; NOTHING where the lane waits, see its status."""
    state, stream = lanes.state[lane], lanes.streams[lane : lane + 1]
    pos = unpack(scratch.like, lanes.rows[lane])
    mask, player = game.legal(pos), game.player(pos)
    state[PLAYER] = player
    if is_empty(mask) or state[PLY] >= setting.cap:
        lanes.scores[lane] = game.score(pos) if is_empty(mask) else 0
        state[STATUS] = ENDED if is_empty(mask) else STOPPED
        return NOTHING
    if gives_odds(game) and player == CHANCE:
        return random_action(game, pos, mask, stream)
    if setting.holders[state[NUMBER] % 2, player] == OPPONENT:
        state[STATUS] = ASKED
        return NOTHING if setting.asks else choose(opponent, game, pos, mask, scratch.out, stream)
    if state[RANDOM_LEFT] > 0 and (state[RANDOM_PLAYER] == player or state[RANDOM_PLAYER] == BOTH):
        allowed = permitted(setting.forbidden, game, pos, mask, int(state[PLY]), scratch.row)
        return nth(allowed, below(stream, count(allowed)))
    state[STATUS] = READY
    return NOTHING


@kernel
def restrict(game: Any, lanes: Lanes, ready: Ints, banned: Forbidden, scratch: Scratch, outputs: Outputs) -> None:
    """Mask the outputs [ready, actions] of forbidden actions in these lanes."""
    for number in range(len(ready)):
        lane = ready[number]
        pos = unpack(scratch.like, lanes.rows[lane])
        allowed = permitted(banned, game, pos, game.legal(pos), int(lanes.state[lane, PLY]), scratch.row)
        for action in range(outputs.shape[1]):
            if outputs[number, action] != ILLEGAL and not has(allowed, action):
                outputs[number, action] = ILLEGAL


_PATIENCE = 0.5  # seconds of learning until progress is shown


class LaneRunner:
    """Games in lanes against an opponent, compiled or not."""

    def __init__(self, game: Any, lanes: int, starts: Starts = Starts.OWN) -> None:
        self.game, self.lanes = game, new_lanes(game, lanes)
        self._starts, self._scratch = rows_of(game, starts), new_scratch(game)
        self._entries: dict[Any, Callable[..., None]] = {}

    def _advance(self, opponent: Any, setting: Setting, chosen: Ints) -> None:
        """Play the chosen actions, until every lane waits for a learner or is over."""
        compiled = Random() if setting.asks else opponent
        while True:
            self._run(advance, self.game, compiled, self.lanes, self._starts, chosen, setting, self._scratch)
            if not (self.lanes.state[:, STATUS] == ASKED).any():
                return
            chosen = ask(self.game, opponent, self.lanes)

    def _run(self, kernel: Kernel[..., None], *args: Any) -> None:
        """Call a kernel; against one opponent its arguments always have the same types."""
        if kernel not in self._entries:
            self._entries[kernel] = kernel.entry(*args)
        self._entries[kernel](*args)


class LaneTrainer(LaneRunner, ABC):
    """A training in progress whose games are in `lanes`; a network learner adds its parameters and its two hooks."""

    def __init__(self, game: Any, config: Any, lanes: int) -> None:
        super().__init__(game, lanes, config.starts)
        self.config, self.forbidden = config, forbidden(game, Bans(()))

    @abstractmethod
    def _act(self, setting: Setting) -> Ints:
        """Learn what there is to learn, and choose an action in each lane that is ready; NOTHING in others."""

    @abstractmethod
    def _finish(self, lane: int, setting: Setting) -> None:
        """Learn from the end of the game in a lane, before its result is counted."""

    @property
    def learner(self) -> Any:
        """The config as of now."""
        return self.config

    @property
    def games(self) -> int:
        """The games played so far."""
        return int(self.lanes.totals[FINISHED])

    @property
    def plies(self) -> int:
        """The plies played so far."""
        return int(self.lanes.totals[PLIES])

    @property
    def results(self) -> npt.NDArray[np.int64]:
        """Of the learner's own games by its player."""
        return self.lanes.results

    @property
    def position(self) -> Any:
        """The position of the game in the first lane."""
        return self.lanes.position(self.game, 0)

    def learn(self, opponent: Any, setting: Setting, until: int, most: int = NEVER) -> bool:
        """Play and learn: games that are over one by one, then a move in every lane."""
        began, end, self.forbidden = time.monotonic(), self.plies + most, setting.forbidden
        self._entries.clear()  # the opponent may be of another kind now
        nothing = np.full(len(self.lanes.rows), NOTHING)
        while self.games < until:
            if len(over := self.lanes.over):
                self._finish(int(over[0]), setting)
                close(self.lanes, setting, int(over[0]))
                continue
            if self.lanes.totals[OPENED] < setting.end and (self.lanes.state[:, STATUS] == IDLE).any():
                self._advance(opponent, setting, nothing)
            if len(self.lanes.ready):
                self._advance(opponent, setting, self._act(setting))
            if time.monotonic() - began > _PATIENCE or self.plies >= end:
                break
        return self.games >= until

    def _seen(self, ready: Ints, *, alike: bool = False) -> tuple[Inputs, Outputs]:
        """The network inputs of these lanes, and the output of each action that is allowed."""
        inputs, outputs = new_inputs(self.game, len(ready))
        self._run(encode_rows, self.game, self.game.start(), self.lanes.rows[ready], alike, inputs, outputs)
        if isinstance(self.forbidden, Forbidden):
            restrict(self.game, self.lanes, ready, self.forbidden, self._scratch, outputs)
        return inputs, outputs

    def change(self, config: Any) -> None:
        """Continue with a config that differs in changeable settings."""
        self.config = config

    def arrays(self) -> Arrays:
        """The games in progress; subclasses add their own state."""
        return as_arrays("lanes", self.lanes)

    def restore(self, arrays: Arrays) -> None:
        """Continue these games."""
        lanes = from_arrays("lanes", self.lanes, arrays)
        require("lanes.state", lanes.state, 0, NEVER)
        require("lanes.state", lanes.state[:, STATUS], IDLE, STOPPED + 1)
        waiting = (lanes.state[:, STATUS] == READY) | (lanes.state[:, STATUS] == ASKED)
        require("lanes.state", lanes.state[waiting, PLAYER], 0, 2)
        require("lanes.totals", lanes.totals, 0, NEVER)
        if lanes.totals[OPENED] - lanes.totals[FINISHED] != (lanes.state[:, STATUS] != IDLE).sum():
            raise LudusError("the array lanes.totals counts other games than are in progress")
        require_positions("lanes.rows", lanes.rows, self.game)
        require_positions("lanes.rows", lanes.rows[waiting], self.game, is_over=False)
        self.lanes = lanes
