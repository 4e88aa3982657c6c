"""Agents: opponents to play against, their moves, their evaluation of a position, and their worst mistakes."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool

from ludus import catalog, face
from ludus.agents.agent import (
    Level,
    Probabilities,
    agent_for,
    draw_action,
    evaluations,
    is_compiled,
    may_resign,
    probabilities,
    resigns,
)
from ludus.agents.perfect import Bounded, Perfect, Unproven, compile_tree_search, player_of
from ludus.compiled.masks import actions, is_empty
from ludus.compiled.randomness import new_state
from ludus.errors import LudusError
from ludus.files import home
from ludus.game import CHANCE
from ludus.grading.grade import grade
from ludus.grading.mistakes import Mistake
from ludus.learning.runs import AGENT, CHECKPOINT, Trained
from ludus.learning.runs.history import History, list_runs
from ludus.networks.inputs import encode
from ludus.parameters import parse_written
from ludus.playout import random_action
from ludus.solving.solution import Solution
from ludus.solving.solver import Searched
from ludus.web.api.runs import learner_name
from ludus.web.api.solutions import own, solution_job, solution_with
from ludus.web.api.views import CHANCE_NAME, Body, PositionView, State, first_paragraph, position_view, value_view
from ludus.web.computing import Computing, ComputingDep
from ludus.web.jobs import BusyError, JobQueue, JobsDep, OnProgress
from ludus.web.registry import (
    AgentText,
    GameDep,
    PositionDep,
    Registry,
    RegistryDep,
    Text,
    allowed_agents,
    is_run,
    position_of,
)

router = APIRouter(tags=["agents"])
_PATIENCE = 100.0  # seconds to wait for an agent to be ready
_SOON = 1.0  # and for the solution of a game, before `perfect` moves without it
_MOST_MISTAKES = 20
T = TypeVar("T")
_SAMPLED = 40  # positions of a game too large to enumerate


# ---- agents and opponents ----


class AgentCard(BaseModel):
    """An agent of the catalogue."""

    name: str
    summary: str


class Opponent(BaseModel):
    """An agent to play against; `run` is the id of a run."""

    agent: str
    title: str
    words: str
    kind: Literal["built-in", "run", "perfect"]
    run: str | None = None


@router.get("/agents")
def agents() -> list[AgentCard]:
    """The agents of the catalogue that the page may name."""
    return [AgentCard(name=name, summary=first_paragraph(cls)) for name, cls in allowed_agents()]


@router.get("/opponents")
def opponents(game: GameDep) -> list[Opponent]:
    """The opponents for a game, the weakest first: levels of the agents in the catalogue, and runs between them."""
    histories = [one for one in list_runs() if isinstance(one, History) and one.evaluations]
    runs = [one for one in histories if type(one.run.game) is type(game) and one.run.game == game]
    levels = level_opponents()
    weak = [opponent for level, _, opponent in levels if level.is_weak]
    strong = [opponent for level, _, opponent in levels if not level.is_weak]
    return [*weak, *(run_opponent(run) for run in sorted(runs, key=_run_strength)), *strong]


def level_opponents() -> list[tuple[Level, Any, Opponent]]:
    """The levels that agents of the catalogue declare, the weakest first, each with its agent."""
    found = []
    for cls in catalog.agents().values():
        levels = getattr(cls, "levels", None)
        for level in levels() if callable(levels) else ():
            made = cls(**level.settings)
            kind: Literal["built-in", "perfect"] = "perfect" if isinstance(made, Perfect) else "built-in"
            opponent = Opponent(agent=catalog.name_of(made), title=level.title, words=level.words, kind=kind)
            found.append((level, made, opponent))
    return sorted(found, key=lambda one: one[0].strength)


def _run_strength(one: History) -> tuple[float, float]:
    """The accuracy, and the win rate against its first evaluation opponent."""
    last = one.evaluations[-1]
    return last.accuracy or 0.0, next((result.win_rate for result in last.against.values()), 0.0)


def run_opponent(one: History) -> Opponent:
    """A run as an opponent, with its strength."""
    accuracy, win_rate = _run_strength(one)
    strength = f"{accuracy:.0%} of decisions optimal" if accuracy else f"won {win_rate:.0%} of its evaluation games"
    words = f"{learner_name(one.run.learner)}, {one.games:,} games, {strength}"
    return Opponent(agent=one.run.name, title=one.run.name, words=words, kind="run", run=one.run.name)


async def ready_agent(
    jobs: JobQueue, registry: Registry, game: Any, pos: Any, text: str, games: int | None = None
) -> Any:
    """The agent ready to play a game from a position; `games`: the checkpoint of a run. BusyError if it takes long."""
    perfect = await _perfect(registry, text)
    if perfect is not None:
        return await _perfect_player(jobs, game, pos, perfect, _PATIENCE)

    def work(on_progress: OnProgress) -> Any:
        on_progress("preparing the agent")
        agent = registry.agent(text)
        made = agent_for(agent, game)  # raises for a run of another game
        if games is not None:
            if not isinstance(agent, Trained):
                raise LudusError("only runs have checkpoints")
            made = agent.run.agent_at(games)
        start = game.start()
        if not is_compiled(made) and not is_empty(game.legal(start)) and game.player(start) != CHANCE:
            probabilities(made, game, start)  # a network is compiled by JAX
        return made

    key = catalog.name_of(game), text, games, _versions(text)
    return await jobs.submit("agent", key, work).wait(_PATIENCE)


async def _moving_agent(jobs: JobQueue, registry: Registry, game: Any, pos: Any, text: str) -> Any:
    """The same for a move: `perfect` lets nobody wait until a game is solved."""
    perfect = await _perfect(registry, text)
    if perfect is None:
        return await ready_agent(jobs, registry, game, pos, text)
    try:
        return await _perfect_player(jobs, game, pos, perfect, _SOON)
    except BusyError:
        return Unproven()


async def _perfect(registry: Registry, text: str) -> Perfect | None:
    """The agent that a text names, if that plays perfectly."""
    found = None if is_run(text) else await run_in_threadpool(registry.agent, text)
    return found if isinstance(found, Perfect) else None


async def _perfect_player(jobs: JobQueue, game: Any, pos: Any, perfect: Perfect, patience: float) -> Any:
    solved = await solution_with(jobs, game, pos, patience)
    if not isinstance(solved, Searched):
        return player_of(solved, perfect.skill)
    with suppress(BusyError):
        jobs.submit("agent", (catalog.name_of(game), "tree search"), lambda on_progress: compile_tree_search(game))
    return Bounded(own(solved), perfect.skill)


async def _asked(agent: Any, computing: Computing, work: Callable[[], T]) -> T:
    """The result of asking an agent: among the heavy questions, unless it merely looks an answer up."""
    is_light = is_compiled(agent) and not hasattr(agent, "work")
    return await (run_in_threadpool(work) if is_light else computing(work))


def _versions(agent: str) -> tuple[int, ...]:
    """When the files of a run, or of an agent that uses one, were written: a training replaces them."""
    name = parse_written(agent).parameters.get("run", agent)
    files = [home() / "runs" / name / file for file in (AGENT, CHECKPOINT)] if is_run(name) else []
    return tuple(file.stat().st_mtime_ns for file in files if file.is_file())


# ---- moves ----


class MoveRequest(Body):
    """A position in which an agent is to move; the agent `chance` draws for chance."""

    game: Text
    at: Text | None = None
    agent: Text


class AgentMove(BaseModel):
    """The move of an agent and the position after it; no action if it resigns."""

    action: int | None
    name: str
    resigns: bool
    words: str
    view: PositionView


async def _to_move(request: MoveRequest, registry: RegistryDep) -> tuple[Any, Any]:
    """The game and the position; LudusError if the agent has nothing to choose there."""
    game = await registry.game_soon(request.game)
    pos = position_of(game, request.at)
    if is_empty(game.legal(pos)):
        raise LudusError("the game is over: there is nothing to choose")
    by_chance, is_chance = game.player(pos) == CHANCE, request.agent == CHANCE_NAME.lower()
    if by_chance != is_chance:
        raise LudusError("chance moves here: ask for the agent `chance`" if by_chance else "chance does not move here")
    return game, pos


@router.post("/move")
async def move(
    request: MoveRequest,
    place: Annotated[tuple[Any, Any], Depends(_to_move)],
    registry: RegistryDep,
    jobs: JobsDep,
    computing: ComputingDep,
) -> AgentMove:
    """The move of an agent in a position."""
    game, pos = place
    if game.player(pos) == CHANCE:
        return await run_in_threadpool(
            lambda: _moved(game, pos, int(random_action(game, pos, game.legal(pos), dice())))
        )
    agent = await _moving_agent(jobs, registry, game, pos, request.agent)
    return await _asked(agent, computing, lambda: _move_of(agent, game, pos))


def _move_of(agent: Any, game: Any, pos: Any) -> AgentMove:
    policy, legal = probabilities(agent, game, pos), game.legal(pos)
    words = str(getattr(agent, "remark", ""))
    if may_resign(agent) and resigns(policy, legal):
        return AgentMove(action=None, name="resigns", resigns=True, words=words, view=position_view(game, pos))
    return _moved(game, pos, int(draw_action(policy, legal, dice())), words)


def _moved(game: Any, pos: Any, action: int, words: str = "") -> AgentMove:
    name, view = face.action_name(game, pos, action), position_view(game, game.play(pos, action))
    return AgentMove(action=action, name=name, resigns=False, words=words, view=view)


def dice() -> Any:
    """Random numbers that nobody can foresee."""
    state = new_state()
    state[0] = secrets.randbits(64)
    return state


# ---- evaluations ----


class ActionEvaluation(BaseModel):
    """The probability that the agent plays an action, its value or prior, and its visits in a search."""

    probability: float
    value: float | None = None
    visits: int | None = None


class Evaluation(BaseModel):
    """An agent's evaluation of a position; `kind` says whether values of actions are action values or a policy.

    `value` is the expected score for the side to move; `visits` counts how often it learned in this position.
    """

    words: str
    kind: Literal["none", "values", "policy"] = "none"
    value: float | None = None
    visits: int | None = None
    actions: dict[int, ActionEvaluation] = {}


@router.get("/evaluation")
async def evaluation(
    game: GameDep,
    pos: PositionDep,
    agent: AgentText,
    registry: RegistryDep,
    jobs: JobsDep,
    computing: ComputingDep,
    games: Annotated[int | None, Query(ge=0, le=1 << 62, description="A checkpoint of a run, by its games.")] = None,
) -> Evaluation:
    """An agent's policy and action values in a position."""
    if is_empty(game.legal(pos)) or game.player(pos) == CHANCE:
        return Evaluation(words="nobody has to choose here")
    made = await ready_agent(jobs, registry, game, pos, agent, games)
    return await _asked(made, computing, lambda: evaluate(made, game, [pos], [probabilities(made, game, pos)])[0])


