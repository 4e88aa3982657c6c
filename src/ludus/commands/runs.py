"""The command about trainings on disk: runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from operator import attrgetter
from pathlib import Path
from statistics import fmean, stdev
from typing import Annotated, Any, NamedTuple

import typer
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ludus import catalog
from ludus.commands.options import Json, example, screen
from ludus.errors import LudusError
from ludus.files import write_whole
from ludus.learning.loop.value_errors import RESULTS, Errors
from ludus.learning.runs.history import DamagedRun, Evaluation, History
from ludus.parameters import format_with_parameters

app = typer.Typer()


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
    # REGROUP
    from ludus.learning.runs import history

    if not names:
        if figure or truth:
            raise LudusError("name the runs to draw: ludus runs RUN --figure FILE.html")
        found = list(history.list_runs())
        if as_json:
            typer.echo(json.dumps(listed_as_json(found), indent=2))
        else:
            screen().print(listed_as_text(found))
        return
    chosen = history.read_histories(names)
    if figure:
        write_curves(chosen, figure)
    if truth:
        write_truth(chosen, truth)
    if as_json:
        typer.echo(json.dumps(compared_as_json(chosen), indent=2))
    else:
        screen().print(compared_as_text(chosen, screen().width))


NOT_SET = "-"


def listed_as_json(runs: Sequence[History | DamagedRun]) -> list[dict[str, Any]]:
    """The document that `ludus runs --json` prints."""
    return [_damage(run) if isinstance(run, DamagedRun) else _summary(run) for run in runs]


def compared_as_json(runs: Sequence[History]) -> dict[str, Any]:
    """The document that `ludus runs RUN... --json` prints."""
    told = [_summary(run) | {"settings": run.settings, "metrics": run.lines} for run in runs]
    return {"differ": list(_differing(runs)), "runs": told}


def _summary(run: History) -> dict[str, Any]:
    return {
        "run": run.label,
        "path": str(run.run.path),
        "game": catalog.name_of(run.run.game),
        "learner": _learner(run),
        "games": run.games,
        "planned": run.run.plan.games,
        "finished": run.run.is_finished,
        "last": run.lines[-1] if run.lines else None,
    }


def _damage(run: DamagedRun) -> dict[str, Any]:
    return {"run": run.path.name, "path": str(run.path), "damaged": run.problem}


def _learner(run: History) -> str:
    learner = run.run.learner
    return format_with_parameters(catalog.learner_name(learner), learner)


def listed_as_text(runs: Sequence[History | DamagedRun]) -> Table | Text:
    """All runs, two lines each."""
    if not runs:
        return Text("There are no runs yet: ludus train tapnswap q-table")
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True, style="cyan")
    grid.add_column(overflow="fold")
    for run in runs:
        if isinstance(run, DamagedRun):
            grid.add_row(Text(run.path.name), Text(run.problem, "red"))
        else:
            grid.add_row(Text(run.label), Text(_what(run)).append(f"\n{_last(run)}", "dim"))
    return grid


def _what(run: History) -> str:
    played, planned = f"{run.games:,}", f"{run.run.plan.games:,}"
    games = f"{planned} games" if played == planned else f"{played} of {planned} games"
    state = "finished" if run.run.is_finished else "not finished"
    return f"{catalog.name_of(run.run.game)}, {_learner(run)}: {games}, {state}"


def _last(run: History) -> str:
    """The last measure in a line of words, of agents met only the first."""
    if not run.evaluations:
        return "nothing measured yet"
    last = run.evaluations[-1]
    first = dict(list(last.against.items())[:1])
    return in_words(last._replace(against=first)) or "no agent met, no grade"


def in_words(measure: Evaluation) -> str:
    """An evaluation in a line."""
    return "; ".join(f"{name} {words}" for name, words in evaluation(measure).items())


def evaluation(measure: Evaluation) -> dict[str, str]:
    """All that was evaluated, in words."""
    found = {"accuracy": _accuracy(measure), "guaranteed result": _guaranteed(measure)}
    found |= {f"against {name}": _against(name, measure) for name in measure.against}
    return {name: words for name, words in found.items() if words != NOT_SET}


def _accuracy(measure: Evaluation) -> str:
    if measure.optimal is None or not measure.decisions:
        return NOT_SET
    return f"{measure.optimal / measure.decisions:.1%} ({measure.optimal:,.0f} of {measure.decisions:,})"


def _guaranteed(measure: Evaluation) -> str:
    if measure.guarantee is None:
        return NOT_SET
    first, second = (each["result"] or score(each["score"]) for each in measure.guarantee.values())
    return f"{first} first, {second} second"


def score(number: float) -> str:
    """A score to three digits with its sign, and no sign for zero."""
    return f"{number:+.3g}" if round(number, 3) else "0"


def _against(name: str, measure: Evaluation) -> str:
    return "-".join(map(str, measure.against[name][:3])) if name in measure.against else NOT_SET


def compared_as_text(runs: Sequence[History], width: int) -> Group:
    """Runs side by side: what they are, the settings that differ, the last measures, and curves."""
    names = Table.grid(padding=(0, 2))
    for number, run in enumerate(runs):
        names.add_row(str(number + 1), Text(run.label, "cyan"), Text(_what(run), overflow="fold"))
    parts: list[Any] = [names, Text(), _table(runs)]
    for chart in charts(runs):
        parts += [Text(), as_text(chart, width)]
    return Group(*parts)


def _table(runs: Sequence[History]) -> Table:
    table = Table(box=None, header_style="bold", show_edge=False)
    table.add_column("")
    for number, _ in enumerate(runs):
        table.add_column(str(number + 1), overflow="fold")
    rows = _differing(runs) | _last_measures(runs)
    for name, words in rows.items():
        table.add_row(Text(name), *map(Text, words))
    return table


def _differing(runs: Sequence[History]) -> dict[str, list[str]]:
    """The settings in which runs that have them differ, with the words of each run."""
    settings = [run.settings for run in runs]
    words = {name: [own.get(name, NOT_SET) for own in settings] for own in settings for name in own}
    return {name: each for name, each in words.items() if len({*each} - {NOT_SET}) > 1}


def _last_measures(runs: Sequence[History]) -> dict[str, list[str]]:
    opponents = dict.fromkeys(name for run in runs for measure in run.evaluations[-1:] for name in measure.against)
    kinds: dict[str, Callable[[Evaluation], str]] = {"accuracy": _accuracy, "guaranteed result": _guaranteed}
    kinds |= {f"against {name}": partial(_against, name) for name in opponents}
    rows = {"games played": [f"{run.games:,}" for run in runs]}
    return rows | {
        title: [told(run.evaluations[-1]) if run.evaluations else NOT_SET for run in runs]
        for title, told in kinds.items()
    }


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
