"""Games that people play: kept at every ply, found again by their ids."""

from __future__ import annotations

import time
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request
from pydantic import BaseModel, Field, StringConstraints

from ludus import face
from ludus.errors import LudusError
from ludus.game import max_plies
from ludus.masks import actions, is_empty
from ludus.web.kept_games import Kept, KeptGames, new_kept
from ludus.web.shelf import LONGEST, MissingError, OnShelf, Shelf, position_of
from ludus.web.views import PROBLEMS, Body, result_of

router = APIRouter(prefix="/api", tags=["kept games"], responses=PROBLEMS)

_LISTED = 100

Id = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{16}$", description="The id of a kept game.")]
SeatNames = list[Annotated[str, StringConstraints(max_length=LONGEST)]]


class NewGame(Body):
    """A game that begins: who sits where, `person` or an agent, and where it begins if not at the start."""

    game: str = Field(max_length=LONGEST)
    start: str | None = Field(None, max_length=LONGEST)
    seats: SeatNames = Field(min_length=2, max_length=2)


class Progress(Body):
    """How a game stands now: all that was done since its start, and which player has resigned, if one has."""

    actions: list[int] = Field(max_length=5000)
    resigned: int | None = Field(None, ge=0, le=1)
    seats: SeatNames = Field(min_length=2, max_length=2)


class KeptView(BaseModel):
    """A kept game; `result` is empty while it goes on; times are in seconds since 1970."""

    id: str
    game: str
    start: str
    seats: list[str]
    actions: list[int]
    resigned: int | None
    result: str
    begun: float
    changed: float


def _kept_games(request: Request) -> KeptGames:
    kept: KeptGames = request.app.state.kept
    return kept


Games = Annotated[KeptGames, Depends(_kept_games)]


@router.post("/kept", status_code=201)
def begin(new: NewGame, shelf: OnShelf, games: Games) -> KeptView:
    """Begin a game."""
    game = shelf.game(new.game)
    start = face.format_position(game, position_of(game, new.start))
    kept = new_kept(shelf.written(game), start, new.seats)
    games.put(kept)
    return _view(kept)


@router.get("/kept")
def latest(games: Games) -> list[KeptView]:
    """The hundred games that were played last."""
    return [_view(kept) for kept in games.latest(_LISTED)]


@router.get("/kept/{id}")
def one(id: Id, games: Games) -> KeptView:  # noqa: A002
    """One game."""
    return _view(_found(games, id))


@router.put("/kept/{id}")
def go_on(id: Id, progress: Progress, shelf: OnShelf, games: Games) -> KeptView:  # noqa: A002
    """Keep how a game stands now."""
    kept = _found(games, id)
    result = _result(shelf, kept, progress)
    kept = kept._replace(
        actions=progress.actions,
        resigned=progress.resigned,
        seats=progress.seats,
        result=result,
        changed=time.time(),
    )
    games.put(kept)
    return _view(kept)


@router.delete("/kept/{id}", status_code=204)
def forget(id: Id, games: Games) -> None:  # noqa: A002
    """Forget a game."""
    _found(games, id)
    games.remove(id)


def _found(games: KeptGames, name: str) -> Kept:
    kept = games.get(name)
    if kept is None:
        raise MissingError("there is no game of this id")
    return kept


def _result(shelf: Shelf, kept: Kept, progress: Progress) -> str:
    """How the game stands in words, empty while it goes on; LudusError for an action that is not allowed."""
    game = shelf.game(kept.game)
    pos = position_of(game, kept.start)
    for ply, action in enumerate(progress.actions):
        if action not in actions(game.legal(pos)):
            raise LudusError(f"action {action} at ply {ply} is not allowed")
        pos = game.play(pos, action)
    if progress.resigned is not None:
        return _resigned(game, pos, progress.resigned)
    if is_empty(game.legal(pos)):
        return result_of(game, float(game.score(pos))).words
    cap = max_plies(game)
    return f"Nobody wins within {cap} plies." if cap and len(progress.actions) >= cap else ""


def _resigned(game: Any, pos: Any, player: int) -> str:
    names = face.players(game)
    return f"{names[player]} resigns: {names[1 - player]} wins."


def _view(kept: Kept) -> KeptView:
    return KeptView(**kept._asdict())
