"""Leagues: the standings of all agents that played a game in tournaments."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel

from ludus.arena.league import League
from ludus.arena.ratings import Results
from ludus.arena.tournament import ORIGIN, Standing, standing_of
from ludus.errors import LudusError
from ludus.files import home
from ludus.fingerprints import fingerprint
from ludus.parameters import make, parse_written
from ludus.web.registry import GameDep, Registry, RegistryDep, is_run

router = APIRouter(tags=["leagues"])
Rating = dict[str, float]  # Elo points, and low and high of the 95 % interval


class MemberView(BaseModel):
    """An agent of a league; agents of different `group`s cannot be compared; `run`: its id, if it is a run."""

    name: str
    run: str | None
    rating: Rating
    games: int
    share: float
    group: int


class Cell(BaseModel):
    """The games of the row against the column: its share of the points in all, and by seat."""

    games: int
    share: float
    first: float | None
    second: float | None


class StandingView(BaseModel):
    """The members, the best first, and the cross-table in that order; null where two did not meet."""

    game: str
    members: list[MemberView] = []
    table: list[list[Cell | None]] = []
    moving_first: Rating = {"points": 0, "low": 0, "high": 0}
    origin: str = ""


class LeagueCard(BaseModel):
    """A game that was played in tournaments, and by how many agents."""

    game: str
    agents: int


@router.get("/leagues")
def leagues(registry: RegistryDep) -> list[LeagueCard]:
    """The games and variants that were played in tournaments."""
    path = home() / "league.sqlite"
    if not path.is_file():
        return []
    with League(path) as league:
        games = {fingerprint(game): registry.name_of(game) or "" for game in _played(registry, league.names())}
        found = [LeagueCard(game=name, agents=len(league.members(key))) for key, name in games.items()]
    return [one for one in found if one.agents]


def _played(registry: Registry, names: dict[str, str]) -> list[Any]:
    """The games in the list of all, and the variants of a league whose rules have not changed."""
    classes, found = registry.games.values(), list(registry.shown.values())
    from_files = {str(Path(cls._written).resolve()): cls for cls in classes if getattr(cls, "_written", "")}
    known = from_files | dict(registry.games)  # as tournaments write them
    for key, name in names.items():
        with suppress(LudusError):  # a game may allow other parameters now
            written = parse_written(name)
            game = make(known[written.name], written.name, written.parameters) if written.name in known else None
            if game is not None and fingerprint(game) == key:
                found.append(game)
    return found


@router.get("/ratings")
def ratings(game: GameDep, registry: RegistryDep) -> StandingView:
    """The standings of a game; no members if it was not played."""
    name, path = registry.name_of(game) or "", home() / "league.sqlite"
    if path.is_file():
        with League(path) as league:
            if league.meetings(fingerprint(game)):
                return _standing_view(name, standing_of(game, league))
    return StandingView(game=name)


def _standing_view(game: str, standing: Standing) -> StandingView:
    members, ratings, cells = standing.members, standing.ratings, _cells(standing)
    order = sorted(range(len(members)), key=lambda member: -ratings.players[member].points)
    return StandingView(
        game=game,
        members=[_member(standing, member) for member in order],
        table=[[cells.get((row, column)) for column in order] for row in order],
        moving_first=ratings.moving_first._asdict(),
        origin=f"{ORIGIN} has 0" if any(member.name == ORIGIN for member in members) else "their mean is 0",
    )


def _member(standing: Standing, member: int) -> MemberView:
    games, points = standing.record(member)
    name = standing.members[member].name
    return MemberView(
        name=name,
        run=name if is_run(name) else None,
        rating=standing.ratings.players[member]._asdict(),
        games=games,
        share=points / max(games, 1),
        group=standing.ratings.groups[member],
    )


def _cells(standing: Standing) -> dict[tuple[int, int], Cell]:
    """All meetings of two agents added up, from the side of each."""
    found: dict[tuple[int, int], tuple[Results, Results]] = {}
    for a, b, first, second in standing.meetings:
        for pair, own in (((a, b), (first, second)), ((b, a), (second.turned, first.turned))):
            before = found.get(pair, (Results(), Results()))
            found[pair] = _sum(before[0], own[0]), _sum(before[1], own[1])
    return {
        pair: Cell(
            games=first.games + second.games,
            share=_share(_sum(first, second)) or 0.0,
            first=_share(first),
            second=_share(second),
        )
        for pair, (first, second) in found.items()
        if pair[0] != pair[1]
    }


def _sum(one: Results, other: Results) -> Results:
    return Results(*(a + b for a, b in zip(one, other, strict=True)))


def _share(results: Results) -> float | None:
    return results.points / results.games if results.games else None
