"""Positions that are alike for who sits in one seat: by the symmetries that leave the players where they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ludus.compiling import helper, kernel
from ludus.game import swaps_players, symmetries, transform
from ludus.rows import Row, pack, unpack
from ludus.solving.explore import Explored

Ints = npt.NDArray[np.int64]


@helper
def least_alike(game: Any, pos: Any) -> Any:
    """The least of the positions that are alike."""
    least = pos
    for symmetry in range(1, symmetries(game)):
        if not swaps_players(game, symmetry):
            other = transform(game, pos, symmetry)
            if other < least:
                least = other
    return least


def kinds_of(explored: Explored) -> tuple[Ints, Ints]:
    """The kind of each listed position, alike ones having the same, and the first position of each kind."""
    rows = np.zeros_like(explored.positions)
    write_least(explored.game, explored.start, explored.positions, rows)
    _, first, kinds = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return kinds.reshape(-1), first


@kernel
def write_least(game: Any, like: Any, positions: Row, out: Row) -> None:
    """Write the least of the positions that are like each."""
    for number in range(len(positions)):
        pack(least_alike(game, unpack(like, positions[number])), out[number])
