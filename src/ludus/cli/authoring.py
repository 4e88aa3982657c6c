"""The command for games of one's own: new-game."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from ludus.cli.options import Json, app, example, screen


@app.command("new-game", epilog=example("new-game my-game"))
def new_game(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What it is called, [cyan]my-game[/].")],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write it.", show_default="my_game.py, here")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a file with a small game that works, to make a game of your own from."""
    from ludus.authoring import write_game

    made = write_game(name, out)
    if as_json:
        typer.echo(json.dumps({"game": made.name, "class": made.class_name, "file": str(made.path)}, indent=2))
        return
    console = screen()
    console.print(f"{made.path} holds a game that works; change it as you like, then", highlight=False, soft_wrap=True)
    for command in ("check", "play", "solve"):
        console.print(f"  ludus {command} {made.path}", style="cyan", highlight=False, soft_wrap=True)
