"""The command about trainings on disk: runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Group
from rich.table import Table
from rich.text import Text

from ludus import catalog
from ludus.commands.curves import as_text, charts
from ludus.commands.options import Json, example, screen
from ludus.errors import LudusError
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
    from ludus.commands import curves as figures
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
        figures.write_curves(chosen, figure)
    if truth:
        figures.write_truth(chosen, truth)
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
