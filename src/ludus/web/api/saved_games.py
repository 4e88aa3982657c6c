"""Games that people played, saved in one SQLite file: each ply is on disk before the response is sent."""

from __future__ import annotations

import json
import secrets
import threading
import time
from typing import Annotated, Any

from fastapi import APIRouter, Path
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from ludus import face
from ludus.database import Database, Table
from ludus.documents import parse
from ludus.files import home, made_folder
from ludus.web.api.views import Body, played_out
from ludus.web.jobs import events
from ludus.web.live import ChangesDep, live
from ludus.web.registry import ConflictError, MissingError, RegistryDep, Text, of_app, position_of

MOST = 10_000  # games; the oldest are deleted
_LISTED = 100
_VERSION = 2
_COLUMNS = (
    "id text, game text, start text, seats text, actions text, resigned integer, result text, begun real, changed real"
)
_TABLE = Table("games", tuple(_COLUMNS.split(", ")), 1)
SeatNames = Annotated[list[Text], Field(min_length=2, max_length=2)]


class NewGame(Body):
    """A new game: who sits where, `person` or an agent, and where it starts if not at the game's start."""

    game: Text
    start: Text | None = None
    seats: SeatNames


class Progress(Body):
    """The actions played since the start, and which player has resigned, if any.

    `since`: when the game that these continue was changed; if it was changed later, nothing is saved.
    """

    actions: list[int] = Field(max_length=5000)
    resigned: int | None = Field(None, ge=0, le=1)
    seats: SeatNames
    since: float | None = None


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


_Row: Any = tuple[str, str, str, str, str, int | None, str, float, float]  # seats and actions as JSON


class SavedGames:
    """The file, used by a server from several threads; another server may use it, too."""

    def __init__(self) -> None:
        path = made_folder(home()) / "games.sqlite"
        self._lock = threading.Lock()
        self._file = Database(path, _VERSION, [_TABLE], "; remove it to begin with no games")

    def add(self, saved: SavedGame) -> SavedGame:
        """Saves a new game; the oldest make room."""
        with self._lock:
            self._delete("id in (select id from games order by changed desc limit -1 offset ?)", MOST - 1)
        return self.put(saved)

    def put(self, saved: SavedGame, since: float | None = None) -> SavedGame:
        """Saves a game as it stands now; ConflictError if it was changed after `since`."""
        row = saved.model_dump() | {"seats": json.dumps(saved.seats), "actions": json.dumps(saved.actions)}
        with self._lock, self._file.checked(), self._file.writing():
            if since is not None and self._find(saved.id).changed != since:
                raise ConflictError("this game was continued in another place")
            self._file.put(_TABLE, [row[column.split()[0]] for column in _TABLE.columns])
        return saved

    def get(self, name: str) -> SavedGame:
        """The game with this id; MissingError if there is none."""
        with self._lock:
            return self._find(name)

    def _find(self, name: str) -> SavedGame:
        found = self._select("where id = ?", name)
        if not found:
            raise MissingError("there is no game of this id")
        return found[0]

    def latest(self, most: int) -> list[SavedGame]:
        """The games that were played last."""
        with self._lock:
            return self._select("order by changed desc, id limit ?", most)

    def _select(self, condition: str, value: str | int) -> list[SavedGame]:
        return [_saved_game(*row) for row in self._file.rows(_TABLE, _Row, condition, (value,))]

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


def _saved_game(*row: Any) -> SavedGame:
    found = dict(zip(SavedGame.model_fields, row, strict=True))
    lists: dict[str, Any] = {"seats": list[str], "actions": list[int]}
    return SavedGame(**found | {name: parse(kind, found[name], "a saved game") for name, kind in lists.items()})


SavedGamesDep = Annotated[SavedGames, of_app("saved_games")]
Id = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{16}$", description="The id of a saved game.")]
router = APIRouter(prefix="/saved-games", tags=["saved games"])


@router.post("", status_code=201)
def create(new: NewGame, registry: RegistryDep, games: SavedGamesDep) -> SavedGame:
    """Creates a game, under an id that nobody can guess."""
    game, now = registry.game(new.game), time.time()
    start = face.format_position(game, position_of(game, new.start))
    name, written = secrets.token_urlsafe(12), registry.name_of(game) or ""
    return games.add(SavedGame(id=name, game=written, start=start, seats=new.seats, begun=now, changed=now))


@router.get("")
def latest(games: SavedGamesDep) -> list[SavedGame]:
    """The hundred games that were played last."""
    return games.latest(_LISTED)


@router.get("/{id}")
def one(id: Id, games: SavedGamesDep) -> SavedGame:  # noqa: A002
    """One game."""
    return games.get(id)


@router.get("/{id}/stream", response_class=StreamingResponse, responses={200: {"content": events(SavedGame)}})
def game_stream(id: Id, games: SavedGamesDep, changes: ChangesDep) -> StreamingResponse:  # noqa: A002
    """A game as server-sent events: now, and whenever it is saved, from whichever page."""
    games.get(id)
    return live(changes, id, lambda: games.get(id))


@router.put("/{id}")
def save(
    id: Id,  # noqa: A002
    progress: Progress,
    registry: RegistryDep,
    games: SavedGamesDep,
    changes: ChangesDep,
) -> SavedGame:
    """Saves a game as it stands now."""
    saved = games.get(id)
    game = registry.game(saved.game)
    now = played_out(game, position_of(game, saved.start), progress.actions, progress.resigned)
    state = progress.model_dump(exclude={"since"}) | {"result": now.result, "changed": time.time()}
    kept = games.put(saved.model_copy(update=state), progress.since)
    changes.notify(id)
    return kept


@router.delete("/{id}", status_code=204)
def delete(id: Id, games: SavedGamesDep, changes: ChangesDep) -> None:  # noqa: A002
    """Deletes a game."""
    games.get(id)
    games.remove(id)
    changes.notify(id)
