"""The games, and their positions."""

from __future__ import annotations

import enum
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel

from ludus import catalog, face
from ludus.cgt.positions import canonical_form
from ludus.compiled.masks import actions
from ludus.errors import LudusError
from ludus.game import gives_parts, max_plies
from ludus.parameters import format_value, type_hints
from ludus.solving.solution import Solution
from ludus.web.api.hints import listed_hints
from ludus.web.api.views import PROBLEMS, State, View, Worth, mover_name, view_of
from ludus.web.registry import AskedGame, AskedPosition, OnShelf
from ludus.web.solutions import truth_of
from ludus.web.workshop import InWorkshop, Tell

router = APIRouter(prefix="/api", tags=["games"], responses=PROBLEMS)


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


class Lesson(BaseModel):
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
    rules: list[Lesson]


@router.get("/games")
def games(shelf: OnShelf) -> list[GameCard]:
    """All games."""
    return [card_of(name, cls()) for name, cls in shelf.games.items()]


@router.get("/game")
def game(game: AskedGame, shelf: OnShelf, workshop: InWorkshop) -> GameView:
    """One game, with its parameters; solving it begins."""
    truth_of(workshop, game, game.start())
    return told_of(shelf.written(game), game)


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


def _lesson(game: Any, page: face.Page) -> Lesson:
    view = None if page.position is None else view_of(game, page.position)
    return Lesson(title=page.title, words=page.words, view=view)


class CountsView(BaseModel):
    """Reachable positions by their value for the player to move; `longest`: the plies of the longest forced win."""

    positions: int
    terminal: int
    wins: int
    losses: int
    draws: int
    longest: int | None


class FirstAction(BaseModel):
    """What an action at the start is worth to who takes it."""

    action: int
    name: str
    worth: Worth


class Facts(BaseModel):
    """The truth about a game from its start: nothing of a game that is too large to list, beyond what is `known`."""

    state: State
    words: str
    mover: str
    value: Worth | None = None
    counts: CountsView | None = None
    actions: list[FirstAction] = []


@router.get("/facts")
def facts(game: AskedGame, workshop: InWorkshop) -> Facts:
    """Value, counts and first actions of a game, once it is solved."""
    start = game.start()
    mover = mover_name(game, int(game.player(start)))
    job = truth_of(workshop, game, start)
    if job.state != "ready":
        return Facts(state=job.state, words=job.words, mover=mover)
    if not isinstance(job.result, Solution):
        return Facts(state="ready", words="too large to list all its positions", mover=mover)
    return listed_facts(game, job.result)


def listed_facts(game: Any, solution: Solution) -> Facts:
    """The facts by the solution of a game."""
    start = game.start()
    found = listed_hints(game, start, solution)
    told = [
        FirstAction(action=action, name=face.action_name(game, start, action), worth=worth)
        for action, worth in found.actions.items()
    ]
    counts = CountsView(**solution.counts()._asdict())
    mover = mover_name(game, int(game.player(start)))
    return Facts(state="ready", words="", mover=mover, value=found.value, counts=counts, actions=told)


class Form(BaseModel):
    """A canonical form as it is written; nothing in games that have none."""

    state: State
    words: str
    form: str | None = None


@router.get("/form")
def form(game: AskedGame, pos: AskedPosition, workshop: InWorkshop) -> Form:
    """The canonical form of a position; of games that tell the parts of a sum only."""
    if not gives_parts(game):
        return Form(state="refused", words="its positions have no canonical forms")
    job = workshop.ask("form", (catalog.name_of(game), pos), partial(_found, game, pos))
    return Form(state=job.state, words=job.words, form=job.result)


def _found(game: Any, pos: Any, on_progress: Tell) -> str:
    on_progress("working out the canonical form")
    return str(canonical_form(game, pos))
