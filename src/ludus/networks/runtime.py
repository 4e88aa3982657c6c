"""JAX, imported here only, with a fixed number of threads, since its results depend on that in the last bits."""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import Any

import platformdirs

from ludus.errors import LudusError
from ludus.interrupts import held_interrupts

_THREADS = "NPROC"  # JAX reads it when it is first imported
_MOST_THREADS = 1024


def threads() -> int:
    """The number of threads that compute networks in this process."""
    given = os.environ.get(_THREADS, "")
    if given and not (given.isdecimal() and int(given)):
        raise LudusError(f"{_THREADS} must be a number of threads, not {given!r}")
    return int(given or len(os.sched_getaffinity(0)))


def pin_threads(number: int) -> None:
    """Sets the number of threads; LudusError if JAX already runs with another number, or nobody can mean it."""
    if not 1 <= number <= _MOST_THREADS:
        raise LudusError(f"networks are computed by 1 to {_MOST_THREADS} threads, not {number}")
    if number != threads() and "jax" in sys.modules:
        raise LudusError(f"networks are computed by {threads()} threads here, not {number}: use a new process")
    os.environ[_THREADS] = str(number)


@cache
def jax() -> Any:
    """The library, imported on first use."""
    pin_threads(threads())
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # leave room on the GPU for others
    with held_interrupts():  # which its modules in machine code do not survive
        import jax

    jax.config.update("jax_compilation_cache_dir", str(platformdirs.user_cache_path("ludus") / "networks"))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.1)
    return jax


def device() -> str:
    """The device that computes networks: cpu or gpu."""
    return str(jax().default_backend())
