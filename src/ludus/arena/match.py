"""Two agents over many games, here or by jobs anywhere: game by game the same."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from ludus import catalog, face
from ludus.agents.agent import agent_for, has_memory, is_batched, is_compiled
from ludus.arena import Seats
from ludus.arena.lockstep import Ints, Judged, Table
from ludus.arena.participants import Sent, at_hand, identity, sent
from ludus.cluster import Job, JobProgress, run_jobs
from ludus.compiled.randomness import stream_key
from ludus.errors import LudusError
from ludus.game import gives_with_mover, max_plies, validate, with_mover
from ludus.machine import run_in_threads
from ludus.notebook import share, shown, table

BATCH = 1 << 16  # games at once, at most

# Games that agents play side by side, by kind: progress and records come often even if they are slow.
_BATCHED, _PLAIN = 4096, 256


class Count(NamedTuple):
    """How some games ended, seen by the first agent."""

    a_wins: int = 0
    b_wins: int = 0
    draws: int = 0

    @property
    def games(self) -> int:
        """All of them."""
        return sum(self)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Wilson interval of the first agent's share of wins."""
        return wilson(self.a_wins, self.games)


class GameResult(NamedTuple):
    """One game of a match: its number, where the first agent sat, whether it moved first, and how the game went.

    resigned: whether it ended because who was to move resigned.
    """

    number: int
    seat: int
    began: bool
    score: int
    ended: bool
    plies: int
    start: Any
    actions: list[int]
    resigned: bool = False


class MatchResult(NamedTuple):
    """A whole match; `first` counts the games in which the first agent made the first move.

    cut: how many of the draws, with the first agent moving first and second, reached no end.
    """

    all: Count
    first: Count
    second: Count
    mean_score: float
    mean_plies: float
    seconds: float
    cut: tuple[int, int]

    def _repr_html_(self) -> str:
        counts = {"a first": self.first, "a second": self.second, "all": self.all}
        rows = [
            (words, *(f"{number:,}" for number in (count.games, *count)), share(count.a_wins, count.games))
            for words, count in counts.items()
            if count.games
        ]
        head = ("", "games", "a wins", "b wins", "draws", "a's wins")
        title = f"a against b: mean score {self.mean_score:+.3f}, {self.mean_plies:.1f} plies a game"
        return shown(title, table(head, rows))


def wilson(successes: int, trials: int, z: float = 1.959964) -> tuple[float, float]:
    """The Wilson score interval of a share; (0, 1) when nothing was tried."""
    if trials == 0:
        return 0.0, 1.0
    share, weight = successes / trials, z * z / trials
    middle = (share + weight / 2) / (1 + weight)
    half = z / (1 + weight) * math.sqrt(share * (1 - share) / trials + weight / trials / 4)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def play_match(
    game: Any,
    a: Any,
    b: Any,
    games: int,
    *,
    seed: int = 0,
    seats: Seats = Seats.ALTERNATE,
    alternate_starter: bool = False,
    cap: int | None = None,
    batch: int = BATCH,
    threads: int | None = None,
    progress: Callable[[int], None] | None = None,
    record: Callable[[GameResult], None] | None = None,
) -> MatchResult:
    """Play so many games; the same seed gives the same result whatever the threads and the batch.

    `alternate_starter` lets both sides begin in turns, for games with `with_mover`, whatever the seats do. Agents that
    remember play one game at a time.
    `cap` cuts games as draws (by default the game's own max_plies, 0 for never). `record` is told of every game in
    order.
    """
    began = time.perf_counter()
    plan = Plan(game, (a, b), seats, alternate_starter, cap, record is not None).prepared()
    sums = Sums()
    for played in plan.batches(seed, 0, games, batch=batch, threads=threads):
        sums.add(*played.summed())
        if record:
            for result in played.results():
                record(result)
        if progress:
            progress(len(played.seats))
    return sums.finish(time.perf_counter() - began)


def _either_may_begin(game: Any) -> bool:
    """Whether the start with the other player to move is a position that the game can write down."""
    if not gives_with_mover(game):
        return False
    start = with_mover(game, game.start(), 1 - game.player(game.start()))
    try:
        return bool(face.parse_position(game, face.format_position(game, start)) == start)
    except LudusError:
        return False


def _together(agent: Any) -> int:
    """How many games an agent plays side by side at most."""
    if has_memory(agent):
        return 1
    return _BATCHED if is_compiled(agent) or is_batched(agent) else _PLAIN


