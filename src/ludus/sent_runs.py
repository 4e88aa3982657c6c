"""Runs that were sent along with a job: found there under the names that they have where it comes from."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ludus.files import made_folder

Files = tuple[tuple[str, bytes], ...]  # names and contents
Runs = tuple[tuple[str, Files], ...]  # as they are named, with what they need to be agents

_folders: dict[str, Path] = {}


def sent_to(name: str) -> Path | None:
    """The folder of a run that was sent along, None if none of this name was."""
    return _folders.get(name)


@contextmanager
def at_hand(runs: Runs) -> Iterator[None]:
    """Let runs be found by their names while this lasts, wherever it is."""
    before = dict(_folders)
    with tempfile.TemporaryDirectory(prefix="ludus-") as folder:
        for number, (name, files) in enumerate(runs):
            path = made_folder(Path(folder) / str(number) / Path(name).name)
            for file, content in files:
                (path / file).write_bytes(content)
            _folders[name] = path
        try:
            yield
        finally:
            _folders.clear()
            _folders.update(before)
