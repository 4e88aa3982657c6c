"""Kernels as one WebAssembly module: what runs here in machine code runs in a browser, from the same intermediate code.

LLVM emits an object file that refers to nothing but a memory, a stack pointer and functions of JavaScript's `Math`, so
that linking means to name what it exports. Its data begin at address 0; the stack ends where the module says.

An exported function takes an address for its result and numbers for all else: an array is the address of its first
item, in C order, and its shape; a tuple is its fields. The game and the position after it are constants.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from llvmlite import binding

from ludus.compiled import native
from ludus.compiled.compiling import Kernel
from ludus.errors import LudusError

TRIPLE = "wasm32-unknown-unknown"
_FEATURES = "+bulk-memory,+sign-ext,+nontrapping-fptoint,+mutable-globals"
_POINTERS = "-p:32:64-"  # in memory as far apart as here, because offsets are in the code already
_PAGE = 1 << 16  # bytes
_STACK = 1 << 18
_MATHEMATICS = {"log", "exp", "pow", "sin", "cos"}  # which JavaScript has under these names
_CUSTOM, _IMPORT, _EXPORT = 0, 2, 7  # sections
_ORDER = (1, _IMPORT, 3, 4, 5, 6, _EXPORT, 8, 9, 12, 10, 11)
_A_FUNCTION, _A_TABLE, _A_MEMORY, _A_GLOBAL = range(4)  # what is imported
_SYMBOLS = 8  # the part of the section "linking" that lists symbols
_A_DATUM, _A_SECTION = 1, 3  # symbols; a function is 0 here, too
_UNDEFINED, _NAMED = 0x10, 0x40  # flags of symbols


class Entry(NamedTuple):
    """A kernel and arguments of the types with which it will be called; the first is a game, the second a position."""

    kernel: Kernel[..., Any]
    args: tuple[Any, ...]


class Module(NamedTuple):
    """A WebAssembly module; its stack grows down from an address, from which on memory is free."""

    code: bytes
    stack: int


def module_of(entries: Mapping[str, Entry]) -> Module:
    """The kernels as one module, which exports them under these names; LudusError for what a browser cannot run."""
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    machine = binding.Target.from_triple(TRIPLE).create_target_machine(cpu="generic", features=_FEATURES, opt=3)
    whole = binding.parse_assembly(_BITS)
    for name, entry in entries.items():
        text, symbol = native.intermediate_code(entry.kernel.plain, entry.args)
        whole.link_in(binding.parse_assembly(_portable(text)))
        whole.link_in(binding.parse_assembly(_wrapper(name, entry, whole.get_function(symbol))))
    whole.triple, whole.data_layout = TRIPLE, str(machine.target_data).replace("-p:32:32-", _POINTERS)
    for each in [*whole.functions, *whole.global_variables]:
        if not each.is_declaration and each.name not in entries:
            each.linkage = "internal"
    _optimise(whole, machine)
    return _linked(machine.emit_object(whole), list(entries))


def _optimise(module: Any, machine: Any) -> None:
    options = binding.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = False
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    module.verify()


# ---- intermediate code ----

_COUNTING = re.compile(
    r"\ndefine [^\n]*@NRT_(?:incref|decref)\([^\n]*\{\n.*?\n\}(?=\n)|\ndeclare [^\n]*@NRT_\w+cref\([^\n]*", re.S
)
_MACHINE = re.compile(r'"target-(?:cpu|features)"="[^"]*"')
_UNCOUNTED = "\ndefine linkonce_odr void @NRT_{}(ptr %held) alwaysinline {{ ret void }}\n"


def _portable(text: str) -> str:
    """Intermediate code without what this processor has of its own, and without counts of who holds an array."""
    text = _MACHINE.sub("", _COUNTING.sub("", text))
    text = text.replace("@llvm.x86.bmi.pdep.64", "@ludus.deposit").replace("@llvm.x86.bmi.pext.64", "@ludus.extract")
    return text + _UNCOUNTED.format("incref") + _UNCOUNTED.format("decref")


def numbers_in(fields: tuple[Any, ...]) -> Iterator[int]:
    """The whole numbers that stand for a NamedTuple and those in it; TypeError if it holds something else."""
    for field in fields or (0,):
        if isinstance(field, tuple):
            yield from numbers_in(field)
        elif isinstance(field, int):
            yield int(field)
        else:
            raise TypeError(f"{field!r} is no whole number")


def _wrapper(name: str, entry: Entry, function: Any) -> str:
    """A function with the same result whose parameters are numbers, around the one that Numba made."""
    given, *types = (str(argument.type) for argument in list(function.arguments)[1:])
    game, like, *args = entry.args
    constants = [f"i64 {number}" for number in (*numbers_in(game), *numbers_in(like))]
    code = _Code()
    passed = [text for arg in args for text in code.passed(arg)]
    call = ", ".join(["ptr %result", "ptr %raised", *constants, *passed])
    declared = ", ".join(["ptr", given, *types])
    return (
        f"declare i32 @{function.name}({declared})\n"
        f"define i32 @{name}({', '.join(['ptr %result', *code.parameters])}) {{\n"
        f"  %raised = alloca ptr\n{''.join(code.lines)}"
        f"  %status = call i32 @{function.name}({call})\n  ret i32 %status\n}}\n"
    )


class _Code:
    """The parameters of a wrapper, and the lines that make of them what Numba expects."""

    def __init__(self) -> None:
        self.parameters: list[str] = []
        self.lines: list[str] = []

    def passed(self, arg: Any) -> Iterator[str]:
        """The arguments that stand for one of Python's."""
        if isinstance(arg, tuple):
            for field in arg:
                yield from self.passed(field)
        elif isinstance(arg, np.ndarray):
            yield from self._array(arg)
        elif isinstance(arg, float):
            yield f"double {self._parameter('double')}"
        else:
            number = self._parameter("double")
            yield f"i64 {self._line(f'fptosi double {number} to i64')}"

    def _array(self, array: Any) -> Iterator[str]:
        place = self._parameter("ptr")
        lengths = [self._parameter("i32") for _ in range(array.ndim)]
        shape = [self._line(f"zext i32 {length} to i64") for length in lengths]
        sizes = [str(array.itemsize)]
        for length in reversed(shape):
            sizes.append(self._line(f"mul i64 {sizes[-1]}, {length}"))
        count = self._line(f"udiv i64 {sizes[-1]}, {array.itemsize}")
        yield from ("ptr null", "ptr null", f"i64 {count}", f"i64 {array.itemsize}", f"ptr {place}")
        yield from (f"i64 {number}" for number in (*shape, *reversed(sizes[:-1])))

    def _parameter(self, kind: str) -> str:
        name = f"%p{len(self.parameters)}"
        self.parameters.append(f"{kind} {name}")
        return name

    def _line(self, words: str) -> str:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {words}\n")
        return name


