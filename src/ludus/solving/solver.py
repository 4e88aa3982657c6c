"""Solves a game: by retrograde analysis of all its positions where memory allows, else by search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Literal, get_args

import numpy as np

from ludus.compiled.masks import actions
from ludus.errors import LudusError
from ludus.game import CHANCE, symmetries, validate
from ludus.machine import budget
from ludus.playout import mean_plies
from ludus.solving import opening_book
from ludus.solving.alpha_beta import DEFAULT_MEMORY, Searcher, searchable
from ludus.solving.expected import expected_scores
from ludus.solving.explore import Explored, explore, explore_further
from ludus.solving.retrograde import ENDLESS, solve_backwards
from ludus.solving.solution import Answers, Solution
from ludus.solving.value import Value

Method = Literal["auto", "listed", "search"]
Progress = Callable[[str, int, int | None], None]  # what is being done, how far it is, of how many
_FIRST_GLANCE = 100_000  # positions explored before a game is searched that is plainly too large
_GLANCE = 1_000_000  # positions explored before choosing between retrograde analysis and search
_PATIENCE = 300_000_000  # nodes of search, some minutes, for the values of actions below the best
_MOST = (1 << 31) - 2  # positions that can be numbered
KEPT = 1_000_000  # positions whose graph a solution keeps


class TooCostlyError(Exception):
    """A search takes more nodes than it was allowed."""


class Searched:
    """The solution of a game too large to enumerate: every value is found by search."""

    method = "search"

    def __init__(self, game: Any, start: Any, searcher: Searcher) -> None:
        self.game, self.start, self.searcher = game, start, searcher

    def __contains__(self, pos: Any) -> bool:
        return True

    def value(self, pos: Any) -> Value:
        """The value of a position under perfect play."""
        return self.searcher.value(pos)

    def actions(self, pos: Any) -> dict[int, Value]:
        """The value of each legal action, its plies counted from here."""
        return self.searcher.actions(pos)

    def best(self, pos: Any) -> list[int]:
        """The actions that reach the value of a position: found faster than the value of each."""
        return self.searcher.best(pos)

    def optimal(self, pos: Any) -> list[int]:
        """The actions that keep the score of a position, in any number of plies."""
        return self.searcher.optimal(pos)

    def known_actions(self, pos: Any) -> dict[int, Value | None]:
        """The value of each legal action; None for those below the best that take too long."""
        value, best = self.value(pos), self.best(pos)
        known: dict[int, Value | None] = {a: value if a in best else None for a in actions(self.game.legal(pos))}
        with suppress(TooCostlyError), self.within(_PATIENCE):
            for action in sorted(known.keys() - best):
                known[action] = self.searcher.action(pos, action)
        return known

    @contextmanager
    def within(self, nodes: int) -> Iterator[None]:
        """Lets searches in this context raise TooCostlyError after this number of nodes."""
        progress, limit = self.searcher.progress, self.searcher.nodes + nodes

        def watch(visited: int) -> None:
            if progress:
                progress(visited)
            if visited > limit:
                raise TooCostlyError

        self.searcher.progress = watch
        try:
            yield
        finally:
            self.searcher.progress = progress


def solve(
    game: Any,
    start: Any = None,
    *,
    also: Sequence[Any] = (),
    method: Method = "auto",
    symmetric: bool = False,
    memory: int | None = None,
    progress: Progress | None = None,
) -> Solution | Searched:
    """The exact solution of a game from `start`, by default its own, and from the positions in `also`.

    Enumerates all positions if they fit `memory` bytes (by default most of what is free). A game that grows too fast is
    searched on demand, if it always ends and has no chance. With `symmetric`, one position stands for all its images.
    """
    validate(game)
    if method not in get_args(Method):
        raise LudusError(f"method must be one of {', '.join(get_args(Method))}, not {method!r}")
    start = game.start() if start is None else start
    if method == "search":
        return search(game, start, memory, progress)
    room = budget() if memory is None else memory
    on_progress = partial(_on_progress, progress, "exploring", None)
    symmetric = symmetric and symmetries(game) > 1
    up_to = partial(explore, game, start, also=also, symmetric=symmetric, memory=room, progress=on_progress)
    further = partial(explore_further, memory=room, progress=on_progress)
    glancing = method == "auto" and searchable(game)
    try:
        explored = _glanced(up_to, further, mean_plies(game, start)) if glancing else up_to(limit=_MOST)
        if explored.complete:
            for_chance = 120 * len(explored) + 25 * explored.edges if CHANCE in explored.graph.mover else 0
            if for_chance <= room:
                return solve_explored(explored, start, progress)
    except MemoryError:
        raise LudusError("too large to enumerate: the system gives no more memory") from None
    if glancing:
        return search(game, start, memory, progress)
    raise LudusError(_too_large(game, len(explored), room))


def _glanced(up_to: Callable[..., Explored], further: Callable[..., Explored], length: float) -> Explored:
    """All positions, or some where they grow too fast in number; `length`: the plies of a random game."""
    explored = up_to(limit=_FIRST_GLANCE)
    for limit, growth, next_limit in ((_FIRST_GLANCE, 2, _GLANCE), (_GLANCE, 1, _MOST)):
        *whole, _ = explored.level_sizes
        grows = sum(whole[-1:]) > growth * sum(whole[:-1]) and (limit == _GLANCE or length > 2 * len(whole))
        if explored.complete or grows or len(explored) <= limit:
            return explored
        explored = further(explored, limit=next_limit)
    return explored


def search(game: Any, start: Any, memory: int | None, progress: Progress | None) -> Searched:
    """The solution of a game by search, whatever its size."""
    on_progress = partial(_on_progress, progress, "searching", None)
    room = DEFAULT_MEMORY if memory is None else memory
    return Searched(game, start, Searcher(game, memory=room, progress=on_progress, book=opening_book.load(game)))


def solve_explored(explored: Explored, start: Any, progress: Progress | None = None) -> Solution:
    """The solution of a game that has been explored completely."""
    graph, size = explored.graph, len(explored)
    from_start = explored.start == start and explored.level_sizes[0] == 1 and not explored.lookup.symmetric
    kept = explored if from_start and size <= KEPT else None
    if CHANCE not in graph.mover:
        solved = solve_backwards(graph, explored.flips, partial(_on_progress, progress, "solving", size))
        return Solution(explored.game, start, Answers(explored.lookup, solved.score, solved.plies), explored=kept)
    if len(explored.flips):
        raise LudusError("symmetries that exchange the players cannot be used where chance plays; solve without them")
    expected = expected_scores(graph, progress=lambda share: _on_progress(progress, "solving", size, int(share * size)))
    answers = Answers(explored.lookup, expected.value, np.full(size, ENDLESS, np.int32))
    return Solution(explored.game, start, answers, float(expected.gap), kept)


def _on_progress(progress: Progress | None, stage: str, total: int | None, done: int) -> None:
    if progress:
        progress(stage, done, total)


def _too_large(game: Any, seen: int, room: int) -> str:
    ways = ["from a later position", "with more memory", "with smaller parameters"]
    ways += ["up to symmetry"] * (symmetries(game) > 1) + ["by search"] * searchable(game)
    size = f"{room / 1e9:.1f} GB" if room >= 1e9 else f"{room / 1e6:.0f} MB"
    return (
        f"too large to enumerate: after {seen:,} position{'s' * (seen != 1)} it would take more than {size} of memory;"
        f" solve it {', '.join(ways[:-1])} or {ways[-1]}"
    )
