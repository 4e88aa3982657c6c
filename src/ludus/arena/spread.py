"""A match in parts, each a job anywhere: game by game what it is in one piece."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from ludus import catalog
from ludus.agents.agent import has_memory, is_batched
from ludus.arena import Seats
from ludus.arena.contestants import identity
from ludus.arena.lockstep import Ints
from ludus.arena.match import GameResult, MatchResult, Plan, Sums
from ludus.arena.remote import Sent, at_hand, sent
from ludus.cluster import Job, JobProgress, run_jobs
from ludus.errors import LudusError

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
