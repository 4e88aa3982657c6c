"""Sets of actions: one int for up to 63 actions, a tuple of ints for more.

Action a is bit a % 63 of word a // 63 (bit 63 would be the sign). Generic code touches masks only through these
functions, each written once for an int and once for a tuple; both forms run plainly as well as compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any, TypeAlias, cast

from ludus.compiled.bits import highest as highest_bit
from ludus.compiled.bits import lowest as lowest_bit
from ludus.compiled.bits import nth as nth_bit
from ludus.compiled.bits import popcount
from ludus.compiled.compiling import P, R, Twin, helper

Mask: TypeAlias = int | tuple[int, ...]
WORD = 63  # actions in one word of a mask


def words(mask: Mask) -> tuple[int, ...]:
    """The words of a mask, one or more."""
    return mask if isinstance(mask, tuple) else (mask,)


def actions(mask: Mask) -> list[int]:
    """The actions in a mask, in order; for plain Python."""
    return [WORD * w + a for w, word in enumerate(words(mask)) for a in range(WORD) if word >> a & 1]


def _or(wide: Callable[..., Any]) -> Callable[[Callable[P, R]], Twin[P, R]]:
    """Decorate the form of a function for one int with its form for a tuple."""

    def decorate(narrow: Callable[P, R]) -> Twin[P, R]:
        def plain(mask: Any, *args: Any) -> Any:
            return wide(mask, *args) if isinstance(mask, tuple) else cast(Any, narrow)(mask, *args)

        def choose(mask: Any, *args: Any) -> Callable[..., Any]:
            return wide if _is_wide(mask) else narrow

        return Twin(cast(Any, update_wrapper(plain, narrow)), choose)

    return decorate


def _is_wide(mask: Any) -> bool:
    from numba import types

    return isinstance(mask, types.BaseTuple)


@helper
def _set_word(mask: Any, w: int, word: int) -> Any:
    return (*mask[:w], word, *mask[w + 1 :])


@_set_word.compiled
def _compiled_set_word(mask: Any, w: Any, word: Any) -> Callable[..., Any]:
    from numba.cpython.unsafe.tuple import tuple_setitem

    return lambda mask, w, word: tuple_setitem(mask, w, word)


def _is_empty(mask: Any) -> bool:
    union = 0
    for word in mask:
        union |= word
    return union == 0


@_or(_is_empty)
def is_empty(mask: Any) -> bool:
    """Whether the mask holds no action."""
    return mask == 0  # type: ignore[no-any-return]


def _count(mask: Any) -> int:
    total = 0
    for word in mask:
        total += popcount(word)
    return total


@_or(_count)
def count(mask: Any) -> int:
    """How many actions the mask holds."""
    return popcount(mask)


@_or(lambda mask, action: mask[action // WORD] >> action % WORD & 1 != 0)
def has(mask: Any, action: int) -> bool:
    """Whether the mask holds the action."""
    return mask >> action & 1 != 0  # type: ignore[no-any-return]


def _nth_in_tuple(mask: Any, k: int) -> int:
    for w in range(len(mask)):
        size = popcount(mask[w])
        if k < size:
            return WORD * w + nth_bit(mask[w], k)
        k -= size
    return -1


@helper
def nth(mask: Mask, k: int) -> int:
    """The k-th action in the mask, counted from 0; there must be more than k."""
    if k >= count(mask):
        raise IndexError("the mask holds no such action")
    return actions(mask)[k]


@nth.compiled
def _nth(mask: Any, k: Any) -> Callable[..., Any]:
    return _nth_in_tuple if _is_wide(mask) else lambda mask, k: nth_bit(mask, k)


@_or(lambda mask: nth(mask, 0))
def first(mask: Any) -> int:
    """The lowest action in the mask; there must be one."""
    return lowest_bit(mask)


def _last(mask: Any) -> int:
    for w in range(len(mask) - 1, -1, -1):
        if mask[w] != 0:
            return WORD * w + highest_bit(mask[w])
    return -1


@_or(_last)
def last(mask: Any) -> int:
    """The highest action in the mask; there must be one."""
    return highest_bit(mask)


def _none_like(mask: Any) -> Any:
    for w in range(len(mask)):
        mask = _set_word(mask, w, 0)
    return mask


@_or(_none_like)
def none_like(mask: Any) -> Mask:
    """An empty mask of as many words."""
    return 0


def _without_first(mask: Any) -> Any:
    for w in range(len(mask)):
        if mask[w] != 0:
            return _set_word(mask, w, mask[w] & (mask[w] - 1))
    return mask


@_or(_without_first)
def without_first(mask: Any) -> Mask:
    """The mask without its lowest action, to step through one: `while not is_empty(mask)`."""
    return mask & (mask - 1)  # type: ignore[no-any-return]


@_or(lambda mask, action: _set_word(mask, action // WORD, mask[action // WORD] | 1 << action % WORD))
def add(mask: Any, action: int) -> Mask:
    """The mask with the action added."""
    return mask | 1 << action  # type: ignore[no-any-return]


def _store(mask: Any, row: Any) -> None:
    for w in range(len(mask)):
        row[w] = mask[w]


@_or(_store)
def store(mask: Any, row: Any) -> None:
    """Write the words of a mask into an array."""
    row[0] = mask
