"""The command that writes a game to take away: export."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus import catalog
from ludus.commands.options import AGENT, GameName, Json, Vouch, example, screen, without_memory
from ludus.parameters import format_with_parameters

if TYPE_CHECKING:
    from ludus.web.export import Exported

app = typer.Typer()


_LIMIT = 50_000


@app.command(epilog=example("export tic-tac-toe --agent my-run"))
def export(
    game: GameName,
    agents: Annotated[
        list[str] | None,
        typer.Option("--agent", metavar="AGENT", help=f"Take along what an agent does and thinks: {AGENT}."),
    ] = None,
    vouch: Vouch = False,
    limit: Annotated[int, typer.Option(min=1, help="The most positions that the game may have.")] = _LIMIT,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="The folder to write.", show_default="one named after the game"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a folder with a page to play one game, with hints and agents: opened from disk or put on any web host."""
    from ludus.web.export import export as write
    from ludus.web.export import refuse_if_taken

    made, name = catalog.make_game(game), _name(game)
    folder = out or Path("-".join(re.findall(r"[\w.+]+", format_with_parameters(name, made))))
    refuse_if_taken(folder)
    asked = [without_memory(agent, vouch) for agent in agents or []]
    with screen(stderr=True).status("listing all positions") as status:
        written = write(
            made,
            name,
            folder,
            asked,
            limit=limit,
            on_progress=lambda stage, done, total: status.update(f"{stage}: {done:,} of {total:,}"),
        )
    if as_json:
        typer.echo(json.dumps(written._asdict() | {"folder": str(written.folder)}, indent=2))
    else:
        _tell(written)


def _name(text: str) -> str:
    """What a game is called on the page: one from a file by the name of the file."""
    return Path(text.partition("(")[0].partition(".py")[0]).name.strip().replace("_", "-")


def _tell(written: Exported) -> None:
    typer.echo(f"{written.game}: {written.positions:,} positions, {written.edges:,} actions in them")
    typer.echo(f"agents: {', '.join(written.agents)}")
    typer.echo(f"{written.bytes / 1e6:.2f} MB in all, {written.game_bytes / 1e6:.2f} MB of it the game")
    typer.echo(f"open {written.folder / 'index.html'}, or put the folder on any web host")
