"""Files that appear whole or not at all and are read only if they are files, and where Ludus keeps those of a user."""

from __future__ import annotations

import fcntl
import glob
import os
import re
import stat
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import platformdirs

from ludus.errors import LudusError

_PARTIAL = "partial"  # the ending of a file that is being written
MOST_BYTES = 2 << 30  # of a file that is read at once


def home() -> Path:
    """The folder of all that is kept for a user: LUDUS_HOME if that is set, else among the user's data."""
    return Path(os.environ.get("LUDUS_HOME") or platformdirs.user_data_path("ludus"))


def write_whole(path: Path, parts: Iterable[bytes | memoryview]) -> None:
    """Put the parts one after the other into a file, in place of an earlier one; a killed process leaves that."""
    remove_abandoned(path.parent, path.name)
    partial = path.parent / f"{path.name}.{os.getpid()}-{threading.get_ident()}.{_PARTIAL}"
    try:
        with _opened(partial) as file:
            for part in parts:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
            partial.replace(path)
    except OSError as error:
        raise LudusError(f"{path} cannot be written: {error.strerror}") from None
    finally:
        with suppress(OSError):
            partial.unlink()


def _opened(partial: Path) -> BinaryIO:
    """A new file, locked as long as it is open; it is made again if somebody took it for an abandoned one."""
    while True:
        file = partial.open("wb")
        with suppress(OSError):  # a file system without locks
            fcntl.flock(file, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), partial.stat()):
                return file
        file.close()


def remove_abandoned(folder: Path, name: str = "") -> None:
    """Remove what processes that are gone were writing in a folder, or of one file there; nobody locks that."""
    for partial in folder.glob(f"{glob.escape(name) or '*'}.*-*.{_PARTIAL}"):
        if not re.search(rf"\.\d+-\d+\.{_PARTIAL}$", partial.name):
            continue
        with suppress(OSError), partial.open("rb+") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            partial.unlink()


def made_folder(path: Path) -> Path:
    """The folder of this name, made if it is not there, without what processes that are gone were writing there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LudusError(f"{path} cannot be made: {error.strerror}") from None
    remove_abandoned(path)
    return path


def is_there(path: Path) -> bool:
    """Whether something has this name, if only a broken link: it must be read, or be refused."""
    return os.path.lexists(path)


def named_in_folders(folder: Path, name: str) -> list[Path]:
    """Whatever has this name in the folders of a folder, in order; a broken link, too."""
    return sorted(path / name for path in folder.glob("*") if is_there(path / name))


def open_regular(path: Path) -> BinaryIO:
    """A file, opened for reading; LudusError if it cannot be, and for a pipe or a device, which may never end."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe would wait for its writer
    except (OSError, ValueError) as error:  # ValueError: no path can have such a name
        raise LudusError(f"{path} cannot be read: {getattr(error, 'strerror', error)}") from None
    mode = os.fstat(number).st_mode
    if not stat.S_ISREG(mode):
        os.close(number)
        is_folder = stat.S_ISDIR(mode)
        raise LudusError(f"{path} cannot be read: it is {'a folder' if is_folder else 'no regular file'}")
    return os.fdopen(number, "rb")


def read_regular(path: Path, most: int = MOST_BYTES) -> bytes:
    """The content of a file; LudusError as by `open_regular`, and for more bytes than `most`."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > most:
            raise LudusError(f"{path} cannot be read: it has {size:,} bytes, and at most {most:,} are read")
        try:
            return file.read(size)  # not of `most`, for which room would be made
        except OSError as error:
            raise LudusError(f"{path} cannot be read: {error.strerror}") from None
