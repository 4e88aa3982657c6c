"""What the commands have in common: the application, arguments and options of one meaning, and the console."""

from __future__ import annotations

import enum
from typing import Annotated, Any

import typer

from ludus import catalog
from ludus.errors import LudusError

app = typer.Typer(
    help="A school for small two-player games: write rules once, play them at native speed, solve them, grade agents.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)


INTERRUPTED = 130  # the exit status that shells expect


Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]

GAME = (
    "A name, [cyan]mancala[/], one with parameters, [cyan]'mancala(stones=3, capture=standard)'[/],"
    " or a file, [cyan]./nim.py[/]"
)

AGENT = (
    "[cyan]random[/], [cyan]first[/], [cyan]last[/], [cyan]smart-random[/], [cyan]perfect[/],"
    " [cyan]'perfect(skill=0.8)'[/], [cyan]'mcts(sims=800)'[/], [cyan]'minimax(depth=4)'[/], an outside program as"
    " [cyan]'cmd:./bot'[/], the folder of a run of [cyan]ludus train[/], or one that an installed package brings"
)


def _games(incomplete: str) -> list[str]:
    return [name for name in catalog.games() if name.startswith(incomplete)]


GameName = Annotated[str, typer.Argument(metavar="GAME", help=f"{GAME}.", autocompletion=_games)]

AgentName = Annotated[str, typer.Argument(metavar="AGENT", help=f"{AGENT}.")]

AgentOrHuman = Annotated[str, typer.Argument(metavar="AGENT", help=f"{AGENT}; or [cyan]human[/], who is asked here.")]


FromPosition = Annotated[
    str | None,
    typer.Option(
        "--from", metavar="POSITION", help="Begin from this position, as the game writes it.", show_default="the start"
    ),
]


On = Annotated[
    str,
    typer.Option(
        "--on",
        metavar="PLACE",
        help="Where to compute: [cyan]local[/] (all cores), [cyan]local=N[/], [cyan]ray[/] or [cyan]ray=ADDRESS[/].",
    ),
]


Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same result.")]


def example(command: str) -> str:
    """The last line of a command's help."""
    return f"Example: [cyan]ludus {command}[/]"


class SeatName(enum.Enum):
    """Who moves first at the start, or the other."""

    FIRST = "first"
    SECOND = "second"


def screen(*, stderr: bool = False) -> Any:
    """Where to write for people."""
    from rich.console import Console

    return Console(stderr=stderr)


Vouch = Annotated[
    bool, typer.Option("--vouch", help="Your word that an outside program always answers a position alike.")
]


def without_memory(agent: str, vouch: bool) -> Any:
    """The agent of this name; for an outside program the user must vouch."""
    from ludus.agents.program import Program

    made = catalog.make_agent(agent)
    if isinstance(made, Program):
        if not vouch:
            raise LudusError(f"{agent} may remember earlier moves; say --vouch if it does not remember")
        made.has_memory = False
    return made
