"""What can be told of a game without playing it: methods, hooks, parameters."""

from __future__ import annotations

import inspect
from typing import Any

from ludus import game as contract
from ludus.checking.broken import Broken, ask, raised
from ludus.compiling import Twin, member

# Hooks that need each other.
COMPANIONS = (
    ("observe", "observation_shape"),
    ("transform", "symmetries"),
    ("symmetries", "transform"),
    ("transform_action", "symmetries"),
    ("swaps_players", "symmetries"),
    ("banked", "unbanked"),
    ("unbanked", "banked"),
    ("endgame_heaps", "endgame_heap"),
    ("endgame_heaps", "endgame_position"),
    ("endgame_heaps", "banked"),
    ("endgame_heap", "endgame_heaps"),
    ("endgame_position", "endgame_heaps"),
    ("num_parts", "part"),
    ("num_parts", "with_mover"),
    ("part", "num_parts"),
    ("index", "position_at"),
    ("index", "num_positions"),
    ("position_at", "index"),
    ("num_positions", "index"),
    ("seat_index", "seat_position_at"),
    ("seat_index", "num_seat_positions"),
    ("seat_position_at", "seat_index"),
    ("num_seat_positions", "seat_index"),
)


# Hooks that are one number for the whole game, the least that it may be, and what to give.
SIZES = (
    ("num_actions", 1, "give a whole number, one more than the highest action"),
    ("max_plies", 0, "give a whole number of plies, 0 for no cap"),
    ("symmetries", 1, "give how many there are, the identity counted"),
    ("endgame_heaps", 0, "give how many heaps make up a position, a whole number"),
    ("num_positions", 0, "give how many positions the index numbers, a whole number"),
)


def check_form(game: Any) -> None:
    """The five methods are there, and they and the hooks take what they are given."""
    cls = type(game)
    for name in contract.RULES:
        own = member(cls, name)
        if own is None:
            parameters = _parameters(getattr(contract.Game, name))
            raise Broken(game, name, "is missing", f"write def {name}(self{parameters})")
        _require_parameters(game, name, own, _parameters(getattr(contract.Game, name)))
    for name, hook in vars(contract).items():
        if isinstance(hook, Twin) and not name.startswith("gives_") and member(cls, name) is not None:
            _check_hook(game, name, hook)
    for name, companion in COMPANIONS:
        if member(cls, name) is not None and member(cls, companion) is None:
            raise Broken(game, name, f"is given without {companion}", f"give {companion} too")


def check_parameters(game: Any) -> None:
    """Every field is an int, or a NamedTuple of ints, the game's own `validate` accepts them, and sizes are ints."""
    for name, value in game._asdict().items():
        if not all(isinstance(number, int) for number in _numbers(value)):
            advice = "use int, bool, an IntEnum, or a NamedTuple of ints"
            raise Broken(game, name, f"is the parameter {value!r}", advice)
    _validate(game)
    for name, least, advice in SIZES:
        size = ask(game, name)
        if not isinstance(size, int) or isinstance(size, bool) or size < least:
            raise Broken(game, name, f"is {size!r}", advice)


def _numbers(value: Any) -> list[Any]:
    """What a parameter holds; that of a sum holds games."""
    return [number for field in value for number in _numbers(field)] if isinstance(value, tuple) else [value]


def _validate(game: Any) -> None:
    try:
        contract.validate(game)
    except ValueError as error:
        raise Broken(game, "validate", f"refuses these parameters: {error}", "use parameters that it allows") from None
    except (Exception, SystemExit) as error:
        advice = "let it return, or raise ValueError and say what is allowed"
        raise Broken(game, "validate", raised(error), advice) from error


def _check_hook(game: Any, name: str, hook: Twin[..., Any]) -> None:
    own, wanted = member(type(game), name), _parameters(hook.plain)
    if wanted:
        _require_parameters(game, name, own, wanted)
    elif inspect.isfunction(own):
        raise Broken(game, name, "is a method", f"make it a @property or a constant: {name} = ...")


def _require_parameters(game: Any, name: str, own: Any, wanted: str) -> None:
    if not inspect.isfunction(own):
        raise Broken(game, name, "is no method", f"write def {name}(self{wanted})")
    if _parameters(own).count(",") != wanted.count(","):
        raise Broken(game, name, f"takes (self{_parameters(own)})", f"write def {name}(self{wanted})")


def _parameters(function: Any) -> str:
    """The parameters after the first, each with a comma before it."""
    return "".join(f", {name}" for name in list(inspect.signature(function).parameters)[1:])
