"""Bit tricks for rules that keep a board in an int: one machine instruction each where the processor has it.

All return non-negative ints below 2**63; `extract` and `deposit` also take negative ones, whose bits go on for ever to
the left.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ludus.compiled.compiling import helper


@helper
def popcount(bits: int) -> int:
    """How many bits are set."""
    return bits.bit_count()


@helper
def lowest(bits: int) -> int:
    """The index of the lowest set bit; there must be one."""
    return (bits & -bits).bit_length() - 1


@helper
def highest(bits: int) -> int:
    """The index of the highest set bit; there must be one."""
    return bits.bit_length() - 1


@helper
def reverse(bits: int, length: int) -> int:
    """The lowest `length` bits in the opposite order."""
    return int(format(bits & (1 << length) - 1, f"0{length}b")[::-1], 2)


@helper
def extract(bits: int, mask: int) -> int:
    """The bits that the mask selects, moved together: of 0b1010 the mask 0b1100 selects 0b10."""
    return _extract_one_by_one(bits, mask)


@helper
def deposit(bits: int, mask: int) -> int:
    """The low bits spread over the set bits of the mask: 0b10 over 0b1100 is 0b1000."""
    return _deposit_one_by_one(bits, mask)


@helper
def nth(bits: int, k: int) -> int:
    """The index of the k-th set bit, counted from 0 at the lowest."""
    return lowest(deposit(1 << k, bits))


@helper
def _extract_one_by_one(bits: int, mask: int) -> int:
    result = 0
    place = 0
    while mask:
        if bits & mask & -mask:
            result |= 1 << place
        mask &= mask - 1
        place += 1
    return result


@helper
def _deposit_one_by_one(bits: int, mask: int) -> int:
    result = 0
    while bits and mask:
        if bits & 1:
            result |= mask & -mask
        mask &= mask - 1
        bits >>= 1
    return result


@popcount.compiled
def _popcount(bits: Any) -> Callable[..., Any]:
    from ludus.compiled.intrinsics import popcount as instruction

    return lambda bits: instruction(bits)


@lowest.compiled
def _lowest(bits: Any) -> Callable[..., Any]:
    from ludus.compiled.intrinsics import trailing_zeros

    return lambda bits: trailing_zeros(bits)


@highest.compiled
def _highest(bits: Any) -> Callable[..., Any]:
    from ludus.compiled.intrinsics import leading_zeros

    return lambda bits: 63 - leading_zeros(bits)


@reverse.compiled
def _reverse(bits: Any, length: Any) -> Callable[..., Any]:
    from ludus.compiled.intrinsics import bit_reverse

    # Reversed, the wanted bits stand at the top, below a zero sign bit: a shift brings them down.
    return lambda bits, length: bit_reverse((bits & (1 << length) - 1) << 1) >> (63 - length)


@extract.compiled
def _extract(bits: Any, mask: Any) -> Callable[..., Any]:
    from ludus.compiled.intrinsics import HAS_PDEP, pext

    return (lambda bits, mask: pext(bits, mask)) if HAS_PDEP else _extract_one_by_one.plain


@deposit.compiled
def _deposit(bits: Any, mask: Any) -> Callable[..., Any]:
    from ludus.compiled.intrinsics import HAS_PDEP, pdep

    return (lambda bits, mask: pdep(bits, mask)) if HAS_PDEP else _deposit_one_by_one.plain
