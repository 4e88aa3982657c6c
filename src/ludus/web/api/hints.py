"""Hints: what every action is worth, at once where the game is listed, closing in where it is searched."""

from __future__ import annotations

import time
from collections.abc import Iterator
from threading import BoundedSemaphore, Event
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from ludus.compiled.masks import actions, is_empty
from ludus.solving.search import Searcher
from ludus.solving.solution import Solution
from ludus.solving.solver import Searched, TooCostlyError
from ludus.solving.value import Value
from ludus.web.api.views import PROBLEMS, State, Worth, bounds_of, worth_of
from ludus.web.registry import AskedGame, AskedPosition
from ludus.web.solutions import own_search, truth_of
from ludus.web.workshop import InWorkshop, Job, Workshop, events, stream

router = APIRouter(prefix="/api", tags=["hints"], responses=PROBLEMS)


_SECONDS = 60.0  # of search for the hints in one position

_searching = BoundedSemaphore(2)  # how many positions are searched at once


class Hints(BaseModel):
    """What a position and each of its actions are worth to who moves there."""

    state: State
    words: str
    value: Worth | None = None
    actions: dict[int, Worth] = {}


@router.get("/hints")
def hints(game: AskedGame, pos: AskedPosition, workshop: InWorkshop) -> Hints:
    """The truth about a position; where it must be searched for, `/api/hints/stream` tells it."""
    return _hints(game, pos, truth_of(workshop, game, pos))


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
def hints_stream(game: AskedGame, pos: AskedPosition, workshop: InWorkshop, request: Request) -> StreamingResponse:
    """The same, told as it becomes known: server-sent events, the last of which is ready or refused."""
    return stream(request, lambda stopped: _told(game, pos, workshop, stopped))


def _told(game: Any, pos: Any, workshop: Workshop, stopped: Event) -> Iterator[Hints]:
    while (found := _hints(game, pos, truth_of(workshop, game, pos))).state == "working":
        yield found
        if stopped.wait(0.3):
            return
    if found.state != "searching":
        yield found
    elif not _searching.acquire(timeout=5):
        yield Hints(state="refused", words="other positions are being searched: ask again in a moment")
    else:
        try:
            truth: Searched = truth_of(workshop, game, pos).result
            yield from _closing_in(game, pos, own_search(truth).searcher, stopped)
        finally:
            _searching.release()


def _closing_in(game: Any, pos: Any, searcher: Searcher, stopped: Event) -> Iterator[Hints]:
    """Bounds of every action, a question to each in turn, until all are known or time is up."""
    player, end = int(game.player(pos)), time.monotonic() + _SECONDS
    after = {action: game.play(pos, action) for action in actions(game.legal(pos))}
    asked = {action: searcher.closing_in(to) for action, to in after.items() if not is_empty(game.legal(to))}
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
                low, high = (searcher.told(after[action], bound) for bound in next(bounds))
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
