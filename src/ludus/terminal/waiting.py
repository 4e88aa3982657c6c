"""Words for a person who has to wait."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

from rich.console import Console
from rich.markup import escape
from rich.status import Status

PATIENCE = 1.0  # seconds


@contextmanager
def waiting(console: Console, words: str) -> Iterator[Status]:
    """Show a status line, which may be updated, when what is done meanwhile takes more than a second."""
    status = console.status(escape(words))
    clock = Timer(PATIENCE, status.start)
    clock.daemon = True
    clock.start()
    try:
        yield status
    finally:
        clock.cancel()
        clock.join()  # it may be starting the line just now
        status.stop()
