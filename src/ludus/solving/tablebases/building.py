"""Makes a tablebase: enumerates tiers from the start's down, then solves them from the last up, file by file.

Whatever is finished is on disk: a process that is killed anywhere resumes from there. The work of a tier is cut into
tasks, which depend on files alone, so that threads, processes or other machines with the same folder can do them.
"""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
from annotated_types import Ge, Lt

from ludus import game as contract
from ludus.documents import read_document, write_document
from ludus.errors import LudusError
from ludus.files import is_there, made_folder
from ludus.fingerprints import fingerprint
from ludus.game import gives_index, gives_odds, gives_tier, tier, validate
from ludus.locks import locked
from ludus.machine import budget, run_in_threads
from ludus.parameters import format_with_parameters
from ludus.solving.forecast import in_bytes
from ludus.solving.tablebases.enumeration import SLICE, Found, Known, Reached, expand_slice, found_path
from ludus.solving.tablebases.keys import (
    NO_KEY,
    Keying,
    NoTablebaseError,
    canonical,
    key_of,
    keying_for,
    used_bits,
    with_bits,
)
from ludus.solving.tablebases.linking import ACTIONS, LINKED, PART, LinkFiles, link_slice, open_kind, pairs_of
from ludus.solving.tablebases.retrograde import Arrivals, State, arrivals_of, solve_tier
from ludus.solving.tablebases.tiers import Tier, positions_path, values_path, write_positions, write_values

VERSION = 1
MANIFEST = "tablebase.json"
_FEWEST_TASKS = 64  # of a large tier
_BYTES_A_POSITION = 4  # of memory while a tier is solved
Progress = Callable[[str, int, int | None], None]  # what is being done, how far it is, of how many


_Int = Annotated[int, Ge(-(1 << 63)), Lt(1 << 63)]


class Manifest(NamedTuple):
    """What a tablebase says of itself; tiers: those that are enumerated, once all are."""

    game: str
    fingerprint: str
    start: list[_Int]
    masks: list[_Int]  # the bits of each field
    tiers: list[_Int]
    complete: bool


