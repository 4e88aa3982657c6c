"""The digest of a module's source and of every module of ours or the author's that it imports.

The machine code of kernels is kept under it, so that an edit of Ludus is never answered from an old cache.
Nothing is imported to find out: the import statements are read from the sources.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import sys
import sysconfig
import uuid
from collections.abc import Iterable
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import NamedTuple, TypeGuard

from ludus import IMPORTED_AT

# A source edited since Ludus was imported may not be what runs: its digest holds in this process alone.
_THIS_PROCESS = uuid.uuid4().bytes


Statements = list[tuple[str, tuple[str, ...]]]  # modules, dots before relative ones, and the names taken from them

_ALL = ("*",)


_LIBRARIES = tuple(
    {str(Path(sysconfig.get_path(name)).resolve()) + "/" for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)


def digest(module: str, path: Path | None = None) -> str:
    """Twelve hex digits that change when the module, or a non-library module it imports, is edited.

    A module that is not importable by name is given with its path.
    """
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
    for base, names in _import_statements(path, changed).running:
        stem = _absolute(base, module, path)
        if _is_authored(stem.partition(".")[0], home):
            source = source_path(stem)
            lazy = {} if source is None else _lazy_names(stem, source)
            inner = lazy.values() if names == _ALL else [lazy.get(name, f"{stem}.{name}") for name in names]
            found += [(stem, source), *((each, source_path(each)) for each in inner)]
    return found


_imports_of_ludus = cache(_authored_imports)  # of files that change, but do not come and go while it runs


def _is_authored(top: str, home: str) -> bool:
    return top in ("ludus", home) or (source_path(top) is not None and not is_library(top))


def is_library(module: str) -> bool:
    """Whether a module comes with Python or was installed beside it; Ludus itself does not count."""
    top = module.partition(".")[0]
    path = source_path(top)
    if top == "ludus" or path is None:
        return top in sys.builtin_module_names
    return str(path.resolve()).startswith(_LIBRARIES)


def _lazy_names(module: str, path: Path) -> dict[str, str]:
    """The names that a module tells the checker of types to be others', which it may load when asked for them."""
    told = _import_statements(path, path.stat().st_mtime_ns).told
    return {name: _absolute(base, module, path) for base, names in told for name in names}


def _absolute(base: str, module: str, path: Path) -> str:
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    return importlib.util.resolve_name(base, package) if base.startswith(".") else base


class _Imports(NamedTuple):
    """The import statements of a file that run, and those that are told to the checker of types alone."""

    running: Statements
    told: Statements


@cache
def _import_statements(path: Path, changed: int) -> _Imports:
    tree = ast.parse(path.read_bytes())
    told = [node for block in ast.walk(tree) if _is_told(block) for line in block.body for node in ast.walk(line)]
    hidden = set(told)
    return _Imports(_statements(node for node in ast.walk(tree) if node not in hidden), _statements(told))


def _is_told(node: ast.AST) -> TypeGuard[ast.If]:
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def _statements(nodes: Iterable[ast.AST]) -> Statements:
    statements: Statements = []
    for node in nodes:
        if isinstance(node, ast.Import):
            statements += [(alias.name, _ALL) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = tuple(alias.name for alias in node.names)
            statements.append(("." * node.level + (node.module or ""), names))
    return statements
