"""Perft: how many ways there are to play the first plies; it proves rules and measures speed at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ludus.compiling import kernel
from ludus.game import validate
from ludus.masks import count, nth
from ludus.rows import Row, pack, unpack


def perft(game: Any, depth: int, start: Any = None) -> int:
    """The number of action sequences of exactly `depth` plies from `start`, the game's own by default."""
    validate(game)
    pos = game.start() if start is None else start
    rows = np.zeros((max(depth, 1), len(pos)), np.int64)
    return int(count_sequences(game, pos, depth, rows, np.zeros(max(depth, 1), np.int64))) if depth else 1


@kernel
def count_sequences(game: Any, start: Any, depth: int, rows: Row, tried: npt.NDArray[np.int64]) -> int:
    """Walk the tree to depth - 1 and add up the legal actions there; rows and tried are the stack."""
    pack(start, rows[0])
    level = total = 0
    while level >= 0:
        pos = unpack(start, rows[level])
        mask = game.legal(pos)
        if level == depth - 1:
            total += count(mask)
            level -= 1
        elif tried[level] == count(mask):
            tried[level] = 0
            level -= 1
        else:
            pack(game.play(pos, nth(mask, int(tried[level]))), rows[level + 1])
            tried[level] += 1
            level += 1
    return total
