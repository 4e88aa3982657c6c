"""Tournaments: all pairs of agents, both seats, many games; what was played before is not played again."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from itertools import combinations, product
from typing import Any, NamedTuple

from ludus import catalog
from ludus.arena.contestants import Contestant, contestants
from ludus.arena.hall import BySeat, Hall, Pair, Tell
from ludus.arena.ratings import Ratings, rate
from ludus.arena.results import Meeting, Results
from ludus.arena.written_out import Exact
from ludus.behaviour import fingerprint
from ludus.cluster import require_place
from ludus.errors import LudusError
from ludus.league import League, Member, Stored

ANCHORS = ("perfect", "random")
ORIGIN = "random"  # has 0 points where it takes part


class Tournament(NamedTuple):
    """What came of a tournament.

    agents: in the order given; meetings: of all pairs; exact: of the pairs whose play is known everywhere, what the
    first of them can expect, moving first and second.
    """

    game: str
    agents: tuple[Contestant, ...]
    games: int
    seed: int
    ordered: bool
    meetings: tuple[Meeting, ...]
    exact: dict[Pair, tuple[Exact, Exact]]
    seconds: float

    def matrix(self) -> list[list[float]]:
        """The points of each agent, by row, against each other, by column.

        In an ordered tournament a row tells of the games for which its agent was named first.
        """
        points = [[0.0] * len(self.agents) for _ in self.agents]
        for meeting in self.meetings:
            own, other = meeting.points
            points[meeting.a][meeting.b] = own
            if not self.ordered:
                points[meeting.b][meeting.a] = other
        return points

    def ranking(self) -> list[tuple[int, float]]:
        """The agents by place in the list with their points in all, the best first; of equals who was named first."""
        totals = [sum(row) for row in self.matrix()]
        return sorted(enumerate(totals), key=lambda entry: (-entry[1], entry[0]))

    def ratings(self) -> Ratings:
        """The ratings by these meetings alone; `random` has 0 points if it took part."""
        return rated(self.meetings, self.agents)


def rated(meetings: Iterable[Meeting], agents: Sequence[Contestant | Member]) -> Ratings:
    """Ratings by some meetings of these agents, the same in whatever order they are named."""
    order = sorted(range(len(agents)), key=lambda number: agents[number].digest)
    places = [order.index(number) for number in range(len(agents))]
    played = [
        games._replace(first=places[games.first], second=places[games.second])
        for meeting in meetings
        for games in meeting.played()
    ]
    origin = [place for place, one in zip(places, agents, strict=True) if one.name == ORIGIN]
    found = rate(played, len(agents), zero=origin[0] if origin else None)
    players, groups = tuple(found.players[place] for place in places), tuple(found.groups[place] for place in places)
    return found._replace(players=players, groups=groups)


def tournament(
    game: Any,
    agents: Sequence[str],
    games: int = 1000,
    *,
    seed: int = 0,
    on: str = "local",
    league: League | None = None,
    ordered: bool = False,
    tell: Tell = lambda step, progress: None,
) -> Tournament:
    """Let every two agents play so many games, each moving first in half of them; the same seed gives the same result.

    Meetings that the league knows are not played; new ones are put into it as they end. An ordered tournament is the
    TapnSwap paper's: each agent meets each of them, itself too, once as the one who is named first.
    """
    began = time.perf_counter()
    chosen = catalog.make_game(game) if isinstance(game, str) else game
    field, ready = contestants(chosen, agents, repeated=ordered)
    if len(field) < 2:
        raise LudusError(f"{field[0].name} has nobody to play: name at least two agents, or add --anchors")
    require_place(on)
    if games < 1:
        raise LudusError(f"every two agents play 1 game or more, not {games}")
    pairs = _everyone(len(field)) if ordered else list(combinations(range(len(field)), 2))
    hall = Hall(chosen, field, ready, games, seed)
    results = _Results(hall, league, ordered=ordered)
    hall.play([pair for pair in map(results.as_played, pairs) if pair not in results.known], on, results.keep, tell)
    told = catalog.name_of(chosen), tuple(field), games, seed, ordered
    meetings = tuple(results.meeting(pair) for pair in pairs)
    return Tournament(*told, meetings, hall.exact(pairs, on, tell), time.perf_counter() - began)


def _everyone(size: int) -> list[Pair]:
    """Each against each, itself too."""
    return list(product(range(size), range(size)))


class _Results:
    """Results by pair, those of the league to begin with.

    Unless order matters, two agents play in the order of their digests, so that they are found again however named.
    """

    def __init__(self, hall: Hall, league: League | None, *, ordered: bool) -> None:
        self._hall, self._league, self._ordered = hall, league, ordered
        self._game = fingerprint(hall.game) if league else ""
        self.known: dict[Pair, BySeat] = {}
        if league:
            league.call(self._game, catalog.lasting_name(hall.game))
            league.join(self._game, [Member(one.digest, one.name, one.text) for one in hall.field])
            self._look_up(league)

    def _look_up(self, league: League) -> None:
        for pair in _everyone(len(self._hall.field)):
            counts = league.get(self._game, *self._digests(pair), str(self._hall.seed), self._hall.games)
            if counts is not None:
                self.known[pair] = Results(*counts[:4]), Results(*counts[4:])

    def _digests(self, pair: Pair) -> tuple[str, str]:
        return self._hall.field[pair[0]].digest, self._hall.field[pair[1]].digest

    def as_played(self, pair: Pair) -> Pair:
        """The pair in the order in which it plays."""
        a, b = self._digests(pair)
        return pair if self._ordered or a <= b else (pair[1], pair[0])

    def keep(self, pair: Pair, results: BySeat) -> None:
        """Note, and put into the league, what came of a pair."""
        self.known[pair] = results
        if self._league:
            counts = *results[0], *results[1]
            stored = Stored(*self._digests(pair), str(self._hall.seed), self._hall.games, counts)
            self._league.put(self._game, stored)

    def meeting(self, pair: Pair) -> Meeting:
        """What came of a pair, seen by the first of it."""
        played = self.as_played(pair)
        first, second = self.known[played]
        return Meeting(*pair, first, second) if played == pair else Meeting(*pair, second.turned, first.turned)
