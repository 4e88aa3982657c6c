"""Digests that key machine code, so that no edit is answered from an old cache.

A module's digest covers its source and that of every non-library module it imports; kernels are cached under it. The
import statements are read from the sources: nothing is imported. A class's digest covers the code of its members and
every helper, class and value that they reach, as loaded; games are keyed by it.
"""

from __future__ import annotations

import ast
import enum
import hashlib
import importlib.util
import sys
import sysconfig
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

from ludus import IMPORTED_AT
from ludus.compiled.compiling import Twin

# A source edited since Ludus was imported may not be what runs: its digest holds in this process alone.
_THIS_PROCESS = uuid.uuid4().bytes
Statements = list[tuple[str, tuple[str, ...]]]  # modules, dots before relative ones, and the names taken from them
_ALL = ("*",)
_LIBRARIES = tuple(
    {str(Path(sysconfig.get_path(name)).resolve()) + "/" for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)


def module_digest(module: str, path: Path | None = None) -> str:
    """Twelve hex digits that change when a module (with its path if not importable) or what it imports is edited."""
    whole = hashlib.sha256()
    for name, source in sorted(closure(module, path).items()):
        changed = source.stat().st_mtime_ns
        whole.update(f"{name}\0".encode() + _content_digest(source, changed))
        if changed >= IMPORTED_AT * 1e9:
            whole.update(_THIS_PROCESS)
    return whole.hexdigest()[:12]


@cache
def _content_digest(path: Path, changed: int) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


def closure(module: str, path: Path | None = None) -> dict[str, Path]:
    """The module and all that it imports, itself or through others, by name; libraries are left out."""
    found: dict[str, Path] = {}
    waiting = [(module, path or source_path(module))]
    while waiting:
        name, source = waiting.pop()
        if source is None or name in found:
            continue
        found[name] = source
        imports = _imports_of_ludus if name.partition(".")[0] == "ludus" else _authored_imports
        waiting += imports(name, source, source.stat().st_mtime_ns, module.partition(".")[0])
    return found


def contents(module: str, path: Path | None = None) -> list[bytes]:
    """The text of the module and of all that it imports, but for Ludus itself."""
    found = sorted(closure(module, path).items())
    return [source.read_bytes() for name, source in found if name.partition(".")[0] != "ludus"]


def source_path(module: str) -> Path | None:
    """The source file of a module, loaded or not; None when there is none."""
    if module in sys.modules:
        origin = getattr(sys.modules[module], "__file__", None)
    else:
        parent = source_path(module.rpartition(".")[0]) if "." in module else None
        if "." in module and (parent is None or parent.name != "__init__.py"):
            return None
        spec = PathFinder.find_spec(module, [str(parent.parent)] if parent else None)
        origin = spec.origin if spec else None
    return Path(origin) if origin and origin.endswith(".py") and Path(origin).is_file() else None


def _authored_imports(module: str, path: Path, changed: int, home: str) -> list[tuple[str, Path | None]]:
    """What a file imports, and where it is, if it is ours, of the package that is at home, or outside the libraries."""
    found = []
    for base, names in _import_statements(path, changed)[0]:
        stem = _absolute(base, module, path)
        top = stem.partition(".")[0]
        if top in ("ludus", home) or (source_path(top) is not None and not is_library(top)):
            source = source_path(stem)
            typed = [] if source is None else _import_statements(source, source.stat().st_mtime_ns)[1]
            lazy = {name: _absolute(other, stem, source) for other, taken in typed if source for name in taken}
            inner = lazy.values() if names == _ALL else [lazy.get(name, f"{stem}.{name}") for name in names]
            found += [(stem, source), *((each, source_path(each)) for each in inner)]
    return found


_imports_of_ludus = cache(_authored_imports)  # of files that change, but do not come and go while it runs


def is_library(module: str) -> bool:
    """Whether a module comes with Python or was installed beside it; Ludus itself does not count."""
    top = module.partition(".")[0]
    path = source_path(top)
    if top == "ludus" or path is None:
        return top in sys.builtin_module_names
    return str(path.resolve()).startswith(_LIBRARIES)


def _absolute(base: str, module: str, path: Path) -> str:
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    return importlib.util.resolve_name(base, package) if base.startswith(".") else base


@cache
def _import_statements(path: Path, changed: int) -> tuple[Statements, Statements]:
    """The import statements of a file that run, and those for type checking alone, which may be loaded on first use."""
    tree = ast.parse(path.read_bytes(), str(path))
    tests = [node for node in ast.walk(tree) if isinstance(node, ast.If)]
    blocks = [test for test in tests if ast.unparse(test.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")]
    typed = [node for block in blocks for line in block.body for node in ast.walk(line)]
    hidden = set(typed)
    return _statements(node for node in ast.walk(tree) if node not in hidden), _statements(typed)


def _statements(nodes: Iterable[ast.AST]) -> Statements:
    statements: Statements = []
    for node in nodes:
        if isinstance(node, ast.Import):
            statements += [(alias.name, _ALL) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = tuple(alias.name for alias in node.names)
            statements.append(("." * node.level + (node.module or ""), names))
    return statements


class Reached(NamedTuple):
    """The digest of what a class runs, and the NamedTuple classes met on the way, itself first."""

    digest: str
    classes: list[Any]


@cache
def reached_from(cls: type) -> Reached:
    """Walk everything that the members of a NamedTuple class can run."""
    walk = _Walk(cls.__module__.partition(".")[0])
    walk.visit(cls)
    return Reached(walk.hash.hexdigest()[:12], walk.classes)


@cache
def function_digest(function: Callable[..., Any]) -> str:
    """Twelve hex digits of what a function runs: its code, and every helper, class and value that it reaches."""
    walk = _Walk(function.__module__.partition(".")[0])
    walk.visit(function)
    return walk.hash.hexdigest()[:12]


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

    def add(self, *words: object) -> None:
        self.hash.update("\0".join(map(str, words)).encode() + b"\1")

    def visit(self, value: Any) -> None:
        """Add a value of any kind."""
        if isinstance(value, enum.Enum):
            self.add(type(value).__qualname__, value.name, value.value)
        elif value is None or value is Ellipsis or isinstance(value, (bool, int, float, complex, str, bytes)):
            self.add(type(value).__name__, repr(value))
        elif isinstance(value, (tuple, list, range)):
            self.visit_items(type(value), value)
        elif isinstance(value, (set, frozenset)):
            self.visit_items(type(value), sorted(value, key=repr))
        elif isinstance(value, Mapping):
            self.visit_items(dict, [part for item in value.items() for part in item])
        elif isinstance(value, CodeType):
            self.visit_code(value)
        elif hasattr(value, "dtype") and hasattr(value, "tobytes") and not isinstance(value, type):
            self.add(value.dtype, getattr(value, "shape", ()), hashlib.sha256(value.tobytes()).hexdigest())
        else:
            self.visit_once(value)

    def visit_items(self, kind: type, items: Any) -> None:
        """Add a container."""
        self.add(kind.__qualname__, len(items))
        for item in items:
            self.visit(item)

    def visit_once(self, value: Any) -> None:
        """Add something that may be met again."""
        if id(value) in self.seen:
            self.add("again", getattr(value, "__qualname__", ""))
            return
        self.seen.add(id(value))
        if isinstance(value, Twin):
            self.visit(value.plain)
            self.visit(value.choose)
        elif isinstance(value, FunctionType):
            self.visit_function(value)
        elif isinstance(value, property):
            self.add("property")
            self.visit(value.fget)
        elif isinstance(value, type):
            self.visit_class(value)
        elif hasattr(value, "__wrapped__"):  # a static method, a class method, or what functools.cache returns
            self.add(type(value).__name__)
            self.visit(value.__wrapped__)
        elif isinstance(value, (ModuleType, BuiltinFunctionType)):
            self.add(value.__name__)
        else:
            self.add("unknown", uuid.uuid4())  # it cannot be compared with others, so nothing is shared

    def visit_class(self, cls: Any) -> None:
        """Add a class: what a NamedTuple runs, the members of an enumeration, of others the name."""
        is_named_tuple = issubclass(cls, tuple) and hasattr(cls, "_fields")
        self.add(cls.__module__ if not is_named_tuple else "", cls.__qualname__)
        if issubclass(cls, enum.Enum):
            self.add(*((member.name, member.value) for member in cls))
        elif is_named_tuple:
            self.classes.append(cls)
            self.visit(cls._fields)
            self.visit(tuple(cls._field_defaults.items()))
            for name, member in sorted(members(cls).items()):
                self.add(name)
                self.visit(member)

    def visit_function(self, function: FunctionType) -> None:
        """Add a function with its defaults, its closure, and the globals it names; of a library's only the name."""
        self.add(function.__qualname__)
        if self.is_foreign(function.__module__):
            self.add(function.__module__)
            return
        self.visit(function.__code__)
        self.visit((function.__defaults__, function.__kwdefaults__))
        for cell in function.__closure__ or ():
            self.visit(cell.cell_contents)
        names = set(names_in(function.__code__))
        for name in sorted(names & set(function.__globals__)):
            self.add(name)
            self.visit_global(function.__globals__[name], names)

    def visit_global(self, value: Any, names: set[str]) -> None:
        """Add a global; of a module that is not a library's, the attributes that the function may ask for."""
        self.visit(value)
        if isinstance(value, ModuleType) and not self.is_foreign(value.__name__):
            for name in sorted(names & set(vars(value))):
                self.add(name)
                self.visit_global(vars(value)[name], names)

    def is_foreign(self, module: str) -> bool:
        """Whether a module belongs to a library that is not the class's own package."""
        return module.partition(".")[0] != self.home and is_library(module)

    def visit_code(self, code: CodeType) -> None:
        """Add what a code object does; where it stands does not matter."""
        self.add(code.co_code.hex(), code.co_argcount, code.co_kwonlyargcount, code.co_flags)
        self.add(*code.co_names, *code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
        self.visit_items(tuple, code.co_consts)


def names_in(code: CodeType) -> Iterator[str]:
    """The names that a code object, or one inside it, may look up."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_in(constant)