def evaluate(agent: Any, game: Any, positions: Sequence[Any], policies: Sequence[Probabilities]) -> list[Evaluation]:
    """An agent's evaluations of some positions, given its policy in each."""
    found = [_of_policy(game, pos, policy) for pos, policy in zip(positions, policies, strict=True)]
    if hasattr(agent, "study"):
        for one, pos in zip(found, positions, strict=True):
            _add_search(one, agent.study(game, pos))
    else:
        for one, values in zip(found, evaluations(agent, game, positions), strict=True):
            if values is not None:
                _add_values(one, {int(action): value for action, value in values.items()})
    if hasattr(agent, "evaluate"):
        inputs, _ = encode(game, np.array(positions, np.int64))
        for one, value in zip(found, np.asarray(agent.evaluate(inputs)[1]).reshape(-1), strict=True):
            one.kind, one.value = "policy", float(value)
    for one, pos in zip(found, positions, strict=True):
        _add_words(one, int(agent.visits(game, pos)) if hasattr(agent, "visits") else None)
    return found


def _of_policy(game: Any, pos: Any, policy: Probabilities) -> Evaluation:
    legal = actions(game.legal(pos))
    total = sum(float(policy[action]) for action in legal) or 1.0
    shares = {action: ActionEvaluation(probability=policy[action] / total) for action in legal}
    return Evaluation(words="", actions=shares)


