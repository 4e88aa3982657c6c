"""Agents made ready for a game: perfect ones know the truth, others are compiled before they are asked."""

from __future__ import annotations

from functools import partial
from typing import Any

from ludus import catalog
from ludus.agents.agent import Probabilities, agent_for, probabilities
from ludus.agents.mcts import Mcts
from ludus.agents.perfect import Perfect, knowing
from ludus.errors import LudusError
from ludus.files import home
from ludus.game import CHANCE
from ludus.learning.runs import AGENT, STATE, Trained
from ludus.masks import is_empty
from ludus.parameters import parse_written
from ludus.solving.truth import Searched, TooCostlyError
from ludus.web.shelf import Shelf, is_run
from ludus.web.truths import known_truth, own_search
from ludus.web.workshop import Tell, Workshop

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


def _prepared(shelf: Shelf, text: str, game: Any, games: int | None, tell: Tell) -> Any:
    tell("preparing itself")
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
