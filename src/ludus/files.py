"""Files that appear whole or not at all, and where Ludus keeps those of a user."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import platformdirs

from ludus.errors import LudusError

_PARTIAL = "partial"  # the ending of a file that is being written, after the number of the process that does


def home() -> Path:
    """The folder of all that is kept for a user: LUDUS_HOME if that is set, else among the user's data."""
    return Path(os.environ.get("LUDUS_HOME") or platformdirs.user_data_path("ludus"))


def write_whole(path: Path, parts: Iterable[bytes | memoryview]) -> None:
    """Put the parts one after the other into a file, in place of an earlier one; a killed process leaves that."""
    _remove_abandoned(path)
    partial = path.parent / f"{path.name}.{os.getpid()}.{_PARTIAL}"
    try:
        with partial.open("wb") as file:
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


def _remove_abandoned(path: Path) -> None:
    """Remove what processes that are gone left of the same file."""
    for partial in path.parent.glob(f"{glob.escape(path.name)}.*.{_PARTIAL}"):
        writer = partial.name.removesuffix(f".{_PARTIAL}").rpartition(".")[2]
        if writer.isdecimal() and not _is_running(int(writer)):
            with suppress(OSError):
                partial.unlink()


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # another user's, or no process at all
        return True
    return True


def made_folder(path: Path) -> Path:
    """The folder of this name, made if it is not there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LudusError(f"{path} cannot be made: {error.strerror}") from None
    return path
