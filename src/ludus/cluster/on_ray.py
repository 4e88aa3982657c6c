"""Jobs on a Ray cluster; the jobs of a lost node run again elsewhere."""

from __future__ import annotations

import os
import platform
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from typing import Any

import ludus
from ludus.cluster import Job, Outcome, ended
from ludus.errors import LudusError
from ludus.networks import runtime

_AT_ONCE = 1000  # jobs that are handed to Ray before one has ended
_MOST_PORT = 65535
_PATIENCE = 10.0  # seconds for a cluster to answer


def run_on_ray(jobs: Sequence[Job], address: str | None, end: Callable[[int, Outcome], None], threads: int) -> None:
    """Run jobs on the cluster at an address, or on the one that Ray finds, or else on one started here."""
    with redirect_stdout(sys.stderr), _connected(address) as ray:  # Ray reports lost nodes on stdout
        # Without limit for workers and nodes that are lost; a job that fails would only fail again.
        work = ray.remote(num_cpus=1, max_retries=-1, retry_exceptions=False)(_work)
        waiting, under_way = list(enumerate(jobs))[::-1], dict[Any, int]()
        try:
            while waiting or under_way:
                while waiting and len(under_way) < _AT_ONCE:
                    number, job = waiting.pop()
                    under_way[work.remote(job, threads, versions())] = number
                ray.wait(list(under_way), num_returns=1)
                for reference in ray.wait(list(under_way), num_returns=len(under_way), timeout=0)[0]:
                    number = under_way.pop(reference)
                    end(number, _outcome(ray, reference, jobs[number]))
        finally:
            for reference in under_way:
                ray.cancel(reference, force=True)


def require_cluster(address: str) -> None:
    """Raise LudusError without Ray, or if no cluster answers at the address; Ray would try for minutes."""
    host, _, port = address.rpartition(":")
    if address and not (host and port.isdecimal() and len(port) <= len(str(_MOST_PORT))):
        raise LudusError(f"ray={address} is no address of a cluster: write ray=HOST:PORT, such as ray=10.0.0.1:6379")
    if find_spec("ray") is None:
        raise LudusError("Ray is not installed: pip install 'ludus[ray]', or compute on local")
    try:
        if address:
            socket.create_connection((host, int(port)), _PATIENCE).close()
    except (OSError, OverflowError, UnicodeError) as error:  # no name of a machine
        raise LudusError(f"no Ray cluster answers at {address}: {error}") from None


@contextmanager
def _connected(address: str | None) -> Iterator[Any]:
    """Ray, connected to the cluster until the end of the block, or longer if it was before."""
    import ray

    if ray.is_initialized():
        yield ray
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # or Ray warns of what it will change one day
    try:
        ray.init(address=address, log_to_driver=False, logging_level="error", include_dashboard=False)
    except (ConnectionError, ValueError, RuntimeError) as error:
        words = " ".join(str(error).split())
        raise LudusError(f"Ray cannot be used at {address or 'this machine'}: {words}") from None
    try:
        yield ray
    finally:
        ray.shutdown()


def _outcome(ray: Any, reference: Any, job: Job) -> Outcome:
    try:
        return Outcome(*ray.get(reference))
    except ray.exceptions.RayError as error:
        return Outcome(None, f"{job.name} failed on Ray: {str(error).strip().splitlines()[-1]}")


@cache
def versions() -> dict[str, str]:
    """The versions that results depend on."""
    libraries = {name: metadata.version(name) for name in ("numpy", "numba", "jax", "optax")}
    return {"ludus": ludus.__version__, "python": platform.python_version()} | libraries


def _work(job: Job, threads: int, expected: dict[str, str]) -> Outcome:
    """Run a job on a worker whose versions are the expected ones."""
    own = versions()
    for name, version in expected.items():
        if own[name] != version:
            here = platform.node()
            return Outcome(None, f"{here} has {name} {own[name]}, not {version}: install the same on all nodes")
    try:
        runtime.pin_threads(threads)
    except LudusError as error:
        return Outcome(None, f"{job.name}: {error}")
    return ended(job)
