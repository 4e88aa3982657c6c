"""Many games at once, advanced in lockstep: one kernel per agent over arrays of positions.

Each game has one stream of random numbers, drawn from in the order of its plies, so that the result depends on the seed
and the number of the game alone, not on how many are played together or by which kinds of agents.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.agents.agent import (
    choose,
    draw_action,
    is_batched,
    is_compiled,
    may_resign,
    probabilities,
    resigns,
    score_of_resigning,
)
from ludus.agents.simple import Random
from ludus.compiled.compiling import kernel
from ludus.compiled.masks import is_empty
from ludus.compiled.randomness import stream_start
from ludus.compiled.rows import Row, pack, unpack
from ludus.game import CHANCE, gives_odds, num_actions
from ludus.playout import random_action

Ints = npt.NDArray[np.int64]

Streams = npt.NDArray[np.uint64]


BOTH = 2  # the seat of an agent that plays for both sides

NOBODY = 3  # and of one that only watches while CHANCE plays


class Judged(NamedTuple):
    """How some games ended, for one agent.

    score: for player 0, 0 if the game was cut; ended: whether it was not; counts: by whether the agent moved second,
    wins, losses and draws; totals: of its scores, and of plies.
    """

    score: Ints
    ended: npt.NDArray[np.bool_]
    counts: Ints
    totals: Ints


class Table:
    """The games of a match from number `first` on, one for each row of starting positions.

    `moves` keeps the actions of each game when it is recorded; `resigned` says which ended because the mover resigned.
    """

    def __init__(self, game: Any, rows: Row, key: np.uint64, first: int, *, cap: int, recorded: bool) -> None:
        self.game, self.like, self.cap = game, game.start(), cap or 1 << 62
        size = len(rows)
        self.rows = rows
        self.streams = np.zeros(size, np.uint64)
        open_streams(key, first, self.streams)
        self.plies = np.zeros(size, np.int64)
        self.over, self.resigned = np.zeros(size, np.bool_), np.zeros(size, np.bool_)
        self.moves = np.zeros((size, 64 if recorded else 0), np.int64)
        self.recorded = recorded

    def play(self, agents: tuple[Any, Any], seats: Ints) -> None:
        """Play all games to the end; seats[i] is where the first of the agents sits in game i."""
        turns = [(agents[0], np.full(len(seats), BOTH))] if _alike(*agents) else []
        turns = turns or [(agents[0], seats), (agents[1], 1 - seats)]
        while not self.over.all():
            for agent, holds in turns:
                self._advance(agent, holds)

    def _advance(self, agent: Any, holds: Ints) -> None:
        """Let an agent play wherever it is to move, until the others are, or the games are over."""
        if is_compiled(agent):
            self._run(agent, holds)
            return
        self._settle_chance()
        while len(waiting := self._waiting(holds)):
            if is_batched(agent):
                self._play_together(agent, waiting)
            else:
                self._play_one_by_one(agent, waiting)
            self._settle_chance()

    def _run(self, agent: Any, holds: Ints) -> None:
        """Let a compiled agent, and CHANCE, play on."""
        watched: tuple[Any, ...] = (agent, self.game, self.like, holds, np.zeros(num_actions(self.game)))
        while advance(*watched, *self._arrays()):
            self._make_room()

    def _arrays(self) -> tuple[Any, ...]:
        return self.rows, self.streams, self.plies, self.over, self.moves, self.cap, self.recorded

    def _settle_chance(self) -> None:
        """Let CHANCE move wherever it is to, and see which games are over."""
        self._run(Random(), np.full(len(self.rows), NOBODY))

    def _make_room(self) -> None:
        self.moves = np.concatenate([self.moves, np.zeros_like(self.moves)], axis=1)

    def _waiting(self, holds: Ints) -> Ints:
        movers = np.zeros(len(self.rows), np.int64)
        find_movers(self.game, self.like, self.rows, movers)
        return np.flatnonzero(~self.over & ((movers == holds) | (holds == BOTH)))

    def _play_together(self, agent: Any, waiting: Ints) -> None:
        positions = [unpack(self.like, self.rows[i]) for i in waiting]
        self._take(agent, waiting, np.asarray(agent.policies(self.game, positions), np.float64))

    def _play_one_by_one(self, agent: Any, waiting: Ints) -> None:
        for i in waiting:
            shares = probabilities(agent, self.game, unpack(self.like, self.rows[i]))
            self._take(agent, np.array([i]), shares[np.newaxis])

    def _take(self, agent: Any, waiting: Ints, shares: npt.NDArray[np.float64]) -> None:
        """Draw an action in each of these games and play it; the end is seen by the next `_settle_chance`."""
        if may_resign(agent):
            going_on = self._going_on(waiting, shares)
            waiting, shares = waiting[going_on], shares[going_on]
        if not len(waiting):
            return
        if self.recorded and self.plies[waiting].max() == self.moves.shape[1]:
            self._make_room()
        take(self.game, self.like, waiting, shares, *self._arrays())

    def _going_on(self, waiting: Ints, shares: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
        """Where the mover does not resign; the other games are over."""
        resigned = np.zeros(len(waiting), np.bool_)
        find_resigned(self.game, self.like, self.rows[waiting], shares, resigned)
        self.over[waiting] = self.resigned[waiting] = resigned
        return ~resigned

    def judge(self, seats: Ints, movers: Ints) -> Judged:
        """How the games ended, for an agent in these seats when these players moved first."""
        size = len(self.rows)
        judged = Judged(
            np.zeros(size, np.int64), np.zeros(size, np.bool_), np.zeros((2, 3), np.int64), np.zeros(2, np.int64)
        )
        judge(self.game, self.like, self.rows, self.plies, self.resigned, seats, movers, *judged)
        return judged


def _alike(a: Any, b: Any) -> bool:
    """Whether one kernel can play for both: the same agent, or equal ones that hold nothing but numbers."""
    if not (is_compiled(a) and type(a) is type(b)):
        return False
    return a is b or (all(isinstance(field, (int, float)) for field in a) and a == b)


@kernel
def open_streams(key: np.uint64, first: int, streams: Streams) -> None:
    """Set each stream to the beginning of its game's."""
    for i in range(len(streams)):
        streams[i] = stream_start(key, first + i)