class Played(NamedTuple):
    """A batch of finished games as arrays."""

    first: int
    seats: Ints
    movers: Ints
    judged: Judged
    table: Table
    starts: list[Any]

    def summed(self) -> tuple[Ints, Ints, Ints]:
        """The counts and totals of `Judged`, and how many games were cut, by whether the agent moved second."""
        cut = np.bincount((self.seats != self.movers)[~self.judged.ended], minlength=2)
        return self.judged.counts, self.judged.totals, cut

    def results(self) -> Iterator[GameResult]:
        """Each game, where they are recorded."""
        for i in range(len(self.seats)):
            plies = int(self.table.plies[i])
            actions = [int(action) for action in self.table.moves[i, :plies]]
            seat, began = int(self.seats[i]), bool(self.seats[i] == self.movers[i])
            score, ended = int(self.judged.score[i]), bool(self.judged.ended[i])
            start, resigned = self.starts[i % len(self.starts)], bool(self.table.resigned[i])
            yield GameResult(self.first + i, seat, began, score, ended, plies, start, actions, resigned)


class Plan(NamedTuple):
    """All that the games of a match have in common; cap: None for the game's own."""

    game: Any
    agents: tuple[Any, Any]
    seating: Seats
    alternate_starter: bool
    cap: int | None
    recorded: bool

    def prepared(self) -> Plan:
        """The same with agents that know the game and where it begins; one agent against itself stays one."""
        validate(self.game)
        if self.alternate_starter and not _either_may_begin(self.game):
            raise LudusError(f"{type(self.game).__name__} has no start with its other side to move")
        starts = tuple(dict.fromkeys(self.arrangement(number)[1] for number in range(4)))
        first = agent_for(self.agents[0], self.game, starts)
        one = self.agents[0] is self.agents[1]
        return self._replace(agents=(first, first if one else agent_for(self.agents[1], self.game, starts)))

    def at_once(self, batch: int = BATCH) -> int:
        """How many games are played side by side, this number at most; the agents must be prepared."""
        if all(is_compiled(agent) for agent in self.agents):
            return batch
        return min(batch, *(_together(agent) for agent in self.agents))

    def batches(
        self, seed: int, first: int, games: int, *, batch: int = BATCH, threads: int | None = None
    ) -> Iterator[Played]:
        """Play so many games from this number on, and tell of them in order."""
        key, size, end = stream_key(seed), self.at_once(batch), first + games
        jobs = (partial(self.play, key, start, min(size, end - start)) for start in range(first, end, size))
        return run_in_threads(jobs, threads if all(is_compiled(agent) for agent in self.agents) else 1)

    def play(self, key: np.uint64, first: int, size: int) -> Played:
        """Play the games first .. first + size - 1."""
        four = [self.arrangement(first + i) for i in range(4)]
        seats = _in_turns([seat for seat, _ in four], size)
        movers = _in_turns([self.game.player(start) for _, start in four], size)
        rows = _in_turns([list(start) for _, start in four], size)
        cap = max_plies(self.game) if self.cap is None else self.cap
        table = Table(self.game, rows, key, first, cap=cap, recorded=self.recorded)
        table.play(self.agents, seats)
        return Played(first, seats, movers, table.judge(seats, movers), table, [start for _, start in four])

    def arrangement(self, number: int) -> tuple[int, Any]:
        """Where the first agent sits in a game, and where it begins; all that may alternate does so within four."""
        seat = {Seats.FIRST: 0, Seats.SECOND: 1, Seats.ALTERNATE: number % 2}[self.seating]
        if not self.alternate_starter:
            return seat, self.game.start()
        starter = number // 2 % 2 if self.seating is Seats.ALTERNATE else number % 2
        return seat, with_mover(self.game, self.game.start(), starter)


def _in_turns(four: list[Any], size: int) -> Ints:
    """An array of so many rows that repeat these four."""
    rows = np.array(four, np.int64)
    times = (size + 3) // 4
    return np.tile(rows, times if rows.ndim == 1 else (times, 1))[:size]


class Sums:
    """What is added up over the batches."""

    def __init__(self) -> None:
        self.counts = np.zeros((2, 3), np.int64)
        self.totals = np.zeros(2, np.int64)
        self.cut = np.zeros(2, np.int64)

    def add(self, counts: Ints, totals: Ints, cut: Ints) -> None:
        """Count a batch, by what `Played` says of it."""
        self.counts += counts
        self.totals += totals
        self.cut += cut

    def finish(self, seconds: float) -> MatchResult:
        """The whole match."""
        first, second = (Count(*(int(n) for n in row)) for row in self.counts)
        both = Count(*(int(n) for n in self.counts.sum(axis=0)))
        score, plies = (int(total) / max(both.games, 1) for total in self.totals)
        return MatchResult(both, first, second, score, plies, seconds, (int(self.cut[0]), int(self.cut[1])))


