"""The command that writes crib sheets: crib."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from ludus import catalog
from ludus.cli.options import AGENT, GameName, Json, SeatName, app, example, screen
from ludus.cli.truth import Vouch, without_memory
from ludus.errors import LudusError


@app.command(epilog=example("crib tapnswap --boards --out tapnswap.txt"))
def crib(
    game: GameName,
    seat: Annotated[
        SeatName | None,
        typer.Option(help="For who moves first, or for the other.", show_default="who can win; first where nobody can"),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(
            metavar="AGENT", help=f"Write down how this agent plays: {AGENT}.", show_default="the smallest sheet"
        ),
    ] = None,
    vouch: Vouch = False,
    boards: Annotated[bool, typer.Option("--boards", help="Show the board of each position.")] = False,
    seconds: Annotated[
        float, typer.Option(min=0, help="Look so long for the smallest sheet, then as long for a greedy one.")
    ] = 60.0,
    out: Annotated[Path | None, typer.Option(help="Write the sheet to this file, as text.")] = None,
    as_json: Json = False,
) -> None:
    """Print the positions that you must know by heart to hold the result in one seat, each with what to do there."""
    from ludus.files import write_whole
    from ludus.terminal import crib_sheets, proofs

    if out is not None:
        proofs.refuse_if_unwritable(out)
    if vouch and agent is None:
        raise LudusError("--vouch is for an outside program: name it with --agent")
    made = None if agent is None else without_memory(agent, vouch)
    sheet = crib_sheets.work_out(catalog.make_game(game), seat and seat.value, made, seconds, screen(stderr=True))
    text = crib_sheets.as_text(sheet, boards=boards)
    if out is not None:
        write_whole(out, [text.encode()])
    if as_json:
        typer.echo(json.dumps(crib_sheets.as_json(sheet), indent=2))
    elif out is not None:
        typer.echo(f"{crib_sheets.headline(sheet)}\nwritten to {out}")
    else:
        typer.echo(text, nl=False)
