"""What can be told of a game without playing it: methods, hooks, parameters."""

from __future__ import annotations

import inspect
from typing import Any

from ludus import game as contract
from ludus.checking.broken import Broken
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
    ("index", "position_at"),
    ("index", "num_positions"),
    ("position_at", "index"),
    ("num_positions", "index"),
    ("seat_index", "seat_position_at"),
    ("seat_index", "num_seat_positions"),
    ("seat_position_at", "seat_index"),
    ("num_seat_positions", "seat_index"),
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
    """Every field is an int, or a NamedTuple of ints, and the game's own `validate` accepts them."""
    for name, value in game._asdict().items():
        if not all(isinstance(number, int) for number in (value if isinstance(value, tuple) else (value,))):
            advice = "use int, bool, an IntEnum, or a NamedTuple of ints"
            raise Broken(game, name, f"is the parameter {value!r}", advice)
    try:
        contract.validate(game)
    except ValueError as error:
        raise Broken(game, "validate", f"refuses these parameters: {error}", "use parameters that it allows") from None


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