def _add_values(evaluation: Evaluation, values: dict[int, float]) -> None:
    finite = {action: value for action, value in values.items() if math.isfinite(value)}
    for action, value in finite.items():
        evaluation.actions[action].value = value
    evaluation.kind, evaluation.value = "values", max(finite.values(), default=None)


def _add_search(evaluation: Evaluation, study: dict[int, Any]) -> None:
    _add_values(evaluation, {action: found.value for action, found in study.items()})
    for action, found in study.items():
        evaluation.actions[action].visits = found.visits


def _add_words(evaluation: Evaluation, visits: int | None) -> None:
    evaluation.visits = visits
    if evaluation.kind == "none":
        evaluation.words = "it has a policy only, no values"
    elif visits == 0:
        evaluation.words = "it has never been here: it guesses"


# ---- mistakes ----


class Play(BaseModel):
    """An action the agent may take there, its probability, and its value in words."""

    name: str
    probability: float
    words: str


class MistakeView(BaseModel):
    """A position in which the agent loses value: the expected loss in points, and the optimal actions."""

    at: str
    player: int
    mover: str
    loss: float
    words: str
    plays: list[Play]
    optimal: list[str]


class Mistakes(BaseModel):
    """The worst mistakes, in positions that arise in the agent's own play."""

    state: State
    words: str
    decisions: int | None = None
    optimal: float | None = None
    mistakes: list[MistakeView] = []


