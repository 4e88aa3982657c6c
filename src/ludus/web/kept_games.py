"""The games that people played, in one SQLite file: each ply is safe once it is put in."""

from __future__ import annotations

import json
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from ludus.errors import LudusError
from ludus.files import home, made_folder

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
