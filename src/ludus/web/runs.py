"""Runs: all of them, and what was set and measured of one."""

from __future__ import annotations

import json
from typing import Annotated, Literal

from fastapi import APIRouter, Path
from pydantic import BaseModel

from ludus import catalog
from ludus.errors import LudusError
from ludus.learning.changes import changeable
from ludus.learning.recorded import Damaged, Recorded, listed, recorded
from ludus.learning.runs import AGENT, METRICS, STATE, TIMES, Run
from ludus.parameters import format_with_parameters
from ludus.web.measures import MeasureView, measure_view
from ludus.web.school import AtSchool, School
from ludus.web.shelf import ID, OnShelf, Shelf, run_of
from ludus.web.views import PROBLEMS

router = APIRouter(prefix="/api", tags=["runs"], responses=PROBLEMS)

RunId = Annotated[str, Path(pattern=ID, description="The id of a run.")]


class RunCard(BaseModel):
    """A run in the list of all; `game` as the page names it, null if it is not among the games of this server."""

    run: str
    state: Literal["training", "finished", "stopped", "damaged"]
    words: str = ""
    game: str | None = None
    game_name: str = ""
    learner: str = ""
    written: str = ""
    games: int = 0
    planned: int = 0
    playable: bool = False
    last: MeasureView | None = None


class ChangeView(BaseModel):
    """A setting that changed, and after how many games."""

    name: str
    value: str
    games: int


class RunView(BaseModel):
    """One run with all that was set and measured."""

    card: RunCard
    settings: dict[str, str]
    changeable: list[str]
    changes: list[ChangeView]
    measures: list[MeasureView]
    seconds: float


@router.get("/runs")
def runs(shelf: OnShelf, school: AtSchool) -> list[RunCard]:
    """All runs, those worked on last first."""
    found = sorted(listed(), key=_age, reverse=True)
    return [_damaged(one) if isinstance(one, Damaged) else _card(one, shelf, school) for one in found]


@router.get("/runs/{run}")
def run(run: RunId, shelf: OnShelf, school: AtSchool) -> RunView:
    """One run."""
    found = recorded(run_of(run), run)
    return RunView(
        card=_card(found, shelf, school),
        settings=found.settings,
        changeable=list(changeable(found.run.learner)),
        changes=changes_of(found.run),
        measures=[measure_view(line) for line in found.lines],
        seconds=_seconds(found.run),
    )


def changes_of(run: Run) -> list[ChangeView]:
    """What changed on the way."""
    return [ChangeView(**change._asdict()) for change in run.plan.changes.changes]


def _age(one: Recorded | Damaged) -> float:
    path = one.path if isinstance(one, Damaged) else one.run.path
    times = [file.stat().st_mtime for name in (METRICS, STATE, AGENT) if (file := path / name).is_file()]
    return max(times, default=path.stat().st_mtime)


def _damaged(one: Damaged) -> RunCard:
    return RunCard(run=one.path.name, state="damaged", words=one.problem.replace(str(one.path), one.path.name))


def _card(one: Recorded, shelf: Shelf, school: School) -> RunCard:
    found = one.run
    has_learned = any((found.path / name).is_file() for name in (AGENT, STATE))
    name = catalog.learner_name(found.learner).rpartition("/")[2]
    game = shelf.written(found.game) if shelf.offers(found.game) else None
    at_work = school.is_at_work(found.name)
    return RunCard(
        run=found.name,
        state="training" if at_work else "finished" if found.is_finished else "stopped",
        game=game,
        game_name=game or catalog.name_of(found.game).rpartition("/")[2],
        learner=name,
        written=format_with_parameters(name, found.learner),
        games=one.games,
        planned=found.plan.games,
        playable=game is not None and has_learned,
        last=measure_view(one.lines[-1]) if one.lines else None,
    )


def _seconds(found: Run) -> float:
    """The time that was spent on it."""
    try:
        lines = (found.path / TIMES).read_text().splitlines() if (found.path / TIMES).is_file() else []
        return float(sum(json.loads(line)["seconds"] for line in lines))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LudusError(f"{TIMES} of {found.name} is damaged: {error}") from None
