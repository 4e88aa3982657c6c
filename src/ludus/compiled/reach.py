"""What a class runs: a digest over the code of its members and over every helper, class and value that they reach.

Machine code of games is keyed by it. It speaks of what is loaded, not of files, so that neither an edit anywhere, nor
another value of a global, nor a class made anew under an old name is answered with old machine code.
"""

from __future__ import annotations

import enum
import hashlib
import uuid
from collections.abc import Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

from ludus.compiled import sources
from ludus.compiled.compiling import Twin


class Reached(NamedTuple):
    """The digest of what a class runs, and the NamedTuple classes met on the way, itself first."""

    digest: str
    classes: list[Any]


def reached_from(cls: type) -> Reached:
    """Walk everything that the members of a NamedTuple class can run."""
    walk = _Walk(cls.__module__.partition(".")[0])
    walk.visit(cls)
    return Reached(walk.hash.hexdigest()[:12], walk.classes)


def is_named_tuple(value: Any) -> bool:
    """Whether this is a NamedTuple class."""
    return isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields")


def members(cls: Any) -> dict[str, Any]:
    """The public methods, properties and constants of a class, inherited ones too, without its fields."""
    own = [parent for parent in reversed(cls.__mro__) if parent not in (object, tuple)]
    found = {name: member for parent in own for name, member in vars(parent).items()}
    return {name: member for name, member in found.items() if not name.startswith("_") and name not in cls._fields}


class _Walk:
    """One walk; each function and class is visited once, libraries other than `home` are not entered."""

    def __init__(self, home: str) -> None:
        self.home = home
        self.hash = hashlib.sha256()
        self.classes: list[Any] = []
        self.seen: set[int] = set()

    def say(self, *words: object) -> None:
        self.hash.update("\0".join(map(str, words)).encode() + b"\1")

    def visit(self, value: Any) -> None:
        """Add a value of any kind."""
        if isinstance(value, enum.Enum):
            self.say(type(value).__qualname__, value.name, value.value)
        elif value is None or value is Ellipsis or isinstance(value, (bool, int, float, complex, str, bytes)):
            self.say(type(value).__name__, repr(value))
        elif isinstance(value, (tuple, list)):
            self.visit_items(type(value), value)
        elif isinstance(value, (set, frozenset)):
            self.visit_items(type(value), sorted(value, key=repr))
        elif isinstance(value, dict):
            self.visit_items(dict, [part for item in value.items() for part in item])
        elif isinstance(value, CodeType):
            self.visit_code(value)
        elif hasattr(value, "dtype") and hasattr(value, "tobytes") and not isinstance(value, type):
            self.say(value.dtype, getattr(value, "shape", ()), hashlib.sha256(value.tobytes()).hexdigest())
        else:
            self.visit_once(value)

    def visit_items(self, kind: type, items: Any) -> None:
        """Add a container."""
        self.say(kind.__qualname__, len(items))
        for item in items:
            self.visit(item)

    def visit_once(self, value: Any) -> None:
        """Add something that may be met again."""
        if id(value) in self.seen:
            self.say("again", getattr(value, "__qualname__", ""))
            return
        self.seen.add(id(value))
        if isinstance(value, Twin):
            self.visit(value.plain)
            self.visit(value.choose.__code__)
        elif isinstance(value, FunctionType):
            self.visit_function(value)
        elif isinstance(value, property):
            self.visit(value.fget)
        elif isinstance(value, type):
            self.visit_class(value)
        elif hasattr(value, "__wrapped__"):  # a static method, a class method, or what functools.cache returns
            self.visit(value.__wrapped__)
        elif isinstance(value, (ModuleType, BuiltinFunctionType)):
            self.say(value.__name__)
        else:
            self.say("unknown", uuid.uuid4())  # it cannot be told apart from others, so nothing is shared

    def visit_class(self, cls: Any) -> None:
        """Add a class: what a NamedTuple runs, the members of an enumeration, of others the name."""
        self.say(cls.__module__ if not is_named_tuple(cls) else "", cls.__qualname__)
        if issubclass(cls, enum.Enum):
            self.say(*((member.name, member.value) for member in cls))
        elif is_named_tuple(cls):
            self.classes.append(cls)
            self.visit(cls._fields)
            self.visit(tuple(cls._field_defaults.items()))
            for name, member in sorted(members(cls).items()):
                self.say(name)
                self.visit(member)

    def visit_function(self, function: FunctionType) -> None:
        """Add a function with its defaults, its closure, and the globals it names; of a library's only the name."""
        self.say(function.__qualname__)
        if self.is_foreign(function.__module__):
            self.say(function.__module__)
            return
        self.visit(function.__code__)
        self.visit((function.__defaults__, function.__kwdefaults__))
        for cell in function.__closure__ or ():
            self.visit(cell.cell_contents)
        names = set(_names(function.__code__))
        for name in sorted(names & set(function.__globals__)):
            self.say(name)
            self.visit_global(function.__globals__[name], names)

    def visit_global(self, value: Any, names: set[str]) -> None:
        """Add a global; of a module that is not a library's, the attributes that the function may ask for."""
        self.visit(value)
        if isinstance(value, ModuleType) and not self.is_foreign(value.__name__):
            for name in sorted(names & set(vars(value))):
                self.say(name)
                self.visit_global(vars(value)[name], names)

    def is_foreign(self, module: str) -> bool:
        """Whether a module belongs to a library that is not the class's own package."""
        return module.partition(".")[0] != self.home and sources.is_library(module)

    def visit_code(self, code: CodeType) -> None:
        """Add what a code object does; where it stands does not matter."""
        self.say(code.co_code.hex(), code.co_argcount, code.co_kwonlyargcount, code.co_flags)
        self.say(*code.co_names, *code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
        self.visit_items(tuple, code.co_consts)


def _names(code: CodeType) -> Iterator[str]:
    """The names that a code object, or one inside it, may look up."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
