"""The searches of the contest: a fixed number of simulations from open positions."""

from __future__ import annotations

SIMULATIONS = 1000
EXPLORATION = 1.4
SEED = 1

# The actions, as Ludus numbers them, that lead from the start to each position.
OPENINGS: dict[str, tuple[tuple[int, ...], ...]] = {
    "tic_tac_toe": ((), (0,), (1,), (4,)),
    "connect_four": ((), (3,), (3, 3), (3, 2, 3), (0, 3, 1, 4, 3, 3), (3, 3, 3, 3, 3, 2)),
    "mancala": ((), (3,), (3, 0), (5, 2), (1, 5, 3), (2, 1, 4, 3)),
}
