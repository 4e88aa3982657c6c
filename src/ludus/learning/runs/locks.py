"""One training of a run at a time; Ctrl-C stops it where it can be saved."""

from __future__ import annotations

import fcntl
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from ludus.errors import LudusError

LOCK = "training.lock"  # holds the id of the process; the system releases the lock however the process ends


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Locks a run for this training; LudusError if another training holds it."""
    path = folder / LOCK
    try:
        file = _locked_file(path)
    except OSError as error:
        raise LudusError(f"{path} cannot be locked: {error.strerror}") from None
    with file:
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        try:
            yield
        finally:
            with suppress(OSError):
                path.unlink()


def _locked_file(path: Path) -> TextIO:
    """The locked file; it is made again if its last holder has just removed it."""
    while True:
        file = path.open("a+")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return file
        except BlockingIOError:
            file.seek(0)
            who = f" by process {number}" if (number := file.read(20).strip()).isdecimal() else ""
            file.close()
            raise LudusError(f"{path.parent} is being trained already{who}: wait for it, or stop it first") from None
        except FileNotFoundError:
            pass  # removed between open and stat
        file.close()


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