@kernel
def advance(
    agent: Any,
    game: Any,
    like: Any,
    holds: Ints,
    out: npt.NDArray[np.float64],
    rows: Row,
    streams: Streams,
    plies: Ints,
    over: npt.NDArray[np.bool_],
    moves: Ints,
    cap: int,
    recorded: bool,
) -> bool:
    """Play in every game as long as the agent, or CHANCE, is to move; whether some game ran out of room for moves."""
    full = False
    state = np.zeros(1, np.uint64)
    for i in range(len(rows)):
        if over[i]:
            continue
        pos = unpack(like, rows[i])
        mask = game.legal(pos)
        length, hold, state[0] = plies[i], holds[i], streams[i]
        while not is_empty(mask) and length < cap:
            if recorded and length == moves.shape[1]:
                full = True
                break
            player = game.player(pos)
            if gives_odds(game) and player == CHANCE:
                action = random_action(game, pos, mask, state)
            elif hold == BOTH or player == hold:
                action = choose(agent, game, pos, mask, out, state)
            else:
                break
            if recorded:
                moves[i, length] = action
            pos = game.play(pos, action)
            mask = game.legal(pos)
            length += 1
        over[i] = is_empty(mask) or length >= cap
        plies[i], streams[i] = length, state[0]
        pack(pos, rows[i])
    return full


@kernel
def take(
    game: Any,
    like: Any,
    waiting: Ints,
    shares: npt.NDArray[np.float64],
    rows: Row,
    streams: Streams,
    plies: Ints,
    over: npt.NDArray[np.bool_],
    moves: Ints,
    cap: int,
    recorded: bool,
) -> None:
    """Play one action in each of these games, drawn by its row of shares; which games are over is not looked at."""
    for number in range(len(waiting)):
        i = waiting[number]
        pos = unpack(like, rows[i])
        action = draw_action(shares[number], game.legal(pos), streams[i : i + 1])
        if recorded:
            moves[i, plies[i]] = action
        pack(game.play(pos, action), rows[i])
        plies[i] += 1


@kernel
def find_movers(game: Any, like: Any, rows: Row, movers: Ints) -> None:
    """Who is to move in every row."""
    for i in range(len(rows)):
        movers[i] = game.player(unpack(like, rows[i]))


@kernel
def find_resigned(
    game: Any, like: Any, rows: Row, shares: npt.NDArray[np.float64], resigned: npt.NDArray[np.bool_]
) -> None:
    """Where no legal action has a share."""
    for i in range(len(rows)):
        resigned[i] = resigns(shares[i], game.legal(unpack(like, rows[i])))


@kernel
def judge(
    game: Any,
    like: Any,
    rows: Row,
    plies: Ints,
    resigned: npt.NDArray[np.bool_],
    seats: Ints,
    movers: Ints,
    score: Ints,
    ended: npt.NDArray[np.bool_],
    counts: Ints,
    totals: Ints,
) -> None:
    """Fill in what `Judged` says of the games."""
    for i in range(len(rows)):
        pos = unpack(like, rows[i])
        if resigned[i] or is_empty(game.legal(pos)):
            ended[i] = True
            score[i] = score_of_resigning(game, pos) if resigned[i] else game.score(pos)
        for_agent = score[i] if seats[i] == 0 else -score[i]
        outcome = 0 if for_agent > 0 else 1 if for_agent < 0 else 2
        counts[int(seats[i] != movers[i]), outcome] += 1
        totals[0] += for_agent
        totals[1] += plies[i]
