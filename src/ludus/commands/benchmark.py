"""The command that measures learners side by side: benchmark."""

from __future__ import annotations

import enum
import json
from collections.abc import Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

import ludus
from ludus.commands.options import GAME, Json, On, example, screen
from ludus.commands.progress import live_table
from ludus.commands.runs import CHART_HEIGHT
from ludus.commands.runs import PAGE_COLOURS as COLOURS
from ludus.files import write_whole
from ludus.study.benchmark import ENOUGH, Benchmark, Mean, Scores, benchmark, scores

app = typer.Typer()


class ScaleName(enum.Enum):
    """How much is trained."""

    QUICK = "quick"
    FULL = "full"


@app.command("benchmark", epilog=example("benchmark 'q-table(epsilon=0.5)' ./my_learner.py 'cmd:./bot' --seeds 3"))
def benchmark_command(
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
    """Measure learners on games whose truth is known: how soon they play optimally, and how exploitable they end."""
    from ludus.files import home, made_folder, write_whole

    folder = out or home() / "benchmarks" / scale.value
    settings = {"games": games or (), "length": length, "seeds": seeds, "out": folder, "on": on}
    held = hold(scale.value, entries or (), screen(stderr=True), settings)
    told = to_json(held)
    page = made_folder(folder) / "benchmark.html"
    write_figure(held, page)
    write_whole(folder / "benchmark.json", [json.dumps(told, indent=2).encode() + b"\n"])
    if as_json:
        typer.echo(json.dumps(told, indent=2))
    else:
        screen().print(as_text(held))
        typer.echo(page)


NEVER = "-"

_HEADINGS = ("optimal", "plies\nto 99 %", "seconds", "seeds", "regret\nin plies", "exploit.\nfirst", "exploit.\nsecond")


def hold(scale: str, entries: Sequence[str], console: Console, settings: dict[str, Any]) -> Benchmark:
    """Run the benchmark, with progress shown."""
    with live_table(console) as on_progress:
        return benchmark(scale, entries, on_progress=partial(on_progress, "benchmark"), **settings)


def to_json(held: Benchmark) -> dict[str, Any]:
    """The document that `ludus benchmark --json` prints."""
    told = {"ludus": ludus.__version__, "scale": held.scale, "enough": ENOUGH}
    return told | {"scores": [_document(one) for one in scores(held)]}


def _document(one: Scores) -> dict[str, Any]:
    return {
        "game": one.game,
        "name": one.entry.name,
        "entry": one.entry.written,
        "games": one.entry.games,
        "seeds": one.seeds,
        "accuracy": one.accuracy._asdict(),
        "reached": one.reached,
        "plies": one.plies,
        "seconds": one.seconds,
        "regret": one.regret and one.regret._asdict(),
        "exploitability": {"first": one.exploitability[0]._asdict(), "second": one.exploitability[1]._asdict()},
        "outcomes": [outcome._asdict() for outcome in one.outcomes],
    }


def as_text(held: Benchmark) -> Group:
    """A table for each game, and what its columns tell."""
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
    count = f"{one.reached} of {one.seeds}" if one.entry.games else ""
    return [
        _percent(one.accuracy),
        NEVER if one.plies is None else f"{one.plies:,.0f}",
        NEVER if one.seconds is None else f"{one.seconds:,.2f}",
        count,
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
    """Write the curves of optimal decisions over plies, a chart for each game, as a page that needs nothing else."""
    from plotly.subplots import make_subplots  # type: ignore[import-untyped]

    found = [one for one in scores(held) if one.entry.games]
    games = list(dict.fromkeys(one.game for one in found))
    names = list(dict.fromkeys(one.entry.name for one in found))
    figure = make_subplots(rows=len(games), cols=1, subplot_titles=games, vertical_spacing=0.24 / len(games))
    for one in found:
        row, name = games.index(one.game) + 1, one.entry.name
        colour = COLOURS[names.index(name) % len(COLOURS)]
        shares = np.array([np.array(outcome.optimal) / outcome.decisions for outcome in one.outcomes])
        figure.add_scatter(
            x=np.mean([outcome.plies for outcome in one.outcomes], axis=0).tolist(),
            y=shares.mean(axis=0).tolist(),
            error_y={"array": (shares.std(axis=0) / max(one.seeds - 1, 1) ** 0.5).tolist(), "thickness": 1},
            name=name,
            legendgroup=name,
            showlegend=row == 1,
            mode="lines+markers",
            line_color=colour,
            row=row,
            col=1,
        )
    figure.update_xaxes(type="log", title_text="plies")
    figure.update_yaxes(range=[0, 1.02], tickformat=".0%")
    figure.update_layout(
        title=f"benchmark, {held.scale}: optimal decisions over training",
        template="plotly_white",
        height=160 + CHART_HEIGHT * len(games),
    )
    write_whole(path, [figure.to_html(include_plotlyjs=True, div_id="figure").encode()])
