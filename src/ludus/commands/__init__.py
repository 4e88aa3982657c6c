"""The command line: one module for each kind of command."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ludus import __version__
from ludus.commands import (  # noqa: F401, importing them adds their commands
    benchmark,
    book,
    check,
    crib,
    demo,
    export,
    games,
    grade,
    match,
    new_game,
    paper,
    play,
    prove,
    puzzle,
    replay,
    runs,
    serve,
    solve,
    sweep,
    tables,
    tournament,
    train,
    value,
)
from ludus.commands.options import INTERRUPTED, app
from ludus.errors import LudusError


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
    """Run the command line; whatever is wrong with the input is told in one line."""
    try:
        status = app(standalone_mode=False)
        if status == INTERRUPTED:  # Typer returns it for Ctrl-C
            _stop("stopped", INTERRUPTED)
    except (typer.Abort, KeyboardInterrupt):
        _stop("stopped", INTERRUPTED)
    except typer.TyperException as error:
        _stop(error.format_message(), 2)
    except MemoryError:
        _stop("the system gives no more memory", 2)
    except LudusError as error:
        _stop(str(error), 2)
    sys.exit(status)


def _stop(message: str, status: int) -> None:
    if message:
        typer.echo(f"ludus: {message}", err=True)
    sys.exit(status)
