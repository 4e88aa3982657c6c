"""What a run knew at each of its measures, kept beside it, so that one can see how its opinions changed."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from ludus.files import made_folder
from ludus.learning.storage import write_arrays
from ludus.learning.student import Arrays

FOLDER = "snapshots"
MOST = 24  # of one run
_MOST_BYTES = 4 << 20  # of one snapshot; what is larger is not kept


def snapshot_name(games: int) -> str:
    """The file of a run that holds what it knew after so many games."""
    return f"{FOLDER}/{games}.safetensors"


def snapshots(path: Path) -> list[int]:
    """The numbers of games after which there is a snapshot of the run in a folder."""
    names = (file.stem for file in (path / FOLDER).glob("*.safetensors"))
    return sorted(int(name) for name in names if name.isdecimal())


def keep_snapshot(path: Path, games: int, knowledge: Arrays, notes: dict[str, Any]) -> None:
    """Keep what the run in a folder knows after so many games, unless that is too large; thin out what there is."""
    if sum(array.nbytes for array in knowledge.values()) > _MOST_BYTES:
        return
    made_folder(path / FOLDER)
    write_arrays(path / snapshot_name(games), knowledge, notes)
    kept = snapshots(path)
    for between in kept[1:-1:2] if len(kept) > MOST else ():
        with suppress(OSError):
            (path / snapshot_name(between)).unlink()