_BITS = """
define linkonce_odr i64 @ludus.deposit(i64 %bits, i64 %mask) {
begin:
  br label %next
next:
  %left = phi i64 [ %mask, %begin ], [ %fewer, %take ]
  %value = phi i64 [ %bits, %begin ], [ %rest, %take ]
  %sum = phi i64 [ 0, %begin ], [ %more, %take ]
  %none = icmp eq i64 %left, 0
  br i1 %none, label %end, label %take
take:
  %negative = sub i64 0, %left
  %lowest = and i64 %left, %negative
  %bit = and i64 %value, 1
  %all = sub i64 0, %bit
  %added = and i64 %lowest, %all
  %more = or i64 %sum, %added
  %less = sub i64 %left, 1
  %fewer = and i64 %left, %less
  %rest = lshr i64 %value, 1
  br label %next
end:
  ret i64 %sum
}
define linkonce_odr i64 @ludus.extract(i64 %bits, i64 %mask) {
begin:
  br label %next
next:
  %left = phi i64 [ %mask, %begin ], [ %fewer, %take ]
  %place = phi i64 [ 1, %begin ], [ %higher, %take ]
  %sum = phi i64 [ 0, %begin ], [ %more, %take ]
  %none = icmp eq i64 %left, 0
  br i1 %none, label %end, label %take
take:
  %negative = sub i64 0, %left
  %lowest = and i64 %left, %negative
  %hit = and i64 %bits, %lowest
  %is = icmp ne i64 %hit, 0
  %added = select i1 %is, i64 %place, i64 0
  %more = or i64 %sum, %added
  %less = sub i64 %left, 1
  %fewer = and i64 %left, %less
  %higher = shl i64 %place, 1
  br label %next
end:
  ret i64 %sum
}
"""


