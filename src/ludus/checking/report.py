"""How a broken rule is reported."""

from __future__ import annotations

import inspect
import re
from typing import Any

from ludus import game as contract


class Broken(Exception):  # noqa: N818, it is no error of Ludus
    """A game breaks the contract: in which method, at which position, how, and what to write instead."""

    def __init__(self, game: Any, method: str, what: str, instead: str, pos: Any = None) -> None:
        name = f"{type(game).__name__}.{method}" if method else type(game).__name__
        where = f" at {pos}" if pos is not None else ""
        super().__init__(_in_one_line(f"{name}{where} {what}; {instead}"))


def _in_one_line(text: str) -> str:
    """The text without line breaks and without the addresses of objects."""
    return " ".join(re.sub(r" at 0x[0-9a-fA-F]+", "", text).split())


def raised(error: BaseException) -> str:
    """What was raised, in words."""
    return f"raises {type(error).__name__}({error})"


def ask(game: Any, method: str, *args: Any) -> Any:
    """Call a method or hook, or read a property, of the game; what it raises becomes a broken rule."""
    own = getattr(type(game), method, None)
    function = own if inspect.isfunction(own) else getattr(contract, method)
    try:
        return function(game, *args)
    except (Exception, SystemExit) as error:  # a broken game may raise anything
        raise _failed(game, method, args, error) from error


def _failed(game: Any, method: str, args: tuple[Any, ...], error: BaseException) -> Broken:
    pos = _position_in(args)
    words = ", ".join(str(arg) for arg in args if isinstance(arg, int))
    advice = "it must return" if pos is None else "it must return for every position that can be reached"
    return Broken(game, method, raised(error) + (f" for {words}" if words else ""), advice, pos)


def _position_in(args: tuple[Any, ...]) -> Any:
    """The position that a method was asked about, or None."""
    return args[0] if args and isinstance(args[0], tuple) else None


def ask_whole_number(game: Any, method: str, *args: Any) -> int:
    """Call a method that must return an int."""
    number = ask(game, method, *args)
    require_whole_number(game, method, number, *args)
    return int(number)


def require_whole_number(game: Any, method: str, number: Any, *args: Any) -> None:
    """Raise unless the result of a method is an int that fits 64 bits."""
    pos = _position_in(args)
    if not isinstance(number, int):
        raise Broken(game, method, f"returns {number!r}", "return a whole number (int)", pos)
    if not -(1 << 63) <= number < 1 << 63:
        raise Broken(game, method, f"returns {number}", "keep within 63 bits: compiled ints are 64 bits wide", pos)
