"""Games side by side in lockstep, one kernel per agent; the course of each depends on the seed and its number alone."""

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
from ludus.agents.simple import First, Last, Random, SmartRandom
from ludus.compiled.compiling import kernel
from ludus.compiled.masks import is_empty
from ludus.compiled.randomness import State, new_state, stream_start
from ludus.compiled.rows import Row, pack, unpack
from ludus.game import CHANCE, gives_odds, num_actions
from ludus.playout import random_action

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Streams = npt.NDArray[np.uint64]
Shares = npt.NDArray[np.float64]  # [..., actions]
BOTH = 2  # the seat of an agent that plays for both sides
NOBODY = 3  # the seat of an agent that only watches while CHANCE plays
_STRETCH = 32  # plies of a game that a call plays, at most
_PLY = {Random: 30, First: 30, Last: 30, SmartRandom: 170}  # microseconds of a ply in plain Python, where it may pay
_OWN_PLIES = 10  # of an agent in a game, about


class Judged(NamedTuple):
    """Results for one agent; a game that was cut has not ended and scores 0."""

    score: Ints  # [games], for player 0
    ended: Bools  # [games]
    counts: Ints  # [moved second, (win, loss, draw)]
    totals: Ints  # [its scores, plies]


class Games(NamedTuple):
    """Games in play, one a row; moves: the actions of each game where they are recorded, else no columns."""

    rows: Row  # [games, fields] positions
    streams: Streams  # [games]
    plies: Ints  # [games]
    over: Bools  # [games]
    moves: Ints  # [games, plies]
    cap: int
    recorded: bool


class Table:
    """The games of a match, one for each row of starting positions; `streams`: key of the seed, first number."""

    def __init__(self, game: Any, rows: Row, streams: tuple[np.uint64, int], *, cap: int, recorded: bool) -> None:
        self.game, self.like, size = game, game.start(), len(rows)
        opened = np.zeros(size, np.uint64)
        open_streams(*streams, opened)
        moves = np.zeros((size, 64 if recorded else 0), np.int64)
        plies, over = np.zeros(size, np.int64), np.zeros(size, np.bool_)
        self.games = Games(rows, opened, plies, over, moves, cap or 1 << 62, recorded)
        self.resigned = np.zeros(size, np.bool_)  # by the side to move

    def play(self, agents: tuple[Any, Any], seats: Ints) -> None:
        """Play all games to the end; seats[i] is the player of the first agent in game i."""
        turns = [(agents[0], np.full(len(seats), BOTH))] if _alike(*agents) else []
        turns = turns or [(agents[0], seats), (agents[1], 1 - seats)]
        while not self.games.over.all():
            for agent, holds in turns:
                self._advance(agent, holds)

    def _advance(self, agent: Any, holds: Ints) -> None:
        """Let an agent play wherever it is to move, until the other is or the games are over."""
        if is_compiled(agent):
            self._run(agent, holds)
            return
        self._settle_chance()
        movers = np.zeros(len(holds), np.int64)
        while True:
            find_movers(self.game, self.like, self.games.rows, movers)
            waiting = np.flatnonzero(~self.games.over & ((movers == holds) | (holds == BOTH)))
            if not len(waiting):
                return
            positions = [unpack(self.like, self.games.rows[i]) for i in waiting]
            if is_batched(agent):
                self._take(agent, waiting, np.asarray(agent.policies(self.game, positions), np.float64))
            else:
                for i, pos in zip(waiting, positions, strict=True):
                    self._take(agent, np.array([i]), probabilities(agent, self.game, pos)[np.newaxis])
            self._settle_chance()

    def _run(self, agent: Any, holds: Ints) -> None:
        """Let a compiled agent, and CHANCE, play."""
        out = np.zeros(num_actions(self.game))
        while advance(agent, self.game, self.like, holds, out, new_state(), self.games):
            self._make_room()

    def _settle_chance(self) -> None:
        """Let CHANCE move wherever it is to, and mark the games that are over."""
        self._run(Random(), np.full(len(self.resigned), NOBODY))

    def _make_room(self) -> None:
        moves = self.games.moves
        self.games = self.games._replace(moves=np.concatenate([moves, np.zeros_like(moves)], axis=1))

    def _take(self, agent: Any, waiting: Ints, shares: Shares) -> None:
        """Draw and play an action in each of these games; the next `_settle_chance` marks those that end."""
        if may_resign(agent):
            resigned = np.zeros(len(waiting), np.bool_)
            find_resigned(self.game, self.like, self.games.rows[waiting], shares, resigned)
            self.games.over[waiting] = self.resigned[waiting] = resigned
            waiting, shares = waiting[~resigned], shares[~resigned]
        if not len(waiting):
            return
        if self.games.recorded and self.games.plies[waiting].max() == self.games.moves.shape[1]:
            self._make_room()
        take(self.game, self.like, waiting, shares, self.games)

    def judge(self, seats: Ints, movers: Ints) -> Judged:
        """The results for an agent in these seats when these players moved first."""
        score, ended = np.zeros(len(seats), np.int64), np.zeros(len(seats), np.bool_)
        judged = Judged(score, ended, np.zeros((2, 3), np.int64), np.zeros(2, np.int64))
        judge(self.game, self.like, self.games, self.resigned, seats, movers, judged)
        return judged


