"""Adapters to other libraries; here what they share: observations, legal actions, the error without the library."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import kernel
from ludus.compiled.masks import has
from ludus.compiled.rows import Row, unpack
from ludus.errors import LudusError
from ludus.game import gives_observe, num_actions, observation_shape, observe


def missing(extra: str) -> LudusError:
    """The error that names the extra."""
    return LudusError(f"{extra} is not installed: pip install 'ludus[{extra}]'")


Seen = npt.NDArray[Any]
Allowed = npt.NDArray[np.int8]


def seen_shape(game: Any) -> tuple[int, ...]:
    """The shape of an observation."""
    return tuple(map(int, observation_shape(game))) if gives_observe(game) else (len(game.start()),)


def seen_type(game: Any) -> type[np.float32] | type[np.int64]:
    """float32 for games with `observe`, int64 for the fields of positions."""
    return np.float32 if gives_observe(game) else np.int64


def seen(game: Any, pos: Any) -> Seen:
    """The observation of one position, from the game's `viewpoint`."""
    if not gives_observe(game):
        return np.array(pos, np.int64)
    out = np.zeros(seen_shape(game), np.float32)
    observe(game, pos, out)
    return out


def allowed(game: Any, pos: Any) -> Allowed:
    """1 for each legal action, 0 for others."""
    mask = game.legal(pos)
    return np.array([has(mask, action) for action in range(num_actions(game))], np.int8)


@kernel
def look_around(game: Any, like: Any, rows: Row, out: npt.NDArray[np.float32], legal: Allowed) -> None:
    """Write out [positions, *seen_shape], zeros before and without `observe`, and legal [positions, actions]."""
    for number in range(len(rows)):
        pos = unpack(like, rows[number])
        observe(game, pos, out[number])
        mask = game.legal(pos)
        for action in range(legal.shape[1]):
            legal[number, action] = has(mask, action)
