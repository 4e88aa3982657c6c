"""Rules that do not return: after some seconds they raise an error where they are."""

from __future__ import annotations

import ctypes
import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ludus.activity import ticking

SECONDS = 3.0  # of the processor that one call of a rule may take
_LOOK = 1.0  # seconds between two looks


class Stuck(Exception):  # noqa: N818, the author of the game reads its words
    """A rule does not return."""

    def __str__(self) -> str:
        return f"does not return within {SECONDS:.0f} s"


_calls = 0


def asked() -> None:
    """Note that a rule is called."""
    global _calls
    _calls += 1


@contextmanager
def impatient() -> Iterator[None]:
    """Let a rule that is called in this block and does not return raise Stuck."""
    thread, seen, since = threading.get_ident(), -1, 0.0
    clock = time.pthread_getcpuclockid(thread)

    def look() -> None:
        nonlocal seen, since
        now = time.clock_gettime(clock)
        if seen != _calls:
            seen, since = _calls, now
        elif now - since >= SECONDS:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Stuck))
            since = math.inf  # once is enough

    with ticking(look, every=_LOOK, after=_LOOK):
        yield
