"""What a network sees of positions: what the game observes, flat, through the eyes of who moves where that can be.

A game that is observed by player 0 is turned round for player 1 if one of its symmetries exchanges the players; so one
network plays both sides. Actions are then named as they are in the position that is seen.
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

Inputs = npt.NDArray[np.float32]
Outputs = npt.NDArray[np.int32]

ILLEGAL = -1  # in place of the output that stands for an action


def input_shape(game: Any) -> tuple[int, ...]:
    """The shape of what a network sees of one position; LudusError for a game that shows nothing."""
    if not gives_observe(game):
        raise LudusError(f"{type(game).__name__} gives no observe: a network cannot see it")
    return tuple(int(size) for size in observation_shape(game))


def num_inputs(game: Any) -> int:
    """How many numbers that are."""
    return math.prod(input_shape(game))


def seen(game: Any, rows: Row, *, alike: bool = False) -> tuple[Inputs, Outputs]:
    """What a network sees of each position, one a row, and for each action which output stands for it, or ILLEGAL.

    alike: all positions that are alike up to symmetry are seen as one.
    """
    inputs, outputs = unseen(game, len(rows))
    look(game, game.start(), rows, alike, inputs, outputs)
    return inputs, outputs


def unseen(game: Any, number: int) -> tuple[Inputs, Outputs]:
    """Room for what a network sees of so many positions."""
    inputs = np.zeros((number, *input_shape(game)), np.float32)
    return inputs, np.full((number, num_actions(game)), ILLEGAL, np.int32)


@kernel
def look(game: Any, like: Any, rows: Row, alike: bool, inputs: Inputs, outputs: Outputs) -> None:
    """Write down the same where nothing is seen yet."""
    rows, inputs, outputs = borrowed(rows), borrowed(inputs), borrowed(outputs)
    for number in range(len(rows)):
        look_at(game, unpack(like, rows[number]), alike, inputs[number], outputs[number])


@helper
def look_at(game: Any, pos: Any, alike: bool, inputs: Inputs, outputs: Outputs) -> None:
    """The same for one position."""
    symmetry = least_view(game, pos) if alike else turned_by(game, pos)
    observe(game, transform(game, pos, symmetry) if symmetry else pos, inputs)
    left = game.legal(pos)
    while not is_empty(left):
        action = first(left)
        outputs[action] = transform_action(game, pos, action, symmetry) if symmetry else action
        left = without_first(left)


@helper
def least_view(game: Any, pos: Any) -> int:
    """The symmetry by which all positions that are alike are seen as one, the least of them."""
    best = turned_by(game, pos)
    least = transform(game, pos, best)
    mover = game.player(least)
    for symmetry in range(symmetries(game)):
        other = transform(game, pos, symmetry)
        if other < least and game.player(other) == mover:
            best, least = symmetry, other
    return best


@helper
def turned_by(game: Any, pos: Any) -> int:
    """The symmetry by which a position is seen."""
    if viewpoint(game) == Viewpoint.MOVER or game.player(pos) != 1:
        return 0
    for symmetry in range(symmetries(game)):
        if swaps_players(game, symmetry):
            return symmetry
    return 0
