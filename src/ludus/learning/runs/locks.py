"""One training of a run at a time, whoever begins it."""

from __future__ import annotations

import fcntl
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from ludus.errors import LudusError

LOCK = "training.lock"  # holds the number of the process at work; the system lets go of it however that ends


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold a run for this training; LudusError if another one does."""
    path = folder / LOCK
    try:
        file = _held(path)
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


def _held(path: Path) -> TextIO:
    """The file, locked; one that its last holder has just removed is made anew."""
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
            pass  # removed between the two looks
        file.close()


@contextmanager
def deferred_interrupts() -> Iterator[list[int]]:
    """Let Ctrl-C be noted in a list, and heard where the training can be saved; pressed again, it is heard at once."""
    noted: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield noted
        return

    def note(number: int, frame: Any) -> None:
        if noted:
            raise KeyboardInterrupt
        noted.append(number)

    signal.signal(signal.SIGINT, note)
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def immediate_interrupts() -> Iterator[None]:
    """Let Ctrl-C be heard at once while a training waits, for a person to move."""
    held = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, held)
