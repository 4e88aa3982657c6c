"""Endgame tables from disk as far as they are there, computed beyond that: for searches, and ahead of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from typing import Any, NamedTuple

from ludus.errors import LudusError
from ludus.game import gives_endgames
from ludus.solving.endgame_files import EndgameFiles
from ludus.solving.endgames import LARGEST, Endgames, Values, extended, no_endgames, num_endgames, tier_values
from ludus.solving.forecast import in_bytes
from ludus.solving.tablebases.building import Limits

Progress = Callable[[int], None]
WORTH_KEEPING = 1 << 22  # positions of a tier: computing them takes about a second of one core


# ---- for searches ----


class Growing:
    """A table that several searches of a game share and extend; it keeps on disk what took long to compute."""

    def __init__(self, game: Any) -> None:
        self.game, self.table, self._lock, self._storage = game, no_endgames(), Lock(), _Lenient(EndgameFiles(game))

    def with_at_least(self, most: int, readable: int, progress: Progress | None = None) -> Endgames:
        """The table with all positions up to `most`, and up to `readable` if they are on disk.

        One search at a time extends it.
        """
        if self._wanted(most, readable) > self.table.most:
            with self._lock:
                wanted = self._wanted(most, readable)
                if wanted > self.table.most:
                    self.table = extended(self.game, self.table, wanted, storage=self._storage, progress=progress)
        return self.table

    def _wanted(self, most: int, readable: int) -> int:
        return max(most, min(readable, self._storage.most) if readable > self.table.most else most)


class _Lenient:
    """Files whose faults stop no search: what cannot be read is computed, what cannot be written is not kept."""

    def __init__(self, files: EndgameFiles) -> None:
        self._files, self._intact = files, set[int]()

    @property
    def most(self) -> int:
        """The number in the heaps up to which tiers can be read."""
        return self._files.most

    def read(self, number: int, values: Values) -> bool:
        """Reads a tier; False if that fails."""
        found = False
        if number <= self._files.most:
            with suppress(LudusError):
                found = self._files.read(number, values)
        if found:
            self._intact.add(number)
        return found

    def keep(self, endgames: Endgames, number: int) -> None:
        """Writes a tier that took long, with those before it."""
        if len(tier_values(endgames, number)) < WORTH_KEEPING:
            return
        with suppress(LudusError):
            for missing in sorted(set(range(number + 1)) - self._intact):
                self._files.keep(endgames, missing)
                self._intact.add(missing)


# ---- ahead of searches ----


class Size(NamedTuple):
    """What a table takes: a byte a position, in memory and on disk."""

    most: int
    positions: int
    there: int  # positions that are on disk already

    def __str__(self) -> str:
        memory, disk = in_bytes(self.positions), in_bytes(self.positions - self.there)
        return (
            f"{self.positions:,} positions with at most {self.most} in their heaps: {memory} of memory, {disk} of disk"
        )


def require_endgames(game: Any) -> None:
    """Raise LudusError for a game without endgame tables."""
    if not gives_endgames(game):
        raise LudusError(f"{type(game).__name__} has no endgame tables: its rules do not give endgame_heaps")


def size_of(game: Any, most: int) -> Size:
    """What the table up to `most` takes."""
    require_endgames(game)
    if most > LARGEST:
        raise LudusError(f"endgame tables go up to {LARGEST} in the heaps, not {most}")
    there = min(most, EndgameFiles(game).most)
    return Size(most, num_endgames(game, most), num_endgames(game, there))


def require_room(size: Size, limits: Limits) -> None:
    """Raise LudusError if a table does not fit."""
    more = size.positions - size.there
    for need, limit, what in ((size.positions, limits.memory, "memory"), (more, limits.disk, "disk")):
        if need > limit:
            raise LudusError(
                f"the endgames with at most {size.most} in their heaps take {in_bytes(need)} of {what}, with"
                f" {in_bytes(limit)} to use"
            )


def tabulate(game: Any, most: int, *, progress: Progress | None = None) -> Endgames:
    """The table up to `most`; each tier is read, or written once it is computed. LudusError for a damaged file."""
    require_endgames(game)
    return extended(game, no_endgames(), most, storage=EndgameFiles(game), progress=progress)
