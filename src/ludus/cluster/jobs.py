"""Jobs, their outcomes and their progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ludus.errors import LudusError, explained


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


class Outcome(NamedTuple):
    """The result of a job, or its problem in words."""

    result: Any
    problem: str = ""


def ended(job: Job) -> Outcome:
    """Run a job."""
    try:
        return Outcome(job.function(*job.arguments))
    except Exception as error:
        return Outcome(None, f"{job.name}{':' if isinstance(error, LudusError) else ' failed:'} {explained(error)}")


class Watched:
    """Jobs that are running, and the callback for those that end."""

    def __init__(
        self, jobs: Sequence[Job], done: Callable[[int, Any], None], on_progress: Callable[[JobProgress], None] | None
    ) -> None:
        self._jobs, self._done, self._on_progress = jobs, done, on_progress
        self._began = time.monotonic()
        self._progress = JobProgress(len(jobs), 0, sum(job.games for job in jobs), 0, "", 0.0)
        self._report()

    def end(self, number: int, outcome: Outcome) -> None:
        """Pass on the result of a job; LudusError if it failed."""
        if outcome.problem:
            raise LudusError(outcome.problem)
        self._done(number, outcome.result)
        job, before = self._jobs[number], self._progress
        self._progress = before._replace(
            done=before.done + 1,
            played=before.played + job.games,
            latest=job.name,
            seconds=time.monotonic() - self._began,
        )
        self._report()

    def _report(self) -> None:
        if self._on_progress:
            self._on_progress(self._progress)
