"""What the page may name: games, agents, runs and positions. Files, paths and outside programs are refused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Depends, Query, Request
from pydantic import AfterValidator, Field
from starlette.concurrency import run_in_threadpool

from ludus import catalog, face
from ludus.compiled.masks import actions
from ludus.errors import LudusError
from ludus.files import home
from ludus.game import CHANCE
from ludus.learning.runs import Run, Trained, read_run
from ludus.learning.runs.files import MANIFEST
from ludus.parameters import format_with_parameters, make, parse_written

LONGEST = 400  # letters of a game, an agent or a position


def _as_text(words: str) -> str:
    """The same words; ValueError for half a letter, which JSON can hold and no file."""
    words.encode()
    return words


Text = Annotated[str, Field(max_length=LONGEST), AfterValidator(_as_text)]
ID = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$"
REFUSED_AGENTS = ("human", *catalog.AGENT_SCHEMES)
_LARGE = 1 << 63
_MOST_KNOWN = 256  # games that are kept by how they are written
_MOST = {"sims": 20_000, "depth": 8}  # the largest searches


class MissingError(LudusError):
    """Nothing has this id."""


class ConflictError(LudusError):
    """Somebody else has changed this meanwhile."""


class ForbiddenError(LudusError):
    """Whoever asks may not do this."""


class Registry:
    """The games offered: `games`, their classes by name, and `shown`, each game in the list by how it is written.

    `own` are names and games added to those of the catalogue, each in its variant.
    """

    def __init__(self, own: Sequence[tuple[str, Any]] = ()) -> None:
        known = catalog.games()
        self.games = known | {name: type(game) for name, game in own}
        complete = {name: cls for name, cls in known.items() if len(cls._field_defaults) == len(cls._fields)}
        self.shown = {name: cls() for name, cls in complete.items()}
        self.shown |= {format_with_parameters(name, game): game for name, game in own}
        self._known: dict[str, Any] = {}

    def game(self, text: str) -> Any:
        """The game that a text names; LudusError lists the names."""
        found = self._known.get(text)
        if found is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            found = self._known[text] = self._game(text)
        return found

    async def game_soon(self, text: str) -> Any:
        """The same in the event loop; a game that has to be checked first is checked in a thread."""
        found = self._known.get(text)
        return await run_in_threadpool(self.game, text) if found is None else found

    def _game(self, text: str) -> Any:
        written = parse_written(text)
        if written.name not in self.games:
            raise LudusError(f"no game is called {written.name!r}; there are: {', '.join(self.games)}")
        return catalog.admitted(make(self.games[written.name], written.name, written.parameters))

    def name_of(self, game: Any) -> str | None:
        """The text that names a game, None for one that is not offered."""
        name = next((name for name, cls in self.games.items() if cls is type(game)), None)
        return name and format_with_parameters(name, game)

    def agent(self, text: str) -> Any:
        """The agent that a text names: built in, from an installed package, or a run."""
        if is_run(text):
            return Trained(run_of(text))
        written = parse_written(text)
        if "/" in text or "\\" in text or ".py" in written.name or written.name.partition(":")[0] in REFUSED_AGENTS:
            raise LudusError(f"{text!r} is not allowed on the page: name an agent or a run")
        if "run" in written.parameters:
            run_of(written.parameters["run"])
        for name, most in _MOST.items():
            given = written.parameters.get(name, "0")
            if not given.isdecimal() or int(given) > most:
                raise LudusError(f"{name} must be a whole number up to {most:,}, not as in {text!r}")
        return catalog.find(catalog.AGENTS, text)


def allowed_agents() -> list[tuple[str, Any]]:
    """The names and classes of the agents in the catalogue that the page may name."""
    return [(name, cls) for name, cls in catalog.agents().items() if name not in REFUSED_AGENTS]


def is_run(name: str) -> bool:
    """Whether a run has this id."""
    return re.fullmatch(ID, name) is not None and (home() / "runs" / name / MANIFEST).is_file()


def run_of(name: str) -> Run:
    """The run with this id, which is its folder's name among the user's runs."""
    if not is_run(name):
        raise MissingError(f"there is no run {name!r}")
    return read_run(home() / "runs" / name)


def of_app(name: str) -> Any:
    """The dependency of a route on a part of the application's state."""

    async def part(request: Request) -> Any:
        return getattr(request.app.state, name)

    return Depends(part)


RegistryDep = Annotated[Registry, of_app("registry")]
GameText = Annotated[str, Query(max_length=LONGEST, description="A game, with parameters if needed.")]
PositionText = Annotated[str | None, Query(max_length=LONGEST, description="A position; by default the start.")]
AgentText = Annotated[str, Query(max_length=LONGEST, description="An agent, or the id of a run.")]


async def _game(registry: RegistryDep, game: GameText) -> Any:
    return await registry.game_soon(game)


GameDep = Annotated[Any, Depends(_game)]


def position_of(game: Any, at: str | None = None) -> Any:
    """The position written in the game's notation, the start by default."""
    if at is None:
        return game.start()
    if len(at) > LONGEST:
        raise LudusError(f"a position is written in at most {LONGEST} letters")
    pos = face.parse_position(game, at)
    try:
        after = [game.play(pos, action) for action in actions(game.legal(pos))]
        is_sound = game.player(pos) in (0, 1, CHANCE) and all(
            abs(field) < _LARGE for one in (pos, *after) for field in one
        )
    except Exception:  # a game may accept any numbers, and then do anything with them
        is_sound = False
    if not is_sound:
        raise LudusError(f"{at!r} is no position of this game")
    return pos


async def _position(game: GameDep, at: PositionText = None) -> Any:
    return position_of(game, at)


PositionDep = Annotated[Any, Depends(_position)]
