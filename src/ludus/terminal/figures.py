"""Figures of runs: pages for a browser that need nothing beside themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ludus import catalog
from ludus.errors import LudusError
from ludus.files import write_whole
from ludus.learning.errors import RESULTS, Errors
from ludus.learning.recorded import Recorded
from ludus.terminal.curves import Curve, pooled

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")  # told apart by the colour-blind too
CHART_HEIGHT = 300
NO_END = "no end"
MEAN, RIGHT = "mean error", "right decisions"


def write_curves(runs: Sequence[Recorded], path: Path) -> None:
    """Write what was measured of runs over their games, a chart below the other."""
    from plotly.subplots import make_subplots  # type: ignore[import-untyped]

    drawn = pooled(runs)
    if not drawn:
        raise LudusError("nothing was measured of these runs yet: there are no curves to draw")
    figure = make_subplots(
        rows=len(drawn), cols=1, subplot_titles=[chart.title for chart in drawn], vertical_spacing=0.24 / len(drawn)
    )
    named: set[str] = set()
    for row, chart in enumerate(drawn, 1):
        for curve in chart.curves:
            figure.add_scatter(
                x=curve.games,
                y=curve.shares,
                name=curve.label,
                legendgroup=curve.label,
                showlegend=curve.label not in named,
                mode="lines+markers",
                line_color=_colour(curve),
                row=row,
                col=1,
            )
            if curve.errors:
                figure.add_scatter(**_band(curve), row=row, col=1)
            named.add(curve.label)
    figure.update_yaxes(range=[0, 1.02], tickformat=".0%")
    figure.update_xaxes(rangemode="tozero", tickformat=",")
    figure.update_xaxes(title_text="games", row=len(drawn), col=1)
    figure.update_layout(height=120 + CHART_HEIGHT * len(drawn), hovermode="x unified")
    _write(figure, path)


def _colour(curve: Curve) -> str:
    return COLOURS[(curve.number - 1) % len(COLOURS)]


def _band(curve: Curve) -> dict[str, Any]:
    """What lies within the errors of a curve, as an area: to the right along its upper edge, and back."""
    above = [share + error for share, error in zip(curve.shares, curve.errors, strict=True)]
    under = [share - error for share, error in zip(curve.shares, curve.errors, strict=True)]
    look = {"fill": "toself", "fillcolor": _colour(curve), "opacity": 0.2, "line_width": 0, "mode": "lines"}
    around = {"x": curve.games + curve.games[::-1], "y": above + under[::-1]}
    return {**look, **around, "legendgroup": curve.label, "showlegend": False, "hoverinfo": "skip"}


def write_truth(runs: Sequence[Recorded], path: Path) -> None:
    """Write how far one run's values were from the truth at each measure, by the plies to the end.

    Actions that win, draw and lose stand apart: they are learned at different times.
    """
    if len(runs) != 1:
        raise LudusError(f"--truth is of one run, not of {len(runs)}: ludus runs RUN --truth FILE.html")
    run = runs[0]
    known = {measure.games: measure.error for measure in run.measures if measure.error}
    if not known:
        raise LudusError(
            f"{run.label} recorded no errors: that takes a q-table without shaping, and a game without chance whose"
            " truth is known"
        )
    _write(_truth_figure(f"{run.label}: {catalog.name_of(run.run.game)}, truth over training", known), path)


def _truth_figure(title: str, known: dict[int, Errors]) -> Any:
    from plotly.subplots import make_subplots

    maps = {
        (result, words): found
        for result in reversed(RESULTS)
        for words, counted, number in ((MEAN, "entries", _mean), (RIGHT, "decisions", _share))
        if (found := _map(known, result, counted, number))["x"]
    }
    rows = list(dict.fromkeys(result for result, _ in maps))
    figure = make_subplots(
        rows=len(rows),
        cols=2,
        specs=[[{} if (result, words) in maps else None for words in (MEAN, RIGHT)] for result in rows],
        subplot_titles=[f"actions that lead to a {result}: {words}" for result, words in maps],
        vertical_spacing=0.24 / len(rows),
    )
    for (result, words), found in maps.items():
        axis, column = ("coloraxis", 1) if words == MEAN else ("coloraxis2", 2)
        figure.add_heatmap(**found, coloraxis=axis, row=rows.index(result) + 1, col=column)
    figure.update_xaxes(type="category", title_text="plies from after the action to the end", title_standoff=4)
    figure.update_yaxes(tickformat=",")
    figure.update_yaxes(title_text="games", col=1)
    figure.update_layout(
        title=title,
        height=120 + CHART_HEIGHT * len(rows),
        coloraxis={"colorscale": "Viridis_r", "cmin": 0, "colorbar": {"title": "error", "x": 1.0}},
        coloraxis2={"colorscale": "Viridis", "cmin": 0, "cmax": 1, "colorbar": {"title": "right", "x": 1.1}},
    )
    return figure


def _map(known: dict[int, Errors], result: str, counted: str, number: Callable[[Errors, int], float]) -> dict[str, Any]:
    """Numbers by games and plies, of the groups of a result that count anything."""
    lines: list[dict[int | None, float]] = []
    for error in known.values():
        groups = [
            group for group, count in enumerate(getattr(error, counted)) if count and error.result[group] == result
        ]
        lines.append({error.plies[group]: number(error, group) for group in groups})
    plies = sorted({at for line in lines for at in line}, key=lambda at: (at is None, at))
    return {
        "x": [NO_END if at is None else str(at) for at in plies],
        "y": list(known),
        "z": [[line.get(at) for at in plies] for line in lines],
    }


def _mean(error: Errors, group: int) -> float:
    return error.mean[group]


def _share(error: Errors, group: int) -> float:
    return error.right[group] / error.decisions[group]


def _write(figure: Any, path: Path) -> None:
    figure.update_layout(template="plotly_white")
    page = figure.to_html(include_plotlyjs=True, div_id="figure")
    write_whole(path, [page.encode()])
