"""Sets of actions: one int for up to 63 actions, a tuple of ints for more.

Action a is bit a % 63 of word a // 63 (bit 63 would be the sign). Generic code touches masks only through these
functions, which read alike in plain Python and in compiled code and for either form.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from ludus.compiled import bits
from ludus.compiled.bits import highest as highest_bit
from ludus.compiled.bits import lowest as lowest_bit
from ludus.compiled.bits import nth as nth_bit
from ludus.compiled.bits import popcount
from ludus.compiled.compiling import helper

Mask: TypeAlias = int | tuple[int, ...]


WORD = 63  # actions in one word of a mask


def words(mask: Mask) -> tuple[int, ...]:
    """The words of a mask, one or more."""
    return mask if isinstance(mask, tuple) else (mask,)


def actions(mask: Mask) -> list[int]:
    """The actions in a mask, in order; for plain Python."""
    return [WORD * w + a for w, word in enumerate(words(mask)) for a in range(WORD) if word >> a & 1]


@helper
def is_empty(mask: Mask) -> bool:
    """Whether the mask holds no action."""
    return not any(words(mask))


@helper
def count(mask: Mask) -> int:
    """How many actions the mask holds."""
    return sum(word.bit_count() for word in words(mask))


@helper
def has(mask: Mask, action: int) -> bool:
    """Whether the mask holds the action."""
    return bool(words(mask)[action // WORD] >> action % WORD & 1)


@helper
def nth(mask: Mask, k: int) -> int:
    """The k-th action in the mask, counted from 0; there must be more than k."""
    for w, word in enumerate(words(mask)):
        size = word.bit_count()
        if k < size:
            return WORD * w + bits.nth(word, k)
        k -= size
    raise IndexError("the mask holds no such action")


@helper
def first(mask: Mask) -> int:
    """The lowest action in the mask; there must be one."""
    return nth(mask, 0)


@helper
def last(mask: Mask) -> int:
    """The highest action in the mask; there must be one."""
    return actions(mask)[-1]


@helper
def none_like(mask: Mask) -> Mask:
    """An empty mask of as many words."""
    return tuple(0 for _ in mask) if isinstance(mask, tuple) else 0


@helper
def without_first(mask: Mask) -> Mask:
    """The mask without its lowest action, to step through one: `while not is_empty(mask)`."""
    if not isinstance(mask, tuple):
        return mask & (mask - 1)
    w = next(w for w, word in enumerate(mask) if word)
    return (*mask[:w], mask[w] & (mask[w] - 1), *mask[w + 1 :])


@helper
def add(mask: Mask, action: int) -> Mask:
    """The mask with the action added."""
    if not isinstance(mask, tuple):
        return mask | 1 << action
    w = action // WORD
    return (*mask[:w], mask[w] | 1 << action % WORD, *mask[w + 1 :])


# ---- the same in compiled code: `narrow` for an int, `wide` for a tuple ----


def _is_wide(mask: Any) -> bool:
    from numba import types

    return isinstance(mask, types.BaseTuple)


@is_empty.compiled
def _is_empty(mask: Any) -> Callable[..., Any]:
    def wide(mask):  # type: ignore[no-untyped-def]
        union = 0
        for word in mask:
            union |= word
        return union == 0

    return wide if _is_wide(mask) else lambda mask: mask == 0


@count.compiled
def _count(mask: Any) -> Callable[..., Any]:
    def wide(mask):  # type: ignore[no-untyped-def]
        total = 0
        for word in mask:
            total += popcount(word)
        return total

    return wide if _is_wide(mask) else lambda mask: popcount(mask)


@has.compiled
def _has(mask: Any, action: Any) -> Callable[..., Any]:
    if _is_wide(mask):
        return lambda mask, action: mask[action // WORD] >> action % WORD & 1 != 0
    return lambda mask, action: mask >> action & 1 != 0


@nth.compiled
def _nth(mask: Any, k: Any) -> Callable[..., Any]:
    def wide(mask, k):  # type: ignore[no-untyped-def]
        for w in range(len(mask)):
            size = popcount(mask[w])
            if k < size:
                return WORD * w + nth_bit(mask[w], k)
            k -= size
        return -1

    return wide if _is_wide(mask) else lambda mask, k: nth_bit(mask, k)


@first.compiled
def _first(mask: Any) -> Callable[..., Any]:
    return (lambda mask: nth(mask, 0)) if _is_wide(mask) else lambda mask: lowest_bit(mask)


@last.compiled
def _last(mask: Any) -> Callable[..., Any]:
    def wide(mask):  # type: ignore[no-untyped-def]
        for w in range(len(mask) - 1, -1, -1):
            if mask[w] != 0:
                return WORD * w + highest_bit(mask[w])
        return -1

    return wide if _is_wide(mask) else lambda mask: highest_bit(mask)


@none_like.compiled
def _none_like(mask: Any) -> Callable[..., Any]:
    from numba.cpython.unsafe.tuple import tuple_setitem

    def wide(mask):  # type: ignore[no-untyped-def]
        for w in range(len(mask)):
            mask = tuple_setitem(mask, w, 0)
        return mask

    return wide if _is_wide(mask) else lambda mask: 0


@without_first.compiled
def _without_first(mask: Any) -> Callable[..., Any]:
    from numba.cpython.unsafe.tuple import tuple_setitem

    def wide(mask):  # type: ignore[no-untyped-def]
        for w in range(len(mask)):
            if mask[w] != 0:
                return tuple_setitem(mask, w, mask[w] & (mask[w] - 1))
        return mask

    return wide if _is_wide(mask) else lambda mask: mask & (mask - 1)


@add.compiled
def _add(mask: Any, action: Any) -> Callable[..., Any]:
    from numba.cpython.unsafe.tuple import tuple_setitem

    def wide(mask, action):  # type: ignore[no-untyped-def]
        w = action // WORD
        return tuple_setitem(mask, w, mask[w] | 1 << action % WORD)

    return wide if _is_wide(mask) else lambda mask, action: mask | 1 << action


@helper
def store(mask: Mask, row: Any) -> None:
    """Write the words of a mask into an array."""
    row[:] = words(mask)


@store.compiled
def _store(mask: Any, row: Any) -> Callable[..., Any]:
    def wide(mask, row):  # type: ignore[no-untyped-def]
        for w in range(len(mask)):
            row[w] = mask[w]

    def narrow(mask, row):  # type: ignore[no-untyped-def]
        row[0] = mask

    return wide if _is_wide(mask) else narrow
