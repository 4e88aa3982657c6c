"""JAX, which only this module imports: by a fixed number of threads, as its bytes depend on that."""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import Any

import platformdirs

from ludus.errors import LudusError

_THREADS = "NPROC"  # what JAX reads when it is first imported


def threads() -> int:
    """By how many threads networks are computed in this process."""
    given = os.environ.get(_THREADS, "")
    if given and not (given.isdecimal() and int(given)):
        raise LudusError(f"{_THREADS} must be a number of threads, not {given!r}")
    return int(given or len(os.sched_getaffinity(0)))


def pin_threads(number: int) -> None:
    """Let networks be computed by so many threads; LudusError if they already are by another number."""
    if number != threads() and "jax" in sys.modules:
        raise LudusError(f"networks are computed by {threads()} threads here, not {number}: use a process of its own")
    os.environ[_THREADS] = str(number)


@cache
def jax() -> Any:
    """The library, ready."""
    pin_threads(threads())
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # leave room on the GPU for others
    import jax

    jax.config.update("jax_compilation_cache_dir", str(platformdirs.user_cache_path("ludus") / "networks"))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.1)
    return jax


def device() -> str:
    """What networks are computed on: cpu or gpu."""
    return str(jax().default_backend())
