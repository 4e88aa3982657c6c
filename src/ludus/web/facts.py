"""What is known of a game: how it ends with perfect play, how many positions it has, and who says so."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel

from ludus import face
from ludus.solving.solution import Solution
from ludus.web.hints import listed_hints
from ludus.web.shelf import AskedGame
from ludus.web.truths import truth_of
from ludus.web.views import PROBLEMS, State, Worth, mover_name
from ludus.web.workshop import InWorkshop

router = APIRouter(prefix="/api", tags=["games"], responses=PROBLEMS)


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
def facts(game: AskedGame, workshop: InWorkshop) -> Facts:
    """Value, counts and first actions of a game, once it is solved."""
    start = game.start()
    mover = mover_name(game, int(game.player(start)))
    job = truth_of(workshop, game, start)
    if job.state != "ready":
        return Facts(state=job.state, words=job.words, mover=mover)
    if not isinstance(job.result, Solution):
        return Facts(state="ready", words="too large to list all its positions", mover=mover)
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
