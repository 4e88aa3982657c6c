"""Machine code on disk: kept by what it was made from, and run without loading Numba.

A file holds one kernel for one list of argument types: a line of JSON and the object code that LLVM emitted. Numba
makes it; to run it, LLVM links it with Numba's small C runtime, whose modules are loaded alone. That takes a
millisecond.
"""

from __future__ import annotations

import builtins
import ctypes
import hashlib
import importlib.machinery
import importlib.util
import json
import math
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import platformdirs

from ludus import files
from ludus.compiled import digests
from ludus.errors import LudusError

SIZE_LIMIT = 512 << 20  # bytes of machine code that are kept
_ENDING = ".kernel"
_HERE = Path(__file__).parent
_RUNTIME = ("numba._helperlib", "numba._dynfunc", "numba.core.runtime._nrt_python")


class Emitted(NamedTuple):
    """The object code of a kernel, the name under which Python calls it, and other names in it."""

    code: bytes
    symbol: str
    needs: list[str]  # what it calls outside
    environments: list[str]  # pointers to be set before it runs


# ---- the types of arguments, as text ----

_SCALARS = {int: "int64", bool: "bool", float: "float64", type(None): "none"}
_SCALARS |= {kind: kind.__name__ for kind in (np.int64, np.uint64, np.float64, np.float32, np.bool_)}
_arrays: dict[tuple[Any, int], str] = {}
_tuples: dict[Any, str] = {}


def signature(args: tuple[Any, ...]) -> tuple[str, ...]:
    """The types of arguments, by which machine code is chosen."""
    return tuple([_kind(arg) for arg in args])


def _kind(value: Any) -> str:
    cls = type(value)
    if cls is np.ndarray and value.flags.carray:
        known = value.dtype, value.ndim
        return _arrays.get(known) or _arrays.setdefault(known, f"{value.dtype.str}[{value.ndim}]")
    if cls in _SCALARS and (cls is not int or -(2**63) <= value < 2**63):
        return _SCALARS[cls]
    return _tuple_kind(cls, value) if isinstance(value, tuple) else _unusual(value)


def _tuple_kind(cls: Any, value: Any) -> str:
    is_named = hasattr(cls, "_fields")
    # All whole numbers, truth values and IntEnum members in fields are int64.
    known = (cls, *[("int64" if is_named and isinstance(field, int) else _kind(field)) for field in value])
    if known not in _tuples:
        name = f"{cls.__qualname__}@{digests.reached_from(cls).digest}" if is_named else ""
        _tuples[known] = f"{name}({', '.join(known[1:])})"
    return _tuples[known]


def _unusual(value: Any) -> str:
    """The type of anything else, such as a view of some columns: Numba knows it."""
    from numba import typeof

    return str(typeof(value))


# ---- files ----


def directory() -> Path:
    """Where machine code is kept: NUMBA_CACHE_DIR if set, else the user's cache directory."""
    place = os.environ.get("NUMBA_CACHE_DIR")
    return Path(place) / "ludus" if place else platformdirs.user_cache_path("ludus") / "machine-code"


def key(function: Callable[..., Any], kinds: tuple[str, ...]) -> str:
    """The name of a kernel's machine code: what it runs, for which types, on which Python, made by which compiler."""
    parts = (function.__name__, digests.function_digest(function), *kinds, _compiler())
    return f"{function.__name__}-{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:24]}"


@cache
def _compiler() -> str:
    """A digest of what turns rules into machine code: Python, Numba, LLVM and this package."""
    whole = hashlib.sha256(sys.version.encode())
    for source in (
        _package("numba") / "_version.py",
        _package("llvmlite") / "_version.py",
        *sorted(_HERE.glob("*.py")),
    ):
        whole.update(source.read_bytes())
    return whole.hexdigest()


