"""Commands that know the truth: solve, grade, prove, book."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from ludus import catalog
from ludus.commands.options import GameName, Json, example, screen
from ludus.solving.opening_book import Book, build

app = typer.Typer()


@app.command(epilog=example("book connect-four --plies 2"))
def book(
    game: GameName,
    plies: Annotated[int, typer.Option(min=0, help="How deep it goes; each ply more takes several times as long.")] = 2,
    memory: Annotated[
        float,
        typer.Option(
            min=0.01,
            max=1e6,
            help="Use at most so many GB; the table of the search takes the largest power of two of bytes that fits.",
        ),
    ] = 2.2,
    as_json: Json = False,
) -> None:
    """Work out the opening book of a game that is too large to enumerate; stopped, it goes on where it was."""
    chosen = catalog.make_game(game)
    written = compile_book(chosen, plies, int(memory * 1e9), screen(stderr=True))
    if as_json:
        typer.echo(json.dumps(to_json(chosen, written), indent=2))
    else:
        screen().print(as_text(chosen, written), markup=False, highlight=False, soft_wrap=True)


def compile_book(game: Any, plies: int, memory: int, console: Console) -> Book:
    """Work out a book and keep it, telling how far it is."""
    columns = (TextColumn("searching"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None)
        return build(
            game, plies, memory=memory, progress=lambda done, total: bar.update(task, completed=done, total=total)
        )


def to_json(game: Any, book: Book) -> dict[str, Any]:
    """The document that `ludus book --json` prints."""
    return {"game": catalog.name_of(game), "plies": book.plies, "positions": len(book)}


def as_text(game: Any, book: Book) -> str:
    """The same for people."""
    return (
        f"{catalog.name_of(game)}: {len(book):,} positions down to ply {book.plies}, used by all searches from now on"
    )
