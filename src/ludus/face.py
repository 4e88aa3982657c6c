"""Boards, names and notation for people, in plain Python: the game's own methods of these names, or else defaults."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from ludus.compiled.compiling import member
from ludus.compiled.masks import actions
from ludus.errors import LudusError
from ludus.svg import Drawing, Picture, rect, text


class Page(NamedTuple):
    """One page of a game's tutorial: words, and a position to show with them."""

    title: str
    words: str
    position: Any = None


class Note(NamedTuple):
    """What an expert would point out in a position: words, and the targets they refer to."""

    words: str
    targets: tuple[str, ...] = ()


# The members of a game's class that are for people.
MEMBERS = (
    *("title", "players", "board", "draw", "action_name", "action_kind", "action_path", "format_position"),
    *("parse_position", "starting_at", "part_name", "rules", "notes", "known", "reachable", "sources"),
    *("variants", "describe"),
)


def _gives(game: Any, name: str) -> bool:
    return member(type(game), name) is not None


def title(game: Any, name: str) -> str:
    """What the game is called on a page; by default its name in words."""
    return str(game.title) if _gives(game, "title") else name.replace("-", " ").replace("_", " ").capitalize()


def players(game: Any) -> tuple[str, str]:
    """What the players are called."""
    return tuple(game.players) if _gives(game, "players") else ("First", "Second")


def variants(cls: Any) -> dict[str, str]:
    """Well-known variants of a game: their parameters as text, by name; by default none."""
    return {str(name): str(parameters) for name, parameters in getattr(cls, "variants", ())}


def board(game: Any, pos: Any) -> str:
    """The board as text, lines without trailing blanks; by default the fields of the position."""
    if _gives(game, "board"):
        drawn = str(game.board(pos))
    else:
        drawn = "\n".join(f"{name} = {value}" for name, value in pos._asdict().items())
    return "\n".join(line.rstrip() for line in drawn.splitlines())


def draw(game: Any, pos: Any, before: Picture | None = None) -> Picture:
    """The board as SVG; by default the text board, with a target for each legal action."""
    drawing = game.draw(pos) if _gives(game, "draw") else _draw_text(game, pos)
    finished: Picture = drawing.finish(before)
    return finished


def descriptions(game: Any, pos: Any, picture: Picture) -> dict[str, str]:
    """What stands on each target of a picture, as it is read aloud; by default the pieces that are placed there."""
    if _gives(game, "describe"):
        return {target: str(game.describe(pos, target)) for target in picture.targets}
    if not _gives(game, "draw"):
        return {}
    pieces: dict[str, list[str]] = {}
    for kind, place in picture.ids:
        pieces.setdefault(place, []).append(kind)
    empty = ["empty"] if any(target in pieces for target in picture.targets) else []
    return {target: ", ".join([_plain(target), *pieces.get(target, empty)]) for target in picture.targets}


def _plain(name: str) -> str:
    return re.sub("[-_]", " ", name)


_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def counted(count: int, noun: str) -> str:
    """A number of things as it is read aloud, e.g. three discs."""
    number = _NUMBERS[count] if count < len(_NUMBERS) else str(count)
    return f"{number} {noun}{'' if count == 1 else 's'}"


def action_name(game: Any, pos: Any, action: int) -> str:
    """What a person calls a legal action; by default its number."""
    return str(game.action_name(pos, action)) if _gives(game, "action_name") else str(action)


def action_path(game: Any, pos: Any, action: int) -> tuple[str, ...]:
    """The targets to touch one after another for an action; by default one target of its own."""
    return tuple(game.action_path(pos, action)) if _gives(game, "action_path") else (f"action-{action}",)


def menu(game: Any, pos: Any) -> list[tuple[int, str]]:
    """The legal actions with their names, each name once: of actions with one name, the lowest."""
    named: dict[str, int] = {}
    for action in actions(game.legal(pos)):
        named.setdefault(action_name(game, pos, action), action)
    return [(action, name) for name, action in named.items()]


def parse_action(game: Any, pos: Any, words: str) -> int:
    """The legal action that a person means by a name; raises LudusError with what is allowed."""
    choices = menu(game, pos)
    wanted = _bare(words)
    for action, name in choices:
        if _bare(name) == wanted:
            return action
    cut = r"(?!\d)" if wanted[-1:].isdecimal() else ""  # a number is not cut in two
    near = [action for action, name in choices if wanted and re.match(re.escape(wanted) + cut, _bare(name))]
    if len(near) == 1:
        return near[0]
    names = ", ".join(name for _, name in choices)
    raise LudusError(f"{words.strip()!r} is no action here; allowed: {names}")


def _bare(words: str) -> str:
    """Letters, digits and signs only, in small letters: how names are compared."""
    return re.sub(r"\s+", "", words).lower()


def format_position(game: Any, pos: Any) -> str:
    """A position as text that `parse_position` reads back; by default its fields."""
    if _gives(game, "format_position"):
        return str(game.format_position(pos))
    return ",".join(str(int(field)) for field in pos)


def parse_position(game: Any, words: str) -> Any:
    """The position that a text describes; raises LudusError with what is allowed."""
    try:
        if _gives(game, "parse_position"):
            return game.parse_position(words)
        fields = [int(field) for field in words.split(",")]
        return type(game.start())(*fields)
    except (ValueError, TypeError) as error:
        example = format_position(game, game.start())
        reason = str(error) if _gives(game, "parse_position") else f"cannot read {words!r}"
        raise LudusError(f"{reason}; a position is written like {example}") from None


def rules(game: Any) -> Sequence[Page]:
    """The tutorial; by default the docstring beside the starting position."""
    if _gives(game, "rules"):
        return list(game.rules())
    return [Page("The game", (type(game).__doc__ or "").strip(), game.start())]


def notes(game: Any, pos: Any) -> Sequence[Note]:
    """What an expert would point out; by default nothing."""
    return list(game.notes(pos)) if _gives(game, "notes") else []


def _draw_text(game: Any, pos: Any) -> Drawing:
    lines = board(game, pos).splitlines()
    legal = actions(game.legal(pos))
    width = max([12 * len(line) for line in lines] + [200]) + 40
    drawing = Drawing(width, 24 * len(lines) + 40 * len(legal) + 40, "The position", corner=8)
    drawing.add(*(text(width / 2, 30 + 24 * n, line, 18) for n, line in enumerate(lines)))
    for n, action in enumerate(legal):
        y = 24 * len(lines) + 40 * n + 30
        drawing.add(rect(20, y, width - 40, 34, "hole", corner=6))
        drawing.add(text(width / 2, y + 17, action_name(game, pos, action), 16))
        drawing.target(f"action-{action}", 20, y, width - 40, 34)
    return drawing


class View:
    """A position of a game that displays itself: as SVG in a notebook, as text when printed."""

    def __init__(self, game: Any, pos: Any = None) -> None:
        self.game = game
        self.pos = game.start() if pos is None else pos

    def __str__(self) -> str:
        return board(self.game, self.pos)

    __repr__ = __str__

    def _repr_svg_(self) -> str:
        return draw(self.game, self.pos).svg

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"image/svg+xml": self._repr_svg_(), "text/plain": str(self)}
