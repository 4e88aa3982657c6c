"""Tournaments: every two agents play in both seats; results that the league knows are not played again."""

from __future__ import annotations

import csv
import hashlib
import io
import time
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from itertools import combinations, product
from pathlib import Path
from typing import Any, NamedTuple

from ludus import catalog
from ludus.arena.exact import Exact, Shares, game_graph, has_cheap_policy
from ludus.arena.league import League, Member, Stored
from ludus.arena.match import play_match
from ludus.arena.participants import Contestant, Sent, contestants, ready, sent
from ludus.arena.ratings import Counter, Meeting, Ratings, Results, rate
from ludus.cluster import Job, JobProgress, require_place, run_jobs, run_on_threads
from ludus.errors import LudusError
from ludus.fingerprints import fingerprint
from ludus.game import first_player

Pair = tuple[int, int]
BySeat = tuple[Results, Results]
Keep = Callable[[Pair, BySeat], None]
OnProgress = Callable[[str, JobProgress], None]  # receives the step of the work and its progress


class Field:
    """A game, as a graph if it is small, and its agents by index: plays pairs on threads or as jobs."""

    def __init__(self, game: Any, agents: Sequence[Contestant], ready: Sequence[Any], games: int, seed: int) -> None:
        self.game, self.agents, self.games, self.seed = game, agents, games, seed
        self._shares: dict[int, Shares] = {}
        known = [number for number, agent in enumerate(ready) if has_cheap_policy(agent)]
        self._positions = game_graph(game) if len(known) > 1 else None
        if self._positions:
            self._shares = {number: self._positions.shares(ready[number]) for number in known}

    def is_quick(self, pair: Pair) -> bool:
        """Whether both policies are tabulated."""
        return pair[0] in self._shares and pair[1] in self._shares

    def play(self, pairs: Sequence[Pair], on: str, keep: Keep, on_progress: OnProgress) -> None:
        """Play these pairs, and keep the results of each as it ends."""
        quick = [pair for pair in pairs if self.is_quick(pair)]
        others = [pair for pair in pairs if not self.is_quick(pair)]
        jobs = [Job(self._named(pair), self._quick, (pair,), self.games) for pair in quick]
        named = partial(on_progress, "quick meetings" if others else "meetings")
        run_on_threads(jobs, on, done=lambda number, results: keep(quick[number], results), on_progress=named)
        numbers = {number for pair in others for number in pair}
        sendable = {n: sent(self.agents[n].text, self.agents[n].digest, on) for n in numbers}
        game, named = catalog.lasting_name(self.game), partial(on_progress, "meetings")
        jobs = [
            Job(self._named((a, b)), meet, (game, sendable[a], sendable[b], self.games, self._seed((a, b))), self.games)
            for a, b in others
        ]
        run_jobs(jobs, on, done=lambda number, results: keep(others[number], results), on_progress=named)

    def _named(self, pair: Pair) -> str:
        return f"{self.agents[pair[0]].name} against {self.agents[pair[1]].name}"

    def _quick(self, pair: Pair) -> BySeat:
        assert self._positions
        return self._positions.play(self._shares[pair[0]], self._shares[pair[1]], self.games, self._seed(pair))

    def _seed(self, pair: Pair) -> int:
        """A seed for the games of a pair, independent of the order in which agents are named."""
        words = f"{self.seed} {self.agents[pair[0]].digest} {self.agents[pair[1]].digest}"
        return int.from_bytes(hashlib.blake2b(words.encode(), digest_size=8).digest(), "little")

    def exact(self, pairs: Sequence[Pair], on: str, on_progress: OnProgress) -> dict[Pair, tuple[Exact, Exact]]:
        """The exact results of the first of each pair, moving first and second, where both policies are tabulated."""
        quick = [pair for pair in pairs if self.is_quick(pair)]
        found: dict[int, tuple[Exact, Exact]] = {}
        exact: Any = self._positions and self._positions.exact
        jobs = [Job(self._named((a, b)), exact, (self._shares[a], self._shares[b])) for a, b in quick]
        run_on_threads(jobs, on, done=found.__setitem__, on_progress=partial(on_progress, "exact results"))
        return {pair: found[number] for number, pair in enumerate(quick)}


