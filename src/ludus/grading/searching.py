"""What each action is worth in positions of a game too large to list, each position searched with limited effort."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ludus import catalog
from ludus.cluster import Job, Progress, run_jobs
from ludus.solving.search import Searcher
from ludus.solving.truth import Searched, TooCostlyError
from ludus.solving.value import Value

Worth = dict[int, Value] | None  # of each action; None where that costs too much
Tell = Callable[[int, int], None]

MOST_NODES = 1 << 22  # that a search may take for one position

# What one search finds makes the next one cheaper, so a search begins anew with each chunk, and its memory does not
# depend on the machine: what costs too much does so anywhere.
_CHUNK = 5
_MEMORY = 1 << 28
_FEW = 20  # positions that are searched sooner than processes begin


def worths(truth: Searched, positions: Sequence[Any], tell: Tell | None = None) -> list[Worth]:
    """The value of each action by one search, position after position."""
    found = list[Worth]()
    for pos in positions:
        if tell:
            tell(len(found), len(positions))
        found.append(_worth(truth, pos))
    return found


def _worth(truth: Searched, pos: Any) -> Worth:
    try:
        with truth.within(MOST_NODES):
            return truth.actions(pos)
    except TooCostlyError:
        return None


def worths_by_jobs(game: Any, on: str, positions: Sequence[Any], tell: Tell | None = None) -> list[Worth]:
    """The same by jobs on a place as `run_jobs` names them; few positions are searched here rather than on local."""
    here = on == "local=1" or (on == "local" and len(positions) <= _FEW)
    named = game if here else catalog.lasting_name(game)
    chunks = [positions[begin : begin + _CHUNK] for begin in range(0, len(positions), _CHUNK)]
    jobs = [Job(f"search {number}", search_chunk, (named, [*map(tuple, chunk)])) for number, chunk in enumerate(chunks)]
    found = dict[int, list[Worth]]()

    def told(progress: Progress) -> None:
        if tell:
            tell(min(progress.done * _CHUNK, len(positions)), len(positions))

    run_jobs(jobs, "local=1" if here else on, done=found.__setitem__, tell=told)
    return [worth for number in range(len(chunks)) for worth in found[number]]


def search_chunk(game: Any, positions: Sequence[tuple[int, ...]]) -> list[Worth]:
    """The value of each action in some positions, wherever this is; the game may be given by name."""
    chosen = catalog.make_game(game) if isinstance(game, str) else game
    start = chosen.start()
    return worths(Searched(chosen, start, Searcher(chosen, memory=_MEMORY)), [type(start)(*pos) for pos in positions])
