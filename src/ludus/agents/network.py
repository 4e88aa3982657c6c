"""Agents that play by a network: by action values, or by the value of the position after each action."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.agents.agent import Probabilities
from ludus.agents.gumbel_search import SearchSettings
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
from ludus.networks.inputs import ILLEGAL, Inputs, encode, view_symmetry
from ludus.networks.runtime import jax
from ludus.networks.shallow import Floats, Shallow, output

_SIZES = (1, 16, 256, 4096)  # of the batches it is compiled for


class Asked:
    """`apply(parameters, inputs)` compiled, in batches of few sizes."""

    def __init__(self, apply: Callable[[Any, Any], Any], parameters: Any) -> None:
        self._apply, self._parameters = jax().jit(apply), jax().device_put(parameters)

    def __call__(self, inputs: Inputs) -> Any:
        """What it says of each row: an array, or several, of as many rows."""
        parts = [self._batch(inputs[begin : begin + _SIZES[-1]]) for begin in range(0, len(inputs), _SIZES[-1])]
        return jax().tree.map(lambda *arrays: np.concatenate(arrays), *parts)

    def _batch(self, inputs: Inputs) -> Any:
        size = next(size for size in _SIZES if size >= len(inputs))
        padded = np.zeros((size, *inputs.shape[1:]), np.float32)
        padded[: len(inputs)] = inputs
        said = self._apply(self._parameters, padded)
        return jax().tree.map(lambda array: np.asarray(array)[: len(inputs)], said)


class Highest:
    """Takes the legal action of the highest output, any of several; `apply` says what the network makes of inputs.

    Where an output that stands for no legal action is higher still, with `slips` any legal action, with `may_resign`
    none. With `alike`, it sees positions that are alike up to symmetry as one.
    """

    def __init__(
        self,
        apply: Callable[[Any, Any], Any],
        parameters: Any,
        *,
        slips: bool = False,
        may_resign: bool = False,
        alike: bool = False,
    ) -> None:
        self._asked, self._slips, self.may_resign, self._alike = Asked(apply, parameters), slips, may_resign, alike

    def policies(self, game: Any, positions: Sequence[Any]) -> Probabilities:
        """All on the best, in each position."""
        worth, highest = self._worth(game, positions)
        best = worth == worth.max(axis=1, keepdims=True)
        slipped = (highest > worth.max(axis=1))[:, None]
        if self._slips:
            best |= (worth > -np.inf) & slipped
        if self.may_resign:
            best &= ~slipped
        shares: Probabilities = best / np.maximum(best.sum(axis=1, keepdims=True), 1)
        return shares

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """The same in one position."""
        out[:] = self.policies(game, [pos])[0]

    def evaluation(self, game: Any, pos: Any) -> dict[int, float]:
        """The output for each action."""
        return self.evaluations(game, [pos])[0]

    def evaluations(self, game: Any, positions: Sequence[Any]) -> list[dict[int, float]]:
        """The same in each position."""
        worths, _ = self._worth(game, positions)
        legal = [actions(game.legal(pos)) for pos in positions]
        return [{action: float(row[action]) for action in own} for row, own in zip(worths, legal, strict=True)]

    def _worth(self, game: Any, positions: Sequence[Any]) -> tuple[Probabilities, Probabilities]:
        """The output for each action, minus infinity where it is illegal; and the highest of all outputs."""
        rows = np.array(positions, np.int64).reshape(len(positions), len(game.start()))
        inputs, outputs = encode(game, rows, canonical=self._alike)
        said = self._asked(inputs)
        worth = np.take_along_axis(said, np.maximum(outputs, 0), axis=1).astype(np.float64)
        legal = np.where(outputs == ILLEGAL, -np.inf, worth).reshape(len(positions), num_actions(game))
        return legal, said.max(axis=1).astype(np.float64)


class PolicyValue(Highest):
    """Takes the legal action that its policy likes best; `apply` gives logits and worths.

    rules: how a search by this network weighs what it finds.
    """

    def __init__(self, apply: Callable[[Any, Any], tuple[Any, Any]], parameters: Any, settings: SearchSettings) -> None:
        super().__init__(lambda parameters, inputs: apply(parameters, inputs)[0], parameters)
        self.settings, self._both = settings, Asked(apply, parameters)

    def evaluate(self, inputs: Inputs) -> tuple[Any, Any]:
        """The logits of all outputs, and the worth for the player to move, of each input."""
        logits, worths = self._both(inputs)
        return logits, worths

    def evaluations(self, game: Any, positions: Sequence[Any]) -> list[dict[int, float]]:
        """The share of each action in its policy, in each position."""
        return [_shares(logits) for logits in super().evaluations(game, positions)]


def _shares(logits: dict[int, float]) -> dict[int, float]:
    highest = max(logits.values())
    shares = {action: float(np.exp(logit - highest)) for action, logit in logits.items()}
    return {action: share / sum(shares.values()) for action, share in shares.items()}


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

    def evaluation(self, game: Any, pos: Any) -> dict[int, float]:
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
