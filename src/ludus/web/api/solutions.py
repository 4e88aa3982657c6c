"""Exact values: of a game, a position, each action, a line of play; and canonical forms."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from threading import BoundedSemaphore, Event
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field, StringConstraints

from ludus import catalog, face
from ludus.cgt.positions import canonical_form
from ludus.compiled.masks import actions, is_empty
from ludus.game import CHANCE, gives_parts
from ludus.solving.alpha_beta import Searcher
from ludus.solving.solution import Solution
from ludus.solving.solver import Searched, TooCostlyError, solve
from ludus.solving.value import Value
from ludus.web.api.views import Body, State, View, Worth, bounds_of, mover_name, view_of, worth_of
from ludus.web.jobs import Job, JobQueue, JobsDep, Tell, events, stream
from ludus.web.registry import LONGEST, AskedGame, AskedPosition, RegistryDep, position_of

MEMORY = 1 << 29  # bytes for listing a game, or for what a search remembers


Truth = Solution | Searched


def truth_of(jobs: JobQueue, game: Any, pos: Any) -> Job:
    """The truth about a game from its start on, or from a position that cannot be reached from there."""
    job = _begun(jobs, game, None)
    if job.state != "ready" or pos in job.result:
        return job
    for other in jobs.find("truth"):
        if is_about(other.result, game) and pos in other.result:
            return other
    return _begun(jobs, game, pos)


def _begun(jobs: JobQueue, game: Any, start: Any) -> Job:
    return jobs.ask("truth", (catalog.name_of(game), start), partial(_solved, game, start))


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


def known_truth(jobs: JobQueue, game: Any, pos: Any, patience: float) -> Truth:
    """The truth that a position is part of; waits for it, BusyError if that takes too long."""
    truth: Truth = truth_of(jobs, game, pos).wait(patience)
    if pos not in truth:
        truth = truth_of(jobs, game, pos).wait(patience)
    return truth


router = APIRouter(tags=["solutions"])


_SECONDS = 60.0  # of search for the hints in one position


_searching = BoundedSemaphore(2)  # how many positions are searched at once


class Hints(BaseModel):
    """What a position and each of its actions are worth to who moves there."""

    state: State
    words: str
    value: Worth | None = None
    actions: dict[int, Worth] = {}


@router.get("/hints")
def hints(game: AskedGame, pos: AskedPosition, jobs: JobsDep) -> Hints:
    """The truth about a position; where it must be searched for, `/api/hints/stream` tells it."""
    return _hints(game, pos, truth_of(jobs, game, pos))


def _hints(game: Any, pos: Any, job: Job) -> Hints:
    if job.state != "ready":
        return Hints(state=job.state, words=job.words)
    if isinstance(job.result, Searched):
        return Hints(state="searching", words="searching")
    return listed_hints(game, pos, job.result)


def listed_hints(game: Any, pos: Any, truth: Solution) -> Hints:
    """Hints by the solution of a game."""
    player, expected = int(game.player(pos)), truth.gap is not None
    values = truth.actions(pos)
    told = {action: worth_of(game, value, player, expected=expected) for action, value in values.items()}
    value = worth_of(game, truth.value(pos), player, expected=expected)
    return Hints(state="ready", words="", value=value, actions=told)


# ---- searched: streamed ----


@router.get("/hints/stream", response_class=StreamingResponse, responses={200: {"content": events(Hints)}})
def hints_stream(game: AskedGame, pos: AskedPosition, jobs: JobsDep, request: Request) -> StreamingResponse:
    """The same, told as it becomes known: server-sent events, the last of which is ready or refused."""
    return stream(request, lambda stopped: _told(game, pos, jobs, stopped))


def _told(game: Any, pos: Any, jobs: JobQueue, stopped: Event) -> Iterator[Hints]:
    while (found := _hints(game, pos, truth_of(jobs, game, pos))).state == "working":
        yield found
        if stopped.wait(0.3):
            return
    if found.state != "searching":
        yield found
    elif not _searching.acquire(timeout=5):
        yield Hints(state="refused", words="other positions are being searched: ask again in a moment")
    else:
        try:
            truth: Searched = truth_of(jobs, game, pos).result
            yield from _closing_in(game, pos, own_search(truth).searcher, stopped)
        finally:
            _searching.release()


def _closing_in(game: Any, pos: Any, searcher: Searcher, stopped: Event) -> Iterator[Hints]:
    """Bounds of every action, a question to each in turn, until all are known or time is up."""
    player, end = int(game.player(pos)), time.monotonic() + _SECONDS
    after = {action: game.play(pos, action) for action in actions(game.legal(pos))}
    asked = {action: searcher.narrowing(to) for action, to in after.items() if not is_empty(game.legal(to))}
    told = {
        action: worth_of(game, _after(searcher.value(to)), player)
        for action, to in after.items()
        if action not in asked
    }

    def watch(nodes: int) -> None:
        if stopped.is_set() or time.monotonic() > end:
            raise TooCostlyError

    searcher.progress = watch
    try:
        while asked:
            for action, bounds in list(asked.items()):
                low, high = (searcher.as_value(after[action], bound) for bound in next(bounds))
                if low == high:
                    del asked[action]
                    told[action] = worth_of(game, _after(low), player)
                else:
                    told[action] = bounds_of(low, high, player)
            yield Hints(state="searching", words="searching", value=_best(told, exact=not asked), actions=told)
    except TooCostlyError:
        yield Hints(
            state="ready", words="too far from the end to be known soon", value=_best(told, exact=False), actions=told
        )
        return
    yield Hints(state="ready", words="", value=_best(told, exact=True), actions=told)


def _after(value: Value) -> Value:
    """The value one ply earlier; draws are not counted in plies."""
    return value if value.plies is None or value.score == 0 else value._replace(plies=value.plies + 1)


def _best(told: dict[int, Worth], *, exact: bool) -> Worth | None:
    """What the position is worth, if that is certain."""
    if not told:
        return None
    best = max(told.values(), key=rank)
    return best if exact or (best.low is None and all(_most(worth) <= best.own for worth in told.values())) else None


def _most(worth: Worth) -> float:
    return worth.own if worth.high is None else worth.high


def rank(worth: Worth) -> tuple[float, int]:
    """The more the better; then the sooner a win, the later a loss."""
    plies = worth.plies or 0
    return worth.own, -plies if worth.own > 0 else plies


_NODES_EACH = 1 << 20  # of search for one position


_NODES_IN_ALL = 1 << 23


_LONGEST_LINE = 60  # plies


PositionTexts = list[Annotated[str, StringConstraints(max_length=LONGEST)]]


class Line(Body):
    """Positions whose values are asked for."""

    game: str = Field(max_length=LONGEST)
    at: PositionTexts = Field(max_length=2000)


class Values(BaseModel):
    """The value of each, as player 0 sees it; null where it is not soon known."""

    state: State
    words: str
    values: list[Worth | None] = []


class Move(BaseModel):
    """One ply of a line: who does what, and the position after it."""

    player: int
    action: int
    name: str
    at: str


class BestLine(BaseModel):
    """Perfect play from a position on; `words` says why it breaks off, if it does."""

    state: State
    words: str
    moves: list[Move] = []
    view: View | None = None


@router.post("/values")
def values(line: Line, registry: RegistryDep, jobs: JobsDep) -> Values:
    """The value of each position of a game, as player 0 sees it."""
    game = registry.game(line.game)
    positions = [position_of(game, at) for at in line.at]
    job = truth_of(jobs, game, positions[0] if positions else game.start())
    if job.state != "ready":
        return Values(state=job.state, words=job.words)
    found = [_value(truth, game, pos) for truth in [_thrifty(job.result)] for pos in positions]
    return Values(state="ready", words="", values=found)


def _thrifty(truth: Truth) -> Truth:
    return own_search(truth) if isinstance(truth, Searched) else truth


def _value(truth: Truth, game: Any, pos: Any) -> Worth | None:
    if isinstance(truth, Solution):
        return worth_of(game, truth.value(pos), 0, expected=truth.gap is not None) if pos in truth else None
    if truth.searcher.nodes > _NODES_IN_ALL and not is_empty(game.legal(pos)):
        return None
    try:
        with truth.within(_NODES_EACH):
            return worth_of(game, truth.value(pos), 0)
    except TooCostlyError:
        return None


@router.get("/line")
def best_line(game: AskedGame, pos: AskedPosition, jobs: JobsDep) -> BestLine:
    """Perfect play from a position on: the first of the best actions at every ply."""
    job = truth_of(jobs, game, pos)
    if job.state != "ready":
        return BestLine(state=job.state, words=job.words)
    return _best_line(game, pos, _thrifty(job.result))


def _best_line(game: Any, pos: Any, truth: Truth) -> BestLine:
    moves: list[Move] = []
    words = ""
    while not words and not is_empty(game.legal(pos)) and len(moves) < _LONGEST_LINE:
        if game.player(pos) == CHANCE:
            words = "then chance decides"
            break
        try:
            action = _best_action(truth, game, pos)
        except TooCostlyError:
            words = "the rest is not soon known"
            break
        name, player = face.action_name(game, pos, action), int(game.player(pos))
        pos = game.play(pos, action)
        moves.append(Move(player=player, action=action, name=name, at=face.format_position(game, pos)))
    return BestLine(state="ready", words=words, moves=moves, view=view_of(game, pos))


def _best_action(truth: Truth, game: Any, pos: Any) -> int:
    if isinstance(truth, Searched):
        with truth.within(_NODES_EACH):
            return truth.best(pos)[0]
    told = listed_hints(game, pos, truth).actions
    return max(told, key=lambda action: rank(told[action]))


class CountsView(BaseModel):
    """Reachable positions by their value for the player to move; `longest`: the plies of the longest forced win."""

    positions: int
    terminal: int
    wins: int
    losses: int
    draws: int
    longest: int | None


class FirstAction(BaseModel):
    """What an action at the start is worth to who takes it."""

    action: int
    name: str
    worth: Worth


class Facts(BaseModel):
    """The truth about a game from its start: nothing of a game that is too large to list, beyond what is `known`."""

    state: State
    words: str
    mover: str
    value: Worth | None = None
    counts: CountsView | None = None
    actions: list[FirstAction] = []


@router.get("/facts")
def facts(game: AskedGame, jobs: JobsDep) -> Facts:
    """Value, counts and first actions of a game, once it is solved."""
    start = game.start()
    mover = mover_name(game, int(game.player(start)))
    job = truth_of(jobs, game, start)
    if job.state != "ready":
        return Facts(state=job.state, words=job.words, mover=mover)
    if not isinstance(job.result, Solution):
        return Facts(state="ready", words="too large to enumerate its positions", mover=mover)
    return listed_facts(game, job.result)


def listed_facts(game: Any, solution: Solution) -> Facts:
    """The facts by the solution of a game."""
    start = game.start()
    found = listed_hints(game, start, solution)
    told = [
        FirstAction(action=action, name=face.action_name(game, start, action), worth=worth)
        for action, worth in found.actions.items()
    ]
    counts = CountsView(**solution.counts()._asdict())
    mover = mover_name(game, int(game.player(start)))
    return Facts(state="ready", words="", mover=mover, value=found.value, counts=counts, actions=told)


class Form(BaseModel):
    """A canonical form as it is written; nothing in games that have none."""

    state: State
    words: str
    form: str | None = None


@router.get("/form")
def form(game: AskedGame, pos: AskedPosition, jobs: JobsDep) -> Form:
    """The canonical form of a position; of games that tell the parts of a sum only."""
    if not gives_parts(game):
        return Form(state="refused", words="its positions have no canonical forms")
    job = jobs.ask("form", (catalog.name_of(game), pos), partial(_found, game, pos))
    return Form(state=job.state, words=job.words, form=job.result)


def _found(game: Any, pos: Any, on_progress: Tell) -> str:
    on_progress("working out the canonical form")
    return str(canonical_form(game, pos))
