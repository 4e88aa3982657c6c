"""What actions are worth, in words and colours."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rich.table import Table
from rich.text import Text

from ludus import face
from ludus.game import CHANCE, max_plies
from ludus.solving.value import Value

COLOURS = {"win": "green", "draw": "yellow", "loss": "red"}


def worth(value: Value, player: int, *, chance: bool, endless: bool = True) -> tuple[str, str]:
    """A value in words for a player, and the colour of it; the expected score where chance plays.

    A draw without plies goes on for ever in an endless game; in others it was a search that did not count them.
    """
    own = -value.score if player == 1 else value.score
    outcome = value.outcome(1 if player == 1 else 0)
    if chance:
        return f"{own:+.4f}", COLOURS[outcome]
    margin = f" by {abs(own):g}" if abs(own) > 1 else ""
    plies = f" in {value.plies}" if value.plies is not None else " for ever" if endless and outcome == "draw" else ""
    return f"{outcome}{margin}{plies}", COLOURS[outcome]


def action_table(game: Any, pos: Any, values: Mapping[int, Value | None], *, chance: bool) -> Table:
    """Each action with what it is worth to who takes it, the best first; None for what is only known to be less."""
    player, endless = game.player(pos), max_plies(game) > 0
    table = Table(box=None, header_style="bold")
    table.add_column("action")
    table.add_column("worth" if player != CHANCE else "leads to")
    for action, name in sorted(face.menu(game, pos), key=lambda entry: rank(player, values[entry[0]])):
        value = values[action]
        words = worth(value, player, chance=chance, endless=endless) if value else ("less than the best", "dim")
        table.add_row(Text(name), Text(*words))
    return table


def rank(player: int, value: Value | None) -> tuple[float, int]:
    """Sorts values from the best for a player to the worst, then what is not known."""
    if value is None:
        return math.inf, 0
    side = -1 if player == 1 else 1
    plies = value.plies or 0
    return -side * value.score, plies if side * value.score > 0 else -plies if value.score else 0
