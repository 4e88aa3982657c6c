"""Endgame tables on disk: a file for each tier, which is all positions with one number in their heaps."""

from __future__ import annotations

import json
import shutil
from functools import cached_property
from itertools import count, takewhile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ludus.documents import Count, parse
from ludus.errors import LudusError
from ludus.files import home, is_there, made_folder
from ludus.parameters import format_with_parameters
from ludus.solving.endgames import LARGEST, Endgames, Values, tier_values
from ludus.solving.opening_book import searched_fingerprint
from ludus.solving.tablebases.files import ArrayFile, write_arrays


class _Facts(NamedTuple):
    """What a file says of itself."""

    game: str
    fingerprint: str
    in_heaps: Count


class EndgameFiles:
    """The endgame tables of a game that are kept for the user; LudusError for a file that is damaged or foreign."""

    def __init__(self, game: Any) -> None:
        self.game = game

    @cached_property
    def fingerprint(self) -> str:
        """The rules and the hooks that number positions."""
        return searched_fingerprint(self.game)

    @property
    def folder(self) -> Path:
        """Where the files are."""
        return _kept() / f"{type(self.game).__name__}-{self.fingerprint}"

    @property
    def folder_is_there(self) -> bool:
        """Whether anything may be there."""
        some = any(_kept().glob(f"{type(self.game).__name__}-*"))  # saves taking the fingerprint
        return some and self.folder.is_dir()

    def path(self, number: int) -> Path:
        """The file of a tier."""
        return self.folder / f"{number}.values"

    @property
    def most(self) -> int:
        """The number in the heaps up to which all tiers are there; -1 if none is."""
        if not self.folder_is_there:
            return -1
        return sum(1 for _ in takewhile(lambda number: is_there(self.path(number)), count())) - 1

    def read(self, number: int, values: Values) -> bool:
        """Reads the values of a tier, all of them checked; False if they are not there."""
        if not is_there(self.path(number)):
            return False
        file = ArrayFile(self.path(number))
        facts = parse(_Facts, json.dumps(file.facts), file.path)
        if (facts.fingerprint, facts.in_heaps) != (self.fingerprint, number):
            raise file.damaged(f"it is of other positions, {facts.in_heaps} in the heaps of {facts.game}")
        found = file.array("values")
        if found.dtype != np.int8 or found.shape != values.shape or found.min() < -LARGEST:
            raise file.damaged("it holds other values than it says")
        values[:] = found
        return True

    def keep(self, endgames: Endgames, number: int) -> None:
        """Writes the tier of this number."""
        made_folder(self.folder)
        facts = _Facts(format_with_parameters(type(self.game).__name__, self.game), self.fingerprint, number)
        write_arrays(self.path(number), facts._asdict(), {"values": tier_values(endgames, number)})

    @property
    def bytes(self) -> int:
        """The bytes of all files."""
        return sum(path.stat().st_size for path in self.folder.glob("*"))

    def remove(self) -> None:
        """Removes the folder."""
        try:
            shutil.rmtree(self.folder)
        except OSError as error:
            raise LudusError(f"{self.folder} cannot be removed: {error.strerror}") from None


def _kept() -> Path:
    return home() / "endgames"