def meet(game: str, a: Sent, b: Sent, games: int, seed: int) -> BySeat:
    """Play the games of two agents in any process; results of the first agent moving first, and second."""
    chosen = catalog.make_game(game)
    agents = ready(game, a), ready(game, b)
    counter = Counter(first_player(chosen))
    try:
        play_match(chosen, *agents, games, seed=seed, threads=1, record=counter.add)
    finally:
        for agent in agents:
            if hasattr(agent, "close"):
                agent.close()
    return counter.by_seat()


ANCHORS = ("perfect", "random")
ORIGIN = "random"  # has 0 points where it takes part


class Tournament(NamedTuple):
    """The result of a tournament; exact: for tabulated pairs, the first agent moving first and second."""

    game: str
    agents: tuple[Contestant, ...]
    games: int
    seed: int
    ordered: bool
    meetings: tuple[Meeting, ...]
    exact: dict[Pair, tuple[Exact, Exact]]
    seconds: float

    def matrix(self) -> list[list[float]]:
        """The points of each agent (row) against each other (column); ordered: in games where it was named first."""
        points = [[0.0] * len(self.agents) for _ in self.agents]
        for meeting in self.meetings:
            own, other = meeting.points
            points[meeting.a][meeting.b] = own
            if not self.ordered:
                points[meeting.b][meeting.a] = other
        return points

    def ranking(self) -> list[tuple[int, float]]:
        """Agents by index with their total points, best first; equals in the order given."""
        totals = [sum(row) for row in self.matrix()]
        return sorted(enumerate(totals), key=lambda entry: (-entry[1], entry[0]))

    def ratings(self) -> Ratings:
        """Ratings from these meetings alone; `random` has 0 points if it took part."""
        return rated(self.meetings, self.agents)


def rated(meetings: Iterable[Meeting], agents: Sequence[Contestant | Member]) -> Ratings:
    """Ratings from meetings of these agents, independent of their order."""
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
    on_progress: OnProgress = lambda step, progress: None,
) -> Tournament:
    """Play `games` between every two agents, each moving first in half of them; the seed fixes the result.

    Meetings known to the league are not played again; new ones are stored as they end. An ordered tournament is the
    TapnSwap paper's: each agent meets each, itself too, once as the first named.
    """
    began = time.perf_counter()
    chosen = catalog.make_game(game) if isinstance(game, str) else game
    entrants, ready = contestants(chosen, agents, repeated=ordered)
    if len(entrants) < 2:
        raise LudusError(f"{entrants[0].name} has nobody to play: name at least two agents, or add --anchors")
    require_place(on)
    if games < 1:
        raise LudusError(f"every two agents play 1 game or more, not {games}")
    everyone = range(len(entrants))
    pairs = [*(product(everyone, repeat=2) if ordered else combinations(everyone, 2))]
    field = Field(chosen, entrants, ready, games, seed)
    results = _Results(field, league, ordered=ordered)
    field.play(
        [pair for pair in map(results.as_played, pairs) if pair not in results.known], on, results.keep, on_progress
    )
    meetings, exact = tuple(map(results.meeting, pairs)), field.exact(pairs, on, on_progress)
    seconds = time.perf_counter() - began
    return Tournament(catalog.name_of(chosen), tuple(entrants), games, seed, ordered, meetings, exact, seconds)


class _Results:
    """Results by pair, initially those of the league.

    Unless order matters, two agents play in the order of their digests, so that a pair is found in any order.
    """

    def __init__(self, field: Field, league: League | None, *, ordered: bool) -> None:
        self._field, self._league, self._ordered = field, league, ordered
        self._game = fingerprint(field.game) if league else ""
        self.known: dict[Pair, BySeat] = {}
        if not league:
            return
        league.name_game(self._game, catalog.lasting_name(field.game))
        league.join(self._game, [Member(one.digest, one.name, one.text) for one in field.agents])
        for pair in product(range(len(field.agents)), range(len(field.agents))):
            counts = league.get(self._game, *self._digests(pair), str(field.seed), field.games)
            if counts is not None:
                self.known[pair] = Results(*counts[:4]), Results(*counts[4:])

    def _digests(self, pair: Pair) -> tuple[str, str]:
        return self._field.agents[pair[0]].digest, self._field.agents[pair[1]].digest

    def as_played(self, pair: Pair) -> Pair:
        """The pair in the order in which it plays."""
        a, b = self._digests(pair)
        return pair if self._ordered or a <= b else (pair[1], pair[0])

    def keep(self, pair: Pair, results: BySeat) -> None:
        """Store the results of a pair, in the league too."""
        self.known[pair] = results
        if self._league:
            counts = *results[0], *results[1]
            stored = Stored(*self._digests(pair), str(self._field.seed), self._field.games, counts)
            self._league.put(self._game, stored)

    def meeting(self, pair: Pair) -> Meeting:
        """The results of a pair, for its first agent."""
        played = self.as_played(pair)
        first, second = self.known[played]
        return Meeting(*pair, first, second) if played == pair else Meeting(*pair, second.turned, first.turned)


