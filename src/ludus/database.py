"""SQLite files whose rows carry checksums: what is damaged is refused in one line, and can be rebuilt from the rest.

A table may be grouped by its first column. Then the checksums of each group are combined by exclusive or, and kept, so
that a row that is gone is noticed, too.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from ludus.documents import digest, parse
from ludus.errors import LudusError
from ludus.files import is_there, open_regular

T = TypeVar("T")
Cell = str | int | float | None
_PATIENCE = 30  # seconds that a write waits for other processes
_HEX = 16  # digits of a checksum
_SUMS = (
    "CREATE TABLE sums (name text not null, part text not null, digest text not null, primary key (name, part)) strict"
)


class Table(NamedTuple):
    """A table: its columns with their types, the first `keys` of which are the key."""

    name: str
    columns: tuple[str, ...]
    keys: int
    grouped: bool = False

    @property
    def key(self) -> list[str]:
        """The names of the key's columns."""
        return [column.split()[0] for column in self.columns[: self.keys]]

    @property
    def sql(self) -> str:
        """The statement that creates it."""
        columns = ", ".join([*self.columns, "digest text not null", f"primary key ({', '.join(self.key)})"])
        return f"CREATE TABLE {self.name} ({columns}) strict, without rowid"

    def digest(self, row: Sequence[Cell]) -> str:
        """The checksum of a row."""
        return digest(json.dumps([self.name, *row]).encode())[:_HEX]


