"""Opening books from the command line: with a progress bar, as a line or as JSON."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from ludus import catalog
from ludus.solving.book import Book, build


def compile_book(game: Any, plies: int, memory: int, console: Console) -> Book:
    """Work out a book and keep it, telling how far it is."""
    columns = (TextColumn("searching"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None)
        return build(
            game,
            plies,
            memory=memory,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )


def as_json(game: Any, book: Book) -> dict[str, Any]:
    """The document that `ludus book --json` prints."""
    return {"game": catalog.name_of(game), "plies": book.plies, "positions": len(book)}


def as_text(game: Any, book: Book) -> str:
    """The same for people."""
    return (
        f"{catalog.name_of(game)}: {len(book):,} positions down to ply {book.plies}, used by all searches from now on"
    )
