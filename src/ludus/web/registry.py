"""What a page may name: games, agents, runs and positions. Files, paths and outside programs are out of its reach."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any

from fastapi import Depends, Query, Request

from ludus import catalog, face
from ludus.compiled.masks import actions
from ludus.errors import LudusError
from ludus.files import home
from ludus.game import CHANCE
from ludus.learning.runs import Run, Trained, read_run
from ludus.learning.runs.files import MANIFEST
from ludus.parameters import format_with_parameters, make, parse_written

LONGEST = 400  # letters of a game, an agent or a position

ID = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$"


_LARGE = 1 << 63

_REFUSED = ("human", "cmd")

_MOST = {"sims": 20_000, "depth": 8}  # of what searching agents may be asked for


class MissingError(LudusError):
    """There is nothing of this id."""


class Registry:
    """The games that are offered, by name, and the agents and runs that there are."""

    def __init__(self, games: Mapping[str, Any] | None = None) -> None:
        self.games = catalog.games() | dict(games or {})
        self.game = lru_cache(256)(self._game)

    def _game(self, text: str) -> Any:
        """The game that a text names; LudusError says which there are."""
        written = parse_written(text)
        if written.name not in self.games:
            raise LudusError(f"no game is called {written.name!r}; there are: {', '.join(self.games)}")
        return make(self.games[written.name], written.name, written.parameters)

    def offers(self, game: Any) -> bool:
        """Whether it is one of them."""
        return type(game) in self.games.values()

    def written(self, game: Any) -> str:
        """How a page writes a game of the registry, with the parameters that differ from their defaults."""
        name = next(name for name, cls in self.games.items() if cls is type(game))
        return format_with_parameters(name, game)

    def agent(self, text: str) -> Any:
        """The agent that a text names: one built in, from an installed package, or a run."""
        written = parse_written(text)
        if "/" in text or "\\" in text or ".py" in written.name or written.name.partition(":")[0] in _REFUSED:
            raise LudusError(f"{text!r} cannot be asked from the page: name an agent or a run")
        if is_run(written.name) and not written.parameters:
            return Trained(run_of(written.name))
        if "run" in written.parameters:
            run_of(written.parameters["run"])
        _require_modest(text, written.parameters)
        return catalog.find(catalog.AGENTS, text)


def _require_modest(text: str, parameters: Mapping[str, str]) -> None:
    for name, most in _MOST.items():
        given = parameters.get(name, "0")
        if not given.isdecimal() or int(given) > most:
            raise LudusError(f"{name} must be a whole number up to {most:,}, not as in {text!r}")


def is_run(name: str) -> bool:
    """Whether there is a run of this id."""
    return re.fullmatch(ID, name) is not None and (home() / "runs" / name / MANIFEST).is_file()


def run_of(name: str) -> Run:
    """The run of an id, which is the name of its folder among the user's runs."""
    if not is_run(name):
        raise MissingError(f"there is no run {name!r}")
    return read_run(home() / "runs" / name)


def position_of(game: Any, at: str | None) -> Any:
    """The position that a notation describes, the start by default."""
    if at is None:
        return game.start()
    if len(at) > LONGEST:
        raise LudusError(f"a position is written in at most {LONGEST} letters")
    pos = face.parse_position(game, at)
    try:
        followed = [game.play(pos, action) for action in actions(game.legal(pos))]
        sound = game.player(pos) in (0, 1, CHANCE) and all(
            abs(field) < _LARGE for one in (pos, *followed) for field in one
        )
    except Exception:  # a game may accept any numbers, and then do anything with them
        sound = False
    if not sound:
        raise LudusError(f"{at!r} is no position of this game")
    return pos


def _registry(request: Request) -> Registry:
    registry: Registry = request.app.state.registry
    return registry


RegistryDep = Annotated[Registry, Depends(_registry)]

GameText = Annotated[str, Query(max_length=LONGEST, description="A game, with parameters if need be.")]

PositionText = Annotated[str | None, Query(max_length=LONGEST, description="A position; by default the start.")]

AgentText = Annotated[str, Query(max_length=LONGEST, description="An agent, or the id of a run.")]


def _asked_game(registry: RegistryDep, game: GameText) -> Any:
    return registry.game(game)


AskedGame = Annotated[Any, Depends(_asked_game)]


def _asked_position(game: AskedGame, at: PositionText = None) -> Any:
    return position_of(game, at)


AskedPosition = Annotated[Any, Depends(_asked_position)]
