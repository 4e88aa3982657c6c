"""Leagues: how everybody who played a game in tournaments stands."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel

from ludus.arena.league import League
from ludus.arena.ratings import Rating
from ludus.arena.results import Meeting, Results
from ludus.arena.tournament import Standing, standing_of
from ludus.errors import LudusError
from ludus.files import home
from ludus.fingerprints import fingerprint
from ludus.parameters import make, parse_written
from ludus.web.registry import AskedGame, Registry, RegistryDep, is_run

router = APIRouter(tags=["leagues"])


class RatingView(BaseModel):
    """Elo points, and the 95 % interval."""

    points: float
    low: float
    high: float


class MemberView(BaseModel):
    """An agent of a league; `group`: who of another one cannot be compared; `run`: its id, if it is a run."""

    name: str
    run: str | None
    rating: RatingView
    games: int
    share: float
    group: int


class Cell(BaseModel):
    """What the row made of its games against the column: its share of the points in all, and by seat."""

    games: int
    share: float
    first: float | None
    second: float | None


class StandingView(BaseModel):
    """The members, the best first, and the cross-table in that order; null where two did not meet."""

    game: str
    members: list[MemberView]
    table: list[list[Cell | None]]
    moving_first: RatingView
    origin: str


class LeagueCard(BaseModel):
    """A game that was played in tournaments, and by how many agents."""

    game: str
    agents: int


@router.get("/leagues")
def leagues(registry: RegistryDep) -> list[LeagueCard]:
    """The games of the registry, in whatever variant, that were played in tournaments."""
    path = home() / "league.sqlite"
    if not path.is_file():
        return []
    with League(path) as league:
        games = {fingerprint(game): registry.written(game) for game in _played(registry, league.names())}
        found = [LeagueCard(game=name, agents=len(league.members(key))) for key, name in games.items()]
    return [one for one in found if one.agents]


def _played(registry: Registry, names: dict[str, str]) -> list[Any]:
    """The registered games with default parameters, and the variants of a league whose rules have not changed."""
    found = [cls() for cls in registry.games.values() if _is_whole(cls)]
    known = {_file(cls): cls for cls in registry.games.values()} | dict(registry.games)
    for key, name in names.items():
        with suppress(LudusError):  # what a game allows may have changed
            written = parse_written(name)
            game = make(known[written.name], written.name, written.parameters) if written.name in known else None
            if game is not None and fingerprint(game) == key:
                found.append(game)
    return found


def _file(cls: type) -> str:
    """The file that a game was read from, as tournaments write it."""
    written = getattr(cls, "_written", "")
    return str(Path(written).resolve()) if written else ""


def _is_whole(cls: type) -> bool:
    """Whether a game can be made without saying any parameter."""
    return len(getattr(cls, "_field_defaults", ())) == len(getattr(cls, "_fields", ()))


@router.get("/ratings")
def ratings(game: AskedGame, registry: RegistryDep) -> StandingView:
    """How the league of a game stands; nobody where it was not played."""
    written, path = registry.written(game), home() / "league.sqlite"
    none = RatingView(points=0, low=0, high=0)
    if not path.is_file():
        return StandingView(game=written, members=[], table=[], moving_first=none, origin="")
    with League(path) as league:
        if not league.meetings(fingerprint(game)):
            return StandingView(game=written, members=[], table=[], moving_first=none, origin="")
        return _view(written, standing_of(game, league))


def _view(game: str, stood: Standing) -> StandingView:
    order = sorted(range(len(stood.members)), key=lambda member: -stood.ratings.players[member].points)
    cells = _cells(stood)
    has_random = any(member.name == "random" for member in stood.members)
    return StandingView(
        game=game,
        members=[_member(stood, member) for member in order],
        table=[[cells.get((row, column)) for column in order] for row in order],
        moving_first=_rating(stood.ratings.moving_first),
        origin="random has 0" if has_random else "their mean is 0",
    )


def _member(stood: Standing, member: int) -> MemberView:
    games, points = stood.record(member)
    name = stood.members[member].name
    return MemberView(
        name=name,
        run=name if is_run(name) else None,
        rating=_rating(stood.ratings.players[member]),
        games=games,
        share=points / max(games, 1),
        group=stood.ratings.groups[member],
    )


def _rating(rating: Rating) -> RatingView:
    return RatingView(points=rating.points, low=rating.low, high=rating.high)


def _cells(stood: Standing) -> dict[tuple[int, int], Cell]:
    """All meetings of two agents together, seen by each of them."""
    found: dict[tuple[int, int], tuple[Results, Results]] = {}
    for meeting in stood.meetings:
        for row, column, first, second in _both(meeting):
            before = found.get((row, column), (Results(), Results()))
            found[row, column] = _sum(before[0], first), _sum(before[1], second)
    return {pair: _cell(first, second) for pair, (first, second) in found.items() if pair[0] != pair[1]}


def _both(meeting: Meeting) -> list[tuple[int, int, Results, Results]]:
    turned = meeting.b, meeting.a, meeting.second.turned, meeting.first.turned
    return [(meeting.a, meeting.b, meeting.first, meeting.second), turned]


def _sum(one: Results, other: Results) -> Results:
    return Results(*(a + b for a, b in zip(one, other, strict=True)))


def _cell(first: Results, second: Results) -> Cell:
    both = _sum(first, second)
    return Cell(games=both.games, share=both.points / max(both.games, 1), first=_share(first), second=_share(second))


def _share(results: Results) -> float | None:
    return results.points / results.games if results.games else None
