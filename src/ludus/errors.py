"""What users meet when something is wrong: one line, and the lines of their own files that it came from."""

from __future__ import annotations

import linecache
import sysconfig
import traceback
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path

_MOST_LINES = 8
_LONGEST = 400  # letters of another error's message
_MOST_LETTERS = 1000  # in a line


class LudusError(Exception):
    """Bad input; its text says what is wrong and what is allowed, in one line."""


def in_one_line(error: BaseException) -> str:
    """The type and the message of an error, or the message of a LudusError."""
    words = " ".join(str(error).split())
    words = words if len(words) <= _LONGEST else f"{words[:_LONGEST]} ..."
    return words if isinstance(error, LudusError) else f"{type(error).__name__}: {words}".strip(": ")


def diagnosed(error: Exception) -> Exception:
    """What `check` finds wrong with a user's game or agent behind an error; the same error if that is not the cause."""
    if isinstance(error, LudusError):
        return error
    found: Exception | None = EntryPoint("diagnosis", "ludus.checking:diagnosed", "ludus").load()(error)
    return found or error


def explained(error: BaseException) -> str:
    """The error in one line, and below it its notes, or the lines of the user's own files that led to it: at most 8."""
    lines = getattr(error, "__notes__", None) or own_frames(error)
    kept = _MOST_LINES - 1
    if len(lines) > kept:
        lines = [*lines[: kept // 2], "  ...", *lines[-(kept // 2) :]]
    return "\n".join([str(error) if isinstance(error, LudusError) else in_one_line(error), *lines])


def printable(message: str) -> str:
    """A message as it is printed: one line, and those of the user's files below it, short and in visible letters."""
    return "\n  ".join(_shortened("".join(map(_visible, line))) for line in message.split("\n  "))


def _shortened(line: str) -> str:
    """A line without its middle if it is long: the end says what to do."""
    half = _MOST_LETTERS // 2
    return line if len(line) <= _MOST_LETTERS else f"{line[:half]} ... {line[-half:]}"


def _visible(letter: str) -> str:
    return letter if letter.isprintable() else letter.encode("unicode_escape").decode()


def own_frames(error: BaseException) -> list[str]:
    """Where an error, or its cause, passed through files of neither Ludus, Python nor an installed package."""
    lines = []
    for one in (error, error.__cause__):
        if one is None or isinstance(one, LudusError):
            continue
        for frame in traceback.extract_tb(one.__traceback__):
            lines.append(own_line(frame.filename, frame.lineno, f", in {frame.name}"))
        if isinstance(one, SyntaxError) and one.filename:
            lines.append(own_line(one.filename, one.lineno))
    return list(dict.fromkeys(line for line in lines if line))


@cache
def _not_own() -> tuple[str, ...]:
    """The folders of Ludus, its papers, Python and installed packages."""
    here = Path(__file__).parent
    folders = [here, here.parent / "ludus_papers", *map(Path, sysconfig.get_paths().values())]
    return tuple(f"{folder.resolve()}/" for folder in folders)


def own_line(file: str, number: int | None, place: str = "") -> str:
    """A line of a user's own file with its place; empty for any other file."""
    path = Path(file).resolve()
    if not path.is_file() or str(path).startswith(_not_own()):
        return ""
    shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    source = linecache.getline(file, number or 0).strip()
    return f"  {shown}:{number}{place}: {source}"
