"""`ludus serve` and `ludus export`: the page in the browser, and a page to play one game, to take away."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import segno
import typer

from ludus import catalog
from ludus.commands.options import (
    AGENT,
    MOST_LISTED,
    GameName,
    Json,
    Vouch,
    at_rest,
    example,
    name_on_page,
    screen,
    show,
    without_memory,
)
from ludus.commands.progress import stages
from ludus.parameters import format_with_parameters
from ludus.web.export import Exported, refuse_if_taken
from ludus.web.export import export as write
from ludus.web.server import Site, bound, site_of
from ludus.web.server import serve as answer

app = typer.Typer()
_PORT = 8765


@app.command(epilog=example("serve --open"))
def serve(
    games: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE]...",
            help="Games of your own to offer too, [cyan]./nim.py[/] or [cyan]'./nim.py(heap=7)'[/].",
        ),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0: any free port.")] = _PORT,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="The address to listen on; by default this machine only. [cyan]0.0.0.0[/]: your network, too.",
        ),
    ] = "127.0.0.1",
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in your browser.")] = False,
) -> None:
    """Open the page in the browser: play with hints, see what agents think, watch them learn. Ctrl-C ends it."""
    own = [(name_on_page(text), catalog.make_game(text)) for text in games or []]
    listener = bound(host, port)
    site, console = site_of(listener, host), screen()

    def ready() -> None:
        console.print(*_greeting(site), sep="\n", highlight=False, soft_wrap=True)
        if site.network and console.is_terminal:
            segno.make(site.with_key(site.network)).terminal(compact=True)
        if open_page:
            typer.launch(site.with_key(site.here))

    with at_rest():  # nobody waits for this process, but for its answers
        answer(listener, own, ready, site)


def _greeting(site: Site) -> Iterator[str]:
    """Where the page is, for its owner and for others in the network."""
    yield f"Ludus is at [bold]{site.with_key(site.here)}[/] (Ctrl-C ends it)"
    if site.network:
        yield f"In your network, on a phone for example: [bold]{site.with_key(site.network)}[/]"
        yield "Whoever has such an address may do everything. Invite others from the page: Play, Friends."


_LIMIT = 50_000


@app.command(epilog=example("export tic-tac-toe --agent my-run"))
def export(
    game: GameName,
    agents: Annotated[
        list[str] | None,
        typer.Option("--agent", metavar="AGENT", help=f"Include the play and evaluations of an agent: {AGENT}."),
    ] = None,
    vouch: Vouch = False,
    limit: Annotated[
        int,
        typer.Option(
            min=1,
            max=MOST_LISTED,
            metavar="N",
            help="The most positions to write out; a larger game is exported by its rules.",
        ),
    ] = _LIMIT,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="The folder to write.", show_default="one named after the game"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a folder with a page to play one game, with hints and agents: opened from disk or put on any web host."""
    made, name = catalog.make_game(game), name_on_page(game)
    folder = out or Path("-".join(re.findall(r"[\w.+]+", format_with_parameters(name, made))))
    refuse_if_taken(folder)
    asked = [without_memory(agent, vouch) for agent in agents or []]
    with stages(screen(stderr=True)) as on_progress:
        written = write(made, name, folder, asked, limit=limit, on_progress=on_progress)
    show(written._asdict() | {"folder": str(written.folder)} if as_json else as_text(written))


_HOW = {
    "graph": "{0.positions:,} positions, {0.edges:,} actions in them",
    "table": "by its rules; the browser solves it",
    "search": "by its rules; the browser searches it",
    "rules": "by its rules",
}


def as_text(written: Exported) -> str:
    """What the folder holds, and how to open it."""
    how = _HOW[written.kind].format(written)
    left_out = "".join(f"{line}\n" for line in written.left_out)
    return (
        f"{written.game}: {how}\n{left_out}"
        f"agents: {', '.join(written.agents)}\n"
        f"{written.bytes / 1e6:.2f} MB in all, {written.game_bytes / 1e6:.2f} MB of it the game\n"
        f"open {written.folder / 'index.html'}, or put the folder on any web host"
    )
