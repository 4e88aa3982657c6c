"""Where the agents of a match sit; apart from `match`, so that the command line can name it without NumPy."""

from __future__ import annotations

import enum


class Seats(enum.Enum):
    """Where the first agent sits: as player 0, as player 1, or in turns."""

    FIRST = "first"
    SECOND = "second"
    ALTERNATE = "alternate"
