"""Matches: two agents over many games, in this process or spread over jobs; the results are identical."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple, TypedDict, Unpack, cast

import numpy as np

from ludus import catalog, face
from ludus.agents.agent import agent_for, has_memory, is_batched, is_compiled
from ludus.arena import Seats
from ludus.arena.lockstep import Ints, Judged, Table
from ludus.arena.participants import at_hand, identity, sent
from ludus.cluster import Job, JobProgress, run_jobs
from ludus.compiled.randomness import stream_key
from ludus.errors import LudusError
from ludus.game import gives_with_mover, max_plies, validate, with_mover
from ludus.machine import run_in_threads
from ludus.notebook import share, shown, table

BATCH = 1 << 16  # games side by side, at most
# Games side by side by kind of agent: progress and records come often even if agents are slow.
_BATCHED, _PLAIN = 4096, 256
_PARTS = 32  # about, of a match that jobs share: work for many, and visible progress


class Setup(TypedDict, total=False):
    """Keyword arguments of a match: the seats, whether both sides start in turns, and where games are cut."""

    seats: Seats
    alternate_starter: bool
    cap: int | None


class Count(NamedTuple):
    """Results of games, for the first agent."""

    a_wins: int = 0
    b_wins: int = 0
    draws: int = 0

    @property
    def games(self) -> int:
        """The number of games."""
        return sum(self)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Wilson interval of the first agent's share of wins."""
        return wilson(self.a_wins, self.games)


class GameResult(NamedTuple):
    """One game of a match: its number, the first agent's player, whether it moved first, and the course of play."""

    number: int
    seat: int
    began: bool
    score: int
    ended: bool
    plies: int
    start: Any
    actions: list[int]
    resigned: bool = False  # by the side to move


class MatchResult(NamedTuple):
    """A match; `first` counts the games in which the first agent moved first, `cut` the unfinished draws by seat."""

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
        title = f"a against b: mean score {self.mean_score:+.3f}, {self.mean_plies:.1f} plies a game"
        return shown(title, table(("", "games", "a wins", "b wins", "draws", "a's wins"), rows))


def wilson(successes: int, trials: int, z: float = 1.959964) -> tuple[float, float]:
    """The Wilson score interval of a share; (0, 1) without trials."""
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
    threads: int | None = None,
    record: Callable[[GameResult], None] | None = None,
    **setup: Unpack[Setup],
) -> MatchResult:
    """Play a match; the result depends on the seed, not on the threads.

    seats: where the first agent plays (default: both in turns); alternate_starter: both sides start in turns, for games
    with `with_mover`; cap: cut games there as draws (default: the game's max_plies; 0: never). `record` receives every
    game in order. Agents with memory play one game at a time.
    """
    match = Match(game, (a, b), recorded=record is not None, **setup).prepared()
    return match.result(games, seed=seed, threads=threads, record=record)


class FinishedGames(NamedTuple):
    """A batch of finished games."""

    first: int
    seats: Ints  # [games]
    movers: Ints  # [games]
    judged: Judged
    table: Table
    starts: list[Any]

    def summed(self) -> tuple[Ints, Ints, Ints]:
        """The counts and totals of `Judged`, and the number of cut games, by whether the agent moved second."""
        cut = np.bincount((self.seats != self.movers)[~self.judged.ended], minlength=2)
        return self.judged.counts, self.judged.totals, cut

    def results(self) -> Iterator[GameResult]:
        """Each game of a recorded batch."""
        for i in range(len(self.seats)):
            plies = int(self.table.games.plies[i])
            actions = [int(action) for action in self.table.games.moves[i, :plies]]
            seat, began = int(self.seats[i]), bool(self.seats[i] == self.movers[i])
            score, ended = int(self.judged.score[i]), bool(self.judged.ended[i])
            start, resigned = self.starts[i % len(self.starts)], bool(self.table.resigned[i])
            yield GameResult(self.first + i, seat, began, score, ended, plies, start, actions, resigned)


