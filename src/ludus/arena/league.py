"""The league: results of all tournaments in one SQLite file, which only the driving process writes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from ludus.errors import LudusError
from ludus.files import home, made_folder

Counts = tuple[int, ...]
_VERSION = 1

_TABLES = """
create table agents (
    game text, digest text, name text, text text, primary key (game, digest)
) without rowid;
create table meetings (
    game text, a text, b text, seed text, games integer,
    first_wins integer, first_losses integer, first_ties integer, first_cut integer,
    second_wins integer, second_losses integer, second_ties integer, second_cut integer,
    primary key (game, a, b, seed, games)
) without rowid;
"""

_NAMES = "create table if not exists names (game text primary key, name text) without rowid"  # files may be older
_COUNTS = ", ".join(f"{seat}_{kind}" for seat in ("first", "second") for kind in ("wins", "losses", "ties", "cut"))


class Member(NamedTuple):
    """An agent of the league: its digest, its display name, and the text that last named it."""

    digest: str
    name: str
    text: str


class Stored(NamedTuple):
    """Results of two agents for a seed; counts: wins, losses, ties, cuts of a, moving first, then second."""

    a: str
    b: str
    seed: str
    games: int
    counts: Counts


def default_path() -> Path:
    """The file of the user's league."""
    return made_folder(home()) / "league.sqlite"


class League:
    """Results on disk by fingerprint of the game and digests of the agents; each is durable once stored."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with self._checked():
            self._file = sqlite3.connect(path, isolation_level=None, timeout=30)
            self._file.execute("pragma journal_mode = wal")
            self._file.execute("pragma synchronous = normal")
            version = self._opened()
        if version != _VERSION:
            raise LudusError(f"{path} was written by another version of Ludus")

    def _opened(self) -> int:
        """The version of the file; creates the tables of a new one within a transaction."""
        self._file.execute("begin immediate")
        version = int(self._file.execute("pragma user_version").fetchone()[0])
        if version == 0:
            for statement in _TABLES.split(";"):
                self._file.execute(statement)
            self._file.execute(f"pragma user_version = {_VERSION}")
        if version in (0, _VERSION):
            self._file.execute(_NAMES)
        self._file.execute("commit")
        return version or _VERSION

    def __enter__(self) -> League:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def join(self, game: str, members: list[Member]) -> None:
        """Store the names of agents."""
        with self._checked():
            self._file.executemany(
                "insert into agents values (?, ?, ?, ?) on conflict do update set name = excluded.name,"
                " text = excluded.text",
                [(game, *one) for one in members],
            )

    def name_game(self, game: str, name: str) -> None:
        """Store the name of a game."""
        with self._checked():
            self._file.execute("insert or replace into names values (?, ?)", (game, name))

    def names(self) -> dict[str, str]:
        """The names of games by fingerprint."""
        with self._checked():
            return dict(self._file.execute("select game, name from names order by name, game"))

    def put(self, game: str, stored: Stored) -> None:
        """Store a meeting."""
        row = (game, *stored[:4], *stored.counts)
        with self._checked():
            self._file.execute(f"insert or replace into meetings values ({', '.join('?' * len(row))})", row)

    def get(self, game: str, a: str, b: str, seed: str, games: int) -> Counts | None:
        """The counts of a meeting; None if it is not stored."""
        with self._checked():
            found = self._file.execute(
                f"select {_COUNTS} from meetings where game = ? and a = ? and b = ? and seed = ? and games = ?",
                (game, a, b, seed, games),
            ).fetchone()
        return None if found is None else tuple(found)

    def members(self, game: str) -> list[Member]:
        """All agents that have played this game."""
        with self._checked():
            rows = self._file.execute(
                "select digest, name, text from agents where game = ? order by name, digest", (game,)
            )
            return [Member(*row) for row in rows]

    def meetings(self, game: str) -> list[Stored]:
        """All meetings at this game; of one seed only the longest, which contains the others."""
        with self._checked():
            rows = self._file.execute(
                f"select a, b, seed, max(games), {_COUNTS} from meetings where game = ? group by a, b, seed"
                " order by a, b, seed",
                (game,),
            )
            return [Stored(a, b, seed, games, tuple(counts)) for a, b, seed, games, *counts in rows]

    @contextmanager
    def _checked(self) -> Iterator[None]:
        """Turn errors of the file into one line."""
        try:
            yield
        except sqlite3.Error as error:
            raise LudusError(f"{self.path} cannot be used: {error}") from None
