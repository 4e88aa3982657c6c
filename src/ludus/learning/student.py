"""A learner at work on one game: what the training asks of every kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from ludus.learning.lesson import Setting
from ludus.learning.plan import Bans
from ludus.learning.restrictions import forbidden

Arrays = dict[str, npt.NDArray[Any]]


class Student(ABC):
    """A training in progress, which may stop and be saved whenever `learn` returns."""

    def __init__(self, game: Any, config: Any) -> None:
        self.game, self.config = game, config
        self.forbidden = forbidden(game, Bans(()))

    @property
    @abstractmethod
    def games(self) -> int:
        """The games played so far."""

    @property
    @abstractmethod
    def turns(self) -> int:
        """The plies played so far."""

    @property
    @abstractmethod
    def results(self) -> npt.NDArray[np.int64]:
        """Of the learner's own games by its player: WINS, DRAWS, LOSSES, CUT."""

    @abstractmethod
    def learn(self, opponent: Any, setting: Setting, until: int) -> bool:
        """Play and learn up to game `until`, or for some time; whether it was that far."""

    def change(self, config: Any) -> None:
        """Go on with other settings, which differ in what the config calls changeable."""
        self.config = config

    @abstractmethod
    def begin(self, knowledge: Arrays) -> None:
        """Know before the first game what another learner of this kind has learned; so does a twin."""

    @abstractmethod
    def knowledge(self) -> Arrays:
        """What it has learned so far: what its config's `agent(game, knowledge)` needs."""

    @abstractmethod
    def measures(self) -> dict[str, Any]:
        """What it can tell of itself when it is measured, as JSON."""

    @abstractmethod
    def arrays(self) -> Arrays:
        """All that is needed to go on from here."""

    @abstractmethod
    def restore(self, arrays: Arrays) -> None:
        """Go on from what `arrays` gave."""
