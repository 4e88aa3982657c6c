"""Trainings from the page: begun, steered, gone on with, and told of while they go on."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from threading import Event
from typing import Annotated, Any, Literal, get_type_hints

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field, StringConstraints

from ludus import catalog
from ludus.errors import LudusError
from ludus.learning.loop.plan import SELF, TWIN, Changes, Plan, changeable
from ludus.learning.presets import PRESETS, configured
from ludus.learning.runs import new_path
from ludus.parameters import format_value
from ludus.web.api.runs import ChangeView, MeasureView, RunId, measure_view
from ludus.web.jobs import events, stream
from ludus.web.registry import LONGEST, AskedGame, Registry, RegistryDep, run_of
from ludus.web.trainings import State, Training, TrainingsDep

router = APIRouter(tags=["trainings"])


_HEARTBEAT = 1.0  # seconds

_MOST_SETTINGS = 80


Word = Annotated[str, StringConstraints(pattern=r"^[a-z_]{1,40}$")]

Words = Annotated[str, StringConstraints(max_length=LONGEST)]

Settings = Annotated[dict[Word, Words], Field(max_length=_MOST_SETTINGS)]


class NewTraining(BaseModel):
    """What to train: a game, a learner, a preset if there is one for both, and settings that differ from that."""

    game: str = Field(max_length=LONGEST)
    learner: str = Field(max_length=LONGEST)
    preset: str | None = Field(None, max_length=40)
    settings: Settings = {}


class More(BaseModel):
    """To how many games to go on; null: as many as were planned."""

    games: int | None = Field(None, ge=1, le=1 << 62)


class OrderGiven(BaseModel):
    """What a training is to do.

    `step` plays so many `games` and then pauses; `pace` is so many games a second, 0 for no limit; `change` sets what
    may change, from the next game on; `save` writes a checkpoint now, to be played against.
    """

    do: Literal["pause", "go", "stop", "save", "step", "pace", "change"]
    games: int = Field(1, ge=1, le=1_000_000)
    pace: float = Field(0.0, ge=0, le=1e9)
    settings: Settings = {}


class Status(BaseModel):
    """How a training stands; won, drawn, lost, cut: the learner's own games while it trains.

    `now`: the settings that may change, as they are; `problem`: why the last change was refused; `saved`: the games
    behind the last checkpoint.
    """

    run: str
    state: State
    words: str
    problem: str
    game: str | None
    learner: str
    games: int
    planned: int
    plies: int
    pace: float
    speed: float
    results: list[int]
    saved: int | None
    now: dict[str, str]
    changes: list[ChangeView]


class Update(BaseModel):
    """How a training stands, and its measures from number `begin` on."""

    status: Status
    begin: int
    measures: list[MeasureView]


@router.get("/trainings")
def trainings(pool: TrainingsDep, registry: RegistryDep) -> list[Status]:
    """All trainings of this server since it was started, the latest first."""
    return [_status(one, registry) for one in pool]


@router.post("/trainings")
def begin(asked: NewTraining, pool: TrainingsDep, registry: RegistryDep) -> Status:
    """Begin a training, as a run of its own."""
    game = registry.game(asked.game)
    if asked.learner not in catalog.learners():
        raise LudusError(f"no learner is called {asked.learner!r}; there are: {', '.join(catalog.learners())}")
    learner, plan = configured(game, asked.learner, asked.settings, asked.preset)
    _require_nameable(plan, registry)
    pool.require_room()
    order = {
        "game": catalog.lasting_name(game),
        "learner": asked.learner,
        "settings": asked.settings,
        "preset": asked.preset,
    }
    return _status(pool.begin(Training(new_path(game, learner), game, learner), order), registry)


def _require_nameable(plan: Plan, registry: Registry) -> None:
    """Raise LudusError for an agent or a run that a page may not name."""
    names = [stretch.opponent for stretch in plan.opponent.stretches if stretch.opponent not in (SELF, TWIN)]
    for name in (*names, *plan.eval_against.names):
        registry.agent(name)
    if plan.init_from.name:
        run_of(plan.init_from.name)


@router.get("/trainings/{run}")
def training(run: RunId, pool: TrainingsDep, registry: RegistryDep) -> Status:
    """How a training stands."""
    return _status(pool.called(run), registry)


@router.post("/trainings/{run}")
def steer(run: RunId, order: OrderGiven, pool: TrainingsDep, registry: RegistryDep) -> Status:
    """Give an order."""
    found = pool.called(run)
    if order.do == "stop":
        found.stop()
    else:
        found.send(order.model_dump())
    return _status(found, registry)


@router.post("/trainings/{run}/resume")
def resume(run: RunId, more: More, pool: TrainingsDep, registry: RegistryDep) -> Status:
    """Go on with a run from its last checkpoint, to more games if that is said."""
    found = run_of(run)
    if found.is_finished and more.games is None:
        raise LudusError(f"{run} is finished: say to how many games it is to go on")
    order = {} if more.games is None else {"games": more.games}
    return _status(pool.begin(Training(found.path, found.game, found.learner, found.metrics()), order), registry)


@router.get("/trainings/{run}/stream", response_class=StreamingResponse, responses={200: {"content": events(Update)}})
def training_stream(run: RunId, pool: TrainingsDep, registry: RegistryDep, request: Request) -> StreamingResponse:
    """How a training goes, as it goes: server-sent events, the first of which has all measures."""
    found = pool.called(run)
    return stream(request, lambda left: _told(found, registry, left))


def _told(found: Training, registry: Registry, left: Event) -> Iterator[Update]:
    number, begin = -1, 0
    while not left.is_set():
        latest = found.since(number, _HEARTBEAT)
        if latest == number:
            continue
        number, lines = latest, found.lines[begin:]
        yield Update(status=_status(found, registry), begin=begin, measures=[measure_view(line) for line in lines])
        begin += len(lines)
        if found.is_over:
            return


def _status(found: Training, registry: Registry) -> Status:
    told, name = found.told, found.folder.name
    games = int(told.get("games", 0))
    changes = Changes.parse(told.get("changes", "none"))
    learner = changes.learner(found.learner, games + 1)
    return Status(
        run=name,
        state=found.state,
        words=found.words,
        problem=found.problem,
        game=registry.written(found.game) if registry.offers(found.game) else None,
        learner=catalog.learner_name(learner).rpartition("/")[2],
        games=games,
        planned=int(told.get("planned", 0)),
        plies=int(told.get("plies", 0)),
        pace=float(told.get("pace", 0)),
        speed=float(told.get("speed", 0)),
        results=list(told.get("results", [0, 0, 0, 0])),
        saved=told.get("saved"),
        now={setting: format_value(getattr(learner, setting)) for setting in changeable(learner)},
        changes=[ChangeView(**change._asdict()) for change in changes.changes],
    )


class SettingField(BaseModel):
    """A setting: what is typed in, its default, what it means, and whether it may change while the learner learns."""

    name: str
    kind: Literal["whole", "number", "switch", "choice", "text"]
    default: str
    choices: list[str]
    help: str
    changeable: bool


class Preset(BaseModel):
    """Settings that were tried, of the learner and of the plan."""

    name: str
    settings: dict[str, str]


class LearnerForm(BaseModel):
    """A learner with its settings, and presets for the game asked for."""

    name: str
    summary: str
    settings: list[SettingField]
    presets: list[Preset]


class TrainingForm(BaseModel):
    """All learners, and what is set for every training."""

    learners: list[LearnerForm]
    plan: list[SettingField]


@router.get("/training-form")
def training_form(game: AskedGame) -> TrainingForm:
    """What can be set for a training on a game."""
    name = catalog.name_of(game)
    learners = [_learner(learner, cls, name) for learner, cls in catalog.learners().items()]
    return TrainingForm(learners=learners, plan=_fields(Plan, ()))


def _learner(name: str, cls: Any, game: str) -> LearnerForm:
    summary = (cls.__doc__ or "").strip().partition("\n\n")[0]
    may_change = changeable(cls()) if len(cls._field_defaults) == len(cls._fields) else ()
    return LearnerForm(
        name=name, summary=" ".join(summary.split()), settings=_fields(cls, may_change), presets=_presets(name, game)
    )


def _presets(learner: str, game: str) -> list[Preset]:
    found = {name: known[learner, game] for name, known in PRESETS.items() if (learner, game) in known}
    return [Preset(name=name, settings=own | plan) for name, (own, plan) in found.items()]


def _fields(cls: Any, may_change: tuple[str, ...]) -> list[SettingField]:
    hints = get_type_hints(cls, include_extras=True)
    return [_field(name, hints[name], cls._field_defaults.get(name), name in may_change) for name in cls._fields]


def _field(name: str, hint: Any, default: Any, may_change: bool) -> SettingField:
    kind = getattr(hint, "__origin__", hint)
    told, choices = _kind(kind)
    return SettingField(
        name=name,
        kind=told,
        default="" if default is None else format_value(default),
        choices=choices,
        help=next((words for words in getattr(hint, "__metadata__", ()) if isinstance(words, str)), ""),
        changeable=may_change,
    )


def _kind(kind: Any) -> tuple[Literal["whole", "number", "switch", "choice", "text"], list[str]]:
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return "choice", [format_value(member) for member in kind]
    if kind is bool:
        return "switch", []
    return ("whole" if kind is int else "number" if kind is float else "text"), []
