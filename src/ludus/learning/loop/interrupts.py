"""Ctrl-C in a training, which stops it where it can be saved."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any


@contextmanager
def deferred_interrupts() -> Iterator[list[int]]:
    """Collects the first Ctrl-C in a list, for the training to save and stop; the second one raises at once."""
    noted: list[int] = []

    def note(number: int, frame: Any) -> None:
        if noted:
            raise KeyboardInterrupt
        noted.append(number)

    with _handling(note):
        yield noted


def immediate_interrupts() -> AbstractContextManager[None]:
    """Lets Ctrl-C raise at once while a training waits for a person to move, or is evaluated."""
    return _handling(signal.default_int_handler)


@contextmanager
def _handling(handler: Callable[[int, Any], None]) -> Iterator[None]:
    """Handles Ctrl-C, where that is allowed and not ignored."""
    if threading.current_thread() is not threading.main_thread() or not callable(signal.getsignal(signal.SIGINT)):
        yield
        return
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
