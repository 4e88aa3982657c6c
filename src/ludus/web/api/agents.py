"""Agents: opponents to play against, their moves, their evaluation of a position, and their worst mistakes."""

from __future__ import annotations

import math
import secrets
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from ludus import catalog, face
from ludus.agents.agent import Probabilities, agent_for, draw_action, may_resign, opinions, probabilities, resigns
from ludus.agents.mcts import Mcts
from ludus.agents.perfect import Perfect, knowing
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
from ludus.solving.solver import Searched, TooCostlyError
from ludus.web.api.solutions import known_truth, own_search, truth_of
from ludus.web.api.views import CHANCE_NAME, Body, State, View, view_of, worth_of
from ludus.web.jobs import JobQueue, JobsDep, Tell
from ludus.web.registry import LONGEST, AgentText, AskedGame, AskedPosition, Registry, RegistryDep, is_run, position_of


class Thought(BaseModel):
    """Of one action: how likely the agent takes it, what it thinks of it, and how often it looked at it."""

    probability: float
    worth: float | None = None
    visits: int | None = None


class Thoughts(BaseModel):
    """Of all actions; `worths` says what a worth is, `value` is what the agent expects, if it says so."""

    words: str
    worths: Literal["none", "worth", "policy"] = "none"
    value: float | None = None
    visits: int | None = None
    actions: dict[int, Thought] = {}


def thoughts_of(agent: Any, game: Any, pos: Any) -> Thoughts:
    """All that an agent can tell of a position in which somebody has to choose."""
    return thoughts_by(agent, game, [pos], [probabilities(agent, game, pos)])[0]


def thoughts_by(agent: Any, game: Any, positions: Sequence[Any], policies: Sequence[Probabilities]) -> list[Thoughts]:
    """The same of many positions, by what the agent's policy gives the actions in each."""
    told = [_by_policy(game, pos, policy) for pos, policy in zip(positions, policies, strict=True)]
    if hasattr(agent, "study"):
        for one, pos in zip(told, positions, strict=True):
            _by_search(one, agent.study(game, pos))
    else:
        for one, worths in zip(told, opinions(agent, game, positions), strict=True):
            _by_opinion(one, worths)
    if hasattr(agent, "evaluate"):
        for one, value in zip(told, _evaluated(agent, game, positions), strict=True):
            one.worths, one.value = "policy", value
    for one, pos in zip(told, positions, strict=True):
        _by_visits(one, agent, game, pos)
    return told


def _by_policy(game: Any, pos: Any, policy: Probabilities) -> Thoughts:
    legal = actions(game.legal(pos))
    total = sum(float(policy[action]) for action in legal) or 1.0
    return Thoughts(words="", actions={action: Thought(probability=policy[action] / total) for action in legal})


def _by_search(told: Thoughts, study: dict[int, Any]) -> None:
    for action, found in study.items():
        told.actions[action].worth, told.actions[action].visits = found.worth, found.visits
    told.worths, told.value = "worth", max((found.worth for found in study.values()), default=None)


def _by_opinion(told: Thoughts, worths: dict[str, float] | None) -> None:
    if worths is None:
        return
    for action, worth in worths.items():
        told.actions[int(action)].worth = worth if math.isfinite(worth) else None
    told.worths, told.value = "worth", max((worth for worth in worths.values() if math.isfinite(worth)), default=None)


def _by_visits(told: Thoughts, agent: Any, game: Any, pos: Any) -> None:
    if hasattr(agent, "visits"):
        told.visits = int(agent.visits(game, pos))
        told.words = "" if told.visits else "it has never been here: it guesses"
    if told.worths == "none":
        told.words = "it has no opinion, only a policy"


def _evaluated(agent: Any, game: Any, positions: Sequence[Any]) -> list[float]:
    """What a network with a policy and a value thinks each position is worth to who moves."""
    inputs, _ = encode(game, np.array(positions, np.int64))
    return [float(worth) for worth in np.asarray(agent.evaluate(inputs)[1]).reshape(-1)]


PATIENCE = 100.0  # seconds to wait for what must be prepared


_MOST_NODES = 1 << 22  # of search for one move, a second or so


_INSTEAD = Mcts(sims=3000)


