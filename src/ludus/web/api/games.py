"""The games and their positions."""

from __future__ import annotations

import enum
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel

from ludus import face
from ludus.compiled.masks import actions
from ludus.errors import LudusError
from ludus.game import max_plies
from ludus.parameters import format_value, type_hints
from ludus.web.api.solutions import truth_of
from ludus.web.api.views import View, view_of
from ludus.web.jobs import JobsDep
from ludus.web.registry import AskedGame, AskedPosition, RegistryDep

router = APIRouter(tags=["games"])


class Parameter(BaseModel):
    """A rule parameter as a form asks for it."""

    name: str
    kind: Literal["whole", "switch", "choice", "text"]
    default: str
    choices: list[str]


class GameCard(BaseModel):
    """A game in the list of all."""

    name: str
    title: str
    summary: str
    known: str
    reachable: int | None
    parameters: list[Parameter]
    svg: str


class Episode(BaseModel):
    """A page of a game's tutorial, with the position that it shows."""

    title: str
    words: str
    view: View | None


class GameView(BaseModel):
    """One game: how it is written, whom it is between, where it begins, and its rules."""

    game: str
    name: str
    title: str
    summary: str
    known: str
    reachable: int | None
    sources: list[str]
    players: list[str]
    start: str
    max_plies: int
    parameters: dict[str, str]
    rules: list[Episode]


@router.get("/games")
def games(registry: RegistryDep) -> list[GameCard]:
    """All games."""
    return [card_of(name, cls()) for name, cls in registry.games.items()]


@router.get("/game")
def game(game: AskedGame, registry: RegistryDep, jobs: JobsDep) -> GameView:
    """One game, with its parameters; solving it begins."""
    truth_of(jobs, game, game.start())
    return told_of(registry.written(game), game)


def card_of(name: str, game: Any) -> GameCard:
    """A game as the list of all shows it."""
    svg = face.draw(game, game.start()).bare
    return GameCard(**_told(name, game), parameters=_parameters(type(game)), svg=svg)


def told_of(written: str, game: Any) -> GameView:
    """A game as its pages show it."""
    return GameView(
        game=written,
        **_told(written.partition("(")[0], game),
        sources=[words.strip() for words in getattr(type(game), "sources", "").split(";") if words.strip()],
        players=list(face.players(game)),
        start=face.format_position(game, game.start()),
        max_plies=max_plies(game),
        parameters={name: format_value(value) for name, value in game._asdict().items()},
        rules=[_lesson(game, page) for page in face.rules(game)],
    )


@router.get("/position")
def position(
    game: AskedGame,
    pos: AskedPosition,
    action: Annotated[int | None, Query(ge=0, le=1 << 20, description="Show the position after this action.")] = None,
) -> View:
    """A position, or the one that an action leads to from there."""
    if action is None:
        return view_of(game, pos)
    if action not in actions(game.legal(pos)):
        raise LudusError(f"action {action} is not allowed in {face.format_position(game, pos)}")
    return view_of(game, game.play(pos, action))


def _told(name: str, game: Any) -> dict[str, Any]:
    cls = type(game)
    title = game.draw(game.start()).title if hasattr(cls, "draw") else name.replace("-", " ").capitalize()
    summary = " ".join((cls.__doc__ or "").strip().partition("\n\n")[0].split())
    return {
        "name": name,
        "title": title,
        "summary": summary,
        "known": getattr(cls, "known", ""),
        "reachable": getattr(cls, "reachable", None),
    }


def _parameters(cls: Any) -> list[Parameter]:
    hints = type_hints(cls)
    return [_parameter(field, hints[field], cls._field_defaults.get(field)) for field in cls._fields]


def _parameter(name: str, kind: Any, default: Any) -> Parameter:
    choices: list[str] = []
    told: Literal["whole", "switch", "choice", "text"] = "text"
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        told, choices = "choice", [format_value(member) for member in kind]
    elif kind is bool:
        told = "switch"
    elif kind is int:
        told = "whole"
    return Parameter(name=name, kind=told, default=format_value(default), choices=choices)


def _lesson(game: Any, page: face.Page) -> Episode:
    view = None if page.position is None else view_of(game, page.position)
    return Episode(title=page.title, words=page.words, view=view)