def matrix_and_ranking(held: Tournament) -> tuple[str, str]:
    """The points of all pairs as CSV, and the ranking as text."""
    ranking = [(points, held.agents[place].name) for place, points in held.ranking()]
    return matrix_csv([(one.name,) for one in held.agents], held.matrix(), corner=""), ranking_text(ranking)


def next_stem(folder: Path) -> str:
    """`tournamentK` with K one above the highest of the CSV files in a folder, which are written last."""
    numbers = [path.stem.removeprefix("tournament") for path in folder.glob("tournament*.csv")]
    return f"tournament{1 + max((int(number) for number in numbers if number.isdecimal()), default=0)}"


def matrix_csv(labels: Sequence[Sequence[str]], matrix: Sequence[Sequence[float]], corner: str = "-1") -> str:
    """Points of each row against each column with one or more labels an agent; the paper's corner is -1."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    depth = len(labels[0])
    for row in range(depth):
        writer.writerow([*[corner] * depth, *(label[row] for label in labels)])
    for label, points in zip(labels, matrix, strict=True):
        writer.writerow([*label, *(f"{number:.12g}" for number in points)])
    return file.getvalue()


def ranking_text(ranking: Iterable[tuple[float, str]]) -> str:
    """A ranking given best first, written from last to best as the paper does."""
    lines = [f"{place}:\t{points:.12g}\t{words}\n" for place, (points, words) in enumerate(reversed(list(ranking)), 1)]
    return "Best players (from last to best):\n\n" + "".join(lines)


class Standing(NamedTuple):
    """The members of a league with their meetings and ratings; `random` has 0 points if it is a member."""

    game: str
    members: tuple[Member, ...]
    meetings: tuple[Meeting, ...]
    ratings: Ratings

    def record(self, member: int) -> tuple[int, float]:
        """Games and points of a member."""
        games, points = 0, 0.0
        for meeting in self.meetings:
            if member in (meeting.a, meeting.b):
                games += meeting.first.games + meeting.second.games
                points += meeting.points[member == meeting.b]
        return games, points


def standing_of(game: Any, league: League) -> Standing:
    """The standing of a game's league; LudusError if nobody has played it."""
    key, name = fingerprint(game), catalog.name_of(game)
    stored = league.meetings(key)
    if not stored:
        raise LudusError(f"nobody has played {name} in this league yet: ludus tournament '{name}' AGENT... --anchors")
    return _standing(name, tuple(league.members(key)), tuple(stored))


@lru_cache(32)  # rating takes longer than reading
def _standing(name: str, known: tuple[Member, ...], stored: tuple[Stored, ...]) -> Standing:
    met = {digest for one in stored for digest in (one.a, one.b)}
    members = _with_distinct_names([member for member in known if member.digest in met])
    places = {member.digest: place for place, member in enumerate(members)}
    meetings = tuple(
        Meeting(places[one.a], places[one.b], Results(*one.counts[:4]), Results(*one.counts[4:])) for one in stored
    )
    return Standing(name, tuple(members), meetings, rated(meetings, members))


def _with_distinct_names(members: list[Member]) -> list[Member]:
    """Members with distinct names: of equal ones all but the first carry a part of their digest."""
    seen: set[str] = set()
    distinct = []
    for member in members:
        repeated = member.name in seen
        distinct.append(member._replace(name=f"{member.name} [{member.digest[:6]}]") if repeated else member)
        seen.add(member.name)
    return distinct
