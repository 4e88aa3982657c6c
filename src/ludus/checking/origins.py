"""The functions of a game's author that a method reaches, their syntax, and where in them a compiler's error lies."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from ludus.compiling import Twin
from ludus.sources import is_library

_PLACE = re.compile(r'(?:File "|at |from )([^"\n]+?)"?,? (?:line |\()(\d+)')


class Place(NamedTuple):
    """A line of a function that the game's author wrote."""

    function: Any  # a FunctionType
    line: int

    @property
    def source(self) -> str:
        """The line itself."""
        lines, first = inspect.getsourcelines(self.function)
        return lines[self.line - first].strip()


def reachable(classes: tuple[type, ...], method: str) -> list[FunctionType]:
    """The game's method and whatever functions of its author it calls, each once; `classes` begin with the game's."""
    first = function_of(getattr(classes[0], method, None))
    found, waiting = [], [first] if first else []
    while waiting:
        function = waiting.pop(0)
        if function in found or _is_foreign(function):
            continue
        found.append(function)
        waiting += [called for node in syntax(function) if (called := called_by(classes, function, node))]
    return found


def _is_foreign(function: FunctionType) -> bool:
    """Whether a function is Ludus's own or a library's."""
    module = function.__module__ or ""
    own = module == "ludus" or (module.startswith("ludus.") and not module.startswith("ludus.games."))
    return own or (not module.startswith("ludus.") and is_library(module))


def called_by(classes: tuple[type, ...], function: FunctionType, node: ast.AST) -> FunctionType | None:
    """The function, method or property that a name or an attribute stands for."""
    return function_of(value_of(classes, function, node))


def function_of(member: Any) -> FunctionType | None:
    """The function behind a method, property or marked helper."""
    if isinstance(member, property):
        member = member.fget
    if isinstance(member, Twin):
        member = member.plain
    return member if isinstance(member, FunctionType) else None


def value_of(classes: tuple[type, ...], function: FunctionType, node: ast.AST) -> Any:
    """What a global name, an attribute of a module, or a member of one of the classes stands for; None if unknown."""
    if isinstance(node, ast.Name):
        return None if node.id in function.__code__.co_varnames else function.__globals__.get(node.id)
    if not isinstance(node, ast.Attribute):
        return None
    base = value_of(classes, function, node.value)
    if isinstance(base, (ModuleType, type)):
        return inspect.getattr_static(base, node.attr, None)
    return member_of(classes[:1] if is_self(node.value) else classes, node.attr)


def member_of(classes: tuple[type, ...], name: str) -> Any:
    """The first member of that name, as it stands in its class."""
    found = (inspect.getattr_static(cls, name, None) for cls in classes)
    return next((member for member in found if member is not None), None)


def is_self(node: ast.AST) -> bool:
    """Whether this is the name `self`."""
    return isinstance(node, ast.Name) and node.id == "self"


@cache
def syntax(function: FunctionType) -> tuple[Any, ...]:
    """The nodes of a function, with the line numbers of its file; none when the source is not to be had."""
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):
        return ()
    ast.increment_lineno(tree, first - 1)
    written: Any = tree.body[0]
    body = getattr(written, "body", [])
    statements = body[1:] if isinstance(written, ast.FunctionDef) and ast.get_docstring(written) else body
    return tuple(node for statement in _as_list(statements) for node in ast.walk(statement))


def _as_list(statements: Any) -> list[ast.AST]:
    return statements if isinstance(statements, list) else [statements]


def places(error: Exception, functions: list[FunctionType]) -> Iterator[Place]:
    """The lines of these functions that a compiler's message names, the innermost call first."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    for path, line in _PLACE.findall(text):
        for function in functions:
            if _holds(function, path, int(line)):
                yield Place(function, int(line))


def _holds(function: FunctionType, path: str, line: int) -> bool:
    """Whether the line of a file belongs to the function."""
    if Path(path).resolve() != Path(function.__code__.co_filename).resolve():
        return False
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        return False
    return first <= line < first + len(lines)
