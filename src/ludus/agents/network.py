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
from ludus.networks.deep import require_numbers
from ludus.networks.inputs import ILLEGAL, Inputs, encode, view_symmetry
from ludus.networks.runtime import jax
from ludus.networks.shallow import Floats, Shallow, output

_SIZES = (1, 16, 256, 4096)  # of the batches it is compiled for


class Batched:
    """`apply(parameters, inputs)` compiled, in batches of few sizes."""

    def __init__(self, apply: Callable[[Any, Any], Any], parameters: Any) -> None:
        self._apply, self._parameters = jax().jit(apply), jax().device_put(parameters)

    def __call__(self, inputs: Inputs) -> Any:
        """The outputs, an array or several, a row for each input."""
        parts = [self._batch(inputs[begin : begin + _SIZES[-1]]) for begin in range(0, len(inputs), _SIZES[-1])]
        outputs = jax().tree.map(lambda *arrays: np.concatenate(arrays), *parts)
        require_numbers(*jax().tree.leaves(outputs))
        return outputs

    def _batch(self, inputs: Inputs) -> Any:
        size = next(size for size in _SIZES if size >= len(inputs))
        padded = np.zeros((size, *inputs.shape[1:]), np.float32)
        padded[: len(inputs)] = inputs
        network_value = self._apply(self._parameters, padded)
        return jax().tree.map(lambda array: np.asarray(array)[: len(inputs)], network_value)


class Highest:
    """The legal action of the highest output of `apply(parameters, inputs)`, any of several.

    Where the output of an illegal action is higher still, `slips` plays any legal action and `may_resign` none. With
    `canonical`, the network sees the canonical image of a position.
    """

    def __init__(
        self,
        apply: Callable[[Any, Any], Any],
        parameters: Any,
        *,
        slips: bool = False,
        may_resign: bool = False,
        canonical: bool = False,
    ) -> None:
        self._batched, self._slips, self.may_resign, self._canonical = (
            Batched(apply, parameters),
            slips,
            may_resign,
            canonical,
        )

    def policies(self, game: Any, positions: Sequence[Any]) -> Probabilities:
        """All on the best action, in each position."""
        value, highest = self._values(game, positions)
        best = value == value.max(axis=1, keepdims=True)
        slipped = (highest > value.max(axis=1))[:, None]
        if self._slips:
            best |= (value > -np.inf) & slipped
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
        values, _ = self._values(game, positions)
        legal = [actions(game.legal(pos)) for pos in positions]
        return [{action: float(row[action]) for action in own} for row, own in zip(values, legal, strict=True)]

    def _values(self, game: Any, positions: Sequence[Any]) -> tuple[Probabilities, Probabilities]:
        """The output for each action, minus infinity where it is illegal; and the highest of all outputs."""
        rows = np.array(positions, np.int64).reshape(len(positions), len(game.start()))
        inputs, outputs = encode(game, rows, canonical=self._canonical)
        network_value = self._batched(inputs)
        value = np.take_along_axis(network_value, np.maximum(outputs, 0), axis=1).astype(np.float64)
        legal = np.where(outputs == ILLEGAL, -np.inf, value).reshape(len(positions), num_actions(game))
        return legal, network_value.max(axis=1).astype(np.float64)


class PolicyValue(Highest):
    """The most probable legal action of a policy; `apply` gives logits and values, `settings` are those of searches."""

    def __init__(self, apply: Callable[[Any, Any], tuple[Any, Any]], parameters: Any, settings: SearchSettings) -> None:
        super().__init__(lambda parameters, inputs: apply(parameters, inputs)[0], parameters)
        self.settings, self._both = settings, Batched(apply, parameters)

    def evaluate(self, inputs: Inputs) -> tuple[Any, Any]:
        """The logits of all outputs, and the value for the side to move, of each input."""
        logits, values = self._both(inputs)
        return logits, values

    def evaluations(self, game: Any, positions: Sequence[Any]) -> list[dict[int, float]]:
        """The probability of each action, in each position."""
        return [_shares(logits) for logits in super().evaluations(game, positions)]


def _shares(logits: dict[int, float]) -> dict[int, float]:
    highest = max(logits.values())
    shares = {action: float(np.exp(logit - highest)) for action, logit in logits.items()}
    return {action: share / sum(shares.values()) for action, share in shares.items()}


