"""Explains a failed compilation: the author's line that cannot be compiled, and what to write instead."""

from __future__ import annotations

import ast
import enum
import inspect
import re
import textwrap
from collections.abc import Iterator
from functools import _lru_cache_wrapper, cache, cached_property
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from ludus.checking.plain import Broken, function_of
from ludus.compiled.compiling import FRACTION, Twin
from ludus.compiled.digests import is_library

_PLACE = re.compile(r'(?:File "|at |from )([^"\n]+?)"?,? (?:line |\()(\d+)')


def is_of_compiler(error: BaseException) -> bool:
    """Whether an error says that something cannot be compiled."""
    return type(error).__module__.startswith("numba")


def reachable(classes: tuple[type, ...], first: FunctionType | None) -> list[FunctionType]:
    """A function and the author's functions that it calls, each once; `classes` begin with the game's."""
    found, waiting = [], [first] if first else []
    while waiting:
        function = waiting.pop(0)
        module = function.__module__ or ""
        own = module == "ludus" or (module.startswith("ludus.") and not module.startswith("ludus.games."))
        if function in found or own or (not module.startswith("ludus.") and is_library(module)):
            continue
        found.append(function)
        named = [value_of(classes, function, node) for node in syntax(function)]
        waiting += [called for value in named if (called := function_of(value))]
    return found


def value_of(classes: tuple[type, ...], function: FunctionType, node: ast.AST) -> Any:
    """What a global name, an attribute of a module, or a member of one of the classes stands for; None if unknown."""
    if isinstance(node, ast.Name):
        return None if node.id in function.__code__.co_varnames else function.__globals__.get(node.id)
    if not isinstance(node, ast.Attribute):
        return None
    base = value_of(classes, function, node.value)
    if isinstance(base, (ModuleType, type)):
        return inspect.getattr_static(base, node.attr, None)
    owners = classes[:1] if is_self(node.value) else classes
    found = (inspect.getattr_static(cls, node.attr, None) for cls in owners)
    return next((member for member in found if member is not None), None)


def is_self(node: ast.AST) -> bool:
    """Whether this is the name `self`."""
    return isinstance(node, ast.Name) and node.id == "self"


@cache
def syntax(function: FunctionType) -> tuple[Any, ...]:
    """The nodes of a function, with the line numbers of its file; none without a source."""
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):
        return ()
    ast.increment_lineno(tree, first - 1)
    written: Any = tree.body[0]
    body = getattr(written, "body", [])
    statements = body[1:] if isinstance(written, ast.FunctionDef) and ast.get_docstring(written) else body
    listed = statements if isinstance(statements, list) else [statements]
    return tuple(node for statement in listed for node in ast.walk(statement))


