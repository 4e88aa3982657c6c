"""Solves a game: by retrograde analysis of all its positions where memory allows, else by search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import pairwise
from time import perf_counter
from typing import Any, Literal, NamedTuple, get_args, overload

import numpy as np

from ludus.compiled.masks import actions
from ludus.errors import LudusError
from ludus.game import CHANCE, gives_odds, symmetries, validate
from ludus.machine import budget
from ludus.playout import mean_plies
from ludus.solving import opening_book
from ludus.solving.alpha_beta import DEFAULT_MEMORY, Searcher, obstacle_to_search
from ludus.solving.expected import expected_scores
from ludus.solving.explore import Explored, explore, explore_further
from ludus.solving.forecast import Forecast, fewest_positions, in_bytes, known_forecast, remember_forecast
from ludus.solving.outcomes import Outcomes
from ludus.solving.retrograde import ENDLESS, solve_backwards
from ludus.solving.solution import Answers, Solution
from ludus.solving.tablebases.keys import NoTablebaseError
from ludus.solving.tablebases.tablebase import Tablebase, kept
from ludus.solving.tablebases.tabulation import tabulate
from ludus.solving.value import Value

Method = Literal["auto", "listed", "tablebase", "search"]
Proof = Literal["proof"]
Progress = Callable[[str, int, int | None], None]  # what is being done, how far it is, of how many
_FIRST_GLANCE = 100_000  # positions explored before a game is searched that is plainly too large
_GLANCE = 1_000_000  # positions explored before choosing between retrograde analysis and search
_LATER_GLANCES = (8_000_000, 64_000_000)  # positions after which the forecast is made again
_MORE_ROOM = 1.25  # times the memory of a forecast, before a game is tried again that did not fit
_LONGEST = 100_000  # plies of play that may never end
PATIENCE = 300_000_000  # nodes of search, some minutes, for plies, and for the values of actions below the best
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

    def partner(self, progress: Progress | None = None) -> Searched:
        """The same for another thread, or for other work: it shares the tables and has a `progress` of its own."""
        shown = progress and partial(_on_progress, progress, "searching", None)
        return Searched(self.game, self.start, self.searcher.partner(shown))

    @property
    def nodes(self) -> int:
        """The positions visited so far."""
        return self.searcher.nodes

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
        with suppress(TooCostlyError), self.within(PATIENCE):
            for action in sorted(known.keys() - best):
                known[action] = self.searcher.action(pos, action)
        return known

    def counts_plies(self, pos: Any) -> bool:
        """Whether the value of a position is found in some minutes."""
        with suppress(TooCostlyError), self.within(PATIENCE):
            self.value(pos)
            return True
        return False

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


Truth = Solution | Searched | Tablebase


@overload
def solve(
    game: Any, start: Any = None, *, method: Proof, memory: int | None = None, progress: Progress | None = None
) -> Outcomes: ...
@overload
def solve(
    game: Any,
    start: Any = None,
    *,
    also: Sequence[Any] = (),
    method: Method = "auto",
    symmetric: bool = False,
    memory: int | None = None,
    disk: int | None = None,
    progress: Progress | None = None,
) -> Truth: ...
def solve(
    game: Any,
    start: Any = None,
    *,
    also: Sequence[Any] = (),
    method: Method | Proof = "auto",
    symmetric: bool = False,
    memory: int | None = None,
    disk: int | None = None,
    progress: Progress | None = None,
) -> Truth | Outcomes:
    """The exact solution of a game from `start`, by default its own, and from the positions in `also`.

    Enumerates all positions if they are few, and makes a tablebase of more, which is kept, within `memory` and `disk`
    bytes (by default most of what is free). A game that does not fit, or grows too fast, is searched on demand, unless
    play can come back to a position or chance moves. With `symmetric`, one position stands for all its images. The
    method "proof" finds who wins, on demand, without counting plies.
    """
    validate(game)
    methods = *get_args(Method), *get_args(Proof)
    if method not in methods:
        raise LudusError(f"method must be one of {', '.join(methods)}, not {method!r}")
    start = game.start() if start is None else start
    if method == "search":
        return search(game, start, memory, progress)
    if method == "proof":
        return prove_outcomes(game, start, memory, progress)
    if method == "tablebase":
        return tabulate(game, start, memory=memory, disk=disk, progress=progress)
    return _enumerated_or_searched(game, start, also, method == "auto", symmetric, Room(memory, disk), progress)


class Room(NamedTuple):
    """Bytes of memory and disk that may be used; None for most of what is free."""

    memory: int | None
    disk: int | None


def _enumerated_or_searched(
    game: Any, start: Any, also: Sequence[Any], auto: bool, symmetric: bool, room: Room, progress: Progress | None
) -> Truth:
    """The solution by the enumeration of all positions; if `auto`, by tablebase or search where that is better."""
    may_tabulate = auto and not also and not gives_odds(game)
    if may_tabulate and (found := kept(game, start)) and len(found) > _GLANCE:
        return found
    memory = budget() if room.memory is None else room.memory
    enumeration = _Enumeration(game, start, symmetric and symmetries(game) > 1, memory, progress)
    try:
        explored = enumeration.explore(also, may_search=auto, may_tabulate=may_tabulate)
        if explored is not None:
            return solve_explored(explored, start, progress)
    except MemoryError:
        raise LudusError("too large to enumerate: the system gives no more memory") from None
    if auto and not enumeration.is_for_tablebase and not obstacle_to_search(game):
        return search(game, start, room.memory, progress)
    without_room = ""
    if may_tabulate:
        try:
            return tabulate(game, start, memory=room.memory, disk=room.disk, progress=progress)
        except NoTablebaseError as error:
            without_room = str(error)
    raise LudusError(enumeration.refusal(tried_search=auto, without_room=without_room))


class _Enumeration:
    """The attempt to enumerate a game within some memory; a forecast ends it early where it cannot succeed."""

    def __init__(self, game: Any, start: Any, symmetric: bool, room: int, progress: Progress | None) -> None:
        self.game, self.start, self.symmetric, self.room = game, start, symmetric, room
        self.forecast: Forecast | None = None
        self._limits: dict[str, Any] = {"memory": room, "progress": partial(_on_progress, progress, "exploring", None)}
        self._began = perf_counter()
        self.is_for_tablebase = False  # whether there are so many positions that a tablebase is the better way

    def explore(self, also: Sequence[Any], *, may_search: bool, may_tabulate: bool) -> Explored | None:
        """All positions; None if they do not fit, or if a tablebase or a search is the better way."""
        up_to = partial(explore, self.game, self.start, also=also, symmetric=self.symmetric)
        explored = up_to(limit=_FIRST_GLANCE, **self._limits)
        for limit, next_limit in pairwise((_FIRST_GLANCE, _GLANCE, *_LATER_GLANCES, _MOST)):
            if explored.complete or len(explored) <= limit:  # or memory has ended
                break
            if may_search and limit <= _GLANCE and self._grows(explored, limit) and not obstacle_to_search(self.game):
                return None
            if len(explored.level_sizes) > _LONGEST:
                raise LudusError(
                    f"too large to enumerate: play goes on for more than {_LONGEST:,} plies, perhaps for ever;"
                    " solve it from a later position or with smaller parameters"
                )
            if self._is_hopeless(explored, limit):
                return None
            if may_tabulate and limit > _GLANCE:
                self.is_for_tablebase = True
                return None
            explored = explore_further(explored, limit=next_limit, **self._limits)
        if explored.complete and self._bytes_of(explored) <= self.room:
            return explored
        self._foresee(explored, len(explored))
        return None

    def _grows(self, explored: Explored, limit: int) -> bool:
        """Whether positions grow so fast in number from level to level that enumerating them seems hopeless."""
        *whole, _ = explored.level_sizes
        if limit == _GLANCE:
            return sum(whole[-1:]) > sum(whole[:-1])
        return sum(whole[-1:]) > 2 * sum(whole[:-1]) and mean_plies(self.game, self.start) > 2 * len(whole)

    def _is_hopeless(self, explored: Explored, limit: int) -> bool:
        """Whether it is remembered, or random games prove, that there are more positions than fit."""
        if limit == _FIRST_GLANCE:
            self.forecast = known_forecast(self.game, self.start, self.symmetric)
            return self.forecast is not None and self.forecast.memory * _MORE_ROOM > self.room
        self._foresee(explored, fewest_positions(explored))
        return self._is_too_large()

    def _foresee(self, explored: Explored, positions: int) -> None:
        """Remember what so many positions take, if that is too much."""
        each = self._bytes_of(explored) / len(explored), 2 * (perf_counter() - self._began) / len(explored)
        self.forecast = Forecast(positions, int(positions * each[0]), positions * each[1])
        if self._is_too_large():
            remember_forecast(self.game, self.start, self.symmetric, self.forecast)

    def _is_too_large(self) -> bool:
        return self.forecast is not None and self.forecast.memory > self.room

    def _bytes_of(self, explored: Explored) -> int:
        """The memory of exploring and solving, more where chance plays."""
        has_chance = CHANCE in explored.room.mover[: explored.done]
        return explored.num_bytes + (120 * len(explored) + 25 * explored.edges if has_chance else 0)

    def refusal(self, *, tried_search: bool, without_room: str) -> str:
        """Why the game is not solved, with all that can still be done."""
        assert self.forecast is not None
        memory = in_bytes(int(self.forecast.memory * _MORE_ROOM))
        ways = ["from a later position", f"with more than {memory} of memory", "with smaller parameters"]
        ways += ["up to symmetry"] * (symmetries(self.game) > 1 and not self.symmetric)
        obstacle = obstacle_to_search(self.game)
        ways += ["by search"] * (not obstacle and not tried_search)
        searched = f"; it cannot be searched: {obstacle}" if obstacle and tried_search else ""
        tabulated = f"; {without_room}" if without_room else ""
        return (
            f"too large to enumerate: {self.forecast}, with {in_bytes(self.room)} to use{tabulated}{searched};"
            f" solve it {', '.join(ways[:-1])} or {ways[-1]}"
        )


def search(game: Any, start: Any, memory: int | None, progress: Progress | None) -> Searched:
    """The solution of a game by search, whatever its size."""
    on_progress = partial(_on_progress, progress, "searching", None)
    room = DEFAULT_MEMORY if memory is None else memory
    return Searched(game, start, Searcher(game, memory=room, progress=on_progress, book=opening_book.load(game)))


def prove_outcomes(game: Any, start: Any, memory: int | None, progress: Progress | None) -> Outcomes:
    """Who wins a game, by search, whatever its size."""
    on_progress = partial(_on_progress, progress, "searching for the winner", None)
    room = DEFAULT_MEMORY if memory is None else memory
    return Outcomes(game, start, memory=room, progress=on_progress, book=opening_book.load(game))


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
