"""Translates plain Python functions and the classes they use to JavaScript, for the drawing of exported games.

What a function refers to is looked up where it runs: other functions are translated too, and constants are written out
as they are. Ints become BigInt, floats Number, and every operation a call of `python.js`, so that the results are the
same. Whatever cannot be translated is refused with its file and line.
"""

from __future__ import annotations

import ast
import builtins
import enum
import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from html import escape
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple, cast

from pydantic import BaseModel

from ludus import face
from ludus.compiled.compiling import Twin, member
from ludus.errors import LudusError

_NATIVE: dict[Any, str] = {escape: "py.escape", member: "py.member", slice: "py.sliceOf"}  # written in JavaScript
_MODULES = {"re": "py.re", "math": "py.math"}
_IN_PYTHON_JS = (
    "abs all any bool chr dict divmod enumerate filter float format frozenset getattr hasattr int isinstance iter len"
    " list map max min next ord pow range repr reversed round set sorted str sum tuple type zip"
)
_BUILTINS = frozenset(_IN_PYTHON_JS.split())
_KEYWORDS = {
    "max": ("key", "default"),
    "min": ("key", "default"),
    "sorted": ("key", "reverse"),
    "zip": ("strict",),
    "enumerate": ("start",),
    "sum": ("start",),
    "int": ("base",),
    "round": ("ndigits",),
}
_IN_MODULES = {
    "re": "compile escape findall finditer fullmatch match search split sub A ASCII I IGNORECASE",
    "math": "acos asin atan atan2 ceil comb cos degrees e exp fabs floor gcd hypot inf isqrt log log10 log2 pi radians"
    " sin sqrt tan tau trunc",
}
_METHODS = (
    "add append bit_count bit_length capitalize casefold center copy count difference discard endswith extend find"
    " format get index insert intersection is_integer isalnum isalpha isdecimal isdigit isdisjoint islower isnumeric"
    " isspace issubset issuperset isupper items join keys ljust lower lstrip partition pop remove removeprefix"
    " removesuffix replace reverse rfind rjust rpartition rstrip setdefault sort split splitlines startswith strip"
    " swapcase title union update upper values zfill"
)
_OTHER_METHODS = {name for kind in (str, int, float, list, dict, set, bytes) for name in dir(kind)} - {
    *_METHODS.split()
}
_PATTERN = re.compile(r"\(\?(?![:=!]|<[=!]|P[<=])|[*+?}]\+")  # what JavaScript writes otherwise
_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.LShift: "lshift", ast.RShift: "rshift", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
    ast.Invert: "invert", ast.USub: "neg", ast.UAdd: "pos",
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Is: "is",
    ast.IsNot: "isNot", ast.In: "isIn", ast.NotIn: "notIn",
}  # fmt: skip
_ALWAYS = ("__init__", "__str__", "__repr__", "__len__", "__iter__", "__getitem__", "__contains__", "__eq__")
_TUPLES_OWN = frozenset(vars(NamedTuple("Plain", [("field", int)])))
_LAZY = ast.Lambda | ast.FunctionDef
_COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class UntranslatedError(LudusError):
    """What has no translation, and where it stands."""


class Scope(NamedTuple):
    """Where code stands: its file, what its free names mean, and the names that are variables there.

    `lent` are the variables that the code needs beside those of Python; `owner` is the class of a method.
    """

    file: str
    meaning: Callable[[str], Any]
    variables: frozenset[str]
    lent: list[str]
    owner: type | None = None