def places(error: Exception, functions: list[FunctionType]) -> Iterator[tuple[FunctionType, int]]:
    """The lines of these functions that a compiler's message names, the innermost call first."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    for path, line in _PLACE.findall(text):
        for function in functions:
            if _holds(function, path, int(line)):
                yield function, int(line)


def _holds(function: FunctionType, path: str, line: int) -> bool:
    """Whether the line of a file belongs to the function."""
    if Path(path).resolve() != Path(function.__code__.co_filename).resolve():
        return False
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        return False
    return first <= line < first + len(lines)


class Suspicion(NamedTuple):
    """Something that cannot be compiled; where it `spreads`, the compiler may fail on a later line only."""

    line: int
    what: str
    instead: str
    spreads: bool = False


_NO_TEXT = "rules hold numbers only; move text into the game's face"
_NO_DICT = "use ints as bit sets, or a tuple as a module constant"
_NO_RECURSION = "write a loop instead of recursion"
_WHOLE = "write it with whole numbers, tuples and loops"
_ALL_FIELDS = "make a new position with every field: Position(...)"


# By the kind of node in the source: what it does, and what to write instead.
_NODES: dict[type[ast.AST], tuple[str, str]] = {
    ast.JoinedStr: ("makes a string", _NO_TEXT),
    ast.Dict: ("makes a dict", _NO_DICT),
    ast.DictComp: ("makes a dict", _NO_DICT),
    ast.Set: ("makes a set", "use an int as a bit set"),
    ast.SetComp: ("makes a set", "use an int as a bit set"),
    ast.Try: ("catches exceptions", "test for the case instead"),
    ast.With: ("uses a with block", "rules are pure: leave files and locks out"),
    ast.Yield: ("is a generator", "build an int and return it"),
    ast.GeneratorExp: ("uses a generator expression", "write a for loop"),
    ast.NamedExpr: ("uses :=", "give the name its value on a line of its own"),
    ast.Global: ("changes a global", "keep what changes in a field of the position"),
    ast.Delete: ("uses del", "do without it"),
}

_SPREADING = (ast.JoinedStr, ast.Dict, ast.DictComp, ast.Set, ast.SetComp, ast.Try, ast.Global)


# By the name of a function that Python brings.
_BUILTINS: dict[str, str] = {
    **dict.fromkeys(("bin", "hex", "oct", "str", "repr", "format", "chr", "ord", "ascii"), _NO_TEXT),
    **dict.fromkeys(("list", "tuple", "sorted", "frozenset", "set"), "name the fields one by one, or use a bit set"),
    **dict.fromkeys(("any", "all", "map", "filter", "sum"), "write a for loop"),
    **dict.fromkeys(("isinstance", "issubclass", "type"), "all values are whole numbers: compare them instead"),
    **dict.fromkeys(("getattr", "setattr", "hasattr", "vars", "super"), "name the field or the method itself"),
    "dict": _NO_DICT,
    "reversed": "count down: for i in range(n - 1, -1, -1)",
}

# By the name of a method or attribute, whatever it belongs to.
_ATTRIBUTES: dict[str, str] = {
    "bit_count": "write popcount(...) (from ludus.compiled.bits import popcount)",
    "bit_length": "write highest(...) + 1 for what is not 0 (from ludus.compiled.bits import highest)",
    "_replace": _ALL_FIELDS,
    "_make": _ALL_FIELDS,
    "_asdict": "read the fields by their names",
}

_NOT_IN_MATH = {
    *("comb", "perm", "prod", "factorial", "isqrt", "lcm", "dist", "fsum", "sumprod", "cbrt", "exp2", "isclose"),
    *("nextafter", "ulp", "remainder", "fma"),
}

# By the message of the compiler, where the source alone does not show it.
_MESSAGES: tuple[tuple[str, str, str], ...] = (
    (r"Unknown attribute '(\w+)'", "uses .{}, which compiled code does not know", _WHOLE),
    (r"Untyped global name '(\w+)'", "uses {}, which compiled code does not know", _WHOLE),
    (r"(?i)optional|\bnone\b.*unify|unify.*\bnone\b", "uses None", "use a number for nothing, such as -1"),
    (
        r"(?i)(?:cannot|can't) unify",
        "gives one name, or the result, values of unlike kinds",
        "let it be whole numbers throughout, or tuples of one length",
    ),
    (r"(Cannot bind)", "calls with the wrong arguments", "pass each argument by its place"),
    (r"field (\w+) of", "puts what is no whole number into the field {}", "use // instead of /, and no None"),
)


def explain(game: Any, like: Any, method: str, error: Exception) -> Broken:
    """The broken rule behind a failed compilation of one of the game's methods."""
    if FRACTION in str(error):
        advice = "return a whole number on every path: use // instead of /, or count in smaller units"
        return Broken(game, method, "returns a fraction in some position", advice)
    classes = (type(game), type(like))
    functions = reachable(classes, function_of(getattr(classes[0], method, None)))
    function, line = next(places(error, functions), (None, 0))
    if function is None:
        return _explain_without_place(game, classes, method, functions)
    found = list(_suspicions(classes, function))
    for pattern, what, instead in _MESSAGES:
        if match := re.search(pattern, str(error)):
            found.append(Suspicion(line, what.format(*match.groups()), instead))
    here = [suspicion for suspicion in found if suspicion.line == line]
    elsewhere = [suspicion for suspicion in found if suspicion.spreads]
    name = function.__name__
    for suspicion in here or elsewhere:
        return _report(game, name, suspicion)
    lines, first = inspect.getsourcelines(function)
    return Broken(game, name, f'cannot be compiled (line {line}: "{lines[line - first].strip()}")', _WHOLE)


def _explain_without_place(game: Any, classes: Any, method: str, functions: list[FunctionType]) -> Broken:
    for function in functions:
        for suspicion in _suspicions(classes, function):
            return _report(game, function.__name__, suspicion)
    constant = inspect.getattr_static(type(game), method)
    if function_of(constant) is None:
        return Broken(game, method, f"is {constant!r}, which cannot be compiled", "make it an int or a tuple of ints")
    line = function_of(constant).__code__.co_firstlineno  # type: ignore[union-attr]
    return Broken(game, method, f'cannot be compiled (line {line}: "def {method}")', _WHOLE)


