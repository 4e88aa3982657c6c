"""Turns a compiler's complaint into advice: which method, which line, and what to write instead."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from ludus.checking.broken import Broken
from ludus.compiling import Twin

# What cannot be compiled, by the kind of node in the source, and what to write instead.
_UNSUPPORTED: dict[type[ast.AST], tuple[str, str]] = {
    ast.JoinedStr: ("makes a string", "rules hold numbers only; move text into the game's face"),
    ast.Dict: ("makes a dict", "use ints as bit sets, or a tuple as a module constant"),
    ast.DictComp: ("makes a dict", "use ints as bit sets, or a tuple as a module constant"),
    ast.Set: ("makes a set", "use an int as a bit set"),
    ast.SetComp: ("makes a set", "use an int as a bit set"),
    ast.Try: ("catches exceptions", "test for the case instead"),
    ast.With: ("uses a with block", "rules are pure: leave files and locks out"),
    ast.Yield: ("is a generator", "build an int and return it"),
    ast.GeneratorExp: ("uses a generator expression", "write a for loop"),
}


def explain(game: Any, methods: tuple[str, ...], error: Exception) -> Broken:
    """The broken rule behind a failed compilation of some of the game's methods."""
    cls = type(game)
    for method in methods:
        for name, function in _reachable(cls, method):
            for line, what, instead in _suspicions(cls, name, function):
                return Broken(game, name, f"{what} (line {line}), which cannot be compiled", instead)
    place, message = _last_words(error)
    advice = "write it with whole numbers, tuples and loops"
    return Broken(game, " or ".join(methods), f"cannot be compiled{place}: {message}", advice)


def _reachable(cls: type, method: str) -> Iterator[tuple[str, FunctionType]]:
    """The method and whatever functions of the game it calls, each once."""
    waiting, seen = [method], set()
    while waiting:
        name = waiting.pop(0)
        function = _function(cls, name)
        if function is None or name in seen:
            continue
        seen.add(name)
        yield name, function
        waiting += [node.attr for node in _nodes(function) if _is_on_self(node)]
        waiting += [node.id for node in _nodes(function) if isinstance(node, ast.Name)]


def _function(cls: type, name: str) -> FunctionType | None:
    """The function behind a method, property or marked helper of that name."""
    member = vars(cls).get(name) or vars(inspect.getmodule(cls)).get(name)
    if isinstance(member, property):
        member = member.fget
    if isinstance(member, Twin):
        member = member.plain
    return member if isinstance(member, FunctionType) else None


def _is_on_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def _nodes(function: FunctionType) -> Iterator[Any]:
    """The syntax of a function, with the line numbers of its file; nothing when the source is not to be had."""
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        return
    tree = ast.parse(textwrap.dedent("".join(lines)))
    ast.increment_lineno(tree, first - 1)
    body = tree.body[0].body  # type: ignore[attr-defined]
    for statement in body[1:] if ast.get_docstring(tree.body[0]) else body:  # type: ignore[arg-type]
        yield from ast.walk(statement)


def _suspicions(cls: type, name: str, function: FunctionType) -> Iterator[tuple[int, str, str]]:
    """(line, what, what to write instead) for everything in a function that is known not to compile."""
    for node in _nodes(function):
        if type(node) in _UNSUPPORTED:
            yield node.lineno, *_UNSUPPORTED[type(node)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, "uses a string", "rules hold numbers only; move text into the game's face"
        elif isinstance(node, ast.Attribute) and node.attr == "_replace":
            yield node.lineno, "calls _replace", "make a new position with every field: Position(...)"
        elif _is_on_self(node) and node.attr == name:
            yield node.lineno, "calls itself", "write a loop instead of recursion"
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield from _suspicious_global(cls, name, node, function)


def _suspicious_global(cls: type, name: str, node: ast.Name, function: FunctionType) -> Iterator[tuple[int, str, str]]:
    if node.id in function.__code__.co_varnames:
        return
    value = function.__globals__.get(node.id)
    if node.id == name and isinstance(value, Twin):
        yield node.lineno, "calls itself", "write a loop instead of recursion"
    elif inspect.isfunction(value):
        yield node.lineno, f"calls {node.id}", f"mark {node.id} with @helper (from ludus import helper)"
    elif isinstance(value, (list, dict, set)):
        yield node.lineno, f"reads the {type(value).__name__} {node.id}", f"make {node.id} a tuple or an int"


def _last_words(error: Exception) -> tuple[str, str]:
    """The place, if it is told, and the plainest sentence of a Numba message."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    place = re.findall(r"\.py\"?[,:]? ?(?:line )?\(?(\d+)\)?", text)
    telling = [line for line in lines if re.match(r"(Unknown attribute|Cannot unify|No implementation|field )", line)]
    message = telling[-1] if telling else lines[0] if lines else type(error).__name__
    return (f" (line {place[-1]})" if place else ""), message[:200]