class Translator:
    """Translates functions for one game; `lacking` are members that it is to do without."""

    def __init__(self, game: Any, lacking: Iterable[str] = ()) -> None:
        self.game, self.lacking = game, frozenset(lacking)
        self.parts: list[str] = []
        self._named: dict[Any, str] = {}
        self._kept: list[Any] = []  # so that no other thing gets the same id
        self._classes: list[tuple[str, type, set[str]]] = []
        self._asked: set[str] = set(_ALWAYS)
        self._count = 0

    def module(self, offered: dict[str, Any], members: Iterable[str]) -> str:
        """A function of the runtime that returns the translations of some things, with these members of classes."""
        self._asked |= set(members)
        given = {name: self.value(thing, f"the game {type(self.game).__name__}") for name, thing in offered.items()}
        self._complete()
        returned = ", ".join(f"{name}: {written}" for name, written in given.items())
        return "(py) => {\n" + "\n".join([*self.parts, f"return {{ {returned} }};"]) + "\n}"

    # ---- values ----

    def value(self, thing: Any, where: str) -> str:
        """A Python value, written in JavaScript."""
        if _is_hashable(thing) and thing in _NATIVE:
            return _NATIVE[thing]
        if isinstance(thing, (FunctionType, Twin, type)) or hasattr(thing, "__wrapped__"):
            return self._name(thing, where)
        if thing is None or isinstance(thing, (bool, int, float, str)):
            return _literal(thing)
        if isinstance(thing, (tuple, list, set, frozenset, dict, bytes, range, re.Pattern)):
            return self._constant(thing, where)
        raise UntranslatedError(f"{where}: {type(thing).__name__} has no translation")

    def _constant(self, thing: Any, where: str) -> str:
        key = ("constant", id(thing))
        if key not in self._named:
            self._kept.append(thing)
            written = self._written(thing, where)
            self._named[key] = self._define("k", written)
        return self._named[key]

    def _written(self, thing: Any, where: str) -> str:
        if isinstance(thing, re.Pattern):
            if _PATTERN.search(thing.pattern):
                raise UntranslatedError(f"{where}: the pattern {thing.pattern!r} has no translation")
            return f"py.re.compile({_literal(thing.pattern)}, {_literal(int(thing.flags & re.IGNORECASE))})"
        if isinstance(thing, dict):
            pairs = (f"[{self.value(key, where)}, {self.value(one, where)}]" for key, one in thing.items())
            return f"py.dictOf([{', '.join(pairs)}])"
        items = ", ".join(self.value(one, where) for one in thing)
        if isinstance(thing, tuple) and hasattr(thing, "_fields"):
            return f"{self.value(type(thing), where)}({items})"
        kind = "list" if isinstance(thing, list) else "set" if isinstance(thing, (set, frozenset)) else "tuple"
        return f"py.{kind}Of([{items}])"

    def _name(self, thing: Any, where: str) -> str:
        """The name under which a function or class is defined."""
        key = ("code", id(thing))
        if key not in self._named:
            self._kept.append(thing)
            if isinstance(thing, type):
                self._named[key] = self._class(thing, where)
            else:
                self._count += 1
                self._named[key] = f"f{self._count}_{_safe(getattr(thing, '__name__', ''))}"
                written = self._function_of(thing, where)
                self.parts.append(f"const {self._named[key]} = {written};")
        return self._named[key]

    def _define(self, letter: str, written: str) -> str:
        self._count += 1
        self.parts.append(f"const {letter}{self._count} = {written};")
        return f"{letter}{self._count}"

    # ---- functions ----

    def _function_of(self, thing: Any, where: str) -> str:
        plain = thing.plain if isinstance(thing, Twin) else thing
        while not isinstance(plain, FunctionType) and hasattr(plain, "__wrapped__"):
            plain = plain.__wrapped__  # what a cache calls
        if not isinstance(plain, FunctionType):
            raise UntranslatedError(f"{where}: {thing!r} has no translation")
        return self._plain_function(plain, where)

    def _plain_function(self, function: FunctionType, where: str, owner: type | None = None) -> str:
        node = _node_of(function.__code__, where)
        meaning = _meaning(_cells(function), function.__globals__)
        scope = Scope(function.__code__.co_filename, meaning, frozenset(), [], owner)
        given = inspect.signature(function, follow_wrapped=False).parameters.values()
        defaults = {
            one.name: self.value(one.default, self._where(node, scope))
            for one in given
            if one.default is not inspect.Parameter.empty
        }
        return self.function(node, scope, defaults, is_method=owner is not None)

    def function(self, node: Any, outer: Scope, defaults: dict[str, str], *, is_method: bool = False) -> str:
        """A def or lambda as an expression; the first argument of a method is `this`."""
        arguments = node.args
        if arguments.kwarg:
            raise self._untranslated(node, outer, "**" + arguments.kwarg.arg)
        names = [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        rest = arguments.vararg and arguments.vararg.arg
        if rest and arguments.kwonlyargs:
            raise self._untranslated(node, outer, f"a keyword after *{rest}")
        body = node.body if isinstance(node.body, list) else [ast.Return(node.body, lineno=node.lineno)]
        assigned = _assigned(body)
        own = {*names, *assigned} | ({rest} if rest else set())
        scope = outer._replace(variables=outer.variables | own, lent=[])
        first = names.pop(0) if is_method else None
        written = "".join(self.statements(body, scope))
        new = [f"${name}" for name in sorted(assigned - {*names, rest, first})] + scope.lent
        taken = [f"${name} = {defaults[name]}" if name in defaults else f"${name}" for name in names]
        head = (f"const ${first} = this;\n" if first else "") + (f"let {', '.join(new)};\n" if new else "")
        if rest:
            taken.append(f"...rest_{rest}")
            head += f"{'' if rest in assigned else 'let '}${rest} = py.tupleOf(rest_{rest});\n"
        star = "*" if any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in _own_nodes(body)) else ""
        kind = f"function{star} ({', '.join(taken)})"
        return f"py.def({json.dumps(names)}, {kind} {{\n{head}{written}}})"

    # ---- classes ----

    def _class(self, cls: type, where: str) -> str:
        """A class without its members, which follow when all names in use are known."""
        if issubclass(cls, enum.Enum):
            values = ", ".join(f"[{_literal(one.name)}, {self.value(one.value, where)}]" for one in cls)
            return self._define("c", f"py.enumOf({_literal(cls.__name__)}, [{values}])")
        if issubclass(cls, BaseException):
            kinds = [one.__name__ for one in cls.__mro__[:-1]]
            return self._define("c", f"py.exceptionOf({json.dumps(kinds)})")
        fields, defaults = _fields_of(cls)
        given = ", ".join(f"{name}: {self.value(one, where)}" for name, one in defaults.items())
        if cls.__module__ == "builtins":
            if cls.__name__ in _BUILTINS:
                return f"py.{cls.__name__}"
            raise UntranslatedError(f"{where}: {cls.__name__} has no translation")
        kind = "namedTuple" if issubclass(cls, tuple) else "record" if fields is not None else "plainClass"
        name = self._define("c", f"py.{kind}({_literal(cls.__name__)}, {json.dumps(fields or [])}, {{{given}}})")
        self._classes.append((name, cls, set()))
        return name

    def _complete(self) -> None:
        """Adds the members of classes that are in use, until no more names come up."""
        known = -1
        while known != (known := len(self._asked) + len(self._classes)):
            for name, cls, done in list(self._classes):
                wanted = sorted(self._asked - done - (self.lacking if cls is type(self.game) else set()))
                done |= self._asked
                self.parts += [part for one in wanted for part in self._member(name, cls, one)]

    def _member(self, made: str, cls: type, name: str) -> Iterator[str]:
        owner = next((one for one in cls.__mro__ if name in vars(one)), None)
        if owner is None or owner.__module__ in ("builtins", "typing", "enum", "abc", "pydantic.main", "collections"):
            return
        found, where = vars(owner)[name], f"{owner.__name__}.{name}"
        if name in getattr(cls, "_fields", ()) or (name in _TUPLES_OWN and not name.startswith("__")):
            return
        if name.startswith("__") and not isinstance(found, FunctionType):
            return
        code = getattr(found, "fget", None) or getattr(found, "func", None) or getattr(found, "__func__", None) or found
        if isinstance(code, Twin):
            code = code.plain
        if isinstance(found, staticmethod):
            kind, written = "value", self._plain_function(cast(FunctionType, code), where)
        elif isinstance(code, FunctionType):
            if _is_made(code):
                return
            kind = "class" if isinstance(found, classmethod) else "method" if found is code else "property"
            kind = "method" if isinstance(found, Twin) else kind
            written = self._plain_function(code, where, owner)
        else:
            kind, written = "value", self.value(found, where)
        yield f"py.member_{kind}({made}, {_literal(name)}, {written});"

    # ---- statements ----

    def statements(self, body: Sequence[ast.stmt], scope: Scope) -> Iterator[str]:
        """A block, line by line."""
        for node in body:
            found = getattr(self, f"_do_{type(node).__name__.lower()}", None)
            if found is None:
                raise self._untranslated(node, scope, type(node).__name__.lower())
            yield from found(node, scope)

    def _block(self, body: Sequence[ast.stmt], scope: Scope) -> str:
        return "{\n" + "".join(self.statements(body, scope)) + "}"

    def _do_return(self, node: ast.Return, scope: Scope) -> Iterator[str]:
        yield f"return {self.expression(node.value, scope) if node.value else 'null'};\n"

    def _do_expr(self, node: ast.Expr, scope: Scope) -> Iterator[str]:
        if not isinstance(node.value, ast.Constant):
            yield f"{self.expression(node.value, scope)};\n"

    def _do_pass(self, node: ast.Pass, scope: Scope) -> Iterator[str]:
        yield ""

    def _do_break(self, node: ast.Break, scope: Scope) -> Iterator[str]:
        yield "break;\n"

    def _do_continue(self, node: ast.Continue, scope: Scope) -> Iterator[str]:
        yield "continue;\n"

    def _do_assert(self, node: ast.Assert, scope: Scope) -> Iterator[str]:
        yield f'if (!{self.test(node.test, scope)}) throw py.exceptionOf(["AssertionError"])("");\n'

    def _do_assign(self, node: ast.Assign, scope: Scope) -> Iterator[str]:
        written = self.expression(node.value, scope)
        if len(node.targets) > 1:
            name = self._fresh(scope)
            yield f"{name} = {written};\n"
            written = name
        for target in node.targets:
            yield from self._assign(target, written, scope)

    def _do_annassign(self, node: ast.AnnAssign, scope: Scope) -> Iterator[str]:
        if node.value:
            yield from self._assign(node.target, self.expression(node.value, scope), scope)

    def _do_augassign(self, node: ast.AugAssign, scope: Scope) -> Iterator[str]:
        before = self.expression(node.target, scope)
        in_place = "iadd" if isinstance(node.op, ast.Add) else _OPERATORS[type(node.op)]
        yield from self._assign(node.target, f"py.{in_place}({before}, {self.expression(node.value, scope)})", scope)

    def _assign(self, target: ast.expr, written: str, scope: Scope) -> Iterator[str]:
        if isinstance(target, ast.Name):
            yield f"${target.id} = {written};\n"
        elif isinstance(target, ast.Attribute):
            yield f"{self.expression(target.value, scope)}.${target.attr} = {written};\n"
        elif isinstance(target, ast.Subscript):
            owner, index = self.expression(target.value, scope), self.expression(target.slice, scope)
            yield f"py.setItem({owner}, {index}, {written});\n"
        elif isinstance(target, (ast.Tuple, ast.List)):
            star = next((n for n, one in enumerate(target.elts) if isinstance(one, ast.Starred)), -1)
            name = self._fresh(scope)
            yield f"{name} = py.unpack({written}, {len(target.elts)}, {star});\n"
            for number, one in enumerate(target.elts):
                inner = one.value if isinstance(one, ast.Starred) else one
                yield from self._assign(inner, f"{name}[{number}]", scope)
        else:
            raise self._untranslated(target, scope, "this assignment")

    def _do_if(self, node: ast.If, scope: Scope) -> Iterator[str]:
        known = self._known(node.test, scope)
        if known is not None:
            yield from self.statements(node.body if known else node.orelse, scope)
            return
        other = f" else {self._block(node.orelse, scope)}" if node.orelse else ""
        yield f"if ({self.test(node.test, scope)}) {self._block(node.body, scope)}{other}\n"

    def _do_while(self, node: ast.While, scope: Scope) -> Iterator[str]:
        if node.orelse:
            raise self._untranslated(node, scope, "while ... else")
        yield f"while ({self.test(node.test, scope)}) {self._block(node.body, scope)}\n"

    def _do_for(self, node: ast.For, scope: Scope) -> Iterator[str]:
        if node.orelse:
            raise self._untranslated(node, scope, "for ... else")
        yield self._loop(node.target, node.iter, scope, "".join(self.statements(node.body, scope)))

    def _loop(self, target: ast.expr, over: ast.expr, scope: Scope, body: str) -> str:
        self._count += 1
        item = f"i{self._count}"
        taken = "".join(self._assign(target, item, scope))
        return f"for (const {item} of py.iter({self.expression(over, scope)})) {{\n{taken}{body}}}\n"

    def _do_raise(self, node: ast.Raise, scope: Scope) -> Iterator[str]:
        yield f"throw py.raised({self.expression(node.exc, scope)});\n" if node.exc else "throw caught;\n"

    def _do_try(self, node: ast.Try, scope: Scope) -> Iterator[str]:
        if node.orelse:
            raise self._untranslated(node, scope, "try ... else")
        yield f"try {self._block(node.body, scope)}"
        if node.handlers:
            yield " catch (caught) {\n"
            for handler in node.handlers:
                kinds = self.expression(handler.type, scope) if handler.type else "null"
                named = f"${handler.name} = py.asError(caught);\n" if handler.name else ""
                body = "".join(self.statements(handler.body, scope))
                yield f"if (py.isCaught(caught, {kinds})) {{\n{named}{body}}} else "
            yield "throw caught;\n}"
        yield f" finally {self._block(node.finalbody, scope)}\n" if node.finalbody else "\n"

    def _do_functiondef(self, node: ast.FunctionDef, scope: Scope) -> Iterator[str]:
        if node.decorator_list:
            raise self._untranslated(node, scope, "a decorated function inside another")
        yield f"${node.name} = {self._nested(node, scope)};\n"

    def _nested(self, node: Any, scope: Scope) -> str:
        arguments = node.args
        last = [one.arg for one in (*arguments.posonlyargs, *arguments.args)][-len(arguments.defaults) or None :]
        defaults = dict(zip(last, arguments.defaults, strict=False)) if arguments.defaults else {}
        defaults |= {
            one.arg: value for one, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if value
        }
        return self.function(node, scope, {name: self.expression(one, scope) for name, one in defaults.items()})

    # ---- expressions ----

    def expression(self, node: ast.expr, scope: Scope) -> str:
        """An expression."""
        found = getattr(self, f"_of_{type(node).__name__.lower()}", None)
        if found is None:
            raise self._untranslated(node, scope, type(node).__name__.lower())
        return cast(str, found(node, scope))

    def test(self, node: ast.expr, scope: Scope) -> str:
        """Whether an expression is true."""
        if isinstance(node, ast.BoolOp):
            between = " && " if isinstance(node.op, ast.And) else " || "
            return f"({between.join(self.test(one, scope) for one in node.values)})"
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return f"!{self.test(node.operand, scope)}"
        written = self.expression(node, scope)
        return written if isinstance(node, ast.Compare) else f"py.truth({written})"

    def _known(self, node: ast.expr, scope: Scope) -> bool | None:
        """What a test for a member of the game is known to give."""
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 2):
            return None
        if node.func.id in scope.variables or _or_none(scope.meaning, node.func.id) is not face._gives:
            return None
        name = cast(ast.Constant, node.args[1]).value
        return name not in self.lacking and member(type(self.game), str(name)) is not None

    def _fresh(self, scope: Scope) -> str:
        self._count += 1
        scope.lent.append(f"t{self._count}")
        return scope.lent[-1]

    def _of_constant(self, node: ast.Constant, scope: Scope) -> str:
        if node.value is None or isinstance(node.value, (bool, int, float, str)):
            return _literal(node.value)
        raise self._untranslated(node, scope, repr(node.value))

    def _of_name(self, node: ast.Name, scope: Scope) -> str:
        if node.id in scope.variables:
            return f"${node.id}"
        return self._thing(scope.meaning(node.id), node.id, node, scope)

    def _thing(self, thing: Any, name: str, node: ast.expr, scope: Scope) -> str:
        """What a name stands for that is no variable."""
        if thing is _MISSING:
            raise self._untranslated(node, scope, name)
        if isinstance(thing, _Builtin):
            if _is_hashable(thing.value) and thing.value in _NATIVE:
                return _NATIVE[thing.value]
            if name in _BUILTINS:
                return f"py.{name}"
            if isinstance(thing.value, type) and issubclass(thing.value, BaseException):
                return self.value(thing.value, "")
            raise self._untranslated(node, scope, name)
        return self.value(thing, self._where(node, scope))

    def _of_attribute(self, node: ast.Attribute, scope: Scope) -> str:
        module = self._module_of(node.value, scope)
        if module is not None:
            if module.__name__ in _MODULES:
                if node.attr not in _IN_MODULES[module.__name__].split():
                    raise self._untranslated(node, scope, f"{module.__name__}.{node.attr}")
                return f"{_MODULES[module.__name__]}.{node.attr}"
            return self._thing(getattr(module, node.attr, _MISSING), node.attr, node, scope)
        self._ask(node, scope)
        return f"py.get({self.expression(node.value, scope)}, {_literal(node.attr)})"

    def _ask(self, node: ast.Attribute, scope: Scope) -> None:
        """Notes that an attribute is in use, unless it seems to be a method of Python's own that is not known."""
        known = (type(self.game), *(cls for _, cls, _ in self._classes))
        if node.attr in _OTHER_METHODS and not any(hasattr(cls, node.attr) for cls in known):
            raise self._untranslated(node, scope, f".{node.attr}")
        self._asked.add(node.attr)

    def _module_of(self, node: ast.expr, scope: Scope) -> ModuleType | None:
        if isinstance(node, ast.Name) and node.id not in scope.variables:
            thing = _or_none(scope.meaning, node.id)
            return thing if isinstance(thing, ModuleType) else None
        if isinstance(node, ast.Attribute):
            outer = self._module_of(node.value, scope)
            thing = getattr(outer, node.attr, None) if outer else None
            return thing if isinstance(thing, ModuleType) else None
        return None

    def _of_call(self, node: ast.Call, scope: Scope) -> str:
        if isinstance(node.func, ast.Name) and _or_none(scope.meaning, node.func.id) is cast:
            return self.expression(node.args[1], scope)
        known = self._known(node, scope)
        if known is not None:
            return _literal(known)
        given = ", ".join(self._items(node.args, scope))
        self._refuse_odd(node, scope)
        if node.keywords:
            return self._keyword_call(node, given, scope)
        if not isinstance(node.func, ast.Attribute) or self._module_of(node.func.value, scope):
            return f"{self.expression(node.func, scope)}({given})"
        owner, name = node.func.value, node.func.attr
        self._ask(node.func, scope)
        if isinstance(owner, ast.Call) and isinstance(owner.func, ast.Name) and owner.func.id == "super":
            return self._super_call(node, name, given, scope)
        return f"py.call({self.expression(owner, scope)}, {_literal(name)}{', ' if given else ''}{given})"

    def _refuse_odd(self, node: ast.Call, scope: Scope) -> None:
        """Refuses keywords that a builtin of `python.js` does not take, and patterns that JavaScript does not read."""
        if isinstance(node.func, ast.Name) and isinstance(scope.meaning(node.func.id), _Builtin):
            given = {one.arg for one in node.keywords} if node.func.id not in scope.variables else set()
            for name in given.difference(_KEYWORDS.get(node.func.id, ())):
                raise self._untranslated(node, scope, f"{node.func.id}({name}=...)")
        module = self._module_of(node.func.value, scope) if isinstance(node.func, ast.Attribute) else None
        pattern = node.args[0].value if module is re and node.args and isinstance(node.args[0], ast.Constant) else ""
        if _PATTERN.search(str(pattern)):
            raise self._untranslated(node, scope, f"the pattern {pattern!r}")

    def _keyword_call(self, node: ast.Call, given: str, scope: Scope) -> str:
        named = []
        for one in node.keywords:
            if one.arg is None:
                raise self._untranslated(node, scope, "** in a call")
            named.append(f"{one.arg}: {self.expression(one.value, scope)}")
        return f"py.callNamed({self.expression(node.func, scope)}, [{given}], {{{', '.join(named)}}})"

    def _super_call(self, node: ast.Call, name: str, given: str, scope: Scope) -> str:
        line = type(self.game).__mro__
        after = line[line.index(scope.owner) + 1 :] if scope.owner in line else ()
        owner = next((one for one in after if name in vars(one)), None)
        if owner is None or not isinstance(vars(owner)[name], FunctionType):
            raise self._untranslated(node, scope, f"super().{name}")
        made = self._define("s", self._plain_function(vars(owner)[name], f"{owner.__name__}.{name}", owner))
        return f"{made}.call($self{', ' if given else ''}{given})"

    def _items(self, nodes: Iterable[ast.expr], scope: Scope) -> Iterator[str]:
        for one in nodes:
            if isinstance(one, ast.Starred):
                yield f"...py.iter({self.expression(one.value, scope)})"
            else:
                yield self.expression(one, scope)

    def _of_binop(self, node: ast.BinOp, scope: Scope) -> str:
        if type(node.op) not in _OPERATORS:
            raise self._untranslated(node, scope, "@")
        return (
            f"py.{_OPERATORS[type(node.op)]}({self.expression(node.left, scope)}, {self.expression(node.right, scope)})"
        )

    def _of_unaryop(self, node: ast.UnaryOp, scope: Scope) -> str:
        if isinstance(node.op, ast.Not):
            return self.test(node, scope)
        return f"py.{_OPERATORS[type(node.op)]}({self.expression(node.operand, scope)})"

    def _of_boolop(self, node: ast.BoolOp, scope: Scope) -> str:
        *firsts, written = (self.expression(one, scope) for one in node.values)
        for one in reversed(firsts):
            name = self._fresh(scope)
            ways = (written, name) if isinstance(node.op, ast.And) else (name, written)
            written = f"(py.truth({name} = {one}) ? {ways[0]} : {ways[1]})"
        return written

    def _of_compare(self, node: ast.Compare, scope: Scope) -> str:
        left, parts = self.expression(node.left, scope), []
        for number, (operator, right) in enumerate(zip(node.ops, node.comparators, strict=True), 1):
            written = self.expression(right, scope)
            name = self._fresh(scope) if number < len(node.ops) else ""
            parts.append(f"py.{_OPERATORS[type(operator)]}({left}, {f'{name} = ' if name else ''}{written})")
            left = name
        return parts[0] if len(parts) == 1 else f"({' && '.join(parts)})"

    def _of_ifexp(self, node: ast.IfExp, scope: Scope) -> str:
        known = self._known(node.test, scope)
        if known is not None:
            return self.expression(node.body if known else node.orelse, scope)
        ways = f"{self.expression(node.body, scope)} : {self.expression(node.orelse, scope)}"
        return f"({self.test(node.test, scope)} ? {ways})"

    def _of_namedexpr(self, node: ast.NamedExpr, scope: Scope) -> str:
        return f"(${node.target.id} = {self.expression(node.value, scope)})"

    def _of_tuple(self, node: ast.Tuple, scope: Scope) -> str:
        return f"py.tupleOf([{', '.join(self._items(node.elts, scope))}])"

    def _of_list(self, node: ast.List, scope: Scope) -> str:
        return f"[{', '.join(self._items(node.elts, scope))}]"

    def _of_set(self, node: ast.Set, scope: Scope) -> str:
        return f"py.setOf([{', '.join(self._items(node.elts, scope))}])"

    def _of_dict(self, node: ast.Dict, scope: Scope) -> str:
        pairs = []
        for key, value in zip(node.keys, node.values, strict=True):
            written = self.expression(value, scope)
            pairs.append(f"[{self.expression(key, scope)}, {written}]" if key else f"...py.pairs({written})")
        return f"py.dictOf([{', '.join(pairs)}])"

    def _of_subscript(self, node: ast.Subscript, scope: Scope) -> str:
        owner = self.expression(node.value, scope)
        if isinstance(node.slice, ast.Slice):
            ends = (node.slice.lower, node.slice.upper, node.slice.step)
            return f"py.slice({owner}, {', '.join(self.expression(one, scope) if one else 'null' for one in ends)})"
        if isinstance(node.slice, ast.Starred):
            raise self._untranslated(node, scope, "* in an index")
        return f"py.item({owner}, {self.expression(node.slice, scope)})"

    def _of_joinedstr(self, node: ast.JoinedStr, scope: Scope) -> str:
        return "(" + " + ".join(['""', *(self.expression(one, scope) for one in node.values)]) + ")"

    def _of_formattedvalue(self, node: ast.FormattedValue, scope: Scope) -> str:
        written = self.expression(node.value, scope)
        if node.conversion > 0:
            written = f"py.{'repr' if chr(node.conversion) == 'r' else 'str'}({written})"
        return f"py.format({written}, {self.expression(node.format_spec or ast.Constant(''), scope)})"

    def _of_lambda(self, node: ast.Lambda, scope: Scope) -> str:
        return self._nested(node, scope)

    def _of_yield(self, node: ast.Yield, scope: Scope) -> str:
        return f"(yield {self.expression(node.value, scope) if node.value else 'null'})"

    def _of_yieldfrom(self, node: ast.YieldFrom, scope: Scope) -> str:
        return f"(yield* py.iter({self.expression(node.value, scope)}))"

    def _of_listcomp(self, node: ast.ListComp, scope: Scope) -> str:
        return self._gathered(node, scope, lambda inner: f"found.push({self.expression(node.elt, inner)});\n")

    def _of_setcomp(self, node: ast.SetComp, scope: Scope) -> str:
        pushed = self._gathered(node, scope, lambda inner: f"found.push({self.expression(node.elt, inner)});\n")
        return f"py.setOf({pushed})"

    def _of_dictcomp(self, node: ast.DictComp, scope: Scope) -> str:
        def pushed(inner: Scope) -> str:
            return f"found.push([{self.expression(node.key, inner)}, {self.expression(node.value, inner)}]);\n"

        return f"py.dictOf({self._gathered(node, scope, pushed)})"

    def _gathered(self, node: Any, scope: Scope, push: Callable[[Scope], str]) -> str:
        return f"(() => {{\nconst found = [];\n{self._loops(node, scope, push)}return found;\n}})()"

    def _of_generatorexp(self, node: ast.GeneratorExp, scope: Scope) -> str:
        loops = self._loops(node, scope, lambda inner: f"yield {self.expression(node.elt, inner)};\n")
        return f"(function* () {{\n{loops}}})()"

    def _loops(self, node: Any, scope: Scope, innermost: Callable[[Scope], str]) -> str:
        """The loops of a comprehension, whose targets are variables of its own."""
        targets = {name for one in node.generators for name in _names_in(one.target)}
        inner = scope._replace(variables=scope.variables | targets, lent=[])
        body = innermost(inner)
        for number, one in reversed(list(enumerate(node.generators))):
            for condition in reversed(one.ifs):
                body = f"if ({self.test(condition, inner)}) {{\n{body}}}\n"
            outside = scope if number == 0 else inner
            self._count += 1
            item = f"i{self._count}"
            taken = "".join(self._assign(one.target, item, inner))
            body = f"for (const {item} of py.iter({self.expression(one.iter, outside)})) {{\n{taken}{body}}}\n"
        new = [f"${name}" for name in sorted(targets)] + inner.lent
        return (f"let {', '.join(new)};\n" if new else "") + body

    # ---- what is refused ----

    def _where(self, node: ast.AST, scope: Scope) -> str:
        return f"{Path(scope.file).name}, line {getattr(node, 'lineno', '?')}"

    def _untranslated(self, node: ast.AST, scope: Scope, what: str) -> UntranslatedError:
        return UntranslatedError(f"{self._where(node, scope)}: {what} has no translation")


