"""How a game's league stands: everybody who played in it, rated by all results."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from ludus import catalog
from ludus.arena.ratings import Ratings
from ludus.arena.results import Meeting, Results
from ludus.arena.tournament import rated
from ludus.behaviour import fingerprint
from ludus.errors import LudusError
from ludus.league import League, Member, Stored


class Standing(NamedTuple):
    """The members of a league, all their meetings, and their ratings; `random` has 0 points if it is among them."""

    game: str
    members: tuple[Member, ...]
    meetings: tuple[Meeting, ...]
    ratings: Ratings

    def record(self, member: int) -> tuple[int, float]:
        """The games and the points of a member."""
        games, points = 0, 0.0
        for meeting in self.meetings:
            if member in (meeting.a, meeting.b):
                games += meeting.first.games + meeting.second.games
                points += meeting.points[member == meeting.b]
        return games, points


def standing_of(game: Any, league: League) -> Standing:
    """The standing of a game; LudusError if nobody has played it."""
    key, name = fingerprint(game), catalog.name_of(game)
    stored = league.meetings(key)
    if not stored:
        raise LudusError(f"nobody has played {name} in this league yet: ludus tournament '{name}' AGENT... --anchors")
    return _stood(name, tuple(league.members(key)), tuple(stored))


@lru_cache(32)  # rating takes longer than reading
def _stood(name: str, known: tuple[Member, ...], stored: tuple[Stored, ...]) -> Standing:
    met = {digest for one in stored for digest in (one.a, one.b)}
    members = _apart([member for member in known if member.digest in met])
    places = {member.digest: place for place, member in enumerate(members)}
    meetings = tuple(
        Meeting(places[one.a], places[one.b], Results(*one.counts[:4]), Results(*one.counts[4:])) for one in stored
    )
    return Standing(name, tuple(members), meetings, rated(meetings, members))


def _apart(members: list[Member]) -> list[Member]:
    """Members told apart: where names are alike, all but one carry some of their digest."""
    seen: set[str] = set()
    told = []
    for member in members:
        told.append(member._replace(name=f"{member.name} [{member.digest[:6]}]") if member.name in seen else member)
        seen.add(member.name)
    return told