def _package(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    return Path(spec.origin if spec and spec.origin else name).parent


def load(name: str) -> Callable[..., Any] | None:
    """The machine code that is kept under a key, ready to be called; None if there is none for this processor."""
    path = directory() / name[-2:] / f"{name}{_ENDING}"
    if not path.parent.is_dir() or not any(path.parent.glob(f"{name}.*{_ENDING}")):
        return None
    path = path.with_name(f"{name}.{_processor()}{_ENDING}")
    try:
        header, _, code = files.read_regular(path).partition(b"\n")
        names = json.loads(header)
        if names.pop("digest") != _digest(names, code):
            return None
    except (LudusError, ValueError, LookupError, AttributeError, TypeError, RecursionError):
        return None
    with suppress(OSError):
        os.utime(path)  # what was used last is kept longest
    return _linked(name.partition("-")[0], Emitted(code, **names))


def _digest(names: dict[str, Any], code: bytes) -> str:
    return hashlib.sha256(json.dumps(names).encode() + code).hexdigest()


def save(name: str, emitted: Emitted) -> None:
    """Keep machine code under a key, if the directory can be written; what was not used for longest makes room."""
    folder = directory() / name[-2:]
    names = emitted._asdict()
    code = names.pop("code")
    header = names | {"digest": _digest(names, code)}
    with suppress(OSError, LudusError):
        folder.mkdir(parents=True, exist_ok=True)
        files.write_whole(folder / f"{name}.{_processor()}{_ENDING}", (json.dumps(header).encode(), b"\n", code))
        _prune()


def _prune() -> None:
    """Remove what was used longest ago, if more is kept than the limit, and the folders of earlier versions."""
    found = [(path.stat(), path) for path in directory().rglob("*") if path.is_file()]
    total = sum(entry.st_size for entry, _ in found)
    if total > SIZE_LIMIT:
        for entry, path in sorted(found, key=lambda item: item[0].st_mtime):
            path.unlink(missing_ok=True)
            total -= entry.st_size
            if total <= SIZE_LIMIT * 3 // 4:
                break


# ---- linking ----


@cache
def _processor() -> str:
    from llvmlite import binding

    features = binding.get_host_cpu_features().flatten()
    return hashlib.sha256(f"{binding.get_host_cpu_name()} {features}".encode()).hexdigest()[:12]


def _linked(name: str, emitted: Emitted) -> Callable[..., Any] | None:
    """Link object code; each has an engine of its own, since two may give one name to unlike functions."""
    from llvmlite import binding

    functions = _runtime()
    target = binding.Target.from_default_triple().create_target_machine(
        cpu=binding.get_host_cpu_name(), reloc="static", codemodel="jitdefault", jit=True
    )
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), target)
    if not all(map(binding.address_of_symbol, emitted.needs)):  # LLVM would end the process
        return None
    engine.add_object_file(binding.ObjectFileRef.from_data(emitted.code))
    engine.finalize_object()
    environment = functions.Environment({"__name__": __name__})
    for pointer in map(engine.get_global_value_address, emitted.environments):
        ctypes.c_void_p.from_address(pointer).value = id(environment)
    address = engine.get_function_address(emitted.symbol)
    made: Callable[..., Any] = functions.make_function(sys.modules[__name__], name, "", address, environment, (engine,))
    return made


@cache
def _runtime() -> Any:
    """Make the names known to which machine code refers; returns the module that makes functions of addresses."""
    from llvmlite import binding

    helpers, functions, memory = map(_extension, _RUNTIME)
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    binding.add_symbol("_Py_NoneStruct", id(None))
    for kind in vars(builtins).values():
        if isinstance(kind, type) and issubclass(kind, BaseException):
            binding.add_symbol(f"PyExc_{kind.__name__}", id(kind))
    for name, address in (helpers.c_helpers | functions.c_helpers).items():
        binding.add_symbol(f"numba_{name}", address)
        if name in vars(math):
            binding.add_symbol(name, address)
    for name, address in memory.c_helpers.items():
        binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)
    return functions


def _extension(name: str) -> ModuleType:
    """A module of Numba that is written in C, without the packages around it; Numba finds it if it comes later."""
    if name in sys.modules:
        return sys.modules[name]
    *folders, leaf = name.split(".")[1:]
    place = _package("numba").joinpath(*folders)
    found = next(
        place / f"{leaf}{end}" for end in importlib.machinery.EXTENSION_SUFFIXES if (place / f"{leaf}{end}").exists()
    )
    loader = importlib.machinery.ExtensionFileLoader(name, str(found))
    spec = importlib.util.spec_from_file_location(name, found, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    sys.modules[name] = module
    return module
