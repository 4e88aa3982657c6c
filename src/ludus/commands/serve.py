"""`ludus serve`: the page in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ludus import catalog
from ludus.commands.options import example, screen
from ludus.web.server import address_of, bound
from ludus.web.server import serve as answer

app = typer.Typer()
_PORT = 8765


@app.command(epilog=example("serve --open"))
def serve(
    games: Annotated[
        list[str] | None, typer.Argument(metavar="[FILE]...", help="Games of your own to offer too, [cyan]./nim.py[/].")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0: any free port.")] = _PORT,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="The address to listen on; by default this machine only.")
    ] = "127.0.0.1",
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in your browser.")] = False,
) -> None:
    """Open the page in the browser: play with hints, see what agents think, watch them learn. Ctrl-C ends it."""
    own = dict(_offered(text) for text in games or [])
    listener = bound(host, port)
    address, console = address_of(listener), screen()

    def ready() -> None:
        console.print(f"Ludus is at [bold]{address}[/] (Ctrl-C ends it)", highlight=False)
        if open_page:
            typer.launch(address)

    answer(listener, own, ready, (host,))


def _offered(text: str) -> tuple[str, Any]:
    """The name on the page of a game from a file, and its class."""
    made = catalog.make_game(text)
    return Path(text.partition("(")[0].partition(".py")[0]).name.replace("_", "-"), type(made)
