"""The command that measures learners side by side: benchmark."""

from __future__ import annotations

import enum
import json
from pathlib import Path
from typing import Annotated

import typer

from ludus.cli.options import GAME, Json, On, app, example, screen


class ScaleName(enum.Enum):
    """How much is trained."""

    QUICK = "quick"
    FULL = "full"


@app.command(epilog=example("benchmark 'q-table(epsilon=0.5)' ./my_learner.py 'cmd:./bot' --seeds 3"))
def benchmark(
    entries: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ENTRY...",
            help="Learners, by name with settings or in files, and agents, to stand beside the standard learners.",
        ),
    ] = None,
    scale: Annotated[ScaleName, typer.Option(help="Minutes, or hours.")] = ScaleName.QUICK,
    games: Annotated[
        list[str] | None, typer.Option("--game", metavar="GAME", help=f"{GAME}; several times for several games.")
    ] = None,
    length: Annotated[
        int | None,
        typer.Option("--games", min=20, help="For how many games your learners train.", show_default="by the scale"),
    ] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="How many seeds.", show_default="by the scale")] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Keep results and runs there, and go on with what it holds.",
            show_default="the user's",
        ),
    ] = None,
    on: On = "local",
    as_json: Json = False,
) -> None:
    """Measure learners on games whose truth is known: how soon they are right, and how sure they are in the end."""
    from ludus.files import home, made_folder, write_whole
    from ludus.terminal import benchmarks

    folder = out or home() / "benchmarks" / scale.value
    settings = {"games": games or (), "length": length, "seeds": seeds, "out": folder, "on": on}
    held = benchmarks.hold(scale.value, entries or (), screen(stderr=True), settings)
    told = benchmarks.as_json(held)
    page = made_folder(folder) / "benchmark.html"
    benchmarks.write_figure(held, page)
    write_whole(folder / "benchmark.json", [json.dumps(told, indent=2).encode() + b"\n"])
    if as_json:
        typer.echo(json.dumps(told, indent=2))
    else:
        screen().print(benchmarks.as_text(held))
        typer.echo(page)
