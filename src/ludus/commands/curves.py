"""What was measured of runs over their games, as curves: which there are, and how they look in the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.text import Text

from ludus import catalog
from ludus.errors import LudusError
from ludus.files import write_whole
from ludus.learning.loop.evaluation import RESULTS, Errors
from ludus.learning.runs.history import Evaluation, History

COLOURS = (6, 3, 5, 2, 1, 4)  # of the sixteen that terminals have

ROWS = 11

BOTTOMS = (0.0, 0.5, 0.8)


Share = Callable[[Evaluation], float | None]


class Curve(NamedTuple):
    """Shares, 0 to 1, by games; the number, from 1, is that of a colour and a digit.

    Of several runs it is their mean; `errors` are standard errors then, and else empty.
    """

    number: int
    label: str
    games: list[int]
    shares: list[float]
    errors: list[float] = []  # noqa: RUF012, never changed


class Chart(NamedTuple):
    """Curves of one kind."""

    title: str
    curves: list[Curve]


def charts(runs: Sequence[History]) -> list[Chart]:
    """A chart for each thing measured, with a curve for each run; of one run alone, a chart with all its curves."""
    kinds = _kinds(runs)
    if len(runs) == 1:
        found = [Chart(runs[0].label, _curves((title, runs[0], share) for title, share in kinds.items()))]
    else:
        found = [Chart(title, _curves((run.label, run, share) for run in runs)) for title, share in kinds.items()]
    return [chart for chart in found if chart.curves]


def pooled(runs: Sequence[History]) -> list[Chart]:
    """The same charts, with one curve in place of those of runs that differ in nothing but the seed."""
    alike: dict[Any, list[int]] = {}
    for number, run in enumerate(runs, 1):
        settings = {name: words for name, words in run.settings.items() if name != "seed"}
        alike.setdefault(tuple(settings.items()), []).append(number)
    drawn = charts(runs)
    return [Chart(chart.title, _pooled(chart.curves, list(alike.values()))) for chart in drawn] if runs[1:] else drawn


def _pooled(curves: list[Curve], groups: list[list[int]]) -> list[Curve]:
    found = []
    for numbers in groups:
        group = [curve for curve in curves if curve.number in numbers]
        found += [_mean(group)] if len(group) > 1 else group
    return found


def _mean(curves: list[Curve]) -> Curve:
    """The mean of curves where all have a point."""
    points = [dict(zip(curve.games, curve.shares, strict=True)) for curve in curves]
    games = [game for game in curves[0].games if all(game in own for own in points)]
    each = [[own[game] for own in points] for game in games]
    errors = [stdev(shares) / len(shares) ** 0.5 for shares in each]
    label = f"{curves[0].label} and {len(curves) - 1} more seeds: mean and standard error"
    return Curve(curves[0].number, label, games, [fmean(shares) for shares in each], errors)


def _kinds(runs: Sequence[History]) -> dict[str, Share]:
    """What can be drawn, by its title."""
    opponents = dict.fromkeys(name for run in runs for measure in run.evaluations for name in measure.against)
    return {f"wins against {name}": _wins_against(name) for name in opponents} | {
        "optimal decisions": attrgetter("accuracy")
    }


def _wins_against(name: str) -> Share:
    return lambda measure: measure.against[name].win_rate if name in measure.against else None


def _curves(wanted: Iterable[tuple[str, History, Share]]) -> list[Curve]:
    """The curves that have points, numbered as they were wanted."""
    curves = []
    for number, (label, run, share) in enumerate(wanted, 1):
        points = [(measure.games, at) for measure in run.evaluations if (at := share(measure)) is not None]
        if points:
            curves.append(Curve(number, label, [games for games, _ in points], [at for _, at in points]))
    return curves


def as_text(chart: Chart, width: int) -> RenderableType:
    """A chart in the terminal; each curve has a number at its points, so that colours are not needed."""
    legend = [Text(f"{curve.number} {curve.label}", f"color({_colour(curve)})") for curve in chart.curves]
    return Group(Text(chart.title, "bold"), Columns(legend, padding=(0, 2)), Text.from_ansi(_drawn(chart, width)))


def _drawn(chart: Chart, width: int) -> str:
    import plotext  # type: ignore[import-untyped]

    bottom = _bottom(chart)
    plotext.clear_figure()
    plotext.theme("clear")
    plotext.limitsize(False, False)
    plotext.plotsize(width, ROWS + 2)
    for curve in chart.curves:
        digit, colour = str(curve.number % 10), _colour(curve)
        plotext.plot(curve.games, curve.shares, marker="braille", color=colour)
        plotext.scatter(curve.games, [_on_line(share, bottom) for share in curve.shares], marker=digit, color=colour)
    most = max(curve.games[-1] for curve in chart.curves)
    across = [most * tick // 4 for tick in range(5)]
    upwards = [bottom + (1 - bottom) * tick / 5 for tick in range(6)]
    plotext.xlim(0, most)
    plotext.xticks(across, [f"{tick:,}" for tick in across])
    plotext.ylim(bottom, 1)
    plotext.yticks(upwards, [f"{tick:4.0%}" for tick in upwards])
    plotext.xaxes(True, False)
    plotext.yaxes(True, False)
    return str(plotext.build()).rstrip("\n")


def _bottom(chart: Chart) -> float:
    """The least share that is shown: the highest of BOTTOMS below all curves."""
    least = min(share for curve in chart.curves for share in curve.shares)
    return max(begin for begin in BOTTOMS if begin <= least)


def _on_line(share: float, bottom: float) -> float:
    """The share at which a digit stands in the row that the line of dots passes: there are four dots to a row."""
    height = (share - bottom) / (1 - bottom)
    return bottom + (1 - bottom) * (round(height * (4 * ROWS - 1)) // 4) / (ROWS - 1)


def _colour(curve: Curve) -> int:
    return COLOURS[(curve.number - 1) % len(COLOURS)]


PAGE_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")  # told apart by the colour-blind too

CHART_HEIGHT = 300

NO_END = "no end"

MEAN, RIGHT = "mean error", "optimal decisions"


def write_curves(runs: Sequence[History], path: Path) -> None:
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
                line_color=_page_colour(curve),
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


def _page_colour(curve: Curve) -> str:
    return PAGE_COLOURS[(curve.number - 1) % len(PAGE_COLOURS)]


def _band(curve: Curve) -> dict[str, Any]:
    """What lies within the errors of a curve, as an area: to the right along its upper edge, and back."""
    above = [share + error for share, error in zip(curve.shares, curve.errors, strict=True)]
    under = [share - error for share, error in zip(curve.shares, curve.errors, strict=True)]
    look = {"fill": "toself", "fillcolor": _page_colour(curve), "opacity": 0.2, "line_width": 0, "mode": "lines"}
    around = {"x": curve.games + curve.games[::-1], "y": above + under[::-1]}
    return {**look, **around, "legendgroup": curve.label, "showlegend": False, "hoverinfo": "skip"}


def write_truth(runs: Sequence[History], path: Path) -> None:
    """Write how far one run's values were from the truth at each measure, by the plies to the end.

    Actions that win, draw and lose stand apart: they are learned at different times.
    """
    if len(runs) != 1:
        raise LudusError(f"--truth is of one run, not of {len(runs)}: ludus runs RUN --truth FILE.html")
    run = runs[0]
    known = {measure.games: measure.error for measure in run.evaluations if measure.error}
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
        for words, counted, number in ((MEAN, "entries", _page_mean), (RIGHT, "decisions", _share))
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
        coloraxis2={"colorscale": "Viridis", "cmin": 0, "cmax": 1, "colorbar": {"title": "optimal", "x": 1.1}},
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


def _page_mean(error: Errors, group: int) -> float:
    return error.mean[group]


def _share(error: Errors, group: int) -> float:
    return error.optimal[group] / error.decisions[group]


def _write(figure: Any, path: Path) -> None:
    figure.update_layout(template="plotly_white")
    page = figure.to_html(include_plotlyjs=True, div_id="figure")
    write_whole(path, [page.encode()])
