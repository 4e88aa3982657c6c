"""What the commands share: arguments and options of one meaning, commands of many options, and output."""

from __future__ import annotations

import enum
import inspect
import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

import typer

from ludus import catalog
from ludus.commands import INTERRUPTED as INTERRUPTED
from ludus.commands.progress import at_rest as at_rest
from ludus.commands.progress import screen as screen
from ludus.errors import LudusError

Options = TypeVar("Options", bound=tuple[Any, ...])


def _listed(names: list[str]) -> str:
    return ", ".join(f"[cyan]{name}[/]" for name in names)


GAME = (
    "A name, [cyan]mancala[/], one with parameters, [cyan]'mancala(stones=3, capture=standard)'[/],"
    " or a file, [cyan]./nim.py[/]"
)
AGENT = (
    f"{_listed([name for name in catalog.names(catalog.AGENTS) if name != 'human'])}, with settings as"
    " [cyan]'mcts(sims=800)'[/], a file, [cyan]./my_agent.py[/], an outside program as [cyan]'cmd:./bot'[/], or a run"
    " of [cyan]ludus train[/]"
)
LEARNER = f"{_listed(catalog.names(catalog.LEARNERS))}, with settings as [cyan]'q-table(epsilon=0.2)'[/], or a file"


def _games(incomplete: str) -> list[str]:
    return [name for name in catalog.games() if name.startswith(incomplete)]


GameName = Annotated[str, typer.Argument(metavar="GAME", help=f"{GAME}.", autocompletion=_games)]
PerhapsGameName = Annotated[
    str | None, typer.Argument(metavar="GAME", help=f"{GAME}.", show_default=False, autocompletion=_games)
]
AgentName = Annotated[str, typer.Argument(metavar="AGENT", help=f"{AGENT}.")]
AgentOrHuman = Annotated[str, typer.Argument(metavar="AGENT", help=f"{AGENT}; or [cyan]human[/], who is asked here.")]
LearnerName = Annotated[str, typer.Argument(metavar="LEARNER", help=f"{LEARNER}.")]
FromPosition = Annotated[
    str | None,
    typer.Option(
        "--from", metavar="POSITION", help="Start from this position, as the game writes it.", show_default="the start"
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
On = Annotated[
    str,
    typer.Option(
        "--on",
        metavar="PLACE",
        help="Where to compute: [cyan]local[/] (all cores), [cyan]local=N[/], [cyan]ray[/] or [cyan]ray=ADDRESS[/].",
    ),
]
MOST_GAMES = 10**9  # to be counted: more games would not change what they say
MOST_PLIES = 2**31 - 1  # of one game
MOST_TRAINED = 10**12  # games to learn from: days of the fastest learner
MOST_LISTED = 10**7  # of positions, puzzles, mistakes: all of them are in memory at once
MOST_SEEDS = 1000  # each of which is a training
MOST_SEED = 2**53 - 1  # the largest whole number that every reader of JSON keeps
Seed = Annotated[int, typer.Option(min=0, max=MOST_SEED, metavar="N", help="The same seed gives the same result.")]
Vouch = Annotated[
    bool, typer.Option("--vouch", help="Your word that an outside program always answers a position alike.")
]


class SeatName(enum.Enum):
    """The seat of a player: first or second at the start."""

    FIRST = "first"
    SECOND = "second"


def example(command: str) -> str:
    """The last line of a command's help."""
    return f"Example: [cyan]ludus {command}[/]"


def takes_options(command: Callable[[Options], None]) -> Callable[..., None]:
    """Turn a command of one NamedTuple into one with an option or argument for each of its fields."""
    (fields,) = [hint for name, hint in get_type_hints(command).items() if name != "return"]
    hints, defaults = get_type_hints(fields, include_extras=True), fields._field_defaults
    return with_parameters(
        lambda **given: command(fields(**given)),
        command,
        [parameter(name, hint, defaults.get(name, inspect.Parameter.empty)) for name, hint in hints.items()],
    )


def parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    """A keyword-only parameter, as Typer reads options and arguments from them."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def with_parameters(
    called: Callable[..., None], command: Callable[..., None], parameters: list[inspect.Parameter]
) -> Callable[..., None]:
    """The function `called`, with the name and help of a command and these parameters as its signature."""
    called.__name__, called.__doc__ = command.__name__, command.__doc__
    vars(called)["__signature__"] = inspect.Signature(parameters)
    called.__annotations__ = {each.name: each.annotation for each in parameters}
    return called


def show(output: Any, **look: Any) -> None:
    """Print the result of a command: a dict or list as JSON, a string as it is, all else by Rich."""
    if isinstance(output, dict | list | str):
        with at_rest():
            typer.echo(output if isinstance(output, str) else json.dumps(output, indent=2))
    else:
        screen().print(output, **look)


def name_on_page(game: str) -> str:
    """The name of a game on a page; one from a file has the name of the file."""
    return Path(game.partition("(")[0].partition(".py")[0]).name.strip().replace("_", "-")


def finite(number: float | None) -> float | None:
    """The value of an option, if it is a number: no range refuses NaN."""
    if number is not None and not math.isfinite(number):
        raise typer.BadParameter(f"{number} is no number to count with.")
    return number


def bytes_of(gigabytes: float) -> int:
    """A number of GB in bytes."""
    return int(gigabytes * 1e9)


def require_writable(path: Path | None) -> None:
    """Raise LudusError where a file cannot be written, before the work is done."""
    if path is None:
        return
    if path.is_dir():
        raise LudusError(f"{path} cannot be written: it is a folder")
    if not path.parent.is_dir():
        raise LudusError(f"{path} cannot be written: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise LudusError(f"{path} cannot be written: the folder {path.parent} does not permit it")


def without_memory(agent: str, vouch: bool) -> Any:
    """The agent of this name; for an outside program the user must vouch."""
    from ludus.agents.program import Program

    made = catalog.make_agent(agent)
    if isinstance(made, Program):
        if not vouch:
            raise LudusError(f"{agent} may remember earlier moves; say --vouch if it does not remember")
        made.has_memory = False
    return made