class _Builtin(NamedTuple):
    value: Any


_MISSING = object()


def _meaning(cells: dict[str, Any], names: dict[str, Any]) -> Callable[[str], Any]:
    """What free names of a function stand for."""

    def found(name: str) -> Any:
        for place in (cells, names):
            if name in place:
                return place[name]
        return _Builtin(getattr(builtins, name)) if hasattr(builtins, name) else _MISSING

    return found


def _or_none(meaning: Callable[[str], Any], name: str) -> Any:
    found = meaning(name)
    return None if isinstance(found, _Builtin) or found is _MISSING else found


def _cells(function: FunctionType) -> dict[str, Any]:
    names = function.__code__.co_freevars
    return {
        name: cell.cell_contents
        for name, cell in zip(names, function.__closure__ or (), strict=True)
        if name != "__class__"
    }


def _is_hashable(thing: Any) -> bool:
    return callable(thing) and getattr(type(thing), "__hash__", None) is not None


def _literal(thing: Any) -> str:
    if isinstance(thing, bool) or thing is None or isinstance(thing, str):
        return json.dumps(thing, ensure_ascii=False)
    if isinstance(thing, int):
        return f"{int(thing)}n" if thing >= 0 else f"({int(thing)}n)"
    return {"inf": "Infinity", "-inf": "(-Infinity)", "nan": "NaN"}.get(repr(thing), f"({thing!r})")


