"""Arrays as trainings save and restore them: restored are only those of the right names, types, shapes and ranges."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ludus import face
from ludus.compiled.masks import actions
from ludus.compiled.rows import unpack
from ludus.errors import LudusError
from ludus.game import CHANCE, num_actions

Arrays = dict[str, npt.NDArray[Any]]
Group = TypeVar("Group")


def as_arrays(prefix: str, group: Any) -> Arrays:
    """The arrays of a NamedTuple by name."""
    return {f"{prefix}.{name}": array for name, array in group._asdict().items()}


def from_arrays(prefix: str, like: Group, arrays: Arrays) -> Group:
    """The same group, with copies of the arrays that `as_arrays` named; LudusError if they are unlike those it has."""
    own: dict[str, Any] = like._asdict()  # type: ignore[attr-defined]
    kind: Any = type(like)
    return kind(*(taken(arrays, f"{prefix}.{name}", array) for name, array in own.items()))  # type: ignore[no-any-return]


def taken(arrays: Arrays, name: str, like: npt.NDArray[Any], *, grows: bool = False) -> npt.NDArray[Any]:
    """A copy of an array; LudusError if its type or its shape is another; the first axis may differ if it `grows`."""
    if name not in arrays:
        raise LudusError(f"the array {name} is missing")
    array = arrays[name]
    shape = array.shape[:1] + like.shape[1:] if grows and array.ndim else like.shape
    if array.dtype != like.dtype or array.shape != shape:
        wanted = "x".join(map(str, ("n", *like.shape[1:]) if grows else like.shape))
        raise LudusError(
            f"the array {name} is {array.dtype} {'x'.join(map(str, array.shape))}, and must be {like.dtype} {wanted}"
        )
    return np.array(array)


def require(name: str, array: npt.NDArray[Any], least: float, end: float) -> None:
    """Raise LudusError unless all numbers of an array are `least` or more and less than `end`."""
    if array.size and not (array.min() >= least and array.max() < end):
        raise LudusError(f"the array {name} has numbers beyond {least:g} to {end:g}")


def require_positions(name: str, rows: npt.NDArray[np.int64], game: Any, *, is_over: bool = True) -> None:
    """Raise LudusError unless every row is a position of the game as its notation knows it; perhaps an ended one."""
    for row in np.unique(rows, axis=0) if len(rows) else ():
        try:
            is_sound = _is_position(unpack(game.start(), row), game, is_over=is_over)
        except Exception:  # a notation may raise anything where no game leads
            is_sound = False
        if not is_sound:
            raise LudusError(f"the array {name} has {row.tolist()}, which is no position of {type(game).__name__}")


def _is_position(pos: Any, game: Any, *, is_over: bool) -> bool:
    if face.parse_position(game, face.format_position(game, pos)) != pos:
        return False  # rules might never return
    legal = actions(game.legal(pos))
    is_sound = game.player(pos) in (0, 1, CHANCE) and max(legal, default=0) < num_actions(game)
    return is_sound and (bool(legal) or is_over)
