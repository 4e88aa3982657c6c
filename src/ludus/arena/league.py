"""The league: results of all tournaments in one SQLite file, which only the driving process writes."""

from __future__ import annotations

import shlex
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from ludus.database import Database, Table, put_aside, salvaged
from ludus.documents import Count
from ludus.errors import LudusError
from ludus.files import home, made_folder
from ludus.locks import locked

Counts = tuple[int, ...]
_VERSION = 2
_KINDS = [f"{seat}_{kind}" for seat in ("first", "second") for kind in ("wins", "losses", "ties", "cut")]
_NAMES = Table("names", ("game text", "name text"), 1)
_AGENTS = Table("agents", ("game text", "digest_of_agent text", "name text", "text text"), 2, grouped=True)
_MEETINGS = Table(
    "meetings",
    ("game text", "a text", "b text", "seed text", "games integer", *(f"{kind} integer" for kind in _KINDS)),
    5,
    grouped=True,
)
_TABLES = _NAMES, _AGENTS, _MEETINGS


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


class _Name(NamedTuple):
    game: str
    name: str


class _Agent(NamedTuple):
    game: str
    digest: str
    name: str
    text: str


class _Meeting(NamedTuple):
    game: str
    a: str
    b: str
    seed: str
    games: Count
    first_wins: Count
    first_losses: Count
    first_ties: Count
    first_cut: Count
    second_wins: Count
    second_losses: Count
    second_ties: Count
    second_cut: Count


def default_path() -> Path:
    """The file of the user's league."""
    return made_folder(home()) / "league.sqlite"


class League:
    """Results on disk by fingerprint of the game and digests of the agents; each is durable once stored."""

    def __init__(self, path: Path) -> None:
        self.path = path
        advice = f"; ludus ratings --repair --league {shlex.quote(str(path))} rebuilds it from what is intact"
        self._file = Database(path, _VERSION, _TABLES, advice)

    def __enter__(self) -> League:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def join(self, game: str, members: list[Member]) -> None:
        """Store the names of agents."""
        self._file.put(_AGENTS, *((game, *one) for one in members))

    def name_game(self, game: str, name: str) -> None:
        """Store the name of a game."""
        self._file.put(_NAMES, (game, name))

    def names(self) -> dict[str, str]:
        """The names of games by fingerprint."""
        return {one.game: one.name for one in self._file.rows(_NAMES, _Name, "order by name, game")}

    def put(self, game: str, stored: Stored) -> None:
        """Store a meeting."""
        self._file.put(_MEETINGS, (game, *stored[:4], *stored.counts))

    def get(self, game: str, a: str, b: str, seed: str, games: int) -> Counts | None:
        """The counts of a meeting; None if it is not stored."""
        where = "where game = ? and a = ? and b = ? and seed = ? and games = ?"
        found = self._file.rows(_MEETINGS, _Meeting, where, (game, a, b, seed, games))
        return self._stored(found[0]).counts if found else None

    def members(self, game: str) -> list[Member]:
        """All agents that have played this game."""
        members = (Member(*one[1:]) for one in self._file.group(_AGENTS, _Agent, game))
        return sorted(members, key=lambda one: (one.name, one.digest))

    def meetings(self, game: str) -> list[Stored]:
        """All meetings at this game; of one seed only the longest, which contains the others."""
        found = map(self._stored, self._file.group(_MEETINGS, _Meeting, game))  # the longest of a seed comes last
        return list({(one.a, one.b, one.seed): one for one in found}.values())

    def _stored(self, row: _Meeting) -> Stored:
        if sum(row[5:]) != row.games:
            raise LudusError(f"{self.path} is damaged: {row.games} games have {sum(row[5:])} results")
        return Stored(row.a, row.b, row.seed, row.games, tuple(row[5:]))


class Repaired(NamedTuple):
    """What a league holds after a repair, how many damaged rows were left out, and where the file before is kept."""

    meetings: int
    lost: int
    before: Path


def repair(path: Path) -> Repaired:
    """Puts a league of all intact rows in the place of a damaged one, which is kept beside it."""
    if not path.is_file():
        raise LudusError(f"there is no league {path}")
    with locked(path.with_name(f"{path.name}.lock"), "being repaired"):
        names, lost_names = salvaged(path, _NAMES, _Name)
        agents, lost_agents = salvaged(path, _AGENTS, _Agent)
        meetings, lost_meetings = salvaged(path, _MEETINGS, _Meeting)
        fresh = path.with_name(f"{path.name}.repaired")
        fresh.unlink(missing_ok=True)
        with closing(Database(fresh, _VERSION, _TABLES, "")) as file:
            file.put(_NAMES, *names)
            file.put(_AGENTS, *agents)
            file.put(_MEETINGS, *meetings)
        before = put_aside(path)
        fresh.replace(path)
    return Repaired(len(meetings), lost_names + lost_agents + lost_meetings, before)