@router.get("/mistakes")
def mistakes(game: GameDep, agent: AgentText, registry: RegistryDep, jobs: JobsDep) -> Mistakes:
    """The worst mistakes of an agent in a game; grading takes some seconds."""
    job = solution_job(jobs, game, game.start())
    if job.state == "ready":
        key, solved = (catalog.name_of(game), agent, _versions(agent)), job.result
        job = jobs.submit(
            "mistakes", key, lambda progress: find_mistakes(registry.agent(agent), game, solved, progress)
        )
    return job.result if job.state == "ready" else Mistakes(state=job.state, words=job.words)


def find_mistakes(agent: Any, game: Any, solved: Any, on_progress: OnProgress) -> Mistakes:
    """The worst mistakes of an agent; agents with memory are refused."""

    def progress(stage: str, done: int, total: int | None) -> None:
        on_progress(f"{stage}: {done:,}" + (f" of {total:,}" if total else ""))

    found = grade(
        agent, game, solution=own(solved, progress), positions=_SAMPLED, mistakes=_MOST_MISTAKES, progress=progress
    )
    expected = isinstance(solved, Solution) and solved.gap is not None
    return Mistakes(
        state="ready",
        words="",
        decisions=found.all.decisions,
        optimal=float(found.all.optimal),
        mistakes=[_mistake_view(game, mistake, expected=expected) for mistake in found.mistakes],
    )


def _mistake_view(game: Any, mistake: Mistake, *, expected: bool) -> MistakeView:
    def words(value: Any) -> str:
        return value_view(game, value, mistake.player, expected=expected).words

    return MistakeView(
        at=face.format_position(game, mistake.position),
        player=mistake.player,
        mover=face.players(game)[mistake.player],
        loss=mistake.loss,
        words=words(mistake.value),
        plays=[Play(name=play.action, probability=play.probability, words=words(play.value)) for play in mistake.plays],
        optimal=list(mistake.optimal),
    )
