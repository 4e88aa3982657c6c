"""The rules and the face of a game in JavaScript, for exported pages that draw each position when it is shown."""

from __future__ import annotations

from typing import Any, NamedTuple

from ludus import face
from ludus.agents.simple import smart_actions
from ludus.compiled.compiling import member
from ludus.compiled.masks import actions
from ludus.errors import LudusError
from ludus.game import RULES, odds
from ludus.web.api.views import position_view
from ludus.web.export.javascript import Translator, UntranslatedError

_HUMAN = ("draw", "notes", "board", "describe", "action_name", "action_path", "format_position", "parse_position")


_TOGETHER = (("draw", "action_path"), ("format_position", "parse_position"))  # of which one alone is of no use


class Translated(NamedTuple):
    """The script, and a line for each part of the face that it had to leave out."""

    script: str
    left_out: list[str]


def translated(game: Any) -> Translated:
    """The rules and face of a game in JavaScript; LudusError if its rules cannot be translated."""
    obstacles = {name: words for name in _HUMAN if (words := _obstacle(game, name))}
    lacking = {*obstacles, *(name for pair in _TOGETHER if obstacles.keys() & pair for name in pair)}
    offered = {"game": game, "view": position_view, "parse": face.parse_position, "actions": actions}
    offered |= {"careful": smart_actions, "odds": odds}
    try:
        script = Translator(game, lacking).module(offered, RULES)
    except UntranslatedError as error:
        raise LudusError(
            f"the rules cannot run in a browser: {error}; raise --limit to export every position"
        ) from None
    return Translated(script, [f"left out of the page: {name} ({words})" for name, words in obstacles.items()])


def _obstacle(game: Any, name: str) -> str:
    """Why a part of a game's face cannot be translated; empty if it can, or if the game has none."""
    if member(type(game), name) is None:
        return ""
    try:
        Translator(game).module({"game": game}, [name])
    except UntranslatedError as error:
        return str(error)
    return ""
