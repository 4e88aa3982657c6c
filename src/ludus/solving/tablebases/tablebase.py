"""A tablebase on disk: the value of any position, read where it lies."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from ludus import face
from ludus.compiled.masks import actions, is_empty
from ludus.compiled.rows import unpack
from ludus.errors import LudusError
from ludus.files import home, is_there, made_folder
from ludus.fingerprints import fingerprint
from ludus.game import tier
from ludus.locks import locked
from ludus.solving.solution import Counts, after
from ludus.solving.tablebases.building import MANIFEST, read_manifest
from ludus.solving.tablebases.keys import canonical, key_of, keying_for
from ludus.solving.tablebases.tiers import ENDLESS, Tier, positions_path, values_path
from ludus.solving.value import Value


class NotCompleteError(LudusError):
    """A tablebase is still to be completed."""


class Tablebase:
    """The values of all positions reachable from `start`; a probe reads, and checks, a few blocks of a file."""

    method = "tablebase"
    gap = None
    nodes = 0  # of search

    def __init__(self, game: Any, folder: Path) -> None:
        self.game, self.folder = game, folder
        manifest = read_manifest(folder, game)
        if not manifest.complete:
            raise NotCompleteError(f"{folder} is not complete: solve the game again, which resumes it")
        self.start = unpack(game.start(), np.array(manifest.start, np.int64))
        self.keying = keying_for(game, np.array(manifest.masks, np.int64))
        self.numbers = manifest.tiers
        self._tiers: dict[int, Tier] = {}

    @property
    def symmetric(self) -> bool:
        """Whether a position stands for all its images under symmetry."""
        return self.keying.symmetric

    def tier(self, number: int) -> Tier:
        """One of its tiers."""
        if number not in self._tiers:
            self._tiers[number] = Tier(self.folder, number)
        return self._tiers[number]

    def files(self) -> Iterator[Path]:
        """All its files."""
        yield self.folder / MANIFEST
        for number in self.numbers:
            yield from (positions_path(self.folder, number), values_path(self.folder, number))

    def __len__(self) -> int:
        return sum(len(self.tier(number)) for number in self.numbers)

    def __contains__(self, pos: Any) -> bool:
        return self._found(pos) is not None

    def _found(self, pos: Any) -> tuple[int, int | None] | None:
        image = canonical(self.game, pos, self.keying)
        number = int(tier(self.game, image))
        key = key_of(self.game, image, self.keying, np.zeros(len(pos), np.int64))
        return self.tier(number).value(int(key)) if number in self.numbers and key >= 0 else None

    def value(self, pos: Any) -> Value:
        """The value of a position under perfect play."""
        found = self._found(pos)
        if found is None:
            raise LudusError(f"{face.format_position(self.game, pos)} cannot be reached from where this was solved")
        score, plies = found
        return Value(-score if self.game.player(pos) == 1 else score, plies)

    def actions(self, pos: Any) -> dict[int, Value]:
        """The value of each legal action, its plies counted from here."""
        return {action: after(self.value(self.game.play(pos, action))) for action in actions(self.game.legal(pos))}

    known_actions = actions

    def optimal(self, pos: Any) -> list[int]:
        """The actions that keep the score of a position, in any number of plies."""
        values = self.actions(pos)
        side = -1 if self.game.player(pos) == 1 else 1
        most = max((side * value.score for value in values.values()), default=0)
        return [action for action, value in values.items() if side * value.score == most]

    def best(self, pos: Any) -> list[int]:
        """The optimal actions that win fastest, or lose slowest; all of them in a draw."""
        values, optimal = self.actions(pos), self.optimal(pos)
        if is_empty(self.game.legal(pos)) or not values[optimal[0]].score:
            return optimal
        wins = (values[optimal[0]].score > 0) == (self.game.player(pos) == 0)
        plies = {action: values[action].plies or 0 for action in optimal}
        wanted = (min if wins else max)(plies.values())
        return [action for action in optimal if plies[action] == wanted]

    def partner(self, progress: Any = None) -> Tablebase:
        """The same for another thread: reading shares nothing that changes."""
        return self

    def within(self, nodes: int) -> AbstractContextManager[None]:
        """A context in which nothing is too costly."""
        return nullcontext()

    def counts(self) -> Counts:
        """Counts positions by value."""
        totals = dict.fromkeys(("positions", "terminal", "wins", "losses", "draws"), 0)
        longest = None
        for number in self.numbers:
            this = self.tier(number)
            totals["positions"] += len(this)
            totals["draws"] += this.counts[ENDLESS]
            for (score, plies), count in zip(this.pairs, this.counts[2:], strict=True):
                totals["wins" if score > 0 else "losses" if score < 0 else "draws"] += count
                totals["terminal"] += count * (plies == 0)
                if score:
                    longest = max(longest or 0, plies)
        return Counts(**totals, longest=longest)


# ---- those that are kept for the user ----


def folder_for(game: Any, start: Any) -> Path:
    """Where the tablebase of a game from a position is kept for the user."""
    begin = "" if start == game.start() else "-" + "_".join(str(int(field)) for field in start)
    return _kept() / f"{type(game).__name__}-{fingerprint(game)}{begin}"


def _kept() -> Path:
    return home() / "tablebases"


def kept(game: Any, start: Any) -> Tablebase | None:
    """The complete tablebase of a game from a position that is kept for the user; None if there is none."""
    if not any(_kept().glob(f"{type(game).__name__}-*")):  # saves taking the fingerprint
        return None
    folder = folder_for(game, start)
    if not is_there(folder / MANIFEST) or not read_manifest(folder, game, start).complete:
        return None
    return Tablebase(game, folder)


def kept_folders(game: Any) -> list[Path]:
    """The folders of all tablebases of a game that are kept for the user, complete or not."""
    whole = f"{type(game).__name__}-{fingerprint(game)}"
    return sorted(path for path in _kept().glob(f"{whole}*") if path.name == whole or path.name[len(whole)] == "-")


def remove(folder: Path) -> None:
    """Removes a tablebase, its manifest last, so that what is left of it can be removed again."""
    with locked(folder / "lock", "in use"):
        for path in sorted(folder.iterdir(), key=lambda path: path.name in (MANIFEST, "lock")):
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name != "lock":
                path.unlink()
    shutil.rmtree(folder)


def copy(tablebase: Tablebase, folder: Path) -> None:
    """Copies a complete tablebase to a folder, its manifest last."""
    made_folder(folder)
    for path in [*tablebase.files()][::-1]:
        shutil.copyfile(path, folder / path.name)
