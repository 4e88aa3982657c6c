"""The command that opens the web page: serve."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ludus import catalog
from ludus.commands.options import example, screen

app = typer.Typer()

_PORT = 8765


@app.command(epilog=example("serve --open"))
def serve(
    games: Annotated[
        list[str] | None, typer.Argument(metavar="[FILE]...", help="Games of your own to offer too, [cyan]./nim.py[/].")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where to listen; 0 for any free port.")] = _PORT,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Who may ask: by default this machine only.")
    ] = "127.0.0.1",
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in your browser.")] = False,
) -> None:
    """Open a page in the browser: play, see the truth and what agents think, watch them learn. Ctrl-C ends it."""
    from ludus.web.server import address_of, bound
    from ludus.web.server import serve as answer

    own = dict(_offered(text) for text in games or [])
    listener = bound(host, port)
    address, console = address_of(listener), screen()

    def ready() -> None:
        console.print(f"Ludus is at [bold]{address}[/] (Ctrl-C ends it)", highlight=False)
        if open_page:
            typer.launch(address)

    answer(listener, own, ready, (host,))


def _offered(text: str) -> tuple[str, Any]:
    """A game from a file, and what the page calls it."""
    made = catalog.make_game(text)
    return Path(text.partition("(")[0].partition(".py")[0]).name.replace("_", "-"), type(made)
