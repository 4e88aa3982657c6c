"""Endgame tables on disk: computed, read and verified, and a search without and with them.

    python -m bench.endgames [GAME] [MOST]

All times are processor seconds of this process; tables lie in a temporary folder.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import ludus
from ludus.solving.alpha_beta import Searcher
from ludus.solving.endgame_tables import tabulate
from ludus.solving.endgame_verification import verify

GAME, MOST = "mancala(capture=empty, leftovers=owner)", 16


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """The processor seconds of some work, and its result."""
    began = time.process_time()
    result = work()
    return time.process_time() - began, result


def search(game: Any) -> str:
    """A search from the start, in words."""
    searcher = Searcher(game)
    searcher.prepare()
    seconds, value = timed(lambda: searcher.value(game.start()))
    most = searcher._search.endgames.most
    return f"{seconds:.1f} s, {searcher.nodes:,} nodes, value {value.score:+}, endgames up to {most}"


def main(name: str = GAME, most: str = str(MOST)) -> None:
    """Print the figures of a game."""
    game = ludus.make_game(name)
    with tempfile.TemporaryDirectory() as warm:  # compiles
        os.environ["LUDUS_HOME"] = warm
        verify(game, tabulate(game, 8))
    with tempfile.TemporaryDirectory() as home:
        os.environ["LUDUS_HOME"] = home
        print("search without tables:", search(game))
        print("search with its own tables:", search(game))
    with tempfile.TemporaryDirectory() as home:
        os.environ["LUDUS_HOME"] = home
        computing, table = timed(lambda: tabulate(game, int(most)))
        reading, _ = timed(lambda: tabulate(game, int(most)))
        verifying, _ = timed(lambda: verify(game, table))
        print(f"{len(table.values):,} positions with at most {most} in their heaps, {computing:.1f} s to compute")
        print(f"read and checked: {reading:.2f} s, 1/{computing / reading:.0f} of that; verified: {verifying:.1f} s")
        print("search with all tables:", search(game))


if __name__ == "__main__":
    main(*sys.argv[1:])
