"""The inputs of a network: the observation of a position, seen by the side to move where the game allows it.

A game observed by player 0 is transformed for player 1 if one of its symmetries swaps the players, so that one network
plays both sides. Each output of the network then stands for an action of the transformed position.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import helper, kernel
from ludus.compiled.masks import first, is_empty, without_first
from ludus.compiled.rows import Row, borrowed, unpack
from ludus.errors import LudusError
from ludus.game import (
    Viewpoint,
    gives_observe,
    num_actions,
    observation_shape,
    observe,
    swaps_players,
    symmetries,
    transform,
    transform_action,
    viewpoint,
)

Inputs = npt.NDArray[np.float32]  # [positions, *input_shape]
Outputs = npt.NDArray[np.int32]  # [positions, actions], the output of each action
ILLEGAL = -1  # in place of an output


def input_shape(game: Any) -> tuple[int, ...]:
    """The shape of one observation; LudusError if the game has none."""
    if not gives_observe(game):
        raise LudusError(f"{type(game).__name__} gives no observe: a network cannot see it")
    return tuple(int(size) for size in observation_shape(game))


def num_inputs(game: Any) -> int:
    """The number of values in one observation."""
    return math.prod(input_shape(game))


def encode(game: Any, rows: Row, *, canonical: bool = False) -> tuple[Inputs, Outputs]:
    """Returns the inputs of each position, and for each action its output or ILLEGAL.

    canonical: positions that are equal up to symmetry get the same inputs.
    """
    inputs, outputs = new_inputs(game, len(rows))
    encode_rows(game, game.start(), rows, canonical, inputs, outputs)
    return inputs, outputs


def new_inputs(game: Any, number: int) -> tuple[Inputs, Outputs]:
    """Returns zero inputs for a number of positions, with every action ILLEGAL."""
    inputs = np.zeros((number, *input_shape(game)), np.float32)
    return inputs, np.full((number, num_actions(game)), ILLEGAL, np.int32)


@kernel
def encode_rows(game: Any, like: Any, rows: Row, canonical: bool, inputs: Inputs, outputs: Outputs) -> None:
    """Encodes positions into new inputs and outputs."""
    rows, inputs, outputs = borrowed(rows), borrowed(inputs), borrowed(outputs)
    for number in range(len(rows)):
        encode_position(game, unpack(like, rows[number]), canonical, inputs[number], outputs[number])


@helper
def encode_position(game: Any, pos: Any, canonical: bool, inputs: Inputs, outputs: Outputs) -> None:
    """Encodes one position."""
    symmetry = canonical_symmetry(game, pos) if canonical else view_symmetry(game, pos)
    observe(game, transform(game, pos, symmetry) if symmetry else pos, inputs)
    left = game.legal(pos)
    while not is_empty(left):
        action = first(left)
        outputs[action] = transform_action(game, pos, action, symmetry) if symmetry else action
        left = without_first(left)


@helper
def canonical_symmetry(game: Any, pos: Any) -> int:
    """The symmetry that maps a position to the least of all that are equal to it up to symmetry."""
    best = view_symmetry(game, pos)
    least = transform(game, pos, best)
    mover = game.player(least)
    for symmetry in range(symmetries(game)):
        other = transform(game, pos, symmetry)
        if other < least and game.player(other) == mover:
            best, least = symmetry, other
    return best


@helper
def view_symmetry(game: Any, pos: Any) -> int:
    """The symmetry by which the network observes a position: one that swaps the players for player 1, else 0."""
    if viewpoint(game) == Viewpoint.MOVER or game.player(pos) != 1:
        return 0
    for symmetry in range(symmetries(game)):
        if swaps_players(game, symmetry):
            return symmetry
    return 0
