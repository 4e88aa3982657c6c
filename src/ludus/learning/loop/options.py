"""The settings of each learner; apart from the learners, so that the command line can name them without NumPy."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass


class RandomSide(enum.Enum):
    """Who plays at random where games begin; the other plays what it knows."""

    FIRST = 0
    SECOND = 1
    BOTH = 2
    ANY = 3


class Starts(enum.Enum):
    """Where games begin: at the game's own start, anywhere that can be reached from it, or in half of them there."""

    OWN = 0
    ANY = 1
    BOTH = 2
