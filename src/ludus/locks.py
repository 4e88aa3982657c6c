"""One process at a time: a file that is locked, which the system releases however its holder ends."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from ludus.errors import LudusError


@contextmanager
def locked(path: Path, in_use: str) -> Iterator[None]:
    """Holds the lock of this name; LudusError, which says that its folder `is in_use`, if another process does."""
    try:
        file = _held(path, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as busy:
        holder = busy.args[0]
        who = f" by process {holder}" if holder else ""
        raise LudusError(f"{path.parent} is {in_use} already{who}: wait for it, or stop it first") from None
    except OSError as error:
        raise LudusError(f"{path} cannot be locked: {error.strerror}") from None
    with _released(path, file):
        yield


@contextmanager
def waited_for(path: Path) -> Iterator[None]:
    """Holds the lock of this name, after waiting for others, who hold it for moments only."""
    try:
        file = _held(path, fcntl.LOCK_EX)
    except OSError as error:
        raise LudusError(f"{path} cannot be locked: {error.strerror}") from None
    with _released(path, file):
        yield


@contextmanager
def _released(path: Path, file: BinaryIO) -> Iterator[None]:
    """Notes who holds a lock, and removes its file at the end."""
    with file:
        with suppress(OSError):  # a disk that is full
            file.truncate(0)
            os.write(file.fileno(), str(os.getpid()).encode())
        try:
            yield
        finally:
            with suppress(OSError):
                path.unlink()


def _held(path: Path, how: int) -> BinaryIO:
    """The locked file, made again if its last holder has just removed it; BlockingIOError with the id of the holder."""
    while True:
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, 0o666), "rb+")
        try:
            fcntl.flock(file, how)
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return file
        except BlockingIOError:
            holder = os.read(file.fileno(), 20).decode(errors="replace").strip()
            file.close()
            raise BlockingIOError(holder if holder.isdecimal() else "") from None
        except FileNotFoundError:
            pass  # removed between open and stat
        except OSError:
            file.close()
            raise
        file.close()
