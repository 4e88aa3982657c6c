"""Games that people played, saved in one SQLite file: each ply is on disk before the response is sent."""

from __future__ import annotations

import json
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field

from ludus import face
from ludus.compiled.masks import actions, is_empty
from ludus.errors import LudusError
from ludus.files import home, made_folder
from ludus.game import max_plies
from ludus.web.api.views import Body, result_view
from ludus.web.registry import MissingError, RegistryDep, Text, of_app, position_of

MOST = 10_000  # games; the oldest are deleted
_LISTED = 100
_VERSION = 1
_TABLE = """create table games (
    id text primary key, game text, start text, seats text, actions text, resigned integer, result text,
    begun real, changed real
) without rowid"""
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


class SavedGames:
    """The file, used by one server from several threads."""

    def __init__(self) -> None:
        self.path = made_folder(home()) / "games.sqlite"
        self._lock = threading.Lock()
        with self._locked():
            self._file = sqlite3.connect(self.path, isolation_level=None, timeout=30, check_same_thread=False)
            self._file.row_factory = sqlite3.Row
            self._file.execute("pragma journal_mode = wal")
            self._file.execute("pragma synchronous = normal")
            self._file.execute("begin immediate")
            version = int(self._file.execute("pragma user_version").fetchone()[0])
            if version == 0:
                self._file.execute(_TABLE)
                self._file.execute("create index latest on games (changed)")
                self._file.execute(f"pragma user_version = {_VERSION}")
            self._file.execute("commit")
        if version not in (0, _VERSION):
            raise LudusError(f"{self.path} was written by another version of Ludus")

    def put(self, saved: SavedGame) -> SavedGame:
        """Saves a game as it stands now."""
        row = saved.model_dump() | {"seats": json.dumps(saved.seats), "actions": json.dumps(saved.actions)}
        with self._locked():
            self._file.execute(f"insert or replace into games values (:{', :'.join(row)})", row)
            self._file.execute(
                "delete from games where id in (select id from games order by changed desc limit -1 offset ?)", (MOST,)
            )
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
        with self._locked():
            rows = self._file.execute(f"select * from games {condition}", (value,)).fetchall()
        return [
            SavedGame(**dict(row) | {"seats": json.loads(row["seats"]), "actions": json.loads(row["actions"])})
            for row in rows
        ]

    def remove(self, name: str) -> None:
        """Deletes a game."""
        with self._locked():
            self._file.execute("delete from games where id = ?", (name,))

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """One thread at a time; a problem with the file is reported in one line."""
        try:
            with self._lock:
                yield
        except sqlite3.Error as error:
            raise LudusError(f"{self.path} cannot be used: {error}") from None


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
