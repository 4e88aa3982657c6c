"""Proofs about the human face of a game, on some positions of a sample."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

from ludus import face
from ludus import game as contract
from ludus.checking.plain import Broken, Sample, raised
from ludus.compiled.compiling import member
from ludus.compiled.masks import actions
from ludus.errors import LudusError
from ludus.parameters import make, parse_written
from ludus.svg import Picture

_MOST = 200  # positions looked at
_WIDEST = 80  # columns of a terminal
_LONGEST = 100  # letters of a name


def check_faces(game: Any, sample: Sample) -> None:
    """Names, boards, drawings, actions and notation work for people, and say what they should."""
    _check_texts(game)
    for pos in sample.positions[:: len(sample.positions) // _MOST + 1]:
        _try(game, "board", pos, _check_board)
        _try(game, "format_position", pos, _check_notation)
        _try(game, "action_name", pos, _check_names)
        _try(game, "action_name", pos, _check_same_name_same_result)
        _try(game, "draw", pos, _check_drawing)
        _try(game, "describe", pos, _check_descriptions)
        _try(game, "notes", pos, _check_notes)
    _try(game, "rules", None, _check_pages)


def _try(game: Any, method: str, pos: Any, check: Callable[[Any, Any], None]) -> None:
    """Run a check; what the game raises in it becomes a broken rule."""
    try:
        check(game, pos)
    except Broken:
        raise
    except Exception as error:  # a broken face may raise anything
        how = f"or what belongs to it {raised(error)}"
        raise Broken(game, method, how, "it must work for every position", pos) from error


def _check_texts(game: Any) -> None:
    """Names and remarks are text, and variants can be made."""
    names = getattr(game, "players", ("First", "Second"))
    if not (isinstance(names, tuple) and len(names) == 2 and names[0] != names[1] and all(map(_is_name, names))):
        raise Broken(game, "players", f"is {names!r}", 'give two different names: players = ("Crosses", "Noughts")')
    if member(type(game), "title") is not None and not _is_name(game.title):
        raise Broken(game, "title", f"is {game.title!r}", f"give text of one line, at most {_LONGEST} letters")
    for name, kind in (("known", str), ("sources", str), ("reachable", int)):
        if not isinstance(getattr(type(game), name, kind()), kind):
            advice = f"give {'text' if kind is str else 'a whole number'}"
            raise Broken(game, name, f"is {getattr(type(game), name)!r}", advice)
    try:
        for parameters in face.variants(type(game)).values():
            make(type(game), "variants", parse_written(f"variants({parameters})").parameters)
    except (TypeError, ValueError, LudusError) as error:
        advice = 'give pairs of a name and parameters: variants = (("Small", "size=3"),)'
        raise Broken(game, "variants", f"cannot be read: {error}", advice) from None


def _is_name(name: Any) -> bool:
    return isinstance(name, str) and name.isprintable() and 0 < len(name) <= _LONGEST


def _check_board(game: Any, pos: Any) -> None:
    if member(type(game), "board") is not None and not isinstance(drawn := game.board(pos), str):
        raise Broken(game, "board", f"returns {drawn!r}", "return text", pos)
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
        if member(type(game), "action_kind") is not None:
            game.action_kind(pos, action)


def _check_same_name_same_result(game: Any, pos: Any) -> None:
    """Actions of one name lead to one position, up to symmetry: a person can say only one of them."""
    results: dict[str, Any] = {}
    for action in actions(game.legal(pos)):
        name = face.action_name(game, pos, action)
        after = game.play(pos, action)
        image = min(contract.transform(game, after, symmetry) for symmetry in range(contract.symmetries(game)))
        if results.setdefault(name, image) != image:
            how = f"calls two actions {name!r} that do different things"
            raise Broken(game, "action_name", how, "give them different names", pos)


def _check_drawing(game: Any, pos: Any) -> None:
    picture = face.draw(game, pos)
    ElementTree.fromstring(picture.svg)
    if picture.svg.count('class="piece"') != len(picture.ids):
        raise Broken(game, "draw", "gives two pieces one place", "let pieces of a kind stand at different places", pos)
    targets = _targets(picture)
    paths = {action: face.action_path(game, pos, action) for action in actions(game.legal(pos))}
    for action, path in paths.items():
        missing = [name for name in path if name not in targets]
        if missing or not path:
            how = f"of action {action} is {path}, but the drawing has no such target"
            raise Broken(game, "action_path", how, "mark it with drawing.target(name, ...)", pos)
        clash = [other for other, longer in paths.items() if other != action and longer[: len(path)] == path]
        if clash:
            how = f"is {path} for action {action}, with which that of action {clash[0]} begins"
            raise Broken(game, "action_path", how, "give each action a path of its own", pos)


def _targets(picture: Picture) -> set[str]:
    return set(re.findall(r'data-target="([^"]*)"', picture.svg))


def _check_descriptions(game: Any, pos: Any) -> None:
    for target, words in face.descriptions(game, pos, face.draw(game, pos)).items():
        if not words.strip() or "\n" in words:
            how = f"calls the target {target!r} {words!r}"
            raise Broken(game, "describe", how, "return one line for every target of the drawing", pos)


def _check_notes(game: Any, pos: Any) -> None:
    targets = _targets(face.draw(game, pos))
    for note in face.notes(game, pos):
        if not note.words or set(note.targets) - targets:
            how = f"gives {note!r}, which has no words or speaks of a target that the drawing lacks"
            raise Broken(game, "notes", how, "return a list of Note(words, targets)", pos)


def _check_pages(game: Any, _: Any) -> None:
    pages = face.rules(game)
    if not pages or not all(isinstance(page, face.Page) and page.title and page.words for page in pages):
        advice = "give the game's class a docstring, or return a list of Page(title, words, position)"
        raise Broken(game, "rules", "has an empty page, or none", advice)
    for page in pages:
        if page.position is not None:
            _check_board(game, page.position)
            _check_drawing(game, page.position)