def _safe(name: str) -> str:
    return re.sub(r"\W", "", name, flags=re.ASCII)


def _fields_of(cls: type) -> tuple[list[str] | None, dict[str, Any]]:
    """The fields that a class takes, None for one with an __init__ of its own, and their defaults."""
    if hasattr(cls, "_fields"):
        return list(cls._fields), dict(cls._field_defaults)  # type: ignore[attr-defined]
    if issubclass(cls, BaseModel):
        fields = cls.model_fields
        return list(fields), {name: one.default for name, one in fields.items() if not one.is_required()}
    if hasattr(cls, "__dataclass_fields__"):
        return list(cls.__dataclass_fields__), {
            name: one.default
            for name, one in cls.__dataclass_fields__.items()
            if one.default.__class__.__name__ != "_MISSING_TYPE"
        }
    return None, {}


def _is_made(function: FunctionType) -> bool:
    """Whether a function has no source: the makers of dataclasses and NamedTuples write such."""
    return function.__code__.co_filename.startswith("<")


@cache
def _parsed(file: str) -> tuple[Any, ...]:
    kinds = (ast.FunctionDef, ast.Lambda)
    return tuple(one for one in ast.walk(ast.parse(Path(file).read_text(encoding="utf-8"))) if isinstance(one, kinds))


