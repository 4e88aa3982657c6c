"""Ctrl-C where Python could not take it: it waits, or comes again a little later."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_SOON = 0.01  # seconds


def interrupt_again(dropped: sys.UnraisableHookArgs) -> None:
    """A `sys.unraisablehook`, as for a callback that a compiler calls: an interrupt is repeated, an error is shown."""
    if issubclass(dropped.exc_type, KeyboardInterrupt):
        threading.Timer(_SOON, _thread.interrupt_main).start()
    else:
        sys.__unraisablehook__(dropped)


@contextmanager
def held_interrupts() -> Iterator[None]:
    """Keeps Ctrl-C waiting for the end of the block."""
    if threading.current_thread() is not threading.main_thread() or not callable(signal.getsignal(signal.SIGINT)):
        yield
        return
    noted: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, frame: noted.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    for number in noted[:1]:
        signal.raise_signal(number)
