"""Agents on the page: who can be played against, what they answer, and what they think."""

from __future__ import annotations

import secrets
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from ludus import catalog, face
from ludus.agents.agent import draw_action, may_resign, probabilities, resigns
from ludus.errors import LudusError
from ludus.game import CHANCE
from ludus.learning.recorded import Recorded, listed
from ludus.masks import is_empty
from ludus.playout import random_action
from ludus.randomness import new_state
from ludus.web.ready import ready_agent
from ludus.web.shelf import LONGEST, AgentText, AskedGame, AskedPosition, OnShelf, position_of
from ludus.web.thoughts import Thoughts, thoughts_of
from ludus.web.views import CHANCE_NAME, PROBLEMS, Body, View, view_of
from ludus.web.workshop import InWorkshop

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
