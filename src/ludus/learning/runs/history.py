"""The histories of runs: their evaluations, read from disk and checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ludus import catalog
from ludus.errors import LudusError
from ludus.files import home, named_in_folders
from ludus.learning.loop.evaluation import Errors, Line
from ludus.learning.runs import Run, get_run, read_run
from ludus.learning.runs.files import MANIFEST
from ludus.notebook import curve, shown, table, words
from ludus.parameters import format_values


class Result(NamedTuple):
    """Evaluation games against one agent, from both seats; cut: draws that were cut before the game ended."""

    wins: int
    draws: int
    losses: int
    cut: int

    @property
    def finished(self) -> int:
        """The games that reached an end."""
        return self.wins + self.draws + self.losses - self.cut

    @property
    def win_rate(self) -> float:
        """The fraction of games won."""
        return self.wins / max(self.wins + self.draws + self.losses, 1)


class Evaluation(NamedTuple):
    """A line of metrics; without a grade, decisions is 0, and optimal and guarantee are None."""

    games: int
    against: dict[str, Result]
    decisions: int
    optimal: float | None
    guarantee: dict[str, Line] | None
    error: Errors | None

    @property
    def accuracy(self) -> float | None:
        """The fraction of optimal decisions; None if there are none."""
        return None if self.optimal is None or not self.decisions else self.optimal / self.decisions


class History(NamedTuple):
    """A run with all its evaluations, and its name among other runs."""

    run: Run
    label: str
    lines: list[Line]
    evaluations: list[Evaluation]
    games: int

    @property
    def settings(self) -> dict[str, str]:
        """All settings as text; the learner's hyperparameters follow its name."""
        learner = catalog.learner_name(self.run.learner)
        own = {f"{learner} {name}": text for name, text in format_values(self.run.learner._asdict()).items()}
        named = {"game": catalog.name_of(self.run.game), "learner": learner}
        return named | format_values(self.run.plan._asdict()) | own


class DamagedRun(NamedTuple):
    """A run that cannot be read, and why."""

    path: Path
    problem: str


def read_history(run: Run, label: str) -> History:
    """Returns a run with its evaluations; LudusError names the damaged file."""
    lines = run.metrics()
    return History(run, label, lines, [parse_evaluation(line) for line in lines], run.games())


def list_runs() -> Iterator[History | DamagedRun]:
    """Yields all runs of the user, sorted by name."""
    for manifest in named_in_folders(home() / "runs", MANIFEST):
        try:
            run = read_run(manifest.parent)
            yield read_history(run, run.name)
        except LudusError as error:
            yield DamagedRun(manifest.parent, str(error))


def read_histories(names: list[str]) -> list[History]:
    """Returns the runs with these names or folders, labelled by folder where two names are equal."""
    runs = [get_run(name) for name in names]
    labels = [run.name for run in runs]
    return [read_history(run, str(run.path) if labels.count(run.name) > 1 else run.name) for run in runs]


def unlearned(run: Run) -> str:
    """A warning if the training has ended before the first update of its network; else empty."""
    last = run.metrics()[-1] if run.is_finished else {}
    if last.get("updates") != 0:
        return ""
    return (
        f"{run.name} has learned nothing: its {last['games']:,} games gave too few positions for an update;"
        " train for more games, or with a smaller batch"
    )


def parse_evaluation(line: Line) -> Evaluation:
    """Parses a line of metrics."""
    grade: dict[str, Any] = line.get("grade") or {}
    return Evaluation(
        int(line["games"]),
        {name: _result(seats) for name, seats in line["against"].items()},
        int(grade["decisions"]) if grade else 0,
        float(grade["optimal"]) if grade else None,
        dict(grade["guarantee"]) if grade and grade["guarantee"] else None,
        _errors(line["error"]) if "error" in line else None,
    )


def _errors(columns: Line) -> Errors:
    if len({len(column) for column in columns.values()}) > 1:
        raise LudusError("the metrics are damaged: columns of unlike length in error")
    return Errors(**columns)


def _result(seats: Line) -> Result:
    """Adds up both seats."""
    both = [seats["first"], seats["second"]]
    return Result(*(sum(int(seat[kind]) for seat in both) for kind in Result._fields))


def run_as_html(title: str, lines: Sequence[Line]) -> str:
    """A table of a run's evaluations, with a curve of the accuracy if the agent was graded."""
    evaluations = [parse_evaluation(line) for line in lines]
    if not evaluations:
        return shown(title, words("not evaluated yet"))
    rates = [[one.accuracy, *(result.win_rate for result in one.against.values())] for one in evaluations]
    shares = [["-" if share is None else f"{share:.1%}" for share in own] for own in rates]
    rows = [[f"{one.games:,}", *own] for one, own in zip(evaluations, shares, strict=True)]
    parts = [table(["games", "accuracy", *(f"wins against {rival}" for rival in evaluations[-1].against)], rows)]
    if graded := [(one.games, one.accuracy) for one in evaluations if one.accuracy is not None]:
        parts.append(curve([(0, 0), *graded], "accuracy by games"))
    return shown(title, *parts)
