"""`ludus warm`: the machine code that is commonly needed, compiled ahead."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, NamedTuple

import typer

from ludus import catalog
from ludus.agents.agent import agent_for, probabilities
from ludus.agents.perfect import Perfect, truth_about
from ludus.agents.simple import Random, SmartRandom
from ludus.arena.match import play_match
from ludus.cgt.positions import canonical_form
from ludus.cluster import Job, run_jobs
from ludus.commands.options import AGENT, GAME, Json, On, example, screen, show
from ludus.commands.progress import live_table
from ludus.compiled import compiling, machine_code
from ludus.errors import LudusError
from ludus.grading.grade import grade
from ludus.learning.runs import train
from ludus.solving.solver import Searched, TooCostlyError

app = typer.Typer()
_AGENTS = ("random", "smart-random", "mcts", "minimax", "perfect")
_GAMES = 4  # in a match, and in an evaluation of the learner
_NODES = 1 << 12  # of search in a game too large to enumerate


@app.command(epilog=example("warm connect-four --agent random --agent 'mcts(sims=200)'"))
def warm(
    game: Annotated[
        str | None, typer.Argument(metavar="GAME", help=f"{GAME}.", show_default="all games of Ludus")
    ] = None,
    agents: Annotated[
        list[str] | None,
        typer.Option(
            "--agent",
            metavar="AGENT",
            help=f"{AGENT}; several times for several agents. The first one meets all others.",
            show_default=", ".join(_AGENTS),
        ),
    ] = None,
    on: On = "local",
    as_json: Json = False,
) -> None:
    """Compile ahead what solve, grade, match, play, train and value need for a game, so that they start at once.

    Everything is compiled once and kept on disk; what is there already is not compiled again.
    """
    names = [catalog.lasting_name(catalog.make_game(game))] if game else _complete_games()
    for each in agents or ():
        catalog.make_agent(each)
    began, found = time.monotonic(), list[Warmed]()
    jobs = [Job(f"{name}, {step}", warmed, (name, tuple(agents or _AGENTS), step)) for step in STEPS for name in names]
    with live_table(screen(stderr=True)) as on_progress:
        run_jobs(jobs, on, done=lambda _, one: found.append(one), on_progress=partial(on_progress, "compiling"))
    compiled, loaded = (sum(counts) for counts in zip(*found, strict=True))
    summary = Summary(names, compiled, loaded, round(time.monotonic() - began, 3), *_kept())
    show(summary._asdict() if as_json else as_text(summary))


def _complete_games() -> list[str]:
    """The games of Ludus that can be made without giving parameters."""
    return [name for name, cls in catalog.games().items() if set(cls._field_defaults) == set(cls._fields)]


def _kept() -> tuple[int, str]:
    """The bytes of machine code on disk, and where it is."""
    folder = machine_code.directory()
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()), str(folder)


class Summary(NamedTuple):
    """What was done: games, kernels compiled and found on disk, and the size and place of the cache."""

    games: list[str]
    compiled: int
    found: int
    seconds: float
    bytes: int
    folder: str


def as_text(summary: Summary) -> str:
    """The summary in a line."""
    return (
        f"{summary.compiled:,} kernels compiled and {summary.found:,} found on disk in {summary.seconds:.0f} s;"
        f" machine code takes {summary.bytes / 1e6:.1f} MB in {summary.folder}"
    )


class Warmed(NamedTuple):
    """How many kernels one step compiled, and how many it found on disk."""

    compiled: int
    loaded: int


def warmed(game: str, agents: Sequence[str], step: str) -> Warmed:
    """Do a little of what a command does with a game, all of it in machine code."""
    made = catalog.make_game(game)
    before, compiled = _in_use(), list[str]()
    with (
        compiling.always_compiled(),
        _noting(compiled),
        suppress(LudusError, TooCostlyError),
    ):  # it says so when it is wanted
        STEPS[step](made, [catalog.make_agent(agent) for agent in agents])
    return Warmed(len(compiled), _in_use() - before - len(compiled))


@contextmanager
def _noting(compiled: list[str]) -> Iterator[None]:
    """Note the names of the kernels that are compiled."""

    def listener(kernel: Any, done: int, total: int) -> None:
        if done == total:
            compiled.append(kernel.__name__)

    compiling.listeners.append(listener)
    try:
        yield
    finally:
        compiling.listeners.remove(listener)


def _in_use() -> int:
    """How many kernels have machine code in this process, one for each list of argument types."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("ludus")]
    kernels = {one for module in modules for one in vars(module).values() if isinstance(one, compiling.Kernel)}
    return sum(len(kernel.specialisations) for kernel in kernels)


# ---- a little of what each command does ----


def _solve(game: Any, agents: Sequence[Any]) -> None:
    truth, start = truth_about(game, game.start()), game.start()
    if isinstance(truth, Searched):
        with truth.within(_NODES):
            truth.known_actions(start)
    else:
        truth.counts()
        truth.actions(start)


def _match(game: Any, agents: Sequence[Any]) -> None:
    first, *others = _able(game, agents)
    for other in others or [first]:
        play_match(game, first, other, _GAMES, threads=1)


def _grade(game: Any, agents: Sequence[Any]) -> None:
    for agent in agents:
        if isinstance(agent, Random | SmartRandom):  # others may take long
            grade(agent, game, positions=1)


def _play(game: Any, agents: Sequence[Any]) -> None:
    for agent in _able(game, agents):
        probabilities(agent_for(agent, game), game, game.start())


def _train(game: Any, agents: Sequence[Any]) -> None:
    with TemporaryDirectory() as folder:
        train(game, "q-table", games=_GAMES, eval_games=_GAMES, out=Path(folder) / "run")


def _value(game: Any, agents: Sequence[Any]) -> None:
    canonical_form(game)


def _able(game: Any, agents: Sequence[Any]) -> list[Any]:
    """The agents that move soon: not `perfect` in a game that it must search."""
    is_searched = isinstance(truth_about(game, game.start()), Searched)
    return [agent for agent in agents if not (is_searched and isinstance(agent, Perfect))]


STEPS: dict[str, Callable[[Any, Sequence[Any]], None]] = {
    "solve": _solve,
    "match": _match,
    "grade": _grade,
    "play": _play,
    "train": _train,
    "value": _value,
}
