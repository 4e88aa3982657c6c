"""`ludus runs`: training runs on disk, side by side, with their learning curves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Annotated, Any

import typer
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ludus import catalog
from ludus.commands.options import Json, example, screen, show
from ludus.errors import LudusError
from ludus.learning.loop.evaluation import RESULTS, Errors
from ludus.learning.runs import history, trust_run
from ludus.learning.runs.history import DamagedRun, Evaluation, History
from ludus.parameters import format_with_parameters
from ludus.report.document import Curves, HeatMap, Series
from ludus.report.page import write_figures

app = typer.Typer()


@app.command(epilog=example("runs tapnswap-q-table-1 tapnswap-q-table-2 --figure curves.html"))
def runs(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="RUN...", help="Runs to compare, by name or folder; without any, all are listed."),
    ] = None,
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Write a page with their learning curves.")
    ] = None,
    truth: Annotated[
        Path | None,
        typer.Option(metavar="FILE.html", help="Write a page with the errors of one run's values over training."),
    ] = None,
    trust: Annotated[
        bool, typer.Option("--trust", help="Let runs from somebody else use the files and programs that they name.")
    ] = False,
    as_json: Json = False,
) -> None:
    """List all training runs, or compare some: settings, last evaluations, and learning curves."""
    if trust and not names:
        raise LudusError("name the runs to trust: ludus runs RUN --trust")
    for name in names or () if trust else ():
        trust_run(name)
    if not names:
        if figure or truth:
            raise LudusError("name the runs to draw: ludus runs RUN --figure FILE.html")
        found = list(history.list_runs())
        show(listed_as_json(found) if as_json else listed_as_text(found))
        return
    chosen = history.read_histories(names)
    if figure:
        write_curves(chosen, figure)
    if truth:
        write_truth(chosen, truth)
    show(compared_as_json(chosen) if as_json else compared_as_text(chosen, screen().width))


NOT_SET = "-"


def listed_as_json(runs: Sequence[History | DamagedRun]) -> list[dict[str, Any]]:
    """The document that `ludus runs --json` prints."""
    return [
        {"run": run.path.name, "path": str(run.path), "damaged": run.problem}
        if isinstance(run, DamagedRun)
        else _summary(run)
        for run in runs
    ]


def compared_as_json(runs: Sequence[History]) -> dict[str, Any]:
    """The document that `ludus runs RUN... --json` prints."""
    found = [_summary(run) | {"settings": run.settings, "metrics": run.lines} for run in runs]
    return {"differ": list(_differing(runs)), "runs": found}


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
    """The last evaluation in a line, against the first agent only."""
    if not run.evaluations:
        return "not evaluated yet"
    last = run.evaluations[-1]
    first = dict(list(last.against.items())[:1])
    return in_words(last._replace(against=first)) or "evaluated against no agent, not graded"


def in_words(each: Evaluation) -> str:
    """An evaluation in a line."""
    return "; ".join(f"{name} {words}" for name, words in evaluation(each).items())


def evaluation(each: Evaluation) -> dict[str, str]:
    """All that was evaluated, in words."""
    found = {}
    if each.accuracy is not None:
        found["accuracy"] = f"{each.accuracy:.1%} ({each.optimal:,.0f} of {each.decisions:,})"
    if each.guarantee is not None:
        first, second = (one["result"] or score(one["score"]) for one in each.guarantee.values())
        found["guaranteed result"] = f"{first} first, {second} second"
    return found | {f"against {name}": "-".join(map(str, result[:3])) for name, result in each.against.items()}


def score(number: float) -> str:
    """A score to three digits with its sign, and no sign for zero."""
    return f"{number:+.3g}" if round(number, 3) else "0"


def compared_as_text(runs: Sequence[History], width: int) -> Group:
    """Runs side by side: what they are, the settings that differ, the last evaluations, and curves."""
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
    for number, _ in enumerate(runs, 1):
        table.add_column(str(number), overflow="fold")
    last = [evaluation(run.evaluations[-1]) if run.evaluations else {} for run in runs]
    titles = dict.fromkeys(["accuracy", "guaranteed result", *(title for each in last for title in each)])
    rows = _differing(runs) | {"games played": [f"{run.games:,}" for run in runs]}
    rows |= {title: [each.get(title, NOT_SET) for each in last] for title in titles}
    for name, words in rows.items():
        table.add_row(Text(name), *map(Text, words))
    return table


def _differing(runs: Sequence[History]) -> dict[str, list[str]]:
    """The settings in which runs that have them differ, with the words of each run."""
    settings = [run.settings for run in runs]
    words = {name: [own.get(name, NOT_SET) for own in settings] for own in settings for name in own}
    return {name: each for name, each in words.items() if len({*each} - {NOT_SET}) > 1}


COLOURS = (6, 3, 5, 2, 1, 4)  # of the sixteen that terminals have
ROWS = 11
BOTTOMS = (0.0, 0.5, 0.8)


def charts(runs: Sequence[History]) -> list[Curves]:
    """A chart for each thing evaluated with a curve for each run; for one run, one chart with all its curves."""
    found = dict.fromkeys(title for run in runs for each in run.evaluations for title in _shares(each))
    titles = sorted(found, key="optimal decisions".__eq__)
    if len(runs) == 1:
        curves = {runs[0].label: [_series(n, title, runs[0], title) for n, title in enumerate(titles)]}
    else:
        curves = {title: [_series(n, run.label, run, title) for n, run in enumerate(runs)] for title in titles}
    drawn = {title: [one for one in series if one.x] for title, series in curves.items() if series}
    return [Curves(f"chart-{n}", title, "games", "", each, None) for n, (title, each) in enumerate(drawn.items(), 1)]


def _shares(each: Evaluation) -> dict[str, float]:
    """All that is drawn of an evaluation, by title."""
    shares = {f"wins against {name}": result.win_rate for name, result in each.against.items()}
    return shares if each.accuracy is None else shares | {"optimal decisions": each.accuracy}


def _series(number: int, label: str, run: History, title: str) -> Series:
    """Shares by games; the number is that of a colour, and one less than a digit."""
    points = [(each.games, shares[title]) for each in run.evaluations if title in (shares := _shares(each))]
    return Series(label, [games for games, _ in points], [share for _, share in points], colour=number)


def pooled(runs: Sequence[History]) -> list[Curves]:
    """The same charts with one curve for all runs that differ in nothing but the seed."""
    drawn = charts(runs)
    if len(runs) == 1:
        return drawn
    alike: dict[Any, list[int]] = {}
    for number, run in enumerate(runs):
        settings = {name: words for name, words in run.settings.items() if name != "seed"}
        alike.setdefault(tuple(settings.items()), []).append(number)
    groups = [[[one for one in chart.series if one.colour in own] for own in alike.values()] for chart in drawn]
    means = [[_mean(group) for group in each if group] for each in groups]
    return [chart._replace(series=each) for chart, each in zip(drawn, means, strict=True)]


def _mean(curves: list[Series]) -> Series:
    """The mean of curves where all have a point, with its standard error as a band."""
    if len(curves) == 1:
        return curves[0]
    points = [dict(zip(curve.x, curve.y, strict=True)) for curve in curves]
    games = [game for game in curves[0].x if all(game in own for own in points)]
    each = [[own[game] for own in points] for game in games]
    low, high = ([fmean(shares) + sign * stdev(shares) / len(shares) ** 0.5 for shares in each] for sign in (-1, 1))
    label = f"{curves[0].name} and {len(curves) - 1} more seeds: mean and standard error"
    return Series(label, games, [fmean(shares) for shares in each], low, high, colour=curves[0].colour)


def as_text(chart: Curves, width: int) -> RenderableType:
    """A chart in the terminal; each curve has a number at its points, so that colours are not needed."""
    legend = [Text(f"{number} {curve.name}", f"color({colour})") for number, colour, curve in _numbered(chart)]
    return Group(Text(chart.title, "bold"), Columns(legend, padding=(0, 2)), Text.from_ansi(_drawn(chart, width)))


def _numbered(chart: Curves) -> list[tuple[int, int, Series]]:
    """Each curve with its number from 1, and its colour."""
    places = [curve.colour or 0 for curve in chart.series]
    return [(at + 1, COLOURS[at % len(COLOURS)], curve) for at, curve in zip(places, chart.series, strict=True)]


def _drawn(chart: Curves, width: int) -> str:
    import plotext  # type: ignore[import-untyped]

    least = min(share for curve in chart.series for share in curve.y)
    bottom = max(begin for begin in BOTTOMS if begin <= least)
    plotext.clear_figure()
    plotext.theme("clear")
    plotext.limitsize(False, False)
    plotext.plotsize(width, ROWS + 2)
    for number, colour, curve in _numbered(chart):
        plotext.plot(curve.x, curve.y, marker="braille", color=colour)
        heights = [(share - bottom) / (1 - bottom) for share in curve.y]  # a digit in the row of its dot, of four a row
        rows = [bottom + (1 - bottom) * (round(at * (4 * ROWS - 1)) // 4) / (ROWS - 1) for at in heights]
        plotext.scatter(curve.x, rows, marker=str(number % 10), color=colour)
    most = max(curve.x[-1] for curve in chart.series)
    across = [most * tick // 4 for tick in range(5)]
    upwards = [bottom + (1 - bottom) * tick / 5 for tick in range(6)]
    plotext.xlim(0, most)
    plotext.xticks(across, [f"{tick:,}" for tick in across])
    plotext.ylim(bottom, 1)
    plotext.yticks(upwards, [f"{tick:4.0%}" for tick in upwards])
    plotext.xaxes(True, False)
    plotext.yaxes(True, False)
    return str(plotext.build()).rstrip("\n")


def write_curves(runs: Sequence[History], path: Path) -> None:
    """Write the evaluations of runs over their games as a page, a chart for each thing evaluated."""
    drawn = pooled(runs)
    if not drawn:
        raise LudusError("these runs were not evaluated yet: there are no curves to draw")
    write_figures("Learning curves", drawn, path)


def write_truth(runs: Sequence[History], path: Path) -> None:
    """Write the errors of one run's values at each evaluation, by plies to the end, as a page.

    Actions that win, draw and lose have maps of their own: they are learned at different times.
    """
    if len(runs) != 1:
        raise LudusError(f"--truth is of one run, not of {len(runs)}: ludus runs RUN --truth FILE.html")
    run = runs[0]
    known = {each.games: each.error for each in run.evaluations if each.error}
    if not known:
        raise LudusError(
            f"{run.label} recorded no errors: that takes a q-table without shaping, and a game without chance whose"
            " truth is known"
        )
    title = f"{run.label}: {catalog.name_of(run.run.game)}, values compared with the truth"
    write_figures(title, list(_errors_over_training(known)), path)


def _errors_over_training(known: dict[int, Errors]) -> Iterator[HeatMap]:
    """Mean error and accuracy of the actions of each result, by games and plies."""
    kinds: tuple[tuple[str, str, Callable[[Errors, int], float], str, float | None], ...] = (
        ("mean error", "entries", lambda error, group: error.mean[group], "Viridis_r", None),
        (
            "optimal decisions",
            "decisions",
            lambda error, group: error.optimal[group] / error.decisions[group],
            "Viridis",
            1,
        ),
    )
    for result in reversed(RESULTS):
        for words, counted, number, scale, most in kinds:
            lines = [
                {
                    error.plies[group]: number(error, group)
                    for group, count in enumerate(getattr(error, counted))
                    if count and error.result[group] == result
                }
                for error in known.values()
            ]
            plies = sorted({at for line in lines for at in line}, key=lambda at: (at is None, at))
            if plies:
                yield HeatMap(
                    f"{result}-{counted}",
                    f"actions that lead to a {result}: {words}",
                    "plies from after the action to the end",
                    "games",
                    ["no end" if at is None else str(at) for at in plies],
                    [f"{games:,}" for games in known],
                    [[line.get(at) for at in plies] for line in lines],
                    scale=scale,
                    most=most,
                )
