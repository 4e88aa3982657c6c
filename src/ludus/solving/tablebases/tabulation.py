"""Makes the tablebase of a game if it fits, or finds the one that is there."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ludus.files import is_there
from ludus.machine import budget
from ludus.solving.forecast import in_bytes
from ludus.solving.tablebases.building import MANIFEST, Limits, Progress, Workers, build, in_threads, require_no_chance
from ludus.solving.tablebases.estimates import Estimate, estimated
from ludus.solving.tablebases.keys import NoTablebaseError
from ludus.solving.tablebases.tablebase import Tablebase, folder_for

_OF_DISK = 0.9  # of what is free, by default


def limits_of(memory: int | None, disk: int | None, folder: Path) -> Limits:
    """The limits given, by default most of what is free."""
    near = next(path for path in (folder, *folder.parents) if path.exists())
    return Limits(
        budget() if memory is None else memory, int(_OF_DISK * shutil.disk_usage(near).free) if disk is None else disk
    )


def tabulate(
    game: Any,
    start: Any = None,
    *,
    folder: Path | None = None,
    memory: int | None = None,
    disk: int | None = None,
    workers: Workers = in_threads,
    progress: Progress | None = None,
    on_estimate: Callable[[Estimate], None] | None = None,
) -> Tablebase:
    """The tablebase of a game from a position, made in a folder, by default one of the user's, unless it is there.

    Raises NoTablebaseError within seconds if it will not fit so many bytes of memory and of disk.
    """
    require_no_chance(game)
    start = game.start() if start is None else start
    folder = folder_for(game, start) if folder is None else folder
    limits = limits_of(memory, disk, folder)
    if not is_there(folder / MANIFEST):
        estimate = estimated(game, start)
        if on_estimate:
            on_estimate(estimate)
        require_room(estimate, limits)
    build(game, folder, start, limits=limits, workers=workers, progress=progress)
    return Tablebase(game, folder)


def require_room(estimate: Estimate, limits: Limits) -> None:
    """Raise NoTablebaseError if even the least that a tablebase can take does not fit."""
    least = estimate.least_cost
    for need, limit, what in ((least.memory, limits.memory, "memory"), (least.disk, limits.disk, "disk")):
        if need > limit:
            raise NoTablebaseError(
                f"a tablebase takes at least {in_bytes(need)} of {what}, with {in_bytes(limit)} to use; likely"
                f" {estimate.likely_cost}"
            )
