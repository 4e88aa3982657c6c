"""`ludus serve`: the page in the browser."""

from __future__ import annotations

from typing import Annotated

import typer

from ludus import catalog
from ludus.commands.options import example, name_on_page, screen
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
    own = {name_on_page(text): type(catalog.make_game(text)) for text in games or []}
    listener = bound(host, port)
    address, console = address_of(listener), screen()

    def ready() -> None:
        console.print(f"Ludus is at [bold]{address}[/] (Ctrl-C ends it)", highlight=False)
        if open_page:
            typer.launch(address)

    answer(listener, own, ready, (host,))
