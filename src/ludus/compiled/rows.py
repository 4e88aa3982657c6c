"""Positions as rows of an int64 array: how generic code keeps many of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import function_from, helper

Row = npt.NDArray[np.int64]
Pos = TypeVar("Pos", bound=tuple[int, ...])
Arrays = TypeVar("Arrays")


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
    return function_from(f"def pack(pos, row): {body}")


@unpack.compiled
def _unpack(like: Any, row: Any) -> Callable[..., Any]:
    fields = ", ".join(f"row[{i}]" for i in range(len(like.fields)))
    return function_from(f"def unpack(like, row): return make({fields})", {"make": like.instance_class})


@helper
def borrowed(arrays: Arrays) -> Arrays:
    """The same array, or tuple with arrays in it, for use while the caller of the kernel holds it.

    Compiled code counts references with each view of an array, by a slow instruction; it does not count borrowed ones.
    A borrowed array must not be returned or stored.
    """
    return arrays


@borrowed.compiled
def _borrowed(arrays: Any) -> Callable[..., Any]:
    from ludus.compiled.intrinsics import borrowed as uncounted

    return lambda arrays: uncounted(arrays)


@helper
def prefetch(matrix: Row, row: int) -> None:
    """Begin to load a row of a contiguous matrix into the cache, which compiled code does while it continues."""


@prefetch.compiled
def _prefetch(matrix: Any, row: Any) -> Callable[..., Any]:
    from ludus.compiled import intrinsics

    return lambda matrix, row: intrinsics.prefetch(matrix, row)
