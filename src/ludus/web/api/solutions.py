"""Exact values: of a game, a position, its actions, and the positions of a line; and canonical forms."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from threading import BoundedSemaphore, Event
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from ludus import catalog, face
from ludus.cgt.positions import canonical_form
from ludus.compiled.masks import is_empty
from ludus.game import CHANCE, gives_parts
from ludus.solving.action_bounds import Bounds, narrowed
from ludus.solving.alpha_beta import Searcher
from ludus.solving.solution import Solution
from ludus.solving.solver import Progress, Searched, TooCostlyError, Truth, solve
from ludus.solving.tablebases.tablebase import Tablebase
from ludus.web.api.views import Body, PositionView, State, ValueView, bounds_view, mover_name, position_view, value_view
from ludus.web.computing import Computing, ComputingDep
from ludus.web.jobs import Job, JobQueue, JobsDep, OnProgress, events, stream
from ludus.web.registry import GameDep, PositionDep, RegistryDep, Text, position_of

MEMORY = 1 << 29  # bytes for enumerating a game, or for a transposition table
_HINT_SECONDS = 60.0  # of search for the hints of one position
NOT_PROVEN = "not all of it is proven; the rest lies between the bounds shown"
_NODES_EACH = 1 << 20  # of search for one position of a line
_NODES_IN_ALL = 1 << 23
_LONGEST_LINE = 60  # plies
_searches = BoundedSemaphore(2)  # positions searched at the same time
router = APIRouter(tags=["solutions"])
Solved = Truth
T = TypeVar("T")


def solution_job(jobs: JobQueue, game: Any, pos: Any) -> Job:
    """The job that solves a game from its start, or from a position that is not reachable from there."""
    job = _solution_from(jobs, game, None)
    if job.state != "ready" or pos in job.result:
        return job
    name = catalog.name_of(game)
    for other in jobs.find("solution"):
        if catalog.name_of(other.result.game) == name and pos in other.result:
            return other
    return _solution_from(jobs, game, pos)


def _solution_from(jobs: JobQueue, game: Any, start: Any) -> Job:
    def work(on_progress: OnProgress) -> Solved:
        on_progress("solving the game")
        solved: Solved = solve(
            game,
            start,
            memory=MEMORY,
            disk=0,
            progress=lambda stage, done, total: on_progress(f"{stage}: {done:,} positions"),
        )
        if isinstance(solved, Searched):
            on_progress("compiling the search")
            solved.searcher.prepare()
        kept: Solved = own(solved)  # it outlives this job and its time limit
        return kept

    return jobs.submit("solution", (catalog.name_of(game), start), work)


async def solution_with(jobs: JobQueue, game: Any, pos: Any, patience: float) -> Solved:
    """Waits for a solution that contains a position; BusyError if that takes too long."""
    solved: Solved = await solution_job(jobs, game, pos).wait(patience)
    if pos not in solved:
        solved = await solution_job(jobs, game, pos).wait(patience)
    return solved


def own(solved: Solved, progress: Progress | None = None) -> Any:
    """The same solution for one thread and one question; a search shares its table, but neither work nor progress."""
    return solved if isinstance(solved, Solution) else solved.partner(progress)


# ---- hints ----


class Hints(BaseModel):
    """The value of a position and of each of its actions, for the side to move."""

    state: State
    words: str
    value: ValueView | None = None
    actions: dict[int, ValueView] = {}


@router.get("/hints")
def hints(game: GameDep, pos: PositionDep, jobs: JobsDep) -> Hints:
    """The value of a position and of each of its actions; `/api/hints/stream` follows a search."""
    job = solution_job(jobs, game, pos)
    if job.state != "ready":
        return Hints(state=job.state, words=job.words)
    if isinstance(job.result, Searched):
        return Hints(state="searching", words="searching")
    return solution_hints(game, pos, job.result)


def solution_hints(game: Any, pos: Any, solution: Solution | Tablebase) -> Hints:
    """The hints that a complete solution gives."""
    view = partial(value_view, game, player=int(game.player(pos)), expected=solution.gap is not None)
    values = {action: view(value) for action, value in solution.actions(pos).items()}
    return Hints(state="ready", words="", value=view(solution.value(pos)), actions=values)


@router.get("/hints/stream", response_class=StreamingResponse, responses={200: {"content": events(Hints)}})
def hints_stream(game: GameDep, pos: PositionDep, jobs: JobsDep, request: Request) -> StreamingResponse:
    """The same as server-sent events; the last one is ready or refused."""
    return stream(request, lambda stopped: _hint_updates(game, pos, jobs, stopped))


def _hint_updates(game: Any, pos: Any, jobs: JobQueue, stopped: Event) -> Iterator[Hints]:
    while (found := hints(game, pos, jobs)).state == "working":
        yield found
        if stopped.wait(0.3):
            return
    if found.state != "searching":
        yield found
    elif not _searches.acquire(timeout=5):
        yield Hints(state="refused", words="other positions are being searched: ask again in a moment")
    else:
        try:
            solved = own(solution_job(jobs, game, pos).result)
            yield from _narrowing_hints(game, pos, solved.searcher, stopped)
        finally:
            _searches.release()


def _narrowing_hints(game: Any, pos: Any, searcher: Searcher, stopped: Event) -> Iterator[Hints]:
    """Bounds of every action, narrowed in turn until all are exact or time is up."""
    end, latest = time.monotonic() + _HINT_SECONDS, Hints(state="ready", words="")

    def check(nodes: int) -> None:
        if stopped.is_set() or time.monotonic() > end:
            raise TooCostlyError

    searcher.progress = check
    try:
        for bounds in narrowed(searcher, pos):
            latest = _bounded_hints(game, pos, bounds)
            yield latest
    except TooCostlyError:
        yield latest.model_copy(update={"state": "ready", "words": NOT_PROVEN})
        return
    yield latest.model_copy(update={"state": "ready", "words": ""})


def _bounded_hints(game: Any, pos: Any, bounds: dict[int, Bounds]) -> Hints:
    """The hints that bounds of all actions give during a search."""
    player = int(game.player(pos))
    values = {
        action: value_view(game, one.low, player) if one.is_exact else bounds_view(game, *one, player)
        for action, one in bounds.items()
    }
    value = _best(values, exact=all(one.is_exact for one in bounds.values()))
    return Hints(state="searching", words="searching", value=value, actions=values)


def _best(values: dict[int, ValueView], *, exact: bool) -> ValueView | None:
    """The value of the position, None if it is not certain yet."""
    if not values:
        return None
    best = max(values.values(), key=_rank)
    most = max(value.own if value.high is None else value.high for value in values.values())
    return best if exact or (best.low is None and most <= best.own) else None


def _rank(value: ValueView) -> tuple[float, int]:
    """Orders by score, then by the sooner win and the later loss."""
    plies = value.plies or 0
    return value.own, -plies if value.own > 0 else plies


# ---- lines ----


class Line(Body):
    """Positions of a game."""

    game: Text
    at: list[Text] = Field(max_length=2000)


class Values(BaseModel):
    """The value of each position for player 0; null where it is not proven within a second or so."""

    state: State
    words: str
    values: list[ValueView | None] = []


class Move(BaseModel):
    """One ply of a line: the player, the action, and the position after it."""

    player: int
    action: int
    name: str
    at: str


class BestLine(BaseModel):
    """Optimal play from a position; `words` says why it breaks off, if it does."""

    state: State
    words: str
    moves: list[Move] = []
    view: PositionView | None = None


def _positions(line: Line, registry: RegistryDep) -> tuple[Any, list[Any]]:
    game = registry.game(line.game)
    return game, [position_of(game, at) for at in line.at]


@router.post("/values")
async def values(
    line: Annotated[tuple[Any, list[Any]], Depends(_positions)], jobs: JobsDep, computing: ComputingDep
) -> Values:
    """The value of each position of a line, for player 0."""
    game, positions = line
    job = solution_job(jobs, game, positions[0] if positions else game.start())
    if job.state != "ready":
        return Values(state=job.state, words=job.words)

    def work() -> Values:
        solved = own(job.result)
        return Values(state="ready", words="", values=[_value(solved, game, pos) for pos in positions])

    return await _found(computing, job.result, work)


async def _found(computing: Computing, solved: Solved, work: Callable[[], T]) -> T:
    """The result of some work with a solution: among the heavy questions where it searches."""
    return await (computing(work) if isinstance(solved, Searched) else run_in_threadpool(work))


def _value(solved: Solved, game: Any, pos: Any) -> ValueView | None:
    if not isinstance(solved, Searched):
        return value_view(game, solved.value(pos), 0, expected=solved.gap is not None) if pos in solved else None
    if solved.searcher.nodes > _NODES_IN_ALL and not is_empty(game.legal(pos)):
        return None
    try:
        with solved.within(_NODES_EACH):
            return value_view(game, solved.value(pos), 0)
    except TooCostlyError:
        return None


@router.get("/line")
async def line(game: GameDep, pos: PositionDep, jobs: JobsDep, computing: ComputingDep) -> BestLine:
    """Optimal play from a position: the first of the best actions at every ply."""
    job = solution_job(jobs, game, pos)
    if job.state != "ready":
        return BestLine(state=job.state, words=job.words)
    return await _found(computing, job.result, lambda: best_line(game, pos, own(job.result)))


def best_line(game: Any, pos: Any, solved: Solved) -> BestLine:
    """Optimal play from a position, as far as it is found soon."""
    moves, words = list[Move](), ""
    while not words and not is_empty(game.legal(pos)) and len(moves) < _LONGEST_LINE:
        player = int(game.player(pos))
        if player == CHANCE:
            words = "then chance decides"
            break
        try:
            action = _best_action(solved, game, pos)
        except TooCostlyError:
            words = "from here on no move is proven to be the best"
            break
        name = face.action_name(game, pos, action)
        pos = game.play(pos, action)
        moves.append(Move(player=player, action=action, name=name, at=face.format_position(game, pos)))
    return BestLine(state="ready", words=words, moves=moves, view=position_view(game, pos))


def _best_action(solved: Solved, game: Any, pos: Any) -> int:
    if isinstance(solved, Searched):
        with solved.within(_NODES_EACH):
            return solved.best(pos)[0]
    values = solution_hints(game, pos, solved).actions
    return max(values, key=lambda action: _rank(values[action]))


# ---- a game as a whole, and canonical forms ----


class GameSolution(Hints):
    """The hints of the start with the names of its actions; `counts` of positions only where all were enumerated.

    `counts`: positions, terminal, wins, losses, draws (for the side to move), and the plies of the longest forced win.
    """

    mover: str
    names: dict[int, str] = {}
    counts: dict[str, int | None] | None = None


@router.get("/solution")
def solution(game: GameDep, jobs: JobsDep) -> GameSolution:
    """The value of a game, of its first actions, and how many positions have which value."""
    job = solution_job(jobs, game, game.start())
    if isinstance(job.result, Solution | Tablebase):
        return game_solution(game, job.result)
    words = "too large to enumerate its positions" if job.state == "ready" else job.words
    return GameSolution(state=job.state, words=words, mover=mover_name(game, int(game.player(game.start()))))


def game_solution(game: Any, solution: Solution | Tablebase) -> GameSolution:
    """The summary of a complete solution."""
    start = game.start()
    found = solution_hints(game, start, solution)
    return GameSolution(
        **dict(found),
        mover=mover_name(game, int(game.player(start))),
        names={action: face.action_name(game, start, action) for action in found.actions},
        counts=solution.counts()._asdict(),
    )


class CanonicalForm(BaseModel):
    """A canonical form in the usual notation."""

    state: State
    words: str
    form: str | None = None


@router.get("/canonical-form")
def position_form(game: GameDep, pos: PositionDep, jobs: JobsDep) -> CanonicalForm:
    """The canonical form of a position, in games that split positions into the parts of a sum."""
    if not gives_parts(game):
        return CanonicalForm(state="refused", words="its positions have no canonical forms")

    def work(on_progress: OnProgress) -> str:
        on_progress("computing the canonical form")
        return str(canonical_form(game, pos))

    job = jobs.submit("form", (catalog.name_of(game), pos), work)
    return CanonicalForm(state=job.state, words=job.words, form=job.result)
