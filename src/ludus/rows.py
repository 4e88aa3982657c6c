"""Positions as rows of an int64 array: how generic code keeps many of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from ludus.compiling import helper

Row = npt.NDArray[np.int64]
Pos = TypeVar("Pos", bound=tuple[int, ...])


@helper
def pack(pos: tuple[int, ...], row: Row) -> None:
    """Write the fields of a position into a row."""
    row[:] = pos


@helper
def unpack(like: Pos, row: Row) -> Pos:
    """The position of the same class as `like` whose fields stand in the row."""
    return type(like)(*(int(field) for field in row))  # type: ignore[arg-type]


@pack.compiled
def _pack(pos: Any, row: Any) -> Callable[..., Any]:
    # Numba cannot loop over fields of unlike types, so the loop is written out.
    body = "; ".join(f"row[{i}] = pos[{i}]" for i in range(len(pos.fields)))
    return _function(f"def pack(pos, row): {body}")


@unpack.compiled
def _unpack(like: Any, row: Any) -> Callable[..., Any]:
    fields = ", ".join(f"row[{i}]" for i in range(len(like.fields)))
    return _function(f"def unpack(like, row): return make({fields})", make=like.instance_class)


def _function(source: str, **scope: Any) -> Callable[..., Any]:
    exec(source, scope)
    return cast(Callable[..., Any], scope.get("pack") or scope["unpack"])