_OUTCOMES = 16  # times the actions of a game: room for the outcomes of CHANCE moves in a row
_LEAST = 1e-6  # less likely outcomes are left out


class Judge(NamedTuple):
    """How positions are valued.

    by_mover: the network sees a position from the side to move, and values it for that side; symmetric: it sees the
    canonical image; by_result: an ended game counts its reward, not the network's value; smart: wins and blocks come
    first, as in `smart-random`; gamma: the discount per ply.
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
    """Work arrays: the observation, the hidden units, and the outcomes of CHANCE with their probabilities."""

    seen: npt.NDArray[np.float32]  # [*observation_shape]
    units: Floats  # [hidden]
    rows: Row  # [outcomes, fields]
    shares: Floats  # [outcomes]


class Afterstate(NamedTuple):
    """The action with the best resulting position, any of several."""

    net: Shallow
    judge: Judge

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """Uniform over the best actions."""
        mask = smart_actions(game, pos) if self.judge.smart else game.legal(pos)
        top, ties = evaluate_actions(game, pos, mask, self.net, self.judge, room_for(game, pos, self.net), out)
        left = mask
        while not is_empty(left):
            out[first(left)] = (1.0 / ties) if out[first(left)] == top else 0.0
            left = without_first(left)

    def evaluation(self, game: Any, pos: Any) -> dict[int, float]:
        """The value of the position after each action, for the side to move."""
        out = np.zeros(num_actions(game))
        evaluate_actions(game, pos, game.legal(pos), self.net, self.judge, room_for(game, pos, self.net), out)
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
def evaluate_actions(
    game: Any, pos: Any, mask: Mask, net: Shallow, judge: Judge, room: Room, out: Probabilities
) -> tuple[float, int]:
    """Write the value of each of these actions for the side to move; the highest value, and how many have it."""
    side = 1.0 if game.player(pos) == 0 else -1.0
    top, ties = -np.inf, 0
    left = mask
    while not is_empty(left):
        value = side * afterstate_value(game, game.play(pos, first(left)), net, judge, room)
        out[first(left)] = value
        if value > top:
            top, ties = value, 0
        ties += value == top
        left = without_first(left)
    return top, ties


@helper
def afterstate_value(game: Any, pos: Any, net: Shallow, judge: Judge, room: Room) -> float:
    """The discounted value of a position one ply ahead, for player 0."""
    if gives_odds(game) and game.player(pos) == CHANCE and not is_empty(game.legal(pos)):
        return expected(game, pos, net, judge, room)
    if judge.by_result and is_empty(game.legal(pos)):
        return reward(judge, game.score(pos))
    return judge.gamma * network_value(game, pos, net, judge, room)


@helper
def network_value(game: Any, pos: Any, net: Shallow, judge: Judge, room: Room) -> float:
    """The network's value of a position for player 0; leaves observation and hidden units in the room."""
    room.seen[...] = 0.0
    symmetry = view_symmetry(game, pos) if judge.by_mover else 0
    turned = transform(game, pos, symmetry) if symmetry else pos
    observe(game, canonical_position(game, turned) if judge.symmetric else turned, room.seen)
    return side_of(game, pos, judge) * output(net, room.seen.ravel(), room.units)


@helper
def canonical_position(game: Any, pos: Any) -> Any:
    """The least image of a position by the symmetries that keep the players."""
    least = pos
    for symmetry in range(1, symmetries(game)):
        other = transform(game, pos, symmetry)
        if other < least and not swaps_players(game, symmetry):
            least = other
    return least


@helper
def side_of(game: Any, pos: Any, judge: Judge) -> float:
    """1 where the network values for player 0, -1 for player 1."""
    return -1.0 if judge.by_mover and game.player(pos) == 1 else 1.0


@helper
def reward(judge: Judge, score: int) -> float:
    """The reward of player 0 at the end."""
    if judge.margin:
        return float(score)
    return judge.win if score > 0 else judge.loss if score < 0 else judge.draw


@helper
def expected(game: Any, pos: Any, net: Shallow, judge: Judge, room: Room) -> float:
    """The expected value of a CHANCE position; of very many outcomes some are left out."""
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
            total += share * judge.gamma * network_value(game, after, net, judge, room)
    return total


@helper
def spread(game: Any, pos: Any, share: float, room: Room, filled: int) -> int:
    """Append the outcomes of CHANCE to the room, unless it is full or they are unlikely; the new number of outcomes."""
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