class FarSighted:
    """Perfect play by search as far as that is soon done, else tree search; `remark` says so of the latest move."""

    def __init__(self, truth: Searched, skill: float) -> None:
        self.truth, self.skill, self.remark = own_search(truth), skill, ""

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """What perfect does, or what `mcts` does where that would take too long."""
        try:
            with self.truth.within(_MOST_NODES):
                knowing(self.truth, self.skill).policy(game, pos, out)
        except TooCostlyError:
            self.remark = "too far from the end to be searched: moved by tree search"
            out[:] = 0.0
            _INSTEAD.policy(game, pos, out)


def ready_agent(jobs: JobQueue, registry: Registry, game: Any, pos: Any, text: str, games: int | None = None) -> Any:
    """The agent that plays a game from a position on; `games`: a run as it was after so many games.

    Waits while it is prepared; BusyError where that takes too long.
    """
    if not is_run(text):
        agent = registry.agent(text)
        if isinstance(agent, Perfect):
            truth = known_truth(jobs, game, pos, PATIENCE)
            return FarSighted(truth, agent.skill) if isinstance(truth, Searched) else knowing(truth, agent.skill)
    key = catalog.name_of(game), text, games, age_of(text)
    return jobs.ask("agent", key, partial(_prepared, registry, text, game, games)).wait(PATIENCE)


def _prepared(registry: Registry, text: str, game: Any, games: int | None, on_progress: Tell) -> Any:
    on_progress("preparing itself")
    agent = registry.agent(text)
    if games is not None:
        if not isinstance(agent, Trained):
            raise LudusError("only runs have checkpoints")
        agent_for(agent, game)  # raises if it was trained on another game
        made = agent.run.agent_at(games)
    else:
        made = agent_for(agent, game)
    start = game.start()
    if not is_empty(game.legal(start)) and game.player(start) != CHANCE:
        probabilities(made, game, start)  # compiles what it needs
    return made


def age_of(agent: str) -> tuple[int, ...]:
    """When the files were written that a run, or an agent by a run, is made of: in training it goes on learning."""
    name = parse_written(agent).parameters.get("run", agent)
    files = [home() / "runs" / name / file for file in (AGENT, CHECKPOINT)] if is_run(name) else []
    return tuple(file.stat().st_mtime_ns for file in files if file.is_file())


router = APIRouter(tags=["agents"])


WEAK = (("random", "Random", "any legal action"), ("smart-random", "Careful", "sees one ply ahead, else random"))


_SEARCHING = (("mcts(sims=100)", "Searching", "tree search, 100 simulations"),)


STRONG = (
    ("perfect(skill=0.7)", "Strong", "perfect, but errs three times in ten"),
    ("perfect", "Perfect", "never gives anything away"),
)


class Opponent(BaseModel):
    """An agent to play against; `run` is the id of a run."""

    agent: str
    title: str
    words: str
    kind: Literal["built-in", "run", "perfect"]
    run: str | None = None


class Question(Body):
    """What an agent is to do in a position; `chance` draws where chance moves."""

    game: str = Field(max_length=LONGEST)
    at: str | None = Field(None, max_length=LONGEST)
    agent: str = Field(max_length=LONGEST)


class Answer(BaseModel):
    """What it does, and the position after it; no action where it resigns."""

    action: int | None
    name: str
    resigns: bool
    words: str
    view: View


@router.get("/opponents")
def opponents(game: AskedGame, registry: RegistryDep) -> list[Opponent]:
    """Whom one can play against, the weakest first."""
    runs = sorted((run for run in _runs_of(game)), key=_strength)
    return [
        *(Opponent(agent=agent, title=title, words=words, kind="built-in") for agent, title, words in WEAK),
        *(run_opponent(one) for one in runs),
        *(Opponent(agent=agent, title=title, words=words, kind="built-in") for agent, title, words in _SEARCHING),
        *(Opponent(agent=agent, title=title, words=words, kind="perfect") for agent, title, words in STRONG),
    ]


def _runs_of(game: Any) -> list[History]:
    """The runs of a game that have learned something."""
    found = [one for one in list_runs() if isinstance(one, History)]
    return [one for one in found if type(one.run.game) is type(game) and one.run.game == game and one.evaluations]


