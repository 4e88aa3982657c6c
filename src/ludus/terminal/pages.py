"""The rules of a game, page by page."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.text import Text

from ludus import face
from ludus.terminal.asking import LeftError, ask

FRAME = 4  # columns that a frame takes


def show_rules(game: Any, console: Console) -> None:
    """Turn the pages of the tutorial with enter; `quit` leaves it."""
    pages = face.rules(game)
    for number, page in enumerate(pages, 1):
        console.print(f"\n[bold]{escape(page.title)}[/]  [dim]{number}/{len(pages)}[/]")
        console.print(escape(page.words), highlight=False)
        if page.position is not None:
            show_board(game, page.position, console)
        if number < len(pages):
            try:
                ask(console, "[dim]enter for the next page, quit to leave[/]", lambda words: None)
            except LeftError:
                return


def show_board(game: Any, pos: Any, console: Console) -> None:
    """The text board in a frame; without one where the terminal is too narrow."""
    board = Text(face.board(game, pos))
    if console.measure(board).maximum + FRAME > console.width:
        console.print(board, soft_wrap=True)
    else:
        console.print(Panel.fit(board, border_style="cyan"))