def _node_of(code: CodeType, where: str) -> Any:
    """Where a function stands in the source of its file."""
    try:
        nodes = _parsed(code.co_filename)
    except (OSError, SyntaxError):
        raise UntranslatedError(f"{where}: the source of {code.co_name} cannot be read") from None
    found = [node for node in nodes if _begins(node) == code.co_firstlineno and _called(node) == code.co_name]
    if len(found) > 1:
        names = list(code.co_varnames[: code.co_argcount])
        found = [node for node in found if [one.arg for one in node.args.args] == names]
    if len(found) != 1:
        raise UntranslatedError(f"{where}: the source of {code.co_name} cannot be found")
    return found[0]


def _begins(node: Any) -> int:
    return min(int(one.lineno) for one in [node, *getattr(node, "decorator_list", [])])


def _called(node: Any) -> str:
    return cast(str, getattr(node, "name", "<lambda>"))


def _names_in(target: ast.expr) -> Iterator[str]:
    for node in ast.walk(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _own_nodes(body: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """All nodes of a function, without those of functions inside it."""
    for node in body:
        yield node
        if not isinstance(node, _LAZY):
            yield from _own_nodes(list(ast.iter_child_nodes(node)))


def _assigned(body: Sequence[ast.AST]) -> set[str]:
    """The variables of a function, without those of comprehensions."""
    found = set()
    for node in body:
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, _COMPREHENSIONS):
            found |= {
                name for one in _own_nodes([node]) if isinstance(one, ast.NamedExpr) for name in _names_in(one.target)
            }
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.ExceptHandler):
            found |= ({node.name} if node.name else set()) | _assigned(node.body)
        elif not isinstance(node, ast.Lambda):
            found |= _assigned(list(ast.iter_child_nodes(node)))
    return found
