"""Games that people played, saved in one SQLite file: each ply is on disk once the answer is sent."""

from __future__ import annotations

import json
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Depends, Path, Request
from pydantic import BaseModel, Field, StringConstraints

from ludus import face
from ludus.compiled.masks import actions, is_empty
from ludus.errors import LudusError
from ludus.files import home, made_folder
from ludus.game import max_plies
from ludus.web.api.views import Body, result_of
from ludus.web.registry import LONGEST, MissingError, Registry, RegistryDep, position_of

MOST = 10_000  # games; the oldest go


_VERSION = 1


_TABLE = """create table games (
    id text primary key, game text, start text, seats text, actions text, resigned integer, result text,
    begun real, changed real
) without rowid"""


_COLUMNS = "id, game, start, seats, actions, resigned, result, begun, changed"


class Kept(NamedTuple):
    """A game: who sat where, where it began, what was done, who resigned, and how it ended ("": it has not)."""

    id: str
    game: str
    start: str
    seats: list[str]
    actions: list[int]
    resigned: int | None
    result: str
    begun: float
    changed: float


def new_kept(game: str, start: str, seats: list[str]) -> Kept:
    """A game that begins now, under an id that nobody can guess."""
    now = time.time()
    return Kept(secrets.token_urlsafe(12), game, start, seats, [], None, "", now, now)


class KeptGames:
    """The file, written by one server; it may be asked from several threads."""

    def __init__(self) -> None:
        self.path = made_folder(home()) / "games.sqlite"
        self._lock = threading.Lock()
        with self._told():
            self._file = sqlite3.connect(self.path, isolation_level=None, timeout=30, check_same_thread=False)
            self._file.execute("pragma journal_mode = wal")
            self._file.execute("pragma synchronous = normal")
            self._open()

    def _open(self) -> None:
        self._file.execute("begin immediate")
        version = int(self._file.execute("pragma user_version").fetchone()[0])
        if version == 0:
            self._file.execute(_TABLE)
            self._file.execute("create index latest on games (changed)")
            self._file.execute(f"pragma user_version = {_VERSION}")
        self._file.execute("commit")
        if version not in (0, _VERSION):
            raise LudusError(f"{self.path} was written by another version of Ludus")

    def put(self, kept: Kept) -> None:
        """Keep a game as it stands now."""
        row = (*kept[:3], json.dumps(kept.seats), json.dumps(kept.actions), *kept[5:])
        with self._told():
            self._file.execute(f"insert or replace into games values ({', '.join('?' * len(row))})", row)
            self._file.execute(
                "delete from games where id in (select id from games order by changed desc limit -1 offset ?)", (MOST,)
            )

    def get(self, name: str) -> Kept | None:
        """The game of an id, None if there is none."""
        with self._told():
            row = self._file.execute(f"select {_COLUMNS} from games where id = ?", (name,)).fetchone()
        return None if row is None else _read(row)

    def latest(self, most: int) -> list[Kept]:
        """The games that were played last."""
        with self._told():
            rows = self._file.execute(
                f"select {_COLUMNS} from games order by changed desc, id limit ?", (most,)
            ).fetchall()
        return [_read(row) for row in rows]

    def remove(self, name: str) -> None:
        """Forget a game."""
        with self._told():
            self._file.execute("delete from games where id = ?", (name,))

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """One at a time; what is wrong with the file is told in one line."""
        try:
            with self._lock:
                yield
        except sqlite3.Error as error:
            raise LudusError(f"{self.path} cannot be used: {error}") from None


def _read(row: tuple[str, ...]) -> Kept:
    name, game, start, seats, actions, *rest = row
    return Kept(name, game, start, json.loads(seats), json.loads(actions), *rest)  # type: ignore[arg-type]


router = APIRouter(tags=["kept games"])


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
def begin(new: NewGame, registry: RegistryDep, games: Games) -> KeptView:
    """Begin a game."""
    game = registry.game(new.game)
    start = face.format_position(game, position_of(game, new.start))
    kept = new_kept(registry.written(game), start, new.seats)
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
def go_on(id: Id, progress: Progress, registry: RegistryDep, games: Games) -> KeptView:  # noqa: A002
    """Keep how a game stands now."""
    kept = _found(games, id)
    result = _result(registry, kept, progress)
    kept = kept._replace(
        actions=progress.actions, resigned=progress.resigned, seats=progress.seats, result=result, changed=time.time()
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


def _result(registry: Registry, kept: Kept, progress: Progress) -> str:
    """How the game stands in words, empty while it goes on; LudusError for an action that is not allowed."""
    game = registry.game(kept.game)
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
