"""Things written as `name(param=value, ...)`: reading and writing the parameters of games and agents."""

from __future__ import annotations

import enum
import inspect
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, get_type_hints

from ludus.errors import LudusError, in_one_line
from ludus.game import validate

_WORDS_FOR_BOOL = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class Written(NamedTuple):
    """A name and its parameters, both still as text."""

    name: str
    parameters: dict[str, str]


def parse_written(text: str) -> Written:
    """Take `mancala(stones=3)` apart."""
    match = re.fullmatch(r"\s*([^()]+?)\s*(?:\((.*)\))?\s*", text, re.DOTALL)
    if not match:
        raise LudusError(f"cannot read {text!r}: write name or name(param=value, ...)")
    parameters: dict[str, str] = {}
    for part in split_at_commas(match[2] or ""):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (name and equals and value):
            raise LudusError(f"cannot read {part.strip()!r} in {text!r}: write param=value")
        if name in parameters:
            raise LudusError(f"{name} is given twice in {text!r}")
        parameters[name] = value
    return Written(match[1], parameters)


def split_at_commas(text: str) -> Iterator[str]:
    """The parts between commas that stand in no parentheses; nothing for blank text."""
    depth = start = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            yield text[start:place]
            start = place + 1
    if text[start:].strip():
        yield text[start:]


def make(cls: Any, name: str, parameters: dict[str, str]) -> Any:
    """An instance of a class with these parameters, checked by its own `validate` if it has one."""
    hints, defaults = type_hints(cls), defaults_of(cls)
    unknown = [parameter for parameter in parameters if parameter not in hints]
    if unknown:
        allowed = ", ".join(hints) or "none"
        raise LudusError(f"{name} has no parameter {unknown[0]!r}; allowed: {allowed}")
    values = {key: parse_value(hints[key], text, f"{name}: {key}") for key, text in parameters.items()}
    missing = [field for field in hints if field not in values and field not in defaults]
    if missing:
        raise LudusError(f"{name} needs a value for {missing[0]}: write {name}({missing[0]}=...)")
    try:
        made = cls(**values)
        validate(made)
    except ValueError as error:
        raise LudusError(f"{name}: {error}") from error
    except Exception as error:  # its own code may raise anything
        raise LudusError(f"{name} cannot be made: {in_one_line(error)}") from error
    return made


def type_hints(cls: Any, *, annotated: bool = False) -> dict[str, Any]:
    """The annotation of each parameter of a class; the type of its default, or int, for one that cannot be read."""
    fields = getattr(cls, "_fields", None)
    try:
        hints = get_type_hints(cls if fields is not None else cls.__init__, include_extras=annotated)
    except Exception:  # an annotation may name anything
        hints = {}
    defaults = defaults_of(cls)
    fields = inspect.signature(cls).parameters if fields is None else fields
    return {name: hints.get(name, type(defaults.get(name, 0))) for name in fields}


def defaults_of(cls: Any) -> dict[str, Any]:
    """The parameters of a class that have defaults."""
    if hasattr(cls, "_field_defaults"):
        return dict(cls._field_defaults)
    given = inspect.signature(cls).parameters.values()
    return {one.name: one.default for one in given if one.default is not one.empty}


def parse_value(kind: Any, text: str, where: str) -> Any:
    """Read one value of a parameter whose annotation is `kind`."""
    if kind is bool:
        if text.lower() not in _WORDS_FOR_BOOL:
            raise LudusError(f"{where} must be true or false, not {text!r}")
        return _WORDS_FOR_BOOL[text.lower()]
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        members = {_spelling(member): member for member in kind}
        if text.lower() not in members:
            *most, last = members
            raise LudusError(f"{where} must be {', '.join(most)}{' or ' if most else ''}{last}, not {text!r}")
        return members[text.lower()]
    if not isinstance(kind, type):
        raise LudusError(f"{where} cannot be written as text: its type is {kind}")
    try:
        return kind.parse(text) if hasattr(kind, "parse") else kind(text)
    except ValueError as error:
        if hasattr(kind, "parse"):
            raise LudusError(f"{where}: {error}") from None
        expected = {int: "a whole number", float: "a number"}.get(kind, kind.__name__)
        raise LudusError(f"{where} must be {expected}, not {text!r}") from None


def format_value(value: Any) -> str:
    """A value as `parse_value` reads it."""
    if isinstance(value, enum.Enum):
        return _spelling(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def format_values(values: Mapping[str, Any]) -> dict[str, str]:
    """Values by name as `parse_value` reads them."""
    return {name: format_value(value) for name, value in values.items()}


def format_with_parameters(name: str, value: Any) -> str:
    """`name(param=value, ...)` with the parameters that differ from their defaults."""
    defaults = value._field_defaults
    chosen = [(field, one) for field, one in value._asdict().items() if field not in defaults or one != defaults[field]]
    written = [f"{field}={format_value(one)}" for field, one in chosen]
    return f"{name}({', '.join(written)})" if written else name


def describe(cls: Any) -> list[str]:
    """Each parameter of a class as `name=default`, an enumerated one with its alternatives."""
    hints = type_hints(cls)
    return [_describe_one(field, hints[field], cls._field_defaults.get(field)) for field in cls._fields]


def _describe_one(field: str, kind: Any, default: Any) -> str:
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        others = [_spelling(member) for member in kind if member is not default]
        return "/".join([f"{field}={format_value(default)}", *others])
    return f"{field}={'...' if default is None else format_value(default)}"


def _spelling(member: enum.Enum) -> str:
    return member.name.lower().replace("_", "-")
