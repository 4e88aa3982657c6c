"""What was measured of a run, as the page draws it."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel

from ludus import catalog
from ludus.errors import LudusError
from ludus.learning.loop.evaluation import Line
from ludus.learning.loop.plan import changeable
from ludus.learning.runs import AGENT, CHECKPOINT, METRICS, TIMES, Run
from ludus.learning.runs.history import DamagedRun, History, list_runs, parse_evaluation, read_history
from ludus.parameters import format_with_parameters
from ludus.web.registry import ID, Registry, RegistryDep, run_of
from ludus.web.trainings import Trainings, TrainingsDep

router = APIRouter(tags=["runs"])


class Score(BaseModel):
    """Games against one agent, from both seats."""

    wins: int
    draws: int
    losses: int


class MeasureView(BaseModel):
    """After so many games: the share of optimal decisions, and the guaranteed result moving first and second.

    Both are null without a solution; `loss` is that of a network, `error` the mean one of a table's values.
    """

    games: int
    decisions: int
    accuracy: float | None
    guarantee: list[str] | None
    against: dict[str, Score]
    loss: float | None
    error: float | None


def measure_view(line: Line) -> MeasureView:
    """A line of metrics; KeyError, TypeError or ValueError for one that is damaged."""
    found = parse_evaluation(line)
    guarantee = found.guarantee and [_guaranteed(found.guarantee[seat]) for seat in ("first", "second")]
    against = {
        name: Score(wins=result.wins, draws=result.draws, losses=result.losses)
        for name, result in found.against.items()
    }
    loss = line.get("loss")
    return MeasureView(
        games=found.games,
        decisions=found.decisions,
        accuracy=found.accuracy,
        guarantee=guarantee or None,
        against=against,
        loss=None if loss is None else float(loss),
        error=_mean_error(found.error),
    )


def _guaranteed(guarantee: Line) -> str:
    return guarantee["result"] or f"{guarantee['score']:+.2f}"


def _mean_error(columns: Any) -> float | None:
    """Of all values that were taught."""
    entries = sum(columns.entries) if columns else 0
    if not entries:
        return None
    return float(sum(count * mean for count, mean in zip(columns.entries, columns.mean, strict=True)) / entries)


class Checkpoint(BaseModel):
    """The games played so far, and how many decisions were optimal then, if it was graded."""

    games: int
    optimal: float | None
    decisions: int | None


@router.get("/checkpoints")
def checkpoints(run: Annotated[str, Query(pattern=ID, description="The id of a run.")]) -> list[Checkpoint]:
    """The checkpoints of a run, the earliest first; none of a run whose tables are large."""
    return checkpoints_of(run_of(run))


def checkpoints_of(found: Run) -> list[Checkpoint]:
    """The same of a run that was found."""
    measures = {measure.games: measure for measure in map(parse_evaluation, found.metrics())}
    told = []
    for games in found.snapshots():
        measure = measures.get(games)
        graded = measure is not None and measure.optimal is not None
        optimal, decisions = (measure.optimal, measure.decisions) if measure and graded else (None, None)
        told.append(Checkpoint(games=games, optimal=optimal, decisions=decisions))
    return told


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
def runs(registry: RegistryDep, trainings: TrainingsDep) -> list[RunCard]:
    """All runs, those worked on last first."""
    found = sorted(list_runs(), key=_age, reverse=True)
    return [_damaged(one) if isinstance(one, DamagedRun) else _card(one, registry, trainings) for one in found]


@router.get("/runs/{run}")
def run(run: RunId, registry: RegistryDep, trainings: TrainingsDep) -> RunView:
    """One run."""
    found = read_history(run_of(run), run)
    return RunView(
        card=_card(found, registry, trainings),
        settings=found.settings,
        changeable=list(changeable(found.run.learner)),
        changes=changes_of(found.run),
        measures=[measure_view(line) for line in found.lines],
        seconds=_seconds(found.run),
    )


def changes_of(run: Run) -> list[ChangeView]:
    """What changed on the way."""
    return [ChangeView(**change._asdict()) for change in run.plan.changes.changes]


def _age(one: History | DamagedRun) -> float:
    path = one.path if isinstance(one, DamagedRun) else one.run.path
    times = [file.stat().st_mtime for name in (METRICS, CHECKPOINT, AGENT) if (file := path / name).is_file()]
    return max(times, default=path.stat().st_mtime)


def _damaged(one: DamagedRun) -> RunCard:
    return RunCard(run=one.path.name, state="damaged", words=one.problem.replace(str(one.path), one.path.name))


def _card(one: History, registry: Registry, trainings: Trainings) -> RunCard:
    found = one.run
    has_learned = any((found.path / name).is_file() for name in (AGENT, CHECKPOINT))
    name = catalog.learner_name(found.learner).rpartition("/")[2]
    game = registry.written(found.game) if registry.offers(found.game) else None
    at_work = trainings.is_at_work(found.name)
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
