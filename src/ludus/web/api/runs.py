"""Runs: their settings, evaluations and checkpoints."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel

from ludus import catalog
from ludus.learning.loop.evaluation import Line
from ludus.learning.loop.plan import Changes, changeable
from ludus.learning.runs import AGENT, CHECKPOINT, METRICS, Run
from ludus.learning.runs.history import DamagedRun, History, list_runs, parse_evaluation, read_history
from ludus.parameters import format_with_parameters
from ludus.web.registry import ID, Registry, RegistryDep, run_of
from ludus.web.trainings import Trainings, TrainingsDep

router = APIRouter(tags=["runs"])
RunId = Annotated[str, Path(pattern=ID, description="The id of a run.")]


class RunEvaluation(BaseModel):
    """An evaluation of a run; `accuracy` and `guarantee` by seat are null where the game is not solved.

    `against`: wins, draws, losses from both seats by opponent; `loss` of a network; `error`: mean error of a table.
    """

    games: int
    decisions: int
    accuracy: float | None
    guarantee: dict[str, Any] | None
    against: dict[str, dict[str, int]]
    loss: float | None
    error: float | None


def run_evaluation(line: Line) -> RunEvaluation:
    """A line of metrics; KeyError, TypeError or ValueError for one that is damaged."""
    found = parse_evaluation(line)
    error = None
    if found.error and (entries := sum(found.error.entries)):
        error = sum(count * mean for count, mean in zip(found.error.entries, found.error.mean, strict=True)) / entries
    against = {name: result._asdict() for name, result in found.against.items()}
    loss = None if line.get("loss") is None else float(line["loss"])
    own = {"accuracy": found.accuracy, "against": against, "loss": loss, "error": error}
    return RunEvaluation(**found._asdict() | own)


class Checkpoint(BaseModel):
    """A checkpoint: the games played so far, and the optimal ones of its decisions if it was graded then."""

    games: int
    optimal: float | None
    decisions: int | None


@router.get("/checkpoints")
def checkpoints(run: Annotated[str, Query(pattern=ID, description="The id of a run.")]) -> list[Checkpoint]:
    """The checkpoints of a run, the earliest first; none for a run with large tables."""
    return checkpoints_of(run_of(run))


def checkpoints_of(run: Run) -> list[Checkpoint]:
    """The checkpoints of a run, the earliest first."""
    graded = {one.games: one for one in map(parse_evaluation, run.metrics()) if one.optimal is not None}
    found = ((games, graded.get(games)) for games in run.snapshots())
    return [
        Checkpoint(games=games, optimal=one and one.optimal, decisions=one and one.decisions) for games, one in found
    ]


class RunCard(BaseModel):
    """A run in the list of all; `game` is null if this server does not offer it."""

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
    last: RunEvaluation | None = None


class ChangeView(BaseModel):
    """A setting that changed, and after how many games."""

    name: str
    value: str
    games: int


class RunView(BaseModel):
    """One run with its settings and evaluations."""

    card: RunCard
    settings: dict[str, str]
    changeable: list[str]
    changes: list[ChangeView]
    evaluations: list[RunEvaluation]
    seconds: float


@router.get("/runs")
def runs(registry: RegistryDep, trainings: TrainingsDep) -> list[RunCard]:
    """All runs, the last changed first."""
    return [
        RunCard(run=one.path.name, state="damaged", words=one.problem.replace(str(one.path), one.path.name))
        if isinstance(one, DamagedRun)
        else _card(one, registry, trainings)
        for one in sorted(list_runs(), key=_last_changed, reverse=True)
    ]


@router.get("/runs/{run}")
def run(run: RunId, registry: RegistryDep, trainings: TrainingsDep) -> RunView:
    """One run."""
    found = read_history(run_of(run), run)
    return RunView(
        card=_card(found, registry, trainings),
        settings=found.settings,
        changeable=list(changeable(found.run.learner)),
        changes=change_views(found.run.plan.changes),
        evaluations=[run_evaluation(line) for line in found.lines],
        seconds=found.run.times().seconds,
    )


def change_views(changes: Changes) -> list[ChangeView]:
    """The changes of settings during a training."""
    return [ChangeView(**change._asdict()) for change in changes.changes]


def learner_name(learner: Any) -> str:
    """The name of a learner; one from a file without its folder."""
    return catalog.learner_name(learner).rpartition("/")[2]


def _last_changed(one: History | DamagedRun) -> float:
    path = one.path if isinstance(one, DamagedRun) else one.run.path
    times = [file.stat().st_mtime for name in (METRICS, CHECKPOINT, AGENT) if (file := path / name).is_file()]
    return max(times, default=path.stat().st_mtime)


def _card(one: History, registry: Registry, trainings: Trainings) -> RunCard:
    found, name = one.run, learner_name(one.run.learner)
    has_learned = any((found.path / name).is_file() for name in (AGENT, CHECKPOINT))
    game = registry.name_of(found.game)
    return RunCard(
        run=found.name,
        state="training" if trainings.is_active(found.name) else "finished" if found.is_finished else "stopped",
        game=game,
        game_name=game or catalog.name_of(found.game).rpartition("/")[2],
        learner=name,
        written=format_with_parameters(name, found.learner),
        games=one.games,
        planned=found.plan.games,
        playable=game is not None and has_learned,
        last=run_evaluation(one.lines[-1]) if one.lines else None,
    )
