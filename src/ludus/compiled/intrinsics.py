"""Single machine instructions that compiled code uses through `ludus.compiled.bits`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_WORD = ir.IntType(64)
_SLOW_PDEP = ("znver1", "znver2")  # these processors run pdep and pext as hundreds of micro-operations
HAS_PDEP = bool(binding.get_host_cpu_features().get("bmi2")) and binding.get_host_cpu_name() not in _SLOW_PDEP


@intrinsic
def popcount(typing: Any, bits: Any) -> Any:
    """How many bits are set."""
    return types.int64(types.int64), lambda context, builder, sig, args: builder.ctpop(args[0])


@intrinsic
def trailing_zeros(typing: Any, bits: Any) -> Any:
    """The index of the lowest set bit; 64 for none."""
    return types.int64(types.int64), lambda context, builder, sig, args: builder.cttz(args[0], cgutils.false_bit)


@intrinsic
def leading_zeros(typing: Any, bits: Any) -> Any:
    """How many zeros stand above the highest set bit of a 64-bit word."""
    return types.int64(types.int64), lambda context, builder, sig, args: builder.ctlz(args[0], cgutils.false_bit)


@intrinsic
def bit_reverse(typing: Any, bits: Any) -> Any:
    """The 64-bit word read from the other end."""
    return types.int64(types.int64), lambda context, builder, sig, args: builder.bitreverse(args[0])


def _call(name: str) -> Callable[..., Any]:
    """Code that calls a two-word LLVM function by name."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_WORD, [_WORD, _WORD]), name)
        return builder.call(function, args)

    return codegen


@intrinsic
def pdep(typing: Any, bits: Any, mask: Any) -> Any:
    """Spread the low bits over the set bits of the mask."""
    return types.int64(types.int64, types.int64), _call("llvm.x86.bmi.pdep.64")


@intrinsic
def pext(typing: Any, bits: Any, mask: Any) -> Any:
    """Collect the bits that the mask selects into the low bits."""
    return types.int64(types.int64, types.int64), _call("llvm.x86.bmi.pext.64")


@intrinsic
def borrowed(typing: Any, value: Any) -> Any:
    """An array, or a tuple with arrays in it, without the count of its holders."""
    return value(value), lambda context, builder, sig, args: _uncounted(context, builder, value, args[0])


def _uncounted(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        array.parent = cgutils.get_null_value(array.parent.type)
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):
        parts = enumerate(cgutils.unpack_tuple(builder, value, len(kind)))
        return context.make_tuple(builder, kind, [_uncounted(context, builder, kind[i], part) for i, part in parts])
    return value


@intrinsic
def prefetch(typing: Any, array: Any, row: Any) -> Any:
    """Begins to load the cache line of a row of a contiguous matrix."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        matrix = context.make_array(sig.args[0])(context, builder, args[0])
        width = builder.extract_value(matrix.shape, 1)
        place = builder.gep(matrix.data, [builder.mul(args[1], width)])
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(function, [builder.bitcast(place, byte), number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.int64), codegen
