"""Trainings from the page: started, controlled, resumed, and followed live."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field, StringConstraints

from ludus import catalog
from ludus.errors import LudusError
from ludus.learning.loop.plan import SELF, TWIN, Changes, Plan, changeable
from ludus.learning.presets import configured, presets
from ludus.learning.runs import new_path
from ludus.parameters import format_value
from ludus.web.api.runs import ChangeView, RunEvaluation, RunId, change_views, learner_name, run_evaluation
from ludus.web.api.training_board import TrainingBoard, training_board
from ludus.web.api.views import FormField, Preset, first_paragraph, form_fields
from ludus.web.jobs import events, stream
from ludus.web.registry import GameDep, Registry, RegistryDep, Text, run_of
from ludus.web.trainings import ENDED, State, TrainingProcess, TrainingsDep

router = APIRouter(tags=["trainings"])
_HEARTBEAT = 1.0  # seconds
_Name = Annotated[str, StringConstraints(pattern=r"^[a-z_]{1,40}$")]
Settings = Annotated[dict[_Name, Text], Field(max_length=80)]


class NewTraining(BaseModel):
    """A game, a learner, a preset if there is one for both, and the settings that differ from it.

    `slow_start`: the first plies are slow enough to be watched; the result is the same.
    """

    game: Text
    learner: Text
    preset: str | None = Field(None, max_length=40)
    settings: Settings = {}
    slow_start: bool = False


class More(BaseModel):
    """The total number of games to train for; null: as many as were planned."""

    games: int | None = Field(None, ge=1, le=1 << 62)


class OrderBody(BaseModel):
    """An order to a training.

    `step` plays `games` games and pauses; `pace` limits the games per second, 0 for no limit; `change` sets
    hyperparameters from the next game on; `save` writes a checkpoint now.
    """

    do: Literal["pause", "go", "stop", "save", "step", "pace", "change"]
    games: int = Field(1, ge=1, le=1_000_000)
    pace: float = Field(0.0, ge=0, le=1e9)
    settings: Settings = {}


class Status(BaseModel):
    """The state of a training; `results`: its own games won, drawn, lost and cut.

    `is_slow`: it starts slowly; `now`: the changeable settings; `problem`: why the last change was refused; `saved`:
    games at the last checkpoint.
    """

    run: str
    state: State
    words: str
    problem: str
    game: str | None
    learner: str
    games: int
    planned: int = 0
    plies: int = 0
    pace: float = 0
    is_slow: bool = False
    speed: float = 0
    results: list[int] = [0, 0, 0, 0]
    saved: int | None = None
    now: dict[str, str]
    changes: list[ChangeView]


class Update(BaseModel):
    """The state of a training, its board where that is another than before, and its evaluations from `begin` on."""

    status: Status
    board: TrainingBoard | None
    begin: int
    evaluations: list[RunEvaluation]


@router.get("/trainings")
def trainings(trainings: TrainingsDep, registry: RegistryDep) -> list[Status]:
    """All trainings since the server started, the latest first."""
    return [_status(one, registry) for one in trainings]


@router.post("/trainings")
def start(new: NewTraining, trainings: TrainingsDep, registry: RegistryDep) -> Status:
    """Starts a training as a run of its own."""
    game = registry.game(new.game)
    if new.learner not in catalog.learners():
        raise LudusError(f"no learner is called {new.learner!r}; there are: {', '.join(catalog.learners())}")
    learner, plan = configured(game, new.learner, new.settings, new.preset)
    _require_allowed(plan, registry)
    trainings.require_room()
    order = new.model_dump() | {"game": catalog.lasting_name(game)}
    return _status(trainings.start(TrainingProcess(new_path(game, learner), game, learner), order), registry)


def _require_allowed(plan: Plan, registry: Registry) -> None:
    """Raises LudusError for a plan that names an agent or a run that a page may not name."""
    names = [stretch.opponent for stretch in plan.opponent.stretches if stretch.opponent not in (SELF, TWIN)]
    for name in (*names, *plan.eval_against.names):
        registry.agent(name)
    if plan.init_from.name:
        run_of(plan.init_from.name)


@router.get("/trainings/{run}")
def training(run: RunId, trainings: TrainingsDep, registry: RegistryDep) -> Status:
    """The state of a training."""
    return _status(trainings.find(run), registry)


@router.post("/trainings/{run}")
def control(run: RunId, order: OrderBody, trainings: TrainingsDep, registry: RegistryDep) -> Status:
    """Sends an order to a training."""
    found = trainings.find(run)
    if order.do == "stop":
        found.stop()
    else:
        found.send(order.model_dump())
    return _status(found, registry)


@router.post("/trainings/{run}/resume")
def resume(run: RunId, more: More, trainings: TrainingsDep, registry: RegistryDep) -> Status:
    """Resumes a run from its last checkpoint, if the page could have started it; the command line resumes any."""
    found = run_of(run)
    try:
        _require_allowed(found.plan, registry)
        if type(found.learner) not in catalog.learners().values():
            raise LudusError(f"its learner is not of the catalogue: {catalog.learner_name(found.learner)}")
        if registry.name_of(found.game) is None:
            raise LudusError(f"this server does not offer its game: {catalog.name_of(found.game)}")
    except LudusError as error:
        raise LudusError(f"{error}; resume it in a terminal: ludus train --resume {run}") from None
    if found.is_finished and more.games is None:
        raise LudusError(f"{run} is finished: give a larger number of games")
    process = TrainingProcess(found.path, found.game, found.learner, found.metrics())
    return _status(trainings.start(process, more.model_dump(exclude_none=True)), registry)


@router.get("/trainings/{run}/stream", response_class=StreamingResponse, responses={200: {"content": events(Update)}})
def training_stream(run: RunId, trainings: TrainingsDep, registry: RegistryDep, request: Request) -> StreamingResponse:
    """The state of a training as server-sent events; the first one has all evaluations."""
    found = trainings.find(run)
    return stream(request, lambda left: _updates(found, registry, left))


def _updates(found: TrainingProcess, registry: Registry, left: Event) -> Iterator[Update]:
    number, begin, shown = -1, 0, None
    while not left.is_set():
        latest = found.wait_for_report(number, _HEARTBEAT)
        if latest == number:
            continue
        number, status = latest, _status(found, registry)  # first: what is over reports no more lines
        lines, board = found.lines[begin:], found.status.get("board")
        yield Update(
            status=status,
            board=training_board(found.game, board) if board not in (shown, None) else None,
            begin=begin,
            evaluations=[run_evaluation(line) for line in lines],
        )
        begin, shown = begin + len(lines), board
        if status.state in ENDED:
            return


def _status(found: TrainingProcess, registry: Registry) -> Status:
    reported, games = found.status, int(found.status["games"])
    changes = Changes.parse(reported.get("changes", "none"))
    learner = changes.learner(found.learner, games + 1)
    names = {"planned", "plies", "pace", "is_slow", "speed", "results", "saved"} & reported.keys()
    return Status(
        run=found.folder.name,
        state=found.state,
        words=found.words,
        problem=found.problem,
        game=registry.name_of(found.game),
        learner=learner_name(learner),
        games=games,
        **{name: reported[name] for name in names},
        now={setting: format_value(getattr(learner, setting)) for setting in changeable(learner)},
        changes=change_views(changes),
    )


class LearnerForm(BaseModel):
    """A learner with its settings, and its presets for the game."""

    name: str
    summary: str
    settings: list[FormField]
    presets: list[Preset]


class TrainingForm(BaseModel):
    """All learners, and the settings of every training."""

    learners: list[LearnerForm]
    plan: list[FormField]


@router.get("/training-form")
def training_form(game: GameDep) -> TrainingForm:
    """The learners of the catalogue and all settings for a training on a game."""
    name = catalog.name_of(game)
    learners = [_learner(learner, cls, name) for learner, cls in catalog.learners().items()]
    return TrainingForm(learners=learners, plan=form_fields(Plan))


def _learner(name: str, cls: Any, game: str) -> LearnerForm:
    has_defaults = len(cls._field_defaults) == len(cls._fields)
    known_presets = {preset: known[name, game] for preset, known in presets().items() if (name, game) in known}
    return LearnerForm(
        name=name,
        summary=first_paragraph(cls),
        settings=form_fields(cls, changeable(cls()) if has_defaults else ()),
        presets=[Preset(name=preset, settings=own | plan) for preset, (own, plan) in known_presets.items()],
    )
