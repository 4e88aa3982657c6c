"""The games and their positions."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel

from ludus import face
from ludus.compiled.masks import actions
from ludus.errors import LudusError
from ludus.game import max_plies
from ludus.parameters import format_values, parse_written
from ludus.web.api.solutions import solution_job
from ludus.web.api.views import FormField, PositionView, Preset, first_paragraph, form_fields, position_view
from ludus.web.jobs import JobsDep
from ludus.web.registry import GameDep, PositionDep, RegistryDep

router = APIRouter(tags=["games"])


class GameSummary(BaseModel):
    """What is said of a game everywhere; `known`: its known value, `reachable`: its number of positions."""

    name: str
    title: str
    summary: str
    known: str
    reachable: int | None


class GameCard(GameSummary):
    """A game in the list of all: how it is written, the parameters of its rules, and well-known variants."""

    game: str
    parameters: list[FormField]
    presets: list[Preset]
    svg: str


class RulesPage(BaseModel):
    """A page of a game's tutorial, with the position it shows."""

    title: str
    words: str
    view: PositionView | None


class GameView(GameSummary):
    """One game: how it is written, its players, its start and its rules."""

    game: str
    sources: list[str]
    players: list[str]
    start: str
    max_plies: int
    parameters: dict[str, str]
    rules: list[RulesPage]


@router.get("/games")
def games(registry: RegistryDep) -> list[GameCard]:
    """All games."""
    return [game_card(written, game) for written, game in registry.shown.items()]


@router.get("/game")
def game(game: GameDep, registry: RegistryDep, jobs: JobsDep) -> GameView:
    """One game with its parameters; the server starts to solve it."""
    solution_job(jobs, game, game.start())
    return game_view(registry.name_of(game) or "", game)


def game_card(written: str, game: Any) -> GameCard:
    """A game as the list of all shows it; the title of a variant has its parameters."""
    name, bracket, parameters = written.partition("(")
    summary = _summary(name, game)
    if bracket:
        summary |= {"title": f"{summary['title']} ({parameters}", "known": "", "reachable": None}
    cls, svg = type(game), face.draw(game, game.start()).bare
    variants = {title: parse_written(f"{name}({words})").parameters for title, words in face.variants(cls).items()}
    presets = [Preset(name=title, settings=settings) for title, settings in variants.items()]
    return GameCard(game=written, **summary, parameters=form_fields(cls), presets=presets, svg=svg)


def game_view(written: str, game: Any) -> GameView:
    """A game as its pages show it."""
    return GameView(
        game=written,
        **_summary(written.partition("(")[0], game),
        sources=[words.strip() for words in getattr(type(game), "sources", "").split(";") if words.strip()],
        players=list(face.players(game)),
        start=face.format_position(game, game.start()),
        max_plies=max_plies(game),
        parameters=format_values(game._asdict()),
        rules=[
            RulesPage(
                title=page.title,
                words=page.words,
                view=None if page.position is None else position_view(game, page.position),
            )
            for page in face.rules(game)
        ],
    )


def _summary(name: str, game: Any) -> dict[str, Any]:
    cls = type(game)
    return {
        "name": name,
        "title": face.title(game, name),
        "summary": first_paragraph(cls),
        "known": getattr(cls, "known", ""),
        "reachable": getattr(cls, "reachable", None),
    }


class Doing(BaseModel):
    """What the server does for whoever waits; empty if nothing."""

    words: str


@router.get("/doing")
def doing(jobs: JobsDep) -> Doing:
    """What the server does now: a kernel that it compiles, a game that it solves."""
    return Doing(words=jobs.doing())


@router.get("/position")
def position(
    game: GameDep,
    pos: PositionDep,
    action: Annotated[int | None, Query(ge=0, le=1 << 20, description="Show the position after this action.")] = None,
) -> PositionView:
    """A position, or the one after an action."""
    if action is None:
        return position_view(game, pos)
    if action not in actions(game.legal(pos)):
        raise LudusError(f"action {action} is not allowed in {face.format_position(game, pos)}")
    return position_view(game, game.play(pos, action))