_PARTS = 32  # about, where there are as many games: work for many, and progress is seen to move


class _Terms(NamedTuple):
    """What all parts of a match have in common, in words that travel."""

    game: str
    agents: tuple[Sent, Sent]
    seats: Seats
    alternate_starter: bool
    cap: int | None
    recorded: bool


class _Part(NamedTuple):
    """What came of some games, with each of them where they are recorded."""

    sums: tuple[Ints, Ints, Ints]
    results: list[GameResult]


def play_spread(
    game: Any,
    a: str,
    b: str,
    games: int,
    *,
    on: str,
    seed: int = 0,
    seats: Seats = Seats.ALTERNATE,
    alternate_starter: bool = False,
    cap: int | None = None,
    on_progress: Callable[[JobProgress], None] | None = None,
    record: Callable[[GameResult], None] | None = None,
) -> MatchResult:
    """What `play_match` gives, played by jobs on a place as `run_jobs` names them; `tell` is told of each part.

    The agents are given as they are written. Raises LudusError for one that remembers.
    """
    began = time.perf_counter()
    both = catalog.make_agent(a), catalog.make_agent(b)
    plan = Plan(game, both, seats, alternate_starter, cap, record is not None).prepared()
    _refuse_memory(plan)
    agents = sent(a, identity(both[0]), on), sent(b, identity(both[1]), on)
    terms = _Terms(catalog.lasting_name(game), agents, seats, alternate_starter, cap, plan.recorded)
    size = _part_size(plan, games)
    jobs = [_job(terms, seed, first, min(size, games - first)) for first in range(0, games, size)]
    sums, kept = Sums(), _InOrder(game, record)

    def done(number: int, part: _Part) -> None:
        sums.add(*part.sums)
        kept.keep(number, part.results)

    run_jobs(jobs, on, done=done, on_progress=on_progress)
    return sums.finish(time.perf_counter() - began)


def _refuse_memory(plan: Plan) -> None:
    for agent in plan.agents:
        if has_memory(agent):
            raise LudusError(f"{catalog.name_of(agent)} may remember earlier moves: it plays only here, --on local")


def _part_size(plan: Plan, games: int) -> int:
    """Games in a part; who is asked about many positions at once is asked about the same ones in any place.

    What a network says may depend in its last bits on how many positions it is asked about.
    """
    if any(is_batched(agent) for agent in plan.agents):
        return plan.at_once()
    return min(plan.at_once(), -(-games // _PARTS))


def _job(terms: _Terms, seed: int, first: int, games: int) -> Job:
    return Job(f"games {first + 1:,} to {first + games:,}", play_part, (terms, seed, first, games), games)


def play_part(terms: _Terms, seed: int, first: int, games: int) -> _Part:
    """Play so many games of a match from this number on, wherever this is; positions go back as plain tuples."""
    sums, results = Sums(), list[GameResult]()
    for played in _plan(terms).batches(seed, first, games, threads=1):
        sums.add(*played.summed())
        if terms.recorded:
            results += (result._replace(start=tuple(result.start)) for result in played.results())
    return _Part((sums.counts, sums.totals, sums.cut), results)


@lru_cache(1)
def _plan(terms: _Terms) -> Plan:
    """The match ready to be played; kept for the parts that follow."""
    with at_hand((*terms.agents[0].runs, *terms.agents[1].runs)):
        a, b = (catalog.make_agent(agent.text) for agent in terms.agents)
        return Plan(catalog.make_game(terms.game), (a, b), *terms[2:]).prepared()


class _InOrder:
    """Tells `record` of all games in order, whatever the order in which parts end."""

    def __init__(self, game: Any, record: Callable[[GameResult], None] | None) -> None:
        self._like, self._record = type(game.start()), record
        self._next, self._waiting = 0, dict[int, list[GameResult]]()

    def keep(self, number: int, results: list[GameResult]) -> None:
        """Take what a part brought, and tell all that is next."""
        self._waiting[number] = results
        while self._next in self._waiting:
            for result in self._waiting.pop(self._next):
                if self._record:
                    self._record(result._replace(start=self._like(*result.start)))
            self._next += 1