# ---- linking ----


class _Reader:
    """Bytes of a module, read one thing after another."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, count: int) -> bytes:
        """The next bytes."""
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self) -> int:
        """An unsigned number of seven bits a byte, the lowest first."""
        byte = self.take(1)[0]
        return byte if byte < 128 else byte - 128 + 128 * self.number()

    def text(self) -> str:
        """A name."""
        return self.take(self.number()).decode()

    def parts(self) -> Iterator[tuple[int, bytes]]:
        """The numbered parts of what is left, such as sections."""
        while self.at < len(self.data):
            yield self.take(1)[0], self.take(self.number())


def _linked(built: bytes, names: list[str]) -> Module:
    """The module of an object file, which exports these functions."""
    sections = list(_Reader(built[8:]).parts())
    pages = _memory(next(body for number, body in sections if number == _IMPORT))
    places = _functions(next(body for number, body in sections if number == _CUSTOM and body[1:8] == b"linking"))
    exports = b"".join(_text(name) + b"\0" + _number(places[name]) for name in names)
    kept = [(number, body) for number, body in sections if number != _CUSTOM]
    kept.append((_EXPORT, _number(len(names)) + exports))
    kept.sort(key=lambda section: _ORDER.index(section[0]))
    code = b"".join(bytes([number]) + _number(len(body)) + body for number, body in kept)
    return Module(built[:8] + code, pages * _PAGE + _STACK)


def _memory(imports: bytes) -> int:
    """The pages that the data take; LudusError if something is imported that a browser does not have."""
    reader, pages, missing = _Reader(imports), 0, []
    for _ in range(reader.number()):
        reader.text()
        name, kind = reader.text(), reader.take(1)[0]
        if kind == _A_FUNCTION:
            reader.number()
            missing += [name] * (name not in _MATHEMATICS)
        elif kind == _A_GLOBAL:
            reader.take(2)
        else:
            reader.take(kind == _A_TABLE)
            has_limit, least = reader.number() & 1, reader.number()
            _ = has_limit and reader.number()
            pages = least if kind == _A_MEMORY else pages
    if missing:
        raise LudusError(f"a browser cannot run these rules, which need {', '.join(sorted(missing))}")
    return pages


def _functions(linking: bytes) -> dict[str, int]:
    """The numbers of the functions that are defined, by their names."""
    reader = _Reader(linking)
    reader.text()
    reader.number()  # of the version
    symbols = _Reader(dict(reader.parts())[_SYMBOLS])
    found = {}
    for _ in range(symbols.number()):
        kind, flags = symbols.take(1)[0], symbols.number()
        if kind == _A_DATUM:
            symbols.text()
            for _ in range(0 if flags & _UNDEFINED else 3):
                symbols.number()
            continue
        number = symbols.number()
        if kind != _A_SECTION and (not flags & _UNDEFINED or flags & _NAMED):
            name = symbols.text()
            if kind == _A_FUNCTION and not flags & _UNDEFINED:
                found[name] = number
    return found


def _number(value: int) -> bytes:
    """An unsigned number as `_Reader` reads it."""
    return bytes([value]) if value < 128 else bytes([value % 128 + 128]) + _number(value // 128)


def _text(name: str) -> bytes:
    return _number(len(name.encode())) + name.encode()