class Task(NamedTuple):
    """A function of the game and its keying, with further arguments: paths and numbers."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


Workers = Callable[[Any, Keying, Sequence[Task]], Iterable[Any]]  # yields the results of tasks in their order


def in_threads(game: Any, keying: Keying, tasks: Sequence[Task]) -> Iterator[Any]:
    """Does tasks in threads of this process, one a core."""
    return run_in_threads(partial(task.function, game, keying, *task.arguments) for task in tasks)


class Limits(NamedTuple):
    """The bytes of memory and of disk that may be used."""

    memory: int
    disk: int


class Builder:
    """A tablebase in the making."""

    def __init__(
        self, game: Any, start: Any, folder: Path, limits: Limits, workers: Workers, progress: Progress | None
    ) -> None:
        self.game, self.start, self.folder, self.limits, self.workers = game, start, folder, limits, workers
        self.progress: Progress = progress or (lambda stage, done, total: None)
        self.work = folder / "work"
        self.manifest = self._manifest()

    def _manifest(self) -> Manifest:
        if is_there(self.folder / MANIFEST):
            return read_manifest(self.folder, self.game, self.start)
        masks = used_bits(self.game, self.start).tolist()
        name = format_with_parameters(type(self.game).__name__, self.game)
        start = [int(field) for field in self.start]
        return self._kept(Manifest(name, fingerprint(self.game), start, masks, [], False))

    def _kept(self, manifest: Manifest) -> Manifest:
        write_document(self.folder / MANIFEST, VERSION, manifest._asdict())
        return manifest

    @property
    def keying(self) -> Keying:
        """How positions become keys."""
        return keying_for(self.game, np.array(self.manifest.masks, np.int64))

    def build(self) -> None:
        """Does what is left to do."""
        made_folder(self.work)
        while not self.manifest.tiers:
            masks = self._enumerate()
            if masks is not None:  # all keys change
                for path in [*self.folder.glob("*.positions"), *self.work.iterdir()]:
                    path.unlink()
                self.manifest = self._kept(self.manifest._replace(masks=masks))
        for number in self.manifest.tiers:
            if not values_path(self.folder, number).exists():
                self._solve(number)
        self.manifest = self._kept(self.manifest._replace(complete=True))
        shutil.rmtree(self.work, ignore_errors=True)

    # ---- enumerating ----

    def _enumerate(self) -> list[int] | None:
        """Enumerates all tiers; returns the bits of fields to begin again with, if these do not suffice."""
        game, keying = self.game, self.keying
        first = canonical(game, self.start, keying)
        key, masks = key_of(game, first, keying, np.zeros(len(self.start), np.int64)), keying.packing.masks
        if key == NO_KEY:
            return [int(bits) for bits in with_bits(masks, np.array(first, np.int64))]
        np.array([key]).tofile(found_path(self.work, int(tier(game, first)), 0, "start"))
        while waiting := self._waiting():
            misfit = self._enumerate_tier(max(waiting))
            if misfit:
                return [int(bits) for bits in with_bits(masks, np.array(misfit, np.int64))]
        found = sorted(int(path.stem) for path in self.folder.glob("*.positions"))
        self.manifest = self._kept(self.manifest._replace(tiers=found))
        return None

    def _waiting(self) -> set[int]:
        """The tiers of which some positions are found, but not all."""
        found = {int(path.name.partition(".")[0]) for path in self.work.glob("*.from.*")}
        return {number for number in found if not positions_path(self.folder, number).exists()}

    def _enumerate_tier(self, number: int) -> list[int]:
        """Enumerates a tier, given what those above lead to; returns the fields of a position that does not fit."""
        for path in self.work.glob(f"*.from.{number}.*"):
            if not path.name.endswith(".start"):
                path.unlink()  # of a process that was killed
        known, below, scores = self._empty(number), set[int](), set[int]()
        for result in self._expansions(number, known):
            if result.misfit:
                return result.misfit
            below.update(result.tiers)
            scores.update(result.scores)
        positions, marks = known.as_set()
        path = positions_path(self.folder, number)
        write_positions(path, positions, marks, sorted(scores), sorted(below - {number}))
        for seeds in self.work.glob(f"{number}.from.*"):
            seeds.unlink()
        return []

    def _expansions(self, number: int, known: Known | Reached) -> Iterator[Found]:
        """Expands all positions of a tier, breadth first."""
        new, found = known.add([_mapped(path) for path in sorted(self.work.glob(f"{number}.from.*"))]), 0
        for step in count():
            found += sum(map(len, new))
            self.progress("enumerating positions", found, None)
            if not any(map(len, new)):
                return
            yield from self._expand(number, step, new)
            self._require_disk()
            paths = sorted(self.work.glob(f"{number}.from.{number}.*"))
            new = known.add([_mapped(path) for path in paths])
            for path in paths:
                path.unlink()

    def _expand(self, number: int, step: int, new: Sequence[Any]) -> list[Found]:
        with (self.work / "todo").open("wb") as todo:
            for keys in new:
                keys.tofile(todo)
        size = sum(map(len, new))
        tasks = [
            Task(f"expand {number}", expand_slice, (number, self.work, at, min(size, at + SLICE), f"{step}.{at}"))
            for at in range(0, size, SLICE)
        ]
        return list(self.workers(self.game, self.keying, tasks))

    def _empty(self, number: int) -> Known | Reached:
        if not gives_index(self.game):
            return Known(self.keying.bits, self.work, self.limits.memory)
        least, end = (self._first_of(above) for above in (number, number + 1))
        return Reached(least, end - least)

    def _first_of(self, number: int) -> int:
        """The first index of a tier of at least this number."""
        low, high = 0, int(contract.num_positions(self.game))
        if not gives_tier(self.game):
            return low if number <= 0 else high
        while low < high:
            middle = (low + high) // 2
            if tier(self.game, contract.position_at(self.game, middle)) < number:
                low = middle + 1
            else:
                high = middle
        return low

    # ---- solving ----

    def _solve(self, number: int) -> None:
        """Solves a tier, given those below."""
        this = Tier(self.folder, number)
        below = [Tier(self.folder, lower) for lower in this.facts.below]
        for each in (this, *below):
            each.check()
        needed = this.facts.size * _BYTES_A_POSITION
        if needed > self.limits.memory:
            raise LudusError(
                f"{this.name} has {len(this):,} positions, which take {in_bytes(needed)} of memory, and at most"
                f" {in_bytes(self.limits.memory)} may be used; the positions found are kept"
            )
        links = self._link(this)
        state = State(*(np.zeros(this.facts.size, kind) for kind in (np.uint16, open_kind(self.game))))
        step = _linked_at_once(this)
        for begin, files in zip(range(0, this.facts.size, step), links, strict=True):
            for name, column in (("code", state.code), ("open", state.open)):
                column[begin : begin + step] = np.fromfile(files.array(name), column.dtype)
        pairs = pairs_of(this, below)
        parts = range(0, this.facts.size, PART)
        arrivals = list(run_in_threads(partial(self._arrivals, links, begin, this.facts.size) for begin in parts))
        for files in links:
            files.remove(*ACTIONS)
        solve_tier(state, arrivals, pairs, partial(self._report, f"solving {this.name}", len(this)))
        write_values(values_path(self.folder, number), pairs.pairs, state.code)
        for path in self.work.iterdir():
            path.unlink()

    def _link(self, this: Tier) -> list[LinkFiles]:
        """The files of all slices of a tier, of which some may be there."""
        size, step = this.facts.size, _linked_at_once(this)
        links = {begin: LinkFiles(self.work / f"{this.number}.link.{begin}") for begin in range(0, size, step)}
        missing = {begin: files for begin, files in links.items() if not files.starts.exists()}
        tasks = [
            Task(f"link {this.number}", link_slice, (self.folder, this.number, at, min(size, at + step), files))
            for at, files in missing.items()
        ]
        for done, _ in enumerate(self.workers(self.game, self.keying, tasks), len(links) - len(missing) + 1):
            self.progress(f"expanding {this.name}", min(size, done * step), size)
            self._require_disk()
        return list(links.values())

    def _arrivals(self, links: Sequence[LinkFiles], begin: int, size: int) -> Arrivals:
        """The actions to a part of a tier; on disk, as they may be many."""
        part, actions = begin // PART, []
        for files in links:
            low, high = np.fromfile(files.starts, np.int64, 2, offset=8 * part).tolist()
            one, other = (np.fromfile(files.array(name), np.uint32, high - low, offset=4 * low) for name in ACTIONS)
            actions.append((one, other))
        found = arrivals_of(actions, begin, min(PART, size - begin))
        if size <= PART:
            return found
        return found._replace(
            first=_on_disk(self.work / f"first.{part}", found.first),
            sources=_on_disk(self.work / f"sources.{part}", found.sources),
        )

    def _require_disk(self) -> None:
        """Raises LudusError if the files take more than may be used."""
        used = sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())
        if used > self.limits.disk:
            raise LudusError(
                f"{self.folder} takes {in_bytes(used)} of disk by now, and at most {in_bytes(self.limits.disk)} may be"
                " used; what is finished is kept, and solving resumes there"
            )

    def _report(self, stage: str, total: int, done: int) -> None:
        self.progress(stage, done, total)


def _linked_at_once(this: Tier) -> int:
    """The positions of a task: more of a large tier, whose whole set is read for each."""
    return min(LINKED, max(SLICE, this.facts.size // _FEWEST_TASKS))


def _mapped(path: Path) -> Any:
    """The keys in a file."""
    return np.asarray(np.memmap(path, np.int64, "r")) if path.stat().st_size else np.zeros(0, np.int64)


def _on_disk(path: Path, array: Any) -> Any:
    """The same array, in a file, mapped into memory."""
    array.tofile(path)
    return np.memmap(path, array.dtype, "r") if len(array) else array


def read_manifest(folder: Path, game: Any, start: Any = None) -> Manifest:
    """What a tablebase says of itself; LudusError if it is damaged, or of other rules or another start."""
    path = folder / MANIFEST
    manifest = read_document(path, VERSION, Manifest)
    if manifest.fingerprint != fingerprint(game):
        raise LudusError(f"{path} was made for other rules: {manifest.game}")
    if start is not None and manifest.start != [int(field) for field in start]:
        raise LudusError(f"{path} was made from another position: remove it, or solve to another place")
    if len(manifest.start) != len(game.start()) or len(manifest.masks) != len(game.start()):
        raise LudusError(f"{path} is damaged: its positions are not those of the game")
    return manifest


def require_no_chance(game: Any) -> None:
    """Raise NoTablebaseError for a game of chance."""
    if gives_odds(game):
        raise NoTablebaseError(
            f"{type(game).__name__} leaves something to chance, and a tablebase holds no expected scores: list it"
        )


def build(
    game: Any,
    folder: Path,
    start: Any = None,
    *,
    limits: Limits | None = None,
    workers: Workers = in_threads,
    progress: Progress | None = None,
) -> None:
    """Makes the tablebase of a game in a folder, or resumes it; one process at a time."""
    validate(game)
    require_no_chance(game)
    made_folder(folder)
    with locked(folder / "lock", "in use"), _full_disks(folder):
        limits = limits or Limits(budget(), shutil.disk_usage(folder).free)
        Builder(game, game.start() if start is None else start, folder, limits, workers, progress).build()


@contextmanager
def _full_disks(folder: Path) -> Iterator[None]:
    """Turns what the system says of files into one line; what is finished stays."""
    try:
        yield
    except OSError as error:
        why = "the disk is full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else error.strerror
        raise LudusError(
            f"{folder} cannot be written: {why}; what is finished is kept, and solving resumes there"
        ) from None
