"""Studies started from the page: tournaments, leagues, the benchmark and papers, followed live and cancelled."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field, ValidationError

from ludus import catalog
from ludus.errors import LudusError
from ludus.study.paper import paper, paper_names
from ludus.study.paper.changing import parse_changes
from ludus.web.access import is_from_here
from ludus.web.api.agents import opponents
from ludus.web.api.views import Body
from ludus.web.live import ChangesDep, live
from ludus.web.registry import ForbiddenError, Registry, RegistryDep, Text
from ludus.web.studies import Kind, State, StudiesDep, Study

router = APIRouter(tags=["studies"])
CHANGED = "studies"  # what the page follows
_MOST_AGENTS = 30
_SMALL = 1_000_000  # positions of a game that is solved soon


class StudyOrder(Body):
    """What a study is made of: a tournament of `agents`, a league of all agents of the game, the benchmark, or papers.

    `games`: of each pair; `scale`: small or quick for the benchmark, tiny or quick for papers; `paper`: a name, or all;
    `changes`: settings of the paper's learner that are changed, as epsilon=0.5, games=2000.
    """

    game: Text = ""
    agents: Annotated[tuple[Text, ...], Field(max_length=_MOST_AGENTS)] = ()
    games: Annotated[int, Field(ge=2, le=10_000)] = 20
    scale: Literal["tiny", "small", "quick"] = "quick"
    paper: Annotated[str, Field(max_length=80)] = "all"
    changes: Annotated[str, Field(max_length=200)] = ""


class StudyView(BaseModel):
    """The last study of a kind: its order, which resumes it, and how far it is; `left`: seconds, about."""

    kind: Kind
    state: State
    order: StudyOrder | None
    step: str = ""
    jobs: int = 0
    done: int = 0
    left: float | None = None
    latest: str = ""
    words: str = ""


class StudiesView(BaseModel):
    """The last study of each kind."""

    studies: list[StudyView]


@router.get("/studies")
def studies(studies: StudiesDep) -> StudiesView:
    """The last study of each kind, as it is now."""
    return StudiesView(studies=[_view(study) for study in studies.by_kind.values()])


@router.get("/studies/stream", response_class=StreamingResponse)
async def studies_stream(held: StudiesDep, changes: ChangesDep) -> StreamingResponse:
    """The same as server-sent events, whenever something changes."""
    return live(changes, CHANGED, lambda: studies(held))


@router.get("/paper-names")
def names() -> list[str]:
    """The papers that can be reproduced."""
    return paper_names()


def _require_here(request: Request) -> None:
    """Raises ForbiddenError for somebody at another machine, with whatever key."""
    if not is_from_here(request.scope):
        raise ForbiddenError("a study is started at the machine that serves this page, not from another one")


@router.post("/studies/{kind}", dependencies=[Depends(_require_here)])
def start(kind: Kind, order: StudyOrder, held: StudiesDep, registry: RegistryDep) -> StudyView:
    """Starts a study, or resumes it: what is done already is not done again."""
    return _view(held.start(kind, order.model_dump(), _words(kind, order, registry)))


@router.delete("/studies/{kind}", dependencies=[Depends(_require_here)])
def cancel(kind: Kind, held: StudiesDep) -> StudyView:
    """Cancels a study; what is done is kept."""
    held.by_kind[kind].stop()
    return _view(held.by_kind[kind])


def _changes(name: str, written: str) -> dict[str, str]:
    """Settings of a paper's learner, or the games; no others, since they may name agents and files."""
    changes = parse_changes([each for each in written.split(",") if each.strip()])
    if changes and name == "all":
        raise LudusError("choose the paper whose settings are changed")
    for setting in changes:
        _one_of("setting", setting, ("games", *catalog.learner_class(paper(name).learner)._fields))
    return changes


def _words(kind: Kind, order: StudyOrder, registry: Registry) -> dict[str, Any]:
    """The order as the process of the study gets it; LudusError for what the page may not name."""
    if kind == "benchmark":
        return {"scale": _one_of("scale", order.scale, ("small", "quick"))}
    if kind == "papers":
        name = _one_of("paper", order.paper, ("all", *paper_names()))
        scale = _one_of("scale", order.scale, ("tiny", "quick"))
        return {"paper": name, "scale": scale, "changes": _changes(name, order.changes)}
    game = registry.game(order.game)
    agents = list(order.agents) if kind == "tournament" else everyone(game)
    for agent in agents:
        registry.agent(agent)
    if len(agents) < 2:
        raise LudusError("choose at least two agents")
    return {"game": catalog.lasting_name(game), "agents": agents, "games": order.games}


def _one_of(name: str, given: str, allowed: tuple[str, ...]) -> str:
    if given not in allowed:
        raise LudusError(f"there is no {name} {given!r}; there is: {', '.join(allowed)}")
    return given


def everyone(game: Any) -> list[str]:
    """The agents of a league: all levels and runs; perfect ones only where the game is solved soon."""
    is_small = 0 < (getattr(type(game), "reachable", None) or 0) <= _SMALL
    return [one.agent for one in opponents(game) if one.kind != "perfect" or is_small][:_MOST_AGENTS]


def _view(study: Study) -> StudyView:
    known = {name: study.status[name] for name in StudyView.model_fields if name in study.status and name != "state"}
    order = None
    with suppress(ValidationError):  # an earlier version of Ludus may have kept it
        order = study.order and StudyOrder.model_validate(study.order)
    return StudyView(kind=study.kind, state=study.state, order=order or None, **known)
