"""Proofs about the human face of a game, on some positions of a sample."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

from ludus import face
from ludus.checking.broken import Broken
from ludus.checking.sample import Sample
from ludus.errors import LudusError
from ludus.masks import actions

_MOST = 200  # positions looked at
_WIDEST = 80  # columns of a terminal


def check_faces(game: Any, sample: Sample) -> None:
    """Names, boards, drawings, actions and notation work for people, and say what they should."""
    _check_players(game)
    for pos in sample.positions[:: len(sample.positions) // _MOST + 1]:
        _try(game, "board", pos, _check_board)
        _try(game, "format_position", pos, _check_notation)
        _try(game, "action_name", pos, _check_names)
        _try(game, "draw", pos, _check_drawing)
    _try(game, "rules", None, _check_pages)


def _try(game: Any, method: str, pos: Any, check: Callable[[Any, Any], None]) -> None:
    """Run a check; what the game raises in it becomes a broken rule."""
    try:
        check(game, pos)
    except Broken:
        raise
    except Exception as error:  # a broken face may raise anything
        how = f"or what belongs to it raises {type(error).__name__}({error})"
        raise Broken(game, method, how, "it must work for every position", pos) from error


def _check_players(game: Any) -> None:
    names = getattr(game, "players", ("First", "Second"))
    if not (isinstance(names, tuple) and len(set(names)) == 2 and all(isinstance(name, str) for name in names)):
        raise Broken(game, "players", f"is {names!r}", 'give two different names: players = ("Crosses", "Noughts")')


def _check_board(game: Any, pos: Any) -> None:
    lines = face.board(game, pos).splitlines()
    if not lines or max(map(len, lines)) > _WIDEST - 4:
        advice = f"return at least one line, none wider than {_WIDEST - 4} columns"
        raise Broken(game, "board", "does not fit a terminal", advice, pos)


def _check_notation(game: Any, pos: Any) -> None:
    words = face.format_position(game, pos)
    if face.parse_position(game, words) != pos:
        advice = "make parse_position read what format_position writes"
        raise Broken(game, "parse_position", f"does not read back {words!r}", advice, pos)
    try:
        face.parse_position(game, "?!")
    except LudusError:
        return
    raise Broken(game, "parse_position", "accepts '?!'", "raise ValueError for what is no position", pos)


def _check_names(game: Any, pos: Any) -> None:
    for action, name in face.menu(game, pos):
        if not name.strip() or "\n" in name:
            raise Broken(game, "action_name", f"calls action {action} {name!r}", "give it a name of one line", pos)
        if face.parse_action(game, pos, name) != action:
            how = f"calls action {action} {name!r}, which is read as another"
            raise Broken(game, "action_name", how, "let names differ in more than blanks and capitals", pos)


def _check_drawing(game: Any, pos: Any) -> None:
    picture = face.draw(game, pos)
    ElementTree.fromstring(picture.svg)
    targets = set(re.findall(r'data-target="([^"]*)"', picture.svg))
    if len(set(picture.ids.values())) != len(picture.ids):
        raise Broken(game, "draw", "gives two pieces one place", "let pieces of a kind stand at different places", pos)
    paths: dict[tuple[str, ...], int] = {}
    for action in actions(game.legal(pos)):
        path = face.action_path(game, pos, action)
        missing = [name for name in path if name not in targets]
        if missing or not path:
            target = missing[0] if missing else ""
            how = f"of action {action} is {path}, but the drawing has no target {target}"
            raise Broken(game, "action_path", how, "mark it with drawing.target(name, ...)", pos)
        if path in paths:
            how = f"is {path} for the actions {paths[path]} and {action}"
            raise Broken(game, "action_path", how, "give each action a path of its own", pos)
        paths[path] = action


def _check_pages(game: Any, _: Any) -> None:
    pages = face.rules(game)
    if not pages or not all(isinstance(page, face.Page) and page.title and page.words for page in pages):
        advice = "give the game's class a docstring, or return a list of Page(title, words, position)"
        raise Broken(game, "rules", "has an empty page, or none", advice)
    for page in pages:
        if page.position is not None:
            _check_board(game, page.position)
            _check_drawing(game, page.position)