def _alike(a: Any, b: Any) -> bool:
    """Whether one kernel can play for both: the same agent, or equal ones whose fields are all numbers."""
    if not (is_compiled(a) and type(a) is type(b)):
        return False
    return a is b or (all(isinstance(field, (int, float)) for field in a) and a == b)


@kernel(work=lambda key, first, streams: 2 * len(streams))
def open_streams(key: np.uint64, first: int, streams: Streams) -> None:
    """Set each stream to the start of its game's."""
    for i in range(len(streams)):
        streams[i] = stream_start(key, first + i)


def _plain_work(agent: Any, *args: Any) -> float:
    """The microseconds of all games still in play, so that a long match is compiled for at once."""
    return float(_OWN_PLIES * _PLY.get(type(agent), np.inf) * np.count_nonzero(~args[-1].over))


@kernel(work=_plain_work)
def advance(agent: Any, game: Any, like: Any, holds: Ints, out: Shares, state: State, games: Games) -> bool:
    """Play every game, for a stretch, while the agent (player holds[i]) or CHANCE is to move; whether `moves` is full.

    out [actions] and state [1] are room.
    """
    rows, streams, plies, over, moves, cap, recorded = games
    full = False
    for i in range(len(rows)):
        if over[i]:
            continue
        pos = unpack(like, rows[i])
        mask = game.legal(pos)
        length, hold, state[0] = plies[i], holds[i], streams[i]
        end = min(cap, length + _STRETCH)
        while not is_empty(mask) and length < end:
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


@kernel(work=lambda game, like, waiting, shares, games: 50 * len(waiting))
def take(game: Any, like: Any, waiting: Ints, shares: Shares, games: Games) -> None:
    """Draw one action by each row of shares [waiting, actions] and play it; does not mark games as over."""
    for number in range(len(waiting)):
        i = waiting[number]
        pos = unpack(like, games.rows[i])
        action = draw_action(shares[number], game.legal(pos), games.streams[i : i + 1])
        if games.recorded:
            games.moves[i, games.plies[i]] = action
        pack(game.play(pos, action), games.rows[i])
        games.plies[i] += 1


@kernel(work=lambda game, like, rows, movers: 5 * len(rows))
def find_movers(game: Any, like: Any, rows: Row, movers: Ints) -> None:
    """Fill in the player to move in every row; movers [rows]."""
    for i in range(len(rows)):
        movers[i] = game.player(unpack(like, rows[i]))


@kernel(work=lambda game, like, rows, shares, resigned: 20 * len(rows))
def find_resigned(game: Any, like: Any, rows: Row, shares: Shares, resigned: Bools) -> None:
    """Mark rows in which no legal action has a share; shares [rows, actions], resigned [rows]."""
    for i in range(len(rows)):
        resigned[i] = resigns(shares[i], game.legal(unpack(like, rows[i])))


@kernel(work=lambda game, like, games, *judging: 10 * len(games.rows))
def judge(game: Any, like: Any, games: Games, resigned: Bools, seats: Ints, movers: Ints, judged: Judged) -> None:
    """Fill in `judged`; resigned, seats and movers [games]."""
    score, ended, counts, totals = judged
    for i in range(len(games.rows)):
        pos = unpack(like, games.rows[i])
        if resigned[i] or is_empty(game.legal(pos)):
            ended[i] = True
            score[i] = score_of_resigning(game, pos) if resigned[i] else game.score(pos)
        for_agent = score[i] if seats[i] == 0 else -score[i]
        outcome = 0 if for_agent > 0 else 1 if for_agent < 0 else 2
        counts[int(seats[i] != movers[i]), outcome] += 1
        totals[0] += for_agent
        totals[1] += games.plies[i]
