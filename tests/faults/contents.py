"""What the files of a folder hold, without what depends on clocks or holds nothing."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

LEFT_OUT = {
    "times.json",
    "clock.json",
    "tournament.lock",  # of a process that was killed when all was written; the next one removes it
}
_TIMED = {"seconds", "memory", "digest"}  # keys of documents: of times, and of checksums that cover times


def contents(folder: Path) -> dict[str, Any]:
    """What each file holds, by its path in a folder."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name not in LEFT_OUT]
    return {str(path.relative_to(folder)): content(path) for path in files}


def content(path: Path) -> Any:
    """What a file holds; the rows of a league in any order, as it is written while others play."""
    if path.suffix != ".sqlite":
        return untimed(path.read_bytes())
    with closing(sqlite3.connect(path)) as file:
        return sorted(file.iterdump())


def untimed(content: bytes) -> Any:
    """The bytes of a file, without times if it is a JSON document."""
    try:
        return without_times(json.loads(content))
    except ValueError:
        return content.hex()


def without_times(document: Any) -> Any:
    """A document without the keys of times and memory."""
    if isinstance(document, dict):
        return {key: without_times(one) for key, one in document.items() if key not in _TIMED}
    return [without_times(one) for one in document] if isinstance(document, list) else document
