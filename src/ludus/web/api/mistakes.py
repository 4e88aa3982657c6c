"""The worst mistakes of an agent."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel

from ludus import catalog, face
from ludus.grading.grade import grade
from ludus.grading.mistakes import Mistake
from ludus.solving.solution import Solution
from ludus.web.api.agents import age_of
from ludus.web.api.views import PROBLEMS, State, worth_of
from ludus.web.registry import AgentText, AskedGame, OnShelf
from ludus.web.solutions import truth_of
from ludus.web.workshop import InWorkshop, Tell

router = APIRouter(prefix="/api", tags=["agents"], responses=PROBLEMS)


_MOST = 20

_SAMPLED = 40  # positions of a game too large to list


class Play(BaseModel):
    """What the agent may do there, how likely, and what it leads to for it."""

    name: str
    probability: float
    words: str


class MistakeView(BaseModel):
    """A position in which the agent gives something away: how many points on average, and what would be right."""

    at: str
    player: int
    mover: str
    loss: float
    words: str
    plays: list[Play]
    right: list[str]


class Mistakes(BaseModel):
    """The worst of them, from positions that arise in the agent's own play."""

    state: State
    words: str
    decisions: int | None = None
    optimal: float | None = None
    mistakes: list[MistakeView] = []


@router.get("/mistakes")
def mistakes(game: AskedGame, agent: AgentText, shelf: OnShelf, workshop: InWorkshop) -> Mistakes:
    """The worst mistakes of an agent in a game; working them out takes some seconds."""
    truth = truth_of(workshop, game, game.start())
    if truth.state != "ready":
        return Mistakes(state=truth.state, words=truth.words)
    key = catalog.name_of(game), agent, age_of(agent)
    job = workshop.ask("mistakes", key, lambda on_progress: graded(shelf.agent(agent), game, truth.result, on_progress))
    return job.result if job.state == "ready" else Mistakes(state=job.state, words=job.words)


def graded(agent: Any, game: Any, truth: Any, on_progress: Tell) -> Mistakes:
    """The worst mistakes of an agent by the truth; agents with memory are refused."""

    def progress(stage: str, done: int, total: int | None) -> None:
        on_progress(f"{stage}: {done:,}" + (f" of {total:,}" if total else ""))

    found = grade(agent, game, solution=truth, positions=_SAMPLED, mistakes=_MOST, progress=progress)
    expected = isinstance(truth, Solution) and truth.gap is not None
    told = [_told(game, mistake, expected=expected) for mistake in found.mistakes]
    return Mistakes(
        state="ready", words="", decisions=found.all.decisions, optimal=float(found.all.optimal), mistakes=told
    )


def _told(game: Any, mistake: Mistake, *, expected: bool) -> MistakeView:
    def words(value: Any) -> str:
        return worth_of(game, value, mistake.player, expected=expected).words

    return MistakeView(
        at=face.format_position(game, mistake.position),
        player=mistake.player,
        mover=face.players(game)[mistake.player],
        loss=mistake.loss,
        words=words(mistake.value),
        plays=[Play(name=play.action, probability=play.probability, words=words(play.value)) for play in mistake.plays],
        right=list(mistake.right),
    )
