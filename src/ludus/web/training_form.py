"""What can be set for a training, as a form asks for it: made from the fields of the learners and of the plan."""

from __future__ import annotations

import enum
from typing import Any, Literal, get_type_hints

from fastapi import APIRouter
from pydantic import BaseModel

from ludus import catalog
from ludus.learning.changes import changeable
from ludus.learning.plan import Plan
from ludus.learning.presets import PRESETS
from ludus.parameters import format_value
from ludus.web.shelf import AskedGame
from ludus.web.views import PROBLEMS

router = APIRouter(prefix="/api", tags=["trainings"], responses=PROBLEMS)


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
