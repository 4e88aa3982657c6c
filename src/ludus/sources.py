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
from collections.abc import Iterator
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path

from ludus import IMPORTED_AT

# A source edited since Ludus was imported may not be what runs: its digest holds in this process alone.
_THIS_PROCESS = uuid.uuid4().bytes

_LIBRARIES = tuple(
    {str(Path(sysconfig.get_path(name)).resolve()) + "/" for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)


def digest(module: str, path: Path | None = None) -> str:
    """Twelve hex digits that change when the module, or a non-library module it imports, is edited.

    A module that is not importable by name is given with its path.
    """
    whole = hashlib.sha256()
    for name, source in sorted(closure(module, path).items()):
        content = source.read_bytes()
        whole.update(f"{name}\0{len(content)}\0".encode() + content)
        if source.stat().st_mtime >= IMPORTED_AT:
            whole.update(_THIS_PROCESS)
    return whole.hexdigest()[:12]


def closure(module: str, path: Path | None = None) -> dict[str, Path]:
    """The module and all that it imports, itself or through others, by name; libraries are left out."""
    found: dict[str, Path] = {}
    waiting = [(module, path or source_path(module))]
    while waiting:
        name, source = waiting.pop()
        if source is None or name in found:
            continue
        found[name] = source
        for imported in _imported_modules(name, source):
            if _is_authored(imported, module):
                waiting.append((imported, source_path(imported)))
    return found


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


def _is_authored(module: str, root: str) -> bool:
    """Whether edits are to be expected: a module of ours, of the game's own package, or outside the libraries."""
    top = module.partition(".")[0]
    if top in ("ludus", root.partition(".")[0]):
        return True
    return source_path(top) is not None and not is_library(top)


def is_library(module: str) -> bool:
    """Whether a module comes with Python or was installed beside it; Ludus itself does not count."""
    top = module.partition(".")[0]
    path = source_path(top)
    if top == "ludus" or path is None:
        return top in sys.builtin_module_names
    return str(path.resolve()).startswith(_LIBRARIES)


def _imported_modules(module: str, path: Path) -> Iterator[str]:
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for base, names in _import_statements(path, path.stat().st_mtime_ns):
        stem = importlib.util.resolve_name(base, package) if base.startswith(".") else base
        yield stem
        yield from (f"{stem}.{name}" for name in names)


@cache
def _import_statements(path: Path, changed: int) -> list[tuple[str, tuple[str, ...]]]:
    """Each import of a file as (module, names taken from it); relative ones begin with dots."""
    statements: list[tuple[str, tuple[str, ...]]] = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            statements += [(alias.name, ()) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = tuple(alias.name for alias in node.names)
            statements.append(("." * node.level + (node.module or ""), names))
    return statements
