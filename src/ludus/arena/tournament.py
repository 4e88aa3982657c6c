"""Where the agents of a tournament meet: on threads of this process where that is quickest, else as jobs anywhere."""

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
from ludus.arena.exact import Exact, Shares, can_be_written_out, written_out
from ludus.arena.league import League, Member, Stored
from ludus.arena.match import play_match
from ludus.arena.participants import Contestant, Sent, contestants, ready, sent
from ludus.arena.ratings import Counter, Meeting, Ratings, Results, rate
from ludus.cluster import Job, JobProgress, require_place, run_jobs, run_on_threads
from ludus.errors import LudusError
from ludus.files import made_folder, write_whole
from ludus.fingerprints import fingerprint
from ludus.game import first_player

Pair = tuple[int, int]

BySeat = tuple[Results, Results]

Keep = Callable[[Pair, BySeat], None]

Tell = Callable[[str, JobProgress], None]  # told which step of the work is how far


class Hall:
    """A game, written out if it is small enough, and its agents, by their places in a list."""

    def __init__(self, game: Any, field: Sequence[Contestant], agents: Sequence[Any], games: int, seed: int) -> None:
        self.game, self.field, self.games, self.seed = game, field, games, seed
        self._shares: dict[int, Shares] = {}
        known = [number for number, agent in enumerate(agents) if can_be_written_out(agent)]
        self._positions = written_out(game) if len(known) > 1 else None
        if self._positions:
            self._shares = {number: self._positions.shares(agents[number]) for number in known}

    def is_quick(self, pair: Pair) -> bool:
        """Whether what both agents do is written out."""
        return pair[0] in self._shares and pair[1] in self._shares

    def play(self, pairs: Sequence[Pair], on: str, keep: Keep, on_progress: Tell) -> None:
        """Let these pairs play, and keep what came of each as it ends."""
        quick = [pair for pair in pairs if self.is_quick(pair)]
        others = [pair for pair in pairs if not self.is_quick(pair)]
        self._play_here(quick, on, keep, partial(on_progress, "quick meetings" if others else "meetings"))
        travelling = {number: self._sent(number, on) for pair in others for number in pair}
        jobs = [self._job(pair, travelling[pair[0]], travelling[pair[1]]) for pair in others]
        told = partial(on_progress, "meetings")
        run_jobs(jobs, on, done=lambda number, results: keep(others[number], results), on_progress=told)

    def _play_here(
        self, pairs: Sequence[Pair], on: str, keep: Keep, on_progress: Callable[[JobProgress], None]
    ) -> None:
        jobs = [Job(self._named(pair), self._quick, (pair,), self.games) for pair in pairs]
        run_on_threads(jobs, on, done=lambda number, results: keep(pairs[number], results), on_progress=on_progress)

    def _named(self, pair: Pair) -> str:
        return f"{self.field[pair[0]].name} against {self.field[pair[1]].name}"

    def _quick(self, pair: Pair) -> BySeat:
        assert self._positions
        a, b = (self._shares[number] for number in pair)
        return self._positions.play(a, b, self.games, self._seed(pair))

    def _seed(self, pair: Pair) -> int:
        """A seed for the games of a pair, whatever the order in which agents are named."""
        words = f"{self.seed} {self.field[pair[0]].digest} {self.field[pair[1]].digest}"
        return int.from_bytes(hashlib.blake2b(words.encode(), digest_size=8).digest(), "little")

    def _sent(self, number: int, on: str) -> Sent:
        return sent(self.field[number].text, self.field[number].digest, on)

    def _job(self, pair: Pair, a: Sent, b: Sent) -> Job:
        arguments = catalog.lasting_name(self.game), a, b, self.games, self._seed(pair)
        return Job(self._named(pair), meet, arguments, self.games)

    def exact(self, pairs: Sequence[Pair], on: str, on_progress: Tell) -> dict[Pair, tuple[Exact, Exact]]:
        """What the first of each pair can expect, moving first and second, where their play is written out."""
        quick = [pair for pair in pairs if self.is_quick(pair)]
        found: dict[int, tuple[Exact, Exact]] = {}
        jobs = [Job(self._named(pair), self._exact, (pair,)) for pair in quick]
        run_on_threads(jobs, on, done=found.__setitem__, on_progress=partial(on_progress, "exact results"))
        return {pair: found[number] for number, pair in enumerate(quick)}

    def _exact(self, pair: Pair) -> tuple[Exact, Exact]:
        assert self._positions
        return self._positions.exact(self._shares[pair[0]], self._shares[pair[1]])


def meet(game: str, a: Sent, b: Sent, games: int, seed: int) -> BySeat:
    """Play the games of two agents, wherever this is; those in which the first of them moved first, and second."""
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
    on_progress: Tell = lambda step, progress: None,
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
    hall.play(
        [pair for pair in map(results.as_played, pairs) if pair not in results.known], on, results.keep, on_progress
    )
    told = catalog.name_of(chosen), tuple(field), games, seed, ordered
    meetings = tuple(results.meeting(pair) for pair in pairs)
    return Tournament(*told, meetings, hall.exact(pairs, on, on_progress), time.perf_counter() - began)


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


def write_files(held: Tournament, folder: Path) -> list[Path]:
    """Write tournamentK.csv and tournamentK.txt into a folder, K being the first free number."""
    names = [(one.name,) for one in held.agents]
    ranking = [(points, held.agents[place].name) for place, points in held.ranking()]
    made_folder(folder)
    stem = next_stem(folder)
    files = {
        folder / f"{stem}.csv": matrix_csv(names, held.matrix(), corner=""),
        folder / f"{stem}.txt": ranking_text(ranking),
    }
    for path, content in files.items():
        write_whole(path, [content.encode()])
    return list(files)


def next_stem(folder: Path) -> str:
    """`tournamentK`, one more than the highest in a folder."""
    numbers = [path.stem.removeprefix("tournament") for path in folder.glob("tournament*.csv")]
    return f"tournament{1 + max((int(number) for number in numbers if number.isdecimal()), default=0)}"


def matrix_csv(labels: Sequence[Sequence[str]], matrix: Sequence[Sequence[float]], corner: str = "-1") -> str:
    """Points by row against each column, under and beside the labels of all agents, one or several for each.

    The paper's labels are epsilon and the numbers of the opponents, and its corner is filled with -1.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    depth = len(labels[0])
    for row in range(depth):
        writer.writerow([*[corner] * depth, *(label[row] for label in labels)])
    for label, points in zip(labels, matrix, strict=True):
        writer.writerow([*label, *(f"{number:.12g}" for number in points)])
    return file.getvalue()


def ranking_text(ranking: Iterable[tuple[float, str]]) -> str:
    """Points and words of each agent, best first as given, written from last to best as the paper does."""
    lines = [f"{place}:\t{points:.12g}\t{words}\n" for place, (points, words) in enumerate(reversed(list(ranking)), 1)]
    return "Best players (from last to best):\n\n" + "".join(lines)


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
