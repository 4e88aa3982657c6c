"""Bit tricks for rules that keep a board in an int: one machine instruction each where the processor has it.

All return non-negative ints below 2**63; `extract` and `deposit` also take negative ints, in two's complement.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ludus.compiled.compiling import Twin, function_from, helper


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


# ---- the same in compiled code ----


def _using(source: str, portable: Twin[..., Any] | None = None) -> Callable[..., Any]:
    """A function of `ludus.compiled.intrinsics`, imported when something is compiled; portable without pdep."""
    from ludus.compiled import intrinsics

    if portable and not intrinsics.HAS_PDEP:
        return portable.plain
    return function_from(f"def compiled{source}", dict(vars(intrinsics)))


popcount.compiled(lambda bits: _using("(bits): return popcount(bits)"))
lowest.compiled(lambda bits: _using("(bits): return trailing_zeros(bits)"))
highest.compiled(lambda bits: _using("(bits): return 63 - leading_zeros(bits)"))
# Reversed, the wanted bits stand at the top, below a zero sign bit: a shift brings them down.
reverse.compiled(
    lambda bits, length: _using("(bits, length): return bit_reverse((bits & (1 << length) - 1) << 1) >> (63 - length)")
)
extract.compiled(lambda bits, mask: _using("(bits, mask): return pext(bits, mask)", _extract_one_by_one))
deposit.compiled(lambda bits, mask: _using("(bits, mask): return pdep(bits, mask)", _deposit_one_by_one))
