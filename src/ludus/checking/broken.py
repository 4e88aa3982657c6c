"""How a broken rule is reported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Broken(Exception):  # noqa: N818, it is no error of Ludus
    """A game breaks the contract: in which method, at which position, how, and what to write instead."""

    def __init__(self, game: Any, method: str, what: str, instead: str, pos: Any = None) -> None:
        where = f" at {pos}" if pos is not None else ""
        super().__init__(f"{type(game).__name__}.{method}{where} {what}; {instead}")


def ask(game: Any, method: str, *args: Any) -> Any:
    """Call a method of the game; what it raises becomes a broken rule."""
    pos = args[0] if args and isinstance(args[0], tuple) else None
    try:
        return getattr(game, method)(*args)
    except Exception as error:  # a broken game may raise anything
        words = ", ".join(str(arg) for arg in args if arg is not pos)
        how = f"raises {type(error).__name__}({error})" + (f" for {words}" if words else "")
        raise Broken(game, method, how, "it must return for every position that can be reached", pos) from error


def ask_whole_number(game: Any, method: str, *args: Any) -> int:
    """Call a method that must return an int."""
    number = ask(game, method, *args)
    require_whole_number(game, method, number, *args)
    return int(number)


def require_whole_number(game: Any, method: str, number: Any, *args: Any) -> None:
    """Raise unless the result of a method is an int that fits 64 bits."""
    pos = args[0] if args and isinstance(args[0], tuple) else None
    if not isinstance(number, int):
        raise Broken(game, method, f"returns {number!r}", "return a whole number (int)", pos)
    if not -(1 << 63) <= number < 1 << 63:
        raise Broken(game, method, f"returns {number}", "keep within 63 bits: compiled ints are 64 bits wide", pos)


def require(condition: bool, make: Callable[[], Broken]) -> None:
    """Raise what `make` returns unless the condition holds."""
    if not condition:
        raise make()
