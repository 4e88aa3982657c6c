"""Games that people played, saved in one SQLite file: each ply is on disk before the response is sent."""

from __future__ import annotations

import json
import secrets
import threading
import time
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field

from ludus import face
from ludus.compiled.masks import actions, is_empty
from ludus.database import Database, Table
from ludus.documents import parse
from ludus.errors import LudusError
from ludus.files import home, made_folder
from ludus.game import max_plies
from ludus.web.api.views import Body, result_view
from ludus.web.registry import MissingError, RegistryDep, Text, of_app, position_of

MOST = 10_000  # games; the oldest are deleted
_LISTED = 100
_VERSION = 2
_TABLE = Table(
    "games",
    (
        "id text", "game text", "start text", "seats text", "actions text", "resigned integer", "result text",
        "begun real", "changed real",
    ),
    1,
)  # fmt: skip
SeatNames = Annotated[list[Text], Field(min_length=2, max_length=2)]


class NewGame(Body):
    """A new game: who sits where, `person` or an agent, and where it starts if not at the game's start."""

    game: Text
    start: Text | None = None
    seats: SeatNames


class Progress(Body):
    """The actions played since the start, and which player has resigned, if any."""

    actions: list[int] = Field(max_length=5000)
    resigned: int | None = Field(None, ge=0, le=1)
    seats: SeatNames


class SavedGame(BaseModel):
    """A saved game; `result` is empty until it ends; times are in seconds since 1970."""

    id: str
    game: str
    start: str
    seats: list[str]
    actions: list[int] = []
    resigned: int | None = None
    result: str = ""
    begun: float
    changed: float


class _Row(NamedTuple):
    """A row of the table; seats and actions as JSON."""

    id: str
    game: str
    start: str
    seats: str
    actions: str
    resigned: int | None
    result: str
    begun: float
    changed: float


class SavedGames:
    """The file, used by one server from several threads."""

    def __init__(self) -> None:
        path = made_folder(home()) / "games.sqlite"
        self._lock = threading.Lock()
        self._file = Database(path, _VERSION, [_TABLE], "; remove it to begin with no games")

    def put(self, saved: SavedGame) -> SavedGame:
        """Saves a game as it stands now."""
        row = saved.model_dump() | {"seats": json.dumps(saved.seats), "actions": json.dumps(saved.actions)}
        with self._lock:
            self._file.put(_TABLE, [row[column.split()[0]] for column in _TABLE.columns])
            self._delete("id in (select id from games order by changed desc limit -1 offset ?)", MOST)
        return saved

    def get(self, name: str) -> SavedGame:
        """The game with this id; MissingError if there is none."""
        found = self._select("where id = ?", name)
        if not found:
            raise MissingError("there is no game of this id")
        return found[0]

    def latest(self, most: int) -> list[SavedGame]:
        """The games that were played last."""
        return self._select("order by changed desc, id limit ?", most)

    def _select(self, condition: str, value: str | int) -> list[SavedGame]:
        with self._lock:
            rows = self._file.rows(_TABLE, _Row, condition, (value,))
        return [
            SavedGame(
                **row._asdict()
                | {"seats": parse(list[str], row.seats, "a saved game")}
                | {"actions": parse(list[int], row.actions, "a saved game")}
            )
            for row in rows
        ]

    def remove(self, name: str) -> None:
        """Deletes a game."""
        with self._lock:
            self._delete("id = ?", name)

    def _delete(self, condition: str, value: str | int) -> None:
        with self._file.checked():
            self._file.file.execute(f"delete from games where {condition}", (value,))

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


SavedGamesDep = Annotated[SavedGames, of_app("saved_games")]
Id = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{16}$", description="The id of a saved game.")]
router = APIRouter(prefix="/saved-games", tags=["saved games"])


@router.post("", status_code=201)
def create(new: NewGame, registry: RegistryDep, games: SavedGamesDep) -> SavedGame:
    """Creates a game, under an id that nobody can guess."""
    game, now = registry.game(new.game), time.time()
    start = face.format_position(game, position_of(game, new.start))
    name, written = secrets.token_urlsafe(12), registry.name_of(game) or ""
    return games.put(SavedGame(id=name, game=written, start=start, seats=new.seats, begun=now, changed=now))


@router.get("")
def latest(games: SavedGamesDep) -> list[SavedGame]:
    """The hundred games that were played last."""
    return games.latest(_LISTED)


@router.get("/{id}")
def one(id: Id, games: SavedGamesDep) -> SavedGame:  # noqa: A002
    """One game."""
    return games.get(id)


@router.put("/{id}")
def save(id: Id, progress: Progress, registry: RegistryDep, games: SavedGamesDep) -> SavedGame:  # noqa: A002
    """Saves a game as it stands now."""
    saved = games.get(id)
    game = registry.game(saved.game)
    result = _result(game, position_of(game, saved.start), progress)
    return games.put(saved.model_copy(update={**dict(progress), "result": result, "changed": time.time()}))


@router.delete("/{id}", status_code=204)
def delete(id: Id, games: SavedGamesDep) -> None:  # noqa: A002
    """Deletes a game."""
    games.get(id)
    games.remove(id)


def _result(game: Any, pos: Any, progress: Progress) -> str:
    """The result in words, empty before the end; LudusError for an action that is not allowed."""
    for ply, action in enumerate(progress.actions):
        if action not in actions(game.legal(pos)):
            raise LudusError(f"action {action} at ply {ply} is not allowed")
        pos = game.play(pos, action)
    if progress.resigned is not None:
        names = face.players(game)
        return f"{names[progress.resigned]} resigns: {names[1 - progress.resigned]} wins."
    if is_empty(game.legal(pos)):
        return result_view(game, float(game.score(pos))).words
    cap = max_plies(game)
    return f"Nobody wins within {cap} plies." if cap and len(progress.actions) >= cap else ""
