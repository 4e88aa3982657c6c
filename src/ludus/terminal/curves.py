"""What was measured of runs over their games, as curves: which there are, and how they look in the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean, stdev
from typing import Any, NamedTuple

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.text import Text

from ludus.learning.recorded import Measure, Recorded

COLOURS = (6, 3, 5, 2, 1, 4)  # of the sixteen that terminals have
ROWS = 11
BOTTOMS = (0.0, 0.5, 0.8)

Share = Callable[[Measure], float | None]


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


def charts(runs: Sequence[Recorded]) -> list[Chart]:
    """A chart for each thing measured, with a curve for each run; of one run alone, a chart with all its curves."""
    kinds = _kinds(runs)
    if len(runs) == 1:
        found = [Chart(runs[0].label, _curves((title, runs[0], share) for title, share in kinds.items()))]
    else:
        found = [Chart(title, _curves((run.label, run, share) for run in runs)) for title, share in kinds.items()]
    return [chart for chart in found if chart.curves]


def pooled(runs: Sequence[Recorded]) -> list[Chart]:
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


def _kinds(runs: Sequence[Recorded]) -> dict[str, Share]:
    """What can be drawn, by its title."""
    opponents = dict.fromkeys(name for run in runs for measure in run.measures for name in measure.against)
    return {f"wins against {name}": _wins_against(name) for name in opponents} | {"right decisions": _right}


def _wins_against(name: str) -> Share:
    return lambda measure: measure.against[name].share if name in measure.against else None


def _right(measure: Measure) -> float | None:
    return measure.right / measure.decisions if measure.right is not None and measure.decisions else None


def _curves(wanted: Iterable[tuple[str, Recorded, Share]]) -> list[Curve]:
    """The curves that have points, numbered as they were wanted."""
    curves = []
    for number, (label, run, share) in enumerate(wanted, 1):
        points = [(measure.games, at) for measure in run.measures if (at := share(measure)) is not None]
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
