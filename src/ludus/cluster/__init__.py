"""Jobs on all cores of this machine or on a Ray cluster: the same results wherever they run."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ludus.cluster.jobs import Job as Job
from ludus.cluster.jobs import JobProgress as JobProgress
from ludus.cluster.jobs import Watched, ended
from ludus.errors import LudusError
from ludus.machine import run_in_threads
from ludus.networks import runtime


def run_jobs(
    jobs: Sequence[Job],
    on: str = "local",
    *,
    done: Callable[[int, Any], None],
    on_progress: Callable[[JobProgress], None] | None = None,
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
        _run_here(jobs, watched)
    else:
        from ludus.cluster.pool import run_in_pool

        run_in_pool(jobs, workers, watched.end, threads)


def run_on_threads(
    jobs: Sequence[Job],
    on: str,
    *,
    done: Callable[[int, Any], None],
    on_progress: Callable[[JobProgress], None] | None = None,
) -> None:
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
    if place == "local" and where and (not where.isdecimal() or int(where) < 1):
        raise LudusError(f"local={where} is no number of processes: write local=2, or local for all cores")
    if place == "ray":
        from ludus.cluster.on_ray import require_cluster

        require_cluster(where)


def _run_here(jobs: Sequence[Job], watched: Watched) -> None:
    for number, job in enumerate(jobs):
        watched.end(number, ended(job))
