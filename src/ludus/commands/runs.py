"""`ludus runs`: training runs on disk, side by side, with their learning curves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
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
from ludus.commands.options import Json, example, screen, show
from ludus.errors import LudusError
from ludus.learning.loop.evaluation import RESULTS, Errors
from ludus.learning.runs import history
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
    as_json: Json = False,
) -> None:
    """List all training runs, or compare some: settings, last evaluations, and learning curves."""
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
    return [_damage(run) if isinstance(run, DamagedRun) else _summary(run) for run in runs]


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
    found = {"accuracy": _accuracy(each), "guaranteed result": _guaranteed(each)}
    found |= {f"against {name}": _against(name, each) for name in each.against}
    return {name: words for name, words in found.items() if words != NOT_SET}


def _accuracy(each: Evaluation) -> str:
    if each.optimal is None or not each.decisions:
        return NOT_SET
    return f"{each.optimal / each.decisions:.1%} ({each.optimal:,.0f} of {each.decisions:,})"


def _guaranteed(each: Evaluation) -> str:
    if each.guarantee is None:
        return NOT_SET
    first, second = (each["result"] or score(each["score"]) for each in each.guarantee.values())
    return f"{first} first, {second} second"


def score(number: float) -> str:
    """A score to three digits with its sign, and no sign for zero."""
    return f"{number:+.3g}" if round(number, 3) else "0"


def _against(name: str, each: Evaluation) -> str:
    return "-".join(map(str, each.against[name][:3])) if name in each.against else NOT_SET


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
    for number, _ in enumerate(runs):
        table.add_column(str(number + 1), overflow="fold")
    rows = _differing(runs) | _last_evaluations(runs)
    for name, words in rows.items():
        table.add_row(Text(name), *map(Text, words))
    return table


def _differing(runs: Sequence[History]) -> dict[str, list[str]]:
    """The settings in which runs that have them differ, with the words of each run."""
    settings = [run.settings for run in runs]
    words = {name: [own.get(name, NOT_SET) for own in settings] for own in settings for name in own}
    return {name: each for name, each in words.items() if len({*each} - {NOT_SET}) > 1}


def _last_evaluations(runs: Sequence[History]) -> dict[str, list[str]]:
    opponents = dict.fromkeys(name for run in runs for each in run.evaluations[-1:] for name in each.against)
    kinds: dict[str, Callable[[Evaluation], str]] = {"accuracy": _accuracy, "guaranteed result": _guaranteed}
    kinds |= {f"against {name}": partial(_against, name) for name in opponents}
    rows = {"games played": [f"{run.games:,}" for run in runs]}
    return rows | {
        title: [in_words(run.evaluations[-1]) if run.evaluations else NOT_SET for run in runs]
        for title, in_words in kinds.items()
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
    """A chart for each thing evaluated with a curve for each run; for one run, one chart with all its curves."""
    kinds = _kinds(runs)
    if len(runs) == 1:
        found = [Chart(runs[0].label, _curves((title, runs[0], share) for title, share in kinds.items()))]
    else:
        found = [Chart(title, _curves((run.label, run, share) for run in runs)) for title, share in kinds.items()]
    return [chart for chart in found if chart.curves]


def pooled(runs: Sequence[History]) -> list[Chart]:
    """The same charts with one curve for all runs that differ in nothing but the seed."""
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
    """Everything that can be drawn, by title."""
    opponents = dict.fromkeys(name for run in runs for each in run.evaluations for name in each.against)
    return {f"wins against {name}": _wins_against(name) for name in opponents} | {
        "optimal decisions": attrgetter("accuracy")
    }


def _wins_against(name: str) -> Share:
    return lambda each: each.against[name].win_rate if name in each.against else None


def _curves(wanted: Iterable[tuple[str, History, Share]]) -> list[Curve]:
    """The curves that have points, numbered as they were wanted."""
    curves = []
    for number, (label, run, share) in enumerate(wanted, 1):
        points = [(each.games, at) for each in run.evaluations if (at := share(each)) is not None]
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
    """The lowest share shown: the highest of BOTTOMS below all curves."""
    least = min(share for curve in chart.curves for share in curve.shares)
    return max(begin for begin in BOTTOMS if begin <= least)


def _on_line(share: float, bottom: float) -> float:
    """The share that puts a digit into the row of its dot: there are four dots to a row."""
    height = (share - bottom) / (1 - bottom)
    return bottom + (1 - bottom) * (round(height * (4 * ROWS - 1)) // 4) / (ROWS - 1)


def _colour(curve: Curve) -> int:
    return COLOURS[(curve.number - 1) % len(COLOURS)]


NO_END = "no end"


def write_curves(runs: Sequence[History], path: Path) -> None:
    """Write the evaluations of runs over their games as a page, a chart for each thing evaluated."""
    drawn = pooled(runs)
    if not drawn:
        raise LudusError("these runs were not evaluated yet: there are no curves to draw")
    figures = [
        Curves(f"chart-{number}", chart.title, "games", "", [_series(curve) for curve in chart.curves], None)
        for number, chart in enumerate(drawn, 1)
    ]
    write_figures("Learning curves", figures, path)


def _series(curve: Curve) -> Series:
    """A curve with its standard errors as a band."""
    low, high = (
        [share + sign * error for share, error in zip(curve.shares, curve.errors, strict=False)] for sign in (-1, 1)
    )
    return Series(curve.label, curve.games, curve.shares, low, high, colour=curve.number - 1)


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
        ("mean error", "entries", _mean_error, "Viridis_r", None),
        ("optimal decisions", "decisions", _group_accuracy, "Viridis", 1),
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
                    [NO_END if at is None else str(at) for at in plies],
                    [f"{games:,}" for games in known],
                    [[line.get(at) for at in plies] for line in lines],
                    scale=scale,
                    most=most,
                )


def _mean_error(error: Errors, group: int) -> float:
    return error.mean[group]


def _group_accuracy(error: Errors, group: int) -> float:
    return error.optimal[group] / error.decisions[group]
