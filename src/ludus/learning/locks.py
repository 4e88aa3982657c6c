"""One training of a run at a time, whoever begins it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

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
