"""The truth about the games that are open on the page."""

from __future__ import annotations

from functools import partial
from typing import Any

from ludus import catalog
from ludus.solving.solution import Solution
from ludus.solving.solver import Searched, solve
from ludus.web.workshop import Job, Tell, Workshop

MEMORY = 1 << 29  # bytes for listing a game, or for what a search remembers


Truth = Solution | Searched


def truth_of(workshop: Workshop, game: Any, pos: Any) -> Job:
    """The truth about a game from its start on, or from a position that cannot be reached from there."""
    job = _begun(workshop, game, None)
    if job.state != "ready" or pos in job.result:
        return job
    for other in workshop.find("truth"):
        if is_about(other.result, game) and pos in other.result:
            return other
    return _begun(workshop, game, pos)


def _begun(workshop: Workshop, game: Any, start: Any) -> Job:
    return workshop.ask("truth", (catalog.name_of(game), start), partial(_solved, game, start))


def _solved(game: Any, start: Any, on_progress: Tell) -> Truth:
    on_progress("solving the game")
    return solve(
        game, start, memory=MEMORY, progress=lambda stage, done, total: on_progress(f"{stage}: {done:,} positions")
    )


def is_about(truth: Truth, game: Any) -> bool:
    """Whether it is this game's."""
    return catalog.name_of(truth.game) == catalog.name_of(game)


def own_search(truth: Searched) -> Searched:
    """The same search for one more thread: it remembers what all of them find."""
    return Searched(truth.game, truth.start, truth.searcher.partner())


def known_truth(workshop: Workshop, game: Any, pos: Any, patience: float) -> Truth:
    """The truth that a position is part of; waits for it, BusyError if that takes too long."""
    truth: Truth = truth_of(workshop, game, pos).wait(patience)
    if pos not in truth:
        truth = truth_of(workshop, game, pos).wait(patience)
    return truth