class Database:
    """An open file; `advice`: what helps if it is damaged. Other processes may use it at the same time."""

    def __init__(self, path: Path, version: int, tables: Sequence[Table], advice: str) -> None:
        self.path, self._advice = path, advice
        if is_there(path):
            open_regular(path).close()
        with self.checked():
            self.file = sqlite3.connect(path, isolation_level=None, timeout=_PATIENCE, check_same_thread=False)
            try:
                self._open(version, [*(table.sql for table in tables), _SUMS])
            except BaseException:
                self.file.close()
                raise

    def _open(self, version: int, statements: Sequence[str]) -> None:
        """Create the tables of a new file; LudusError for a damaged one, and for other tables or another version."""
        self.file.execute("pragma trusted_schema = off")
        self.file.execute("pragma journal_mode = wal")
        self.file.execute("pragma synchronous = normal")
        with self.writing():
            found = int(self.file.execute("pragma user_version").fetchone()[0])
            if found == 0 and not self.file.execute("select 1 from sqlite_schema").fetchone():
                for statement in statements:
                    self.file.execute(statement)
                self.file.execute(f"pragma user_version = {version}")
                found = version
        if found != version:
            raise LudusError(f"{self.path} was written by another version of Ludus{self._advice}")
        own = {sql for (sql,) in self.file.execute("select sql from sqlite_schema where sql is not null")}
        if own != set(statements) or self.file.execute("pragma quick_check(1)").fetchall() != [("ok",)]:
            raise self._damaged("its pages or tables are not in order")

    def _damaged(self, how: str) -> LudusError:
        return LudusError(f"{self.path} is damaged: {how}{self._advice}")

    @contextmanager
    def checked(self) -> Iterator[None]:
        """Turns errors of SQLite into one line."""
        try:
            yield
        except sqlite3.OperationalError as error:  # of the disk, or of somebody who writes for long
            raise LudusError(f"{self.path} cannot be used: {error}") from None
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise LudusError(f"{self.path} cannot be used: {error}{self._advice}") from None

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction that waits for those of other processes; one within another is part of it."""
        if self.file.in_transaction:
            yield
            return
        self.file.execute("begin immediate")
        try:
            yield
        except BaseException:
            with suppress(sqlite3.Error):
                self.file.execute("rollback")
            raise
        self.file.execute("commit")

    def put(self, table: Table, *rows: Sequence[Cell]) -> None:
        """Stores rows in place of earlier ones with the same keys; all of them or none."""
        with self.checked(), self.writing():
            for row in rows:
                if table.grouped:
                    self._add_to_sum(table, row)
                marks = ", ".join("?" * (len(row) + 1))
                self.file.execute(f"insert or replace into {table.name} values ({marks})", (*row, table.digest(row)))

    def _add_to_sum(self, table: Table, row: Sequence[Cell]) -> None:
        where = " and ".join(f"{name} = ?" for name in table.key)
        before = self.file.execute(f"select digest from {table.name} where {where}", row[: table.keys]).fetchone()
        known = self._sum(table, row[0])
        total = _combined([table.digest(row), known, *(before or ())])
        self.file.execute("insert or replace into sums values (?, ?, ?)", (table.name, row[0], total))

    def _sum(self, table: Table, part: Cell) -> str:
        """The combined checksums of a group."""
        query = "select digest from sums where name = ? and part = ?"
        return (self.file.execute(query, (table.name, part)).fetchone() or (_combined([]),))[0]

    def rows(self, table: Table, kind: type[T], where: str = "", arguments: Sequence[Cell] = ()) -> list[T]:
        """The rows of a table that meet a condition, as values of this kind; LudusError if one is damaged."""
        with self.checked():
            found = self.file.execute(f"select * from {table.name} {where}", arguments).fetchall()
        return self._parsed(table, kind, found)

    def group(self, table: Table, kind: type[T], part: str) -> list[T]:
        """All rows of a group, by their keys; LudusError if one is damaged or gone."""
        order = ", ".join(table.key)
        with self.checked():
            self.file.execute("begin")  # both from one moment
            found = self.file.execute(f"select * from {table.name} where {table.key[0]} = ? order by {order}", (part,))
            rows = found.fetchall()
            total = self._sum(table, part)
            self.file.execute("commit")
        parsed = self._parsed(table, kind, rows)
        if _combined([row[-1] for row in rows]) != total:
            raise self._damaged(f"rows of {table.name} are missing")
        return parsed

    def _parsed(self, table: Table, kind: type[T], rows: Sequence[Sequence[Any]]) -> list[T]:
        for *row, own in rows:
            if not all(isinstance(cell, str | int | float | None) for cell in row) or table.digest(row) != own:
                raise self._damaged(f"a row of {table.name} has a wrong checksum")
        try:
            return parse(list[kind], json.dumps([row[:-1] for row in rows]), self.path)  # type: ignore[valid-type]
        except LudusError as error:
            raise LudusError(f"{error}{self._advice}") from None

    def changes(self) -> int:
        """A number that changes whenever another process has changed the file."""
        with self.checked():
            return int(self.file.execute("pragma data_version").fetchone()[0])

    def close(self) -> None:
        """Closes the file."""
        self.file.close()


def _combined(digests: Sequence[Any]) -> str:
    """The exclusive or of checksums; that of anything else counts as another."""
    total = 0
    for one in digests:
        with suppress(TypeError, ValueError):
            total ^= int(one, 16)
    return f"{total:0{_HEX}x}"


def salvaged(path: Path, table: Table, kind: type[T]) -> tuple[list[T], int]:
    """The rows of a table in a damaged file that are intact, and how many are not; their order is that of the keys."""
    found: dict[Sequence[Any], Sequence[Any]] = {}
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as file:
        file.text_factory = lambda content: content.decode(errors="replace")
        for order in ("asc", "desc"):  # from both ends, up to what cannot be read
            columns = ", ".join(f"{name} {order}" for name in table.key)
            with suppress(sqlite3.Error):
                for row in file.execute(f"select * from {table.name} order by {columns}"):
                    found[row[: table.keys]] = row
    kept = []
    for *row, own in found.values():
        with suppress(LudusError, TypeError, ValueError):
            if table.digest(row) == own:
                kept.append(parse(kind, json.dumps(row), path))
    return sorted(kept), len(found) - len(kept)  # type: ignore[type-var]


def put_aside(path: Path) -> Path:
    """Moves a file, with what SQLite keeps beside it, to the first free name; the name."""
    number = next(number for number in count(1) if not path.with_name(f"{path.name}.damaged-{number}").exists())
    before = path.with_name(f"{path.name}.damaged-{number}")
    for ending in ("-wal", "-shm", ""):
        with suppress(FileNotFoundError):
            path.with_name(f"{path.name}{ending}").replace(before.with_name(f"{before.name}{ending}"))
    return before