def _strength(one: History) -> tuple[float, float]:
    """The accuracy, and the share of games won against the first that it was measured against."""
    last = one.evaluations[-1]
    return last.accuracy or 0.0, next((result.win_rate for result in last.against.values()), 0.0)


def run_opponent(one: History) -> Opponent:
    """A run as an opponent, with how strong it is."""
    accuracy, won = _strength(one)
    told = f"{accuracy:.0%} of decisions optimal" if accuracy else f"won {won:.0%} when last measured"
    learner = catalog.learner_name(one.run.learner).rpartition("/")[2]
    words = f"{learner}, {one.games:,} games, {told}"
    return Opponent(agent=one.run.name, title=one.run.name, words=words, kind="run", run=one.run.name)


@router.post("/answer")
def answer(question: Question, registry: RegistryDep, jobs: JobsDep) -> Answer:
    """What an agent does in a position."""
    game = registry.game(question.game)
    pos = position_of(game, question.at)
    if is_empty(game.legal(pos)):
        raise LudusError("the game is over: there is nothing to choose")
    if question.agent == CHANCE_NAME.lower():
        return _drawn(game, pos)
    if game.player(pos) == CHANCE:
        raise LudusError("chance moves here: ask for the agent `chance`")
    agent = ready_agent(jobs, registry, game, pos, question.agent)
    shares = probabilities(agent, game, pos)
    legal = game.legal(pos)
    words = str(getattr(agent, "remark", ""))
    if may_resign(agent) and resigns(shares, legal):
        return Answer(action=None, name="resigns", resigns=True, words=words, view=view_of(game, pos))
    return _done(game, pos, int(draw_action(shares, legal, _state())), words)


def _drawn(game: Any, pos: Any) -> Answer:
    if game.player(pos) != CHANCE:
        raise LudusError("chance does not move here")
    return _done(game, pos, int(random_action(game, pos, game.legal(pos), _state())), "")


def _state() -> Any:
    state = new_state()
    state[0] = secrets.randbits(64)
    return state


def _done(game: Any, pos: Any, action: int, words: str) -> Answer:
    name = face.action_name(game, pos, action)
    return Answer(action=action, name=name, resigns=False, words=words, view=view_of(game, game.play(pos, action)))


@router.get("/thoughts")
def thoughts(
    game: AskedGame,
    pos: AskedPosition,
    agent: AgentText,
    registry: RegistryDep,
    jobs: JobsDep,
    games: Annotated[int | None, Query(ge=0, le=1 << 62, description="A checkpoint of a run, by its games.")] = None,
) -> Thoughts:
    """What an agent thinks of every action in a position."""
    if is_empty(game.legal(pos)) or game.player(pos) == CHANCE:
        return Thoughts(words="nobody has to choose here")
    return thoughts_of(ready_agent(jobs, registry, game, pos, agent, games), game, pos)


_MOST = 20


_SAMPLED = 40  # positions of a game too large to enumerate


class Play(BaseModel):
    """What the agent may do there, how likely, and what it leads to for it."""

    name: str
    probability: float
    words: str


class MistakeView(BaseModel):
    """A position in which the agent gives something away: how many points on average, and the optimal actions."""

    at: str
    player: int
    mover: str
    loss: float
    words: str
    plays: list[Play]
    optimal: list[str]


class Mistakes(BaseModel):
    """The worst of them, from positions that arise in the agent's own play."""

    state: State
    words: str
    decisions: int | None = None
    optimal: float | None = None
    mistakes: list[MistakeView] = []


@router.get("/mistakes")
def mistakes(game: AskedGame, agent: AgentText, registry: RegistryDep, jobs: JobsDep) -> Mistakes:
    """The worst mistakes of an agent in a game; working them out takes some seconds."""
    truth = truth_of(jobs, game, game.start())
    if truth.state != "ready":
        return Mistakes(state=truth.state, words=truth.words)
    key = catalog.name_of(game), agent, age_of(agent)
    job = jobs.ask("mistakes", key, lambda on_progress: graded(registry.agent(agent), game, truth.result, on_progress))
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
        optimal=list(mistake.optimal),
    )
