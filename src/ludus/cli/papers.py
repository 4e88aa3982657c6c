"""The command that runs the papers again: paper."""

from __future__ import annotations

import enum
import json
from pathlib import Path
from typing import Annotated

import typer

from ludus.cli.options import Json, On, app, example, screen


class PaperScale(enum.Enum):
    """How much is done; tiny only proves that all works."""

    TINY = "tiny"
    QUICK = "quick"
    FULL = "full"


@app.command(epilog=example("paper fox-and-hounds --scale quick --seeds 3"))
def paper(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="[cyan]toads-and-frogs[/], [cyan]tapnswap[/], [cyan]mancala[/], [cyan]fox-and-hounds[/],"
            " [cyan]chung-toi[/] or [cyan]all[/].",
            show_default="list them",
        ),
    ] = None,
    scale: Annotated[
        PaperScale, typer.Option(metavar="quick|full", help="Minutes, or as much as the papers did.")
    ] = PaperScale.QUICK,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="How many seeds.", show_default="by the paper and the scale")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Write the report there, and go on with what it holds.",
            show_default="the user's",
        ),
    ] = None,
    summary: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Also write all reports in short there, as Markdown.", show_default="no"),
    ] = None,
    on: On = "local",
    as_json: Json = False,
) -> None:
    """Run a paper's experiments again, judge its claims by the truth, and write a report for a browser."""
    from ludus.study.papers.running import Order
    from ludus.terminal import papers

    if name is None:
        if as_json:
            typer.echo(json.dumps(papers.listed_as_json(), indent=2))
        else:
            screen().print(papers.listed_as_text())
        return
    folder = out or papers.default_folder(scale.value)
    documents = papers.run(name, Order(scale.value, seeds, folder, on), screen(stderr=True))
    if summary is not None:
        papers.write_summary(folder, summary)
    if as_json:
        typer.echo(json.dumps(papers.as_json(documents, folder), indent=2))
    else:
        screen().print(papers.as_text(documents, folder), soft_wrap=True)
