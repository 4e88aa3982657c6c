"""A tablebase on disk: the value of any position, read where it lies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ludus import face
from ludus.compiled.masks import actions, is_empty
from ludus.compiled.rows import unpack
from ludus.errors import LudusError
from ludus.files import home
from ludus.fingerprints import fingerprint
from ludus.game import tier
from ludus.solving.solution import Counts, after
from ludus.solving.tablebases.building import read_manifest
from ludus.solving.tablebases.keys import canonical, key_of, keying_for
from ludus.solving.tablebases.tiers import ENDLESS, Tier
from ludus.solving.value import Value


class Tablebase:
    """The values of all positions reachable from `start`; each probe reads a few blocks of a file."""

    method = "tablebase"
    gap = None

    def __init__(self, game: Any, folder: Path) -> None:
        self.game, self.folder = game, folder
        manifest = read_manifest(folder, game)
        if not manifest.complete:
            raise LudusError(f"{folder} is not complete: solve the game again, and it goes on from there")
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

    def counts(self) -> Counts:
        """Counts positions by value."""
        totals = dict.fromkeys(Counts._fields, 0)
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
        return Counts(**totals | {"longest": longest})


def home_folder(game: Any) -> Path:
    """Where the tablebase of a game is kept for the user."""
    return home() / "tablebases" / f"{type(game).__name__}-{fingerprint(game)}"