class Match(NamedTuple):
    """What all games of a match share; cap: None for the game's own."""

    game: Any
    agents: tuple[Any, Any]
    seats: Seats = Seats.ALTERNATE
    alternate_starter: bool = False
    cap: int | None = None
    recorded: bool = False

    def prepared(self) -> Match:
        """The same with agents made ready for the game and its starts; one agent against itself stays one."""
        validate(self.game)
        if self.alternate_starter and not _either_may_begin(self.game):
            raise LudusError(f"{type(self.game).__name__} has no start with its other side to move")
        starts = tuple(dict.fromkeys(self.arrangement(number)[1] for number in range(4)))
        a, b = self.agents
        first = agent_for(a, self.game, starts)
        return self._replace(agents=(first, first if a is b else agent_for(b, self.game, starts)))

    def result(
        self,
        games: int,
        *,
        seed: int = 0,
        batch: int = BATCH,
        threads: int | None = None,
        progress: Callable[[int], None] | None = None,
        record: Callable[[GameResult], None] | None = None,
    ) -> MatchResult:
        """Play the games of a prepared match; `progress` receives the number of games after each batch."""
        began, sums = time.perf_counter(), Sums()
        for played in self.batches(seed, 0, games, batch=batch, threads=threads):
            sums.add(*played.summed())
            for result in played.results() if record else ():
                cast(Callable[[GameResult], None], record)(result)
            if progress:
                progress(len(played.seats))
        return sums.finish(time.perf_counter() - began)

    def at_once(self, batch: int = BATCH) -> int:
        """How many games are played side by side, at most `batch`."""
        if all(is_compiled(agent) for agent in self.agents):
            return batch
        several = [_BATCHED if is_compiled(agent) or is_batched(agent) else _PLAIN for agent in self.agents]
        return 1 if any(map(has_memory, self.agents)) else min(batch, *several)

    def batches(
        self, seed: int, first: int, games: int, *, batch: int = BATCH, threads: int | None = None
    ) -> Iterator[FinishedGames]:
        """Play games from number `first` on; batches come in order."""
        key, size, end = stream_key(seed), self.at_once(batch), first + games
        jobs = (partial(self.play, key, start, min(size, end - start)) for start in range(first, end, size))
        return run_in_threads(jobs, threads if all(is_compiled(agent) for agent in self.agents) else 1)

    def play(self, key: np.uint64, first: int, size: int) -> FinishedGames:
        """Play the games first .. first + size - 1."""
        seats, starts = zip(*(self.arrangement(first + i) for i in range(4)), strict=True)
        seating = _in_turns(seats, size)
        movers = _in_turns([self.game.player(start) for start in starts], size)
        rows = _in_turns([list(start) for start in starts], size)
        cap = max_plies(self.game) if self.cap is None else self.cap
        table = Table(self.game, rows, (key, first), cap=cap, recorded=self.recorded)
        table.play(self.agents, seating)
        return FinishedGames(first, seating, movers, table.judge(seating, movers), table, list(starts))

    def arrangement(self, number: int) -> tuple[int, Any]:
        """The first agent's player in a game, and its start; everything that alternates repeats every four games."""
        seat = {Seats.FIRST: 0, Seats.SECOND: 1, Seats.ALTERNATE: number % 2}[self.seats]
        if not self.alternate_starter:
            return seat, self.game.start()
        starter = number // 2 % 2 if self.seats is Seats.ALTERNATE else number % 2
        return seat, with_mover(self.game, self.game.start(), starter)


def _either_may_begin(game: Any) -> bool:
    """Whether the game has a notation for its start with the other player to move."""
    if not gives_with_mover(game):
        return False
    start = with_mover(game, game.start(), 1 - game.player(game.start()))
    try:
        return bool(face.parse_position(game, face.format_position(game, start)) == start)
    except LudusError:
        return False


