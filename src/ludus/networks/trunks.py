"""The kinds of networks; apart from them, so that the command line can name them without NumPy."""

from __future__ import annotations

import enum


class Trunk(enum.Enum):
    """What stands between the inputs and the heads; auto: conv over boards of 4x4 and more, else dense."""

    AUTO = 0
    DENSE = 1
    CONV = 2
