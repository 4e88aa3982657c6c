"""`ludus benchmark`: learners side by side on solved games."""

from __future__ import annotations

import enum
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Group
from rich.table import Table
from rich.text import Text

from ludus.commands.options import GAME, MOST_SEEDS, MOST_TRAINED, Json, On, example, screen, show
from ludus.commands.progress import live_table
from ludus.files import home, made_folder
from ludus.report.document import Curves, Series
from ludus.report.page import write_figures
from ludus.study.benchmark import Benchmark, Mean, Scores, benchmark, document, scores

app = typer.Typer()


class ScaleName(enum.Enum):
    """How much is trained."""

    SMALL = "small"
    QUICK = "quick"
    FULL = "full"


@app.command("benchmark", epilog=example("benchmark 'q-table(epsilon=0.5)' ./my_learner.py 'cmd:./bot' --seeds 3"))
def benchmark_command(
    entries: Annotated[
        list[str] | None,
        typer.Argument(metavar="ENTRY...", help="Learners and agents to compare with the standard learners."),
    ] = None,
    scale: Annotated[ScaleName, typer.Option(help="A minute, minutes, or hours.")] = ScaleName.QUICK,
    games: Annotated[
        list[str] | None, typer.Option("--game", metavar="GAME", help=f"{GAME}; several times for several games.")
    ] = None,
    length: Annotated[
        int | None,
        typer.Option(
            "--games",
            min=20,
            max=MOST_TRAINED,
            metavar="N",
            help="The number of games your learners train.",
            show_default="by the scale",
        ),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(min=1, max=MOST_SEEDS, metavar="N", help="The number of seeds.", show_default="by the scale"),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Keep results and runs there, and continue with what it holds.",
            show_default="the user's",
        ),
    ] = None,
    on: On = "local",
    as_json: Json = False,
) -> None:
    """Compare learners on solved games: how soon they play optimally, and how exploitable they are in the end."""
    folder = out or home() / "benchmarks" / scale.value
    settings: dict[str, Any] = {"games": games or (), "length": length, "seeds": seeds, "out": folder, "on": on}
    with live_table(screen(stderr=True)) as on_progress:
        held = benchmark(scale.value, entries or (), on_progress=partial(on_progress, "benchmark"), **settings)
    page = made_folder(folder) / "benchmark.html"
    write_figure(held, page)
    document.write(held, folder)
    show(document.to_json(held) if as_json else as_text(held))
    if not as_json:
        show(str(page))


_HEADINGS = ("optimal", "plies\nto 99 %", "seconds", "seeds", "regret\nin plies", "exploit.\nfirst", "exploit.\nsecond")


def as_text(held: Benchmark) -> Group:
    """A table for each game, and what its columns mean."""
    parts: list[Any] = []
    for game, rows in groupby(scores(held), key=lambda one: one.game):
        table = Table("", *_HEADINGS, box=None, header_style="bold", padding=(0, 1, 0, 0))
        table.columns[0].min_width = 17
        for column in table.columns[1:]:
            column.justify, column.no_wrap = "right", True
        for one in rows:
            table.add_row(Text(one.entry.name, "cyan", overflow="ellipsis", no_wrap=True), *_cells(one))
        parts += [Text(game, "bold"), table, Text()]
    return Group(*parts, Text(_EXPLAINED, "dim"))


_EXPLAINED = (
    "optimal: decisions at the end; plies and seconds until 99 % were: the median over seeds, and how many seeds came"
    " there; regret: the area between curve and perfection; exploitability: the value of the"
    " game minus the guaranteed score, in each seat; all others are means over seeds, with standard errors"
)


def _cells(one: Scores) -> list[str]:
    return [
        _percent(one.accuracy),
        "-" if one.plies is None else f"{one.plies:,.0f}",
        "-" if one.seconds is None else f"{one.seconds:,.2f}",
        f"{one.reached} of {one.seeds}" if one.entry.games else "",
        "" if one.regret is None else _plies(one.regret),
        *(_points(mean) for mean in one.exploitability),
    ]


def _percent(mean: Mean) -> str:
    return f"{mean.mean:.1%}" + ("" if mean.error is None else f"\n±{100 * mean.error:.1f}")


def _plies(mean: Mean) -> str:
    return f"{mean.mean:,.0f}" + ("" if mean.error is None else f"\n±{mean.error:,.0f}")


def _points(mean: Mean) -> str:
    return f"{abs(mean.mean):.2f}" + ("" if not mean.error else f"\n±{mean.error:.2f}")


def write_figure(held: Benchmark, path: Path) -> None:
    """Write the accuracy over plies, with standard errors, as a page with a chart for each game."""
    found = [one for one in scores(held) if one.entry.games]
    names = list(dict.fromkeys(one.entry.name for one in found))
    figures = [
        Curves(game, game, "plies", "accuracy", [_series(one, names) for one in ones], None, log=True)
        for game, ones in groupby(found, key=lambda one: one.game)
    ]
    write_figures(f"Benchmark, {held.scale}: accuracy over training", figures, path)


def _series(one: Scores, names: list[str]) -> Series:
    accuracy = np.array([np.array(outcome.optimal) / outcome.decisions for outcome in one.outcomes])
    mean, error = accuracy.mean(axis=0), accuracy.std(axis=0) / max(one.seeds - 1, 1) ** 0.5
    plies = np.mean([outcome.plies for outcome in one.outcomes], axis=0)
    x, y, low, high = (each.tolist() for each in (plies, mean, mean - error, mean + error))
    return Series(one.entry.name, x, y, low, high, colour=names.index(one.entry.name))