def _in_turns(four: Sequence[Any], size: int) -> Ints:
    """An array of `size` rows that repeat these four."""
    rows = np.array(four, np.int64)
    times = (size + 3) // 4
    return np.tile(rows, times if rows.ndim == 1 else (times, 1))[:size]


class Sums:
    """Totals over batches."""

    def __init__(self) -> None:
        self.counts, self.totals, self.cut = np.zeros((2, 3), np.int64), np.zeros(2, np.int64), np.zeros(2, np.int64)

    def add(self, counts: Ints, totals: Ints, cut: Ints) -> None:
        """Add a batch, as `FinishedGames.summed` gives it."""
        self.counts += counts
        self.totals += totals
        self.cut += cut

    def finish(self, seconds: float) -> MatchResult:
        """The result of the match."""
        first, second, both = (Count(*map(int, row)) for row in (*self.counts, self.counts.sum(axis=0)))
        score, plies = (int(total) / max(both.games, 1) for total in self.totals)
        return MatchResult(both, first, second, score, plies, seconds, (int(self.cut[0]), int(self.cut[1])))


def play_spread(
    game: Any,
    a: str,
    b: str,
    games: int,
    *,
    on: str,
    seed: int = 0,
    on_progress: Callable[[JobProgress], None] | None = None,
    record: Callable[[GameResult], None] | None = None,
    **setup: Unpack[Setup],
) -> MatchResult:
    """The result of `play_match`, computed by jobs on a place as `run_jobs` names them.

    The agents are given by name. Raises LudusError for one with memory.
    """
    began = time.perf_counter()
    both = catalog.make_agent(a), catalog.make_agent(b)
    match = Match(game, both, recorded=record is not None, **setup).prepared()
    for agent in match.agents:
        if has_memory(agent):
            raise LudusError(f"{catalog.name_of(agent)} may remember earlier moves: it plays only here, --on local")
    agents = sent(a, identity(both[0]), on), sent(b, identity(both[1]), on)
    terms = match._replace(game=catalog.lasting_name(game), agents=agents)
    # The last bits of a network's outputs may depend on the size of its batch: keep that the same in any place.
    batched = any(is_batched(agent) for agent in match.agents)
    size = match.at_once() if batched else min(match.at_once(), -(-games // _PARTS))
    parts = [(first, min(size, games - first)) for first in range(0, games, size)]
    jobs = [Job(f"games {n + 1:,} to {n + part:,}", play_part, (terms, seed, n, part), part) for n, part in parts]
    sums, waiting, following = Sums(), dict[int, list[GameResult]](), 0

    def done(number: int, part: tuple[tuple[Ints, Ints, Ints], list[GameResult]]) -> None:
        nonlocal following
        sums.add(*part[0])
        waiting[number] = part[1]
        while following in waiting:  # games are recorded in order, in whatever order the parts end
            for result in waiting.pop(following):
                if record:
                    record(result._replace(start=type(game.start())(*result.start)))
            following += 1

    run_jobs(jobs, on, done=done, on_progress=on_progress)
    return sums.finish(time.perf_counter() - began)


def play_part(terms: Match, seed: int, first: int, games: int) -> tuple[tuple[Ints, Ints, Ints], list[GameResult]]:
    """Play some games of a match in any process: sums, and each game where recorded, its start as a plain tuple."""
    sums, results = Sums(), list[GameResult]()
    for played in _match(terms).batches(seed, first, games, threads=1):
        sums.add(*played.summed())
        if terms.recorded:
            results += (result._replace(start=tuple(result.start)) for result in played.results())
    return (sums.counts, sums.totals, sums.cut), results


@lru_cache(1)
def _match(terms: Match) -> Match:
    """The prepared match, kept for the parts that follow; in its terms the game is a name, the agents are sent."""
    with at_hand((*terms.agents[0].runs, *terms.agents[1].runs)):
        a, b = (catalog.make_agent(agent.text) for agent in terms.agents)
        return terms._replace(game=catalog.make_game(terms.game), agents=(a, b)).prepared()