def _report(game: Any, name: str, suspicion: Suspicion) -> Broken:
    how = f"{suspicion.what} (line {suspicion.line}), which cannot be compiled"
    return Broken(game, name, how, suspicion.instead)


def _suspicions(classes: tuple[type, ...], function: FunctionType) -> Iterator[Suspicion]:
    """Everything in a function that is known not to compile."""
    raising = [node for node in syntax(function) if isinstance(node, (ast.Raise, ast.Assert))]
    allowed = {part for node in raising for part in ast.walk(node)}  # there strings do compile
    for node in syntax(function):
        if type(node) in _NODES:
            yield Suspicion(node.lineno, *_NODES[type(node)], isinstance(node, _SPREADING))
        elif isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)) and node not in allowed:
            yield Suspicion(node.lineno, "uses a string", _NO_TEXT, True)
        elif isinstance(node, ast.Call):
            yield from _suspicious_call(classes, function, node)
        elif isinstance(node, ast.Attribute):
            yield from _suspicious_attribute(classes, function, node)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield from _suspicious_value(node, node.id, value_of(classes, function, node))


def _suspicious_call(classes: tuple[type, ...], function: FunctionType, node: ast.Call) -> Iterator[Suspicion]:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    value = value_of(classes, function, node.func)
    called = function_of(value)
    if name in _BUILTINS and value is None:
        yield Suspicion(node.lineno, f"calls {name}", _BUILTINS[name])
    elif name in ("min", "max") and any(keyword.arg == "key" for keyword in node.keywords):
        yield Suspicion(node.lineno, f"calls {name} with a key", "write a for loop that keeps the best so far")
    elif isinstance(value, type) and issubclass(value, enum.Enum):
        yield Suspicion(node.lineno, f"calls {value.__name__}", "use the int itself: members of an IntEnum are ints")
    elif called is function:
        yield Suspicion(node.lineno, "calls itself", _NO_RECURSION)
    elif called and function in reachable(classes, called):
        yield Suspicion(node.lineno, f"calls {called.__name__}, which calls it again", _NO_RECURSION)


def _suspicious_attribute(
    classes: tuple[type, ...], function: FunctionType, node: ast.Attribute
) -> Iterator[Suspicion]:
    base, member = value_of(classes, function, node.value), value_of(classes, function, node)
    if node.attr in _ATTRIBUTES:
        yield Suspicion(node.lineno, f"calls {node.attr}", _ATTRIBUTES[node.attr])
    elif isinstance(node.ctx, ast.Store):
        yield Suspicion(node.lineno, f"sets .{node.attr}", "keep what changes in a field of the position")
    elif isinstance(base, ModuleType) and base.__name__ == "math" and node.attr in _NOT_IN_MATH:
        yield Suspicion(node.lineno, f"uses math.{node.attr}", "write a loop")
    elif is_self(node.value) and node.attr.startswith("_"):
        advice = f"only public members compile: rename it to {node.attr.lstrip('_')}"
        yield Suspicion(node.lineno, f"uses self.{node.attr}", advice)
    elif isinstance(base, ModuleType) or is_self(node.value):
        yield from _suspicious_value(node, ast.unparse(node), member)


def _suspicious_value(node: Any, name: str, value: Any) -> Iterator[Suspicion]:
    """What is wrong with a global, an attribute of a module, or a member of the game."""
    kind, of_self = type(value).__name__, name.startswith("self.")
    if isinstance(value, (staticmethod, classmethod, _lru_cache_wrapper, cached_property)):
        kind = "cached function" if isinstance(value, (_lru_cache_wrapper, cached_property)) else kind
        advice = "make it a plain method with self, or a free function marked @helper"
        yield Suspicion(node.lineno, f"uses {name}, a {kind}", advice)
    elif inspect.isfunction(value) and not of_self and not isinstance(value, Twin):
        yield Suspicion(node.lineno, f"calls {name}", f"mark {name} with @helper (from ludus import helper)")
    elif isinstance(value, (list, dict, set, str, bytes)) or (of_self and isinstance(value, float)):
        yield Suspicion(node.lineno, f"reads the {kind} {name}", f"make {name} a tuple or an int", True)
    elif (
        isinstance(value, tuple)
        and not hasattr(value, "_fields")
        and len({len(entry) if isinstance(entry, tuple) else type(entry) for entry in value}) > 1
    ):
        advice = f"give all entries of {name} one length, and whole numbers only"
        yield Suspicion(node.lineno, f"reads {name}, whose entries are unlike", advice)
