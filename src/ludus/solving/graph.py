"""A game written out: which positions follow which."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

ENDED = 3  # stands for the mover where the game is over


class Graph(NamedTuple):
    """Positions 0, 1, ... in the order in which they were found, the start first, and the edges between them.

    first: where the edges of each position begin in `targets`, and at last where they end (int64, one longer than the
    positions); targets: the position behind each edge, in the order of the actions (int32 or int64); mover: 0, 1,
    CHANCE or ENDED (int8); score: for player 0 where the game is over, else 0 (int64); weights: how likely each edge of
    CHANCE is against the others of its position (float64, one an edge; empty where there is no chance).
    """

    first: npt.NDArray[np.int64]
    targets: npt.NDArray[np.integer]
    mover: npt.NDArray[np.int8]
    score: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float64]
