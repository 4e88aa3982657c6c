"""Times all contestants at all games, interleaved, so that noise on the machine affects them equally."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from typing import NamedTuple

from bench.player import MissingError, Sample
from bench.worker import Run, Worker

GAMES = ("tic_tac_toe", "connect_four", "mancala")

MAKERS = {
    "ludus": "bench.ludus_playouts:on_one_thread",
    "openspiel": "bench.openspiel:RolloutPlayer",
    "openspiel_python": "bench.openspiel:PythonPlayer",
    "pgx": "bench.pgx_playouts:with_own_sampler",
    "pgx_tuned": "bench.pgx_playouts:with_tuned_sampler",
    "match": "bench.ludus_playouts:in_matches",
    "openspiel_bots": "bench.openspiel:BotsPlayer",
    "c": "bench.c:same_steps",
    "c_tuned": "bench.c:tuned",
    "one_thread": "bench.ludus_playouts:on_one_thread",
    "two_threads": "bench.ludus_playouts:on_two_threads",
}
ON_TWO_CORES = ("one_thread", "two_threads")
SAMPLED = ("ludus", "openspiel", "pgx")


class Pace(NamedTuple):
    """How often and for how long each contestant is timed."""

    repeats: int = 7
    seconds: float = 0.3
    thread_repeats: int = 4
    thread_seconds: float = 1.0

    def in_words(self) -> str:
        """How the numbers are measured."""
        return (
            f"Every number is the best of {self.repeats} runs of at least {self.seconds:g} s, all contestants"
            " interleaved on one core;"
            f" for threads the best of {self.thread_repeats} runs of at least {self.thread_seconds:g} s,"
            " interleaved on two cores."
        )


QUICK = Pace(repeats=3, seconds=0.1, thread_repeats=2, thread_seconds=0.2)


class Entry(NamedTuple):
    """One contestant at one game: its fastest run, or why there is none."""

    game: str
    contestant: str
    best: Run | None = None
    note: str = ""
    missing: str = ""
    sample: Sample | None = None


def hold(pace: Pace, report: Callable[[str], None]) -> dict[tuple[str, str], Entry]:
    """Runs the contest; the entries are keyed by game and contestant."""
    entries = {}
    with workers() as crew:
        for name, game in product(crew, GAMES):
            report(f"{name} gets ready for {game}")
            entries[game, name] = introduced(crew[name], game, name)
        for names, repeats, seconds in groups(pace):
            turns = [(game, name) for game, name in product(GAMES, names) if not entries[game, name].missing]
            for turn in turns * repeats:
                report(f"{turn[1]} plays {turn[0]}")
                entries[turn] = with_best(entries[turn], crew[turn[1]].run(turn[0], seconds))
    return entries


def groups(pace: Pace) -> Iterator[tuple[tuple[str, ...], int, float]]:
    """The groups that are interleaved: first all on one core, then one thread against two."""
    yield tuple(name for name in MAKERS if name not in ON_TWO_CORES), pace.repeats, pace.seconds
    yield ON_TWO_CORES, pace.thread_repeats, pace.thread_seconds


@contextmanager
def workers() -> Iterator[dict[str, Worker]]:
    """Starts a process per contestant, all on the same core except those that compare threads."""
    cores = sorted(os.sched_getaffinity(0))
    crew = {
        name: Worker(maker, set(cores[-2:]) if name in ON_TWO_CORES else {cores[-1]}) for name, maker in MAKERS.items()
    }
    try:
        yield crew
    finally:
        for worker in crew.values():
            worker.stop()


def introduced(worker: Worker, game: str, contestant: str) -> Entry:
    """The entry of a contestant before it is timed."""
    try:
        note = worker.introduce(game)
    except MissingError as missing:
        return Entry(game, contestant, missing=str(missing))
    return Entry(game, contestant, note=note, sample=worker.sample(game) if contestant in SAMPLED else None)


def with_best(entry: Entry, run: Run) -> Entry:
    """The entry with this run if it is the fastest so far."""
    return entry if entry.best and entry.best.speed > run.speed else entry._replace(best=run)
