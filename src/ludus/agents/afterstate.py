"""Play by a small network that says what positions are worth: the action whose resulting position is worth most.

Worths are those for player 0: player 0 seeks the highest, player 1 the lowest. What CHANCE makes of a position is
averaged by its odds; the network is asked only where a player moves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.agents.agent import Probabilities
from ludus.agents.simple import smart_actions
from ludus.compiled.compiling import helper
from ludus.compiled.masks import Mask, actions, count, first, is_empty, without_first
from ludus.compiled.rows import Row, pack, unpack
from ludus.game import (
    CHANCE,
    gives_odds,
    num_actions,
    observation_shape,
    observe,
    odds,
    swaps_players,
    symmetries,
    transform,
)
from ludus.networks.inputs import view_symmetry
from ludus.networks.shallow import Floats, Shallow, output

_OUTCOMES = 16  # times the actions of a game: the room for what CHANCE may do in a row
_LEAST = 1e-6  # what is less likely is left out


class Judge(NamedTuple):
    """What a position is worth beside what the network says.

    by_mover: the network sees it by who moves, and says what it is worth to them; symmetric: it sees one position for
    all alike; by_result: what ends the game is worth its result, which the network is not asked for; smart: wins and
    blocks are taken before anything else, as `smart-random` does; gamma: what a worth one ply later counts now.
    """

    by_mover: bool
    symmetric: bool
    by_result: bool
    smart: bool
    gamma: float
    win: float
    loss: float
    draw: float
    margin: bool


class Room(NamedTuple):
    """Room to think in: what is seen, what hidden units answer, and what CHANCE may do, with its likelihood."""

    seen: npt.NDArray[np.float32]
    units: Floats
    rows: Row
    shares: Floats


class Afterstate(NamedTuple):
    """Takes an action of the best resulting position, any of several."""

    net: Shallow
    judge: Judge

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """All on the best."""
        mask = smart_actions(game, pos) if self.judge.smart else game.legal(pos)
        top, ties = weigh(game, pos, mask, self.net, self.judge, room_for(game, pos, self.net), out)
        left = mask
        while not is_empty(left):
            out[first(left)] = (1.0 / ties) if out[first(left)] == top else 0.0
            left = without_first(left)

    def opinion(self, game: Any, pos: Any) -> dict[int, float]:
        """What the position after each action is worth to who takes it."""
        out = np.zeros(num_actions(game))
        weigh(game, pos, game.legal(pos), self.net, self.judge, room_for(game, pos, self.net), out)
        return {action: float(out[action]) for action in actions(game.legal(pos))}


@helper
def room_for(game: Any, pos: Any, net: Shallow) -> Room:
    """Room for a game and a network."""
    outcomes = _OUTCOMES * num_actions(game) if gives_odds(game) else 0
    return Room(
        np.zeros(observation_shape(game), np.float32),
        np.zeros(len(net.above) - 1),
        np.zeros((outcomes, len(pos)), np.int64),
        np.zeros(outcomes),
    )


@helper
def weigh(
    game: Any, pos: Any, mask: Mask, net: Shallow, judge: Judge, room: Room, out: Probabilities
) -> tuple[float, int]:
    """Write down what each of these actions is worth to the mover; the highest worth, and how many have it."""
    side = 1.0 if game.player(pos) == 0 else -1.0
    top, ties = -np.inf, 0
    left = mask
    while not is_empty(left):
        worth = side * worth_of(game, game.play(pos, first(left)), net, judge, room)
        out[first(left)] = worth
        if worth > top:
            top, ties = worth, 0
        ties += worth == top
        left = without_first(left)
    return top, ties


@helper
def worth_of(game: Any, pos: Any, net: Shallow, judge: Judge, room: Room) -> float:
    """What a position counts, for player 0, where it is one ply away."""
    if gives_odds(game) and game.player(pos) == CHANCE and not is_empty(game.legal(pos)):
        return expected(game, pos, net, judge, room)
    if judge.by_result and is_empty(game.legal(pos)):
        return reward(judge, game.score(pos))
    return judge.gamma * said(game, pos, net, judge, room)


@helper
def said(game: Any, pos: Any, net: Shallow, judge: Judge, room: Room) -> float:
    """What the network says a position is worth to player 0; what it saw and answered is in the room then."""
    room.seen[...] = 0.0
    symmetry = view_symmetry(game, pos) if judge.by_mover else 0
    turned = transform(game, pos, symmetry) if symmetry else pos
    observe(game, least_alike(game, turned) if judge.symmetric else turned, room.seen)
    return side_of(game, pos, judge) * output(net, room.seen.ravel(), room.units)


@helper
def least_alike(game: Any, pos: Any) -> Any:
    """The least of the positions that are alike for the same players."""
    least = pos
    for symmetry in range(1, symmetries(game)):
        other = transform(game, pos, symmetry)
        if other < least and not swaps_players(game, symmetry):
            least = other
    return least


@helper
def side_of(game: Any, pos: Any, judge: Judge) -> float:
    """1 where the network speaks for player 0, -1 where for player 1."""
    return -1.0 if judge.by_mover and game.player(pos) == 1 else 1.0


@helper
def reward(judge: Judge, score: int) -> float:
    """What player 0 earns by the score at the end."""
    if judge.margin:
        return float(score)
    return judge.win if score > 0 else judge.loss if score < 0 else judge.draw


@helper
def expected(game: Any, pos: Any, net: Shallow, judge: Judge, room: Room) -> float:
    """The mean worth of what CHANCE may make of a position; of very many in a row some are left out."""
    total = 0.0
    filled = spread(game, pos, 1.0, room, 0)
    while filled:
        filled -= 1
        share, after = room.shares[filled], unpack(pos, room.rows[filled])
        if game.player(after) == CHANCE and not is_empty(game.legal(after)):
            filled = spread(game, after, share, room, filled)
        elif judge.by_result and is_empty(game.legal(after)):
            total += share * reward(judge, game.score(after))
        else:
            total += share * judge.gamma * said(game, after, net, judge, room)
    return total


@helper
def spread(game: Any, pos: Any, share: float, room: Room, filled: int) -> int:
    """Put what CHANCE may do into the room behind what is there, unless it is full or unlikely; how full it is then."""
    mask = game.legal(pos)
    if share < _LEAST or filled + count(mask) > len(room.shares):
        return filled
    total = 0
    left = mask
    while not is_empty(left):
        total += odds(game, pos, first(left))
        left = without_first(left)
    left = mask
    while not is_empty(left):
        pack(game.play(pos, first(left)), room.rows[filled])
        room.shares[filled] = share * odds(game, pos, first(left)) / total
        filled += 1
        left = without_first(left)
    return filled
