"""`ludus book`: the opening book of a game that is too large to enumerate."""

from __future__ import annotations

from typing import Annotated

import typer

from ludus import catalog
from ludus.commands.options import GameName, Json, bytes_of, example, finite, screen, show
from ludus.commands.progress import stages
from ludus.solving.book_building import DEFAULT_PLIES, build
from ludus.solving.opening_book import Book

app = typer.Typer()


@app.command(epilog=example("book connect-four --plies 2"))
def book(
    game: GameName,
    plies: Annotated[
        int, typer.Option(min=0, help="Search all positions down to this ply; each ply takes several times as long.")
    ] = DEFAULT_PLIES,
    repertoire: Annotated[
        int,
        typer.Option(
            min=0,
            max=1 << 40,
            metavar="NODES",
            help="Add a best action against every reply, down to where a search takes this many nodes; 0: none.",
        ),
    ] = 0,
    memory: Annotated[
        float,
        typer.Option(
            min=0.01,
            max=1e6,
            callback=finite,
            help="Use at most this many GB; the transposition table takes a power of two of bytes.",
        ),
    ] = 2.2,
    as_json: Json = False,
) -> None:
    """Compute the opening book of a game that is too large to enumerate; stopped, it resumes where it was."""
    chosen = catalog.make_game(game)
    with stages(screen(stderr=True)) as on_progress:
        on_progress("searching")
        made = build(chosen, plies, nodes=repertoire, memory=bytes_of(memory), progress=on_progress)
    name = catalog.name_of(chosen)
    show({"game": name, **made.extent._asdict(), "positions": len(made)} if as_json else as_text(name, made))


def as_text(name: str, made: Book) -> str:
    """What the book holds."""
    plies, nodes = made.extent
    lines = f", and best play against every reply down to searches of {nodes:,} nodes" if nodes else ""
    return f"{name}: {len(made):,} positions: all down to ply {plies}{lines}; used by all searches from now on"
