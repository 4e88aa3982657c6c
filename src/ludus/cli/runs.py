"""The command about trainings on disk: runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from ludus.cli.options import Json, app, example, screen
from ludus.errors import LudusError


@app.command(epilog=example("runs tapnswap-q-table-1 tapnswap-q-table-2 --figure curves.html"))
def runs(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="RUN...", help="Runs to compare, by name or folder; without any, all are listed."),
    ] = None,
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Write their curves as a page for a browser.")
    ] = None,
    truth: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.html", help="Write, of one run, how far its values were from the truth over training."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """List all trainings, or compare some: settings, last measures, and curves over their games."""
    from ludus.learning import recorded
    from ludus.terminal import figures
    from ludus.terminal import runs as shown

    if not names:
        if figure or truth:
            raise LudusError("name the runs to draw: ludus runs RUN --figure FILE.html")
        found = list(recorded.listed())
        if as_json:
            typer.echo(json.dumps(shown.listed_as_json(found), indent=2))
        else:
            screen().print(shown.listed_as_text(found))
        return
    chosen = recorded.found(names)
    if figure:
        figures.write_curves(chosen, figure)
    if truth:
        figures.write_truth(chosen, truth)
    if as_json:
        typer.echo(json.dumps(shown.compared_as_json(chosen), indent=2))
    else:
        screen().print(shown.compared_as_text(chosen, screen().width))
