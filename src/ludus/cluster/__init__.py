"""Jobs on all cores of this machine or on a Ray cluster: the same results wherever they run."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from ludus.errors import LudusError, diagnosed, explained
from ludus.machine import most_workers, run_in_threads
from ludus.networks import runtime

Done = Callable[[int, Any], None]  # receives the number and the result of each job that ends


class Job(NamedTuple):
    """A top-level function and its arguments: plain values that travel, such as names, numbers and seeds.

    games: how many games it plays, if that is known, for the speed shown.
    """

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    games: int = 0


class JobProgress(NamedTuple):
    """Progress: jobs and games in all and done, the last job that ended, and the seconds so far."""

    jobs: int
    done: int
    games: int
    played: int
    latest: str
    seconds: float

    @property
    def left(self) -> float | None:
        """The estimated seconds left; None before the first job ends."""
        whole, part = (self.games, self.played) if self.games else (self.jobs, self.done)
        return self.seconds * (whole - part) / part if part else None


OnProgress = Callable[[JobProgress], None]


class Outcome(NamedTuple):
    """The result of a job, or its problem in words."""

    result: Any
    problem: str = ""


def ended(job: Job) -> Outcome:
    """Run a job."""
    try:
        return Outcome(job.function(*job.arguments))
    except Exception as error:
        found = diagnosed(error)
        return Outcome(None, f"{job.name}{':' if isinstance(found, LudusError) else ' failed:'} {explained(found)}")


class Watched:
    """Jobs that are running, and the callback for those that end."""

    def __init__(self, jobs: Sequence[Job], done: Done, on_progress: OnProgress | None) -> None:
        self._jobs, self._done, self._on_progress = jobs, done, on_progress
        self._began = time.monotonic()
        self._progress = JobProgress(len(jobs), 0, sum(job.games for job in jobs), 0, "", 0.0)
        self._report()

    def end(self, number: int, outcome: Outcome) -> None:
        """Pass on the result of a job; LudusError if it failed."""
        if outcome.problem:
            raise LudusError(outcome.problem)
        self._done(number, outcome.result)
        job, (jobs, done, games, played, _, _) = self._jobs[number], self._progress
        seconds = time.monotonic() - self._began
        self._progress = JobProgress(jobs, done + 1, games, played + job.games, job.name, seconds)
        self._report()

    def _report(self) -> None:
        if self._on_progress:
            self._on_progress(self._progress)


def run_jobs(
    jobs: Sequence[Job],
    on: str = "local",
    *,
    done: Done,
    on_progress: OnProgress | None = None,
    threads: int | None = None,
) -> None:
    """Run all jobs; `done(number, result)` is called here as each ends, in any order.

    `on` is local (all cores), local=N, ray or ray=ADDRESS. `threads` is the number of threads for networks in a job, by
    default that of this process. A job that fails ends all with LudusError; the job of a lost worker runs again.
    """
    require_place(on)
    place, _, where = on.partition("=")
    watched = Watched(jobs, done, on_progress)
    if not jobs:
        return
    threads = threads or runtime.threads()
    if place == "ray":
        from ludus.cluster.on_ray import run_on_ray

        run_on_ray(jobs, where or None, watched.end, threads)
        return
    workers = min(int(where or len(os.sched_getaffinity(0))), len(jobs))
    if workers == 1 and threads == runtime.threads():
        for number, job in enumerate(jobs):
            watched.end(number, ended(job))
    else:
        from ludus.cluster.pool import run_in_pool

        run_in_pool(jobs, workers, watched.end, threads)


def run_on_threads(jobs: Sequence[Job], on: str, *, done: Done, on_progress: OnProgress | None = None) -> None:
    """The same by threads of this process, N on local=N, else one a core, for short jobs of compiled code."""
    place, _, where = on.partition("=")
    watched = Watched(jobs, done, on_progress)
    threads = int(where) if place == "local" and where else None
    for number, outcome in enumerate(run_in_threads((partial(ended, job) for job in jobs), threads)):
        watched.end(number, outcome)


def require_place(on: str) -> None:
    """Raise LudusError unless this is a place to compute on, for Ray one that answers."""
    place, equals, where = on.partition("=")
    if place not in ("local", "ray") or (equals and not where):
        raise LudusError(f"{on!r} is no place to compute on; there is: local, local=N, ray, ray=ADDRESS")
    if place == "local" and where and not _is_number(where, most_workers()):
        raise LudusError(
            f"local={where} is no number of processes from 1 to {most_workers()}: write local=2, or local for all cores"
        )
    if place == "ray":
        from ludus.cluster.on_ray import require_cluster

        require_cluster(where)


def _is_number(text: str, most: int) -> bool:
    """Whether a text is a whole number from 1 to `most`."""
    return text.isdecimal() and len(text) <= len(str(most)) and 1 <= int(text) <= most
