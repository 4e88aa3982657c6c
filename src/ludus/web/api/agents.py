"""Agents made ready for a game: perfect ones know the truth, others are compiled before they are asked."""

from __future__ import annotations

import secrets
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from ludus import catalog, face
from ludus.agents.agent import Probabilities, agent_for, draw_action, may_resign, probabilities, resigns
from ludus.agents.mcts import Mcts
from ludus.agents.perfect import Perfect, knowing
from ludus.compiled.masks import is_empty
from ludus.compiled.randomness import new_state
from ludus.errors import LudusError
from ludus.files import home
from ludus.game import CHANCE
from ludus.learning.runs.history import Recorded, listed
from ludus.learning.runs.run import AGENT, STATE, Trained
from ludus.parameters import parse_written
from ludus.playout import random_action
from ludus.solving.solver import Searched, TooCostlyError
from ludus.web.api.thoughts import Thoughts, thoughts_of
from ludus.web.api.views import CHANCE_NAME, PROBLEMS, Body, View, view_of
from ludus.web.registry import LONGEST, AgentText, AskedGame, AskedPosition, OnShelf, Shelf, is_run, position_of
from ludus.web.solutions import known_truth, own_search
from ludus.web.workshop import InWorkshop, Tell, Workshop

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


def ready_agent(workshop: Workshop, shelf: Shelf, game: Any, pos: Any, text: str, games: int | None = None) -> Any:
    """The agent that plays a game from a position on; `games`: a run as it was after so many games.

    Waits while it is prepared; BusyError where that takes too long.
    """
    if not is_run(text):
        agent = shelf.agent(text)
        if isinstance(agent, Perfect):
            truth = known_truth(workshop, game, pos, PATIENCE)
            return FarSighted(truth, agent.skill) if isinstance(truth, Searched) else knowing(truth, agent.skill)
    key = catalog.name_of(game), text, games, age_of(text)
    return workshop.ask("agent", key, partial(_prepared, shelf, text, game, games)).wait(PATIENCE)


def _prepared(shelf: Shelf, text: str, game: Any, games: int | None, on_progress: Tell) -> Any:
    on_progress("preparing itself")
    agent = shelf.agent(text)
    if games is not None:
        if not isinstance(agent, Trained):
            raise LudusError("only runs have checkpoints")
        agent_for(agent, game)  # raises if it was trained on another game
        made = agent.run.agent_after(games)
    else:
        made = agent_for(agent, game)
    start = game.start()
    if not is_empty(game.legal(start)) and game.player(start) != CHANCE:
        probabilities(made, game, start)  # compiles what it needs
    return made


def age_of(agent: str) -> tuple[int, ...]:
    """When the files were written that a run, or an agent by a run, is made of: in training it goes on learning."""
    name = parse_written(agent).parameters.get("run", agent)
    files = [home() / "runs" / name / file for file in (AGENT, STATE)] if is_run(name) else []
    return tuple(file.stat().st_mtime_ns for file in files if file.is_file())


router = APIRouter(prefix="/api", tags=["agents"], responses=PROBLEMS)


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
def opponents(game: AskedGame, shelf: OnShelf) -> list[Opponent]:
    """Whom one can play against, the weakest first."""
    runs = sorted((run for run in _runs_of(game)), key=_strength)
    return [
        *(Opponent(agent=agent, title=title, words=words, kind="built-in") for agent, title, words in WEAK),
        *(run_opponent(one) for one in runs),
        *(Opponent(agent=agent, title=title, words=words, kind="built-in") for agent, title, words in _SEARCHING),
        *(Opponent(agent=agent, title=title, words=words, kind="perfect") for agent, title, words in STRONG),
    ]


def _runs_of(game: Any) -> list[Recorded]:
    """The runs of a game that have learned something."""
    found = [one for one in listed() if isinstance(one, Recorded)]
    return [one for one in found if type(one.run.game) is type(game) and one.run.game == game and one.measures]


def _strength(one: Recorded) -> tuple[float, float]:
    """The share of right decisions, and of games won against the first that it was measured against."""
    last = one.measures[-1]
    right = last.right / last.decisions if last.right is not None and last.decisions else 0.0
    return right, next((result.share for result in last.against.values()), 0.0)


def run_opponent(one: Recorded) -> Opponent:
    """A run as an opponent, with how strong it is."""
    right, won = _strength(one)
    told = f"{right:.0%} of decisions right" if right else f"won {won:.0%} when last measured"
    learner = catalog.learner_name(one.run.learner).rpartition("/")[2]
    words = f"{learner}, {one.games:,} games, {told}"
    return Opponent(agent=one.run.name, title=one.run.name, words=words, kind="run", run=one.run.name)


@router.post("/answer")
def answer(question: Question, shelf: OnShelf, workshop: InWorkshop) -> Answer:
    """What an agent does in a position."""
    game = shelf.game(question.game)
    pos = position_of(game, question.at)
    if is_empty(game.legal(pos)):
        raise LudusError("the game is over: there is nothing to choose")
    if question.agent == CHANCE_NAME.lower():
        return _drawn(game, pos)
    if game.player(pos) == CHANCE:
        raise LudusError("chance moves here: ask for the agent `chance`")
    agent = ready_agent(workshop, shelf, game, pos, question.agent)
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
    shelf: OnShelf,
    workshop: InWorkshop,
    games: Annotated[int | None, Query(ge=0, le=1 << 62, description="A checkpoint of a run, by its games.")] = None,
) -> Thoughts:
    """What an agent thinks of every action in a position."""
    if is_empty(game.legal(pos)) or game.player(pos) == CHANCE:
        return Thoughts(words="nobody has to choose here")
    return thoughts_of(ready_agent(workshop, shelf, game, pos, agent, games), game, pos)
