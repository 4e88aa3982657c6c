"""The command line: one module a command, imported only when the command is run or its help is shown."""

from __future__ import annotations

import importlib
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from ludus import __version__
from ludus.commands.stopping import leave, stoppable
from ludus.errors import LudusError, diagnosed, explained, own_frames, printable

# Every command in its group with a line of help, the most used first.
COMMANDS = {
    "Play": {
        "play": "Play a game in the terminal against an agent or a second person.",
        "serve": "Open the page in the browser: play with hints, watch agents.",
        "puzzle": "Solve puzzles: positions where exactly one action keeps the win.",
        "replay": "Step through a recorded game.",
    },
    "Solve": {
        "solve": "Solve a game exactly: its value and every optimal action.",
        "tablebase": "List, verify and remove solutions kept on disk.",
        "value": "Print the canonical form of a position: 1/2, ^*, {2||1|0}.",
        "prove": "Write a proof of a result, and how to check it.",
        "crib": "Print the few positions to know by heart to hold a result.",
        "book": "Compute the opening book of a large game.",
    },
    "Train": {
        "train": "Train an agent; Ctrl-C stops, --resume continues.",
        "runs": "List training runs, or compare some by learning curves.",
        "sweep": "Train agents over a grid of settings, with tournaments.",
        "tables": "Read and write Q-tables as files of the TapnSwap paper.",
    },
    "Compare": {
        "grade": "Grade an agent: accuracy, blunders, guaranteed result.",
        "match": "Let two agents play many games, and count by seat.",
        "tournament": "Let all pairs of agents play, then rank and rate them.",
        "ratings": "Show the ratings of all agents that met in tournaments.",
        "benchmark": "Compare learners on solved games.",
    },
    "Study": {
        "paper": "Rerun a paper's experiments and check its claims.",
        "demo": "Take a tour: list, solve and play all games in a minute.",
    },
    "Extend": {
        "games": "List the games with their parameters and known results.",
        "new-game": "Write a file with a small game, as a start for your own.",
        "check": "Check that a game keeps the contract, or show what breaks it.",
        "export": "Write a web page to play one game, for any host.",
        "warm": "Compile ahead what games need, to start at once.",
    },
}
HOMES = {"check": "new-game", "export": "serve", "ratings": "tournament"}  # commands that live in the module of another
INTERRUPTED = 130  # the exit status that shells expect
_LONGEST = 10_000  # letters of an argument


class Lazy(TyperGroup):
    """A group whose commands have their names and help at once, and the rest when they are needed."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for panel, commands in COMMANDS.items():
            for name, words in commands.items():
                self.add_command(TyperCommand(name, help=words, rich_help_panel=panel))

    def invoke(self, ctx: Any) -> Any:
        """Run a command, and report what it does while it takes long."""
        from ludus.commands.progress import reporting

        with stoppable(), reporting():
            return super().invoke(ctx)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command of the first argument, loaded."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, load(name) if name else None, rest


def load(name: str) -> Any:
    """The whole command of this name, from its module."""
    module = importlib.import_module(f"ludus.commands.{HOMES.get(name, name).replace('-', '_')}")
    group = typer.main.get_group(module.app)
    return group.commands.get(name, group)


app = typer.Typer(
    cls=Lazy,
    help="Solve small two-player games, train agents, and grade them against perfect play.",
    epilog="Start here: [cyan]ludus play tic-tac-toe --hints[/], [cyan]ludus solve tapnswap[/],"
    " [cyan]ludus train tapnswap q-table[/]; help on a command: [cyan]ludus solve --help[/]",
    no_args_is_help=True,
    rich_markup_mode="rich",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ludus {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options of `ludus` itself."""


def main() -> None:
    """Run the command line; wrong input gets one line, an error in a user's file its own lines there as well."""
    try:
        _require_words(sys.argv[1:])
        status = app(standalone_mode=False)
        if status == INTERRUPTED:  # Typer returns it for Ctrl-C
            leave(INTERRUPTED)
    except (typer.Abort, KeyboardInterrupt):
        leave(INTERRUPTED)
    except typer.TyperException as error:
        _stop(error.format_message(), 2)
    except MemoryError:
        _stop("the system gives no more memory", 2)
    except Exception as error:
        found = diagnosed(error)
        # What the system refuses is about the user's files: a name that is too long, a disk that is full.
        if not isinstance(found, LudusError | OSError) and not own_frames(found):
            if _is_interrupt(found):
                leave(INTERRUPTED)
            raise
        _stop(explained(found), 2)
    sys.exit(status)


def _is_interrupt(error: BaseException | None) -> bool:
    """Whether Ctrl-C is behind an error, as when a library is interrupted while it is loaded."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _require_words(words: list[str]) -> None:
    """Raise LudusError for an argument that is too long to be meant, or no text: no file could hold it."""
    for word in words:
        if len(word) > _LONGEST:
            raise LudusError(f"an argument has at most {_LONGEST:,} letters: {word[:40]!r}... has {len(word):,}")
        try:
            word.encode()
        except UnicodeEncodeError:
            raise LudusError(f"{word!r} is no text in UTF-8") from None


def _stop(message: str, status: int) -> None:
    if message:
        typer.echo(f"ludus: {printable(message)}", err=True)
    sys.exit(status)
