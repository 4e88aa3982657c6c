"""What runs have recorded: their measures, read from disk and checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ludus import catalog
from ludus.errors import LudusError
from ludus.files import home
from ludus.learning.loop.evaluation import Line
from ludus.learning.loop.value_errors import Errors
from ludus.learning.runs.files import HEAD
from ludus.learning.runs.run import METRICS, Run, read_run, run_called
from ludus.notebook import curve, share, shown, table, words
from ludus.parameters import format_value


class Result(NamedTuple):
    """Games against one agent, from both seats; cut: those of the draws that reached no end."""

    wins: int
    draws: int
    losses: int
    cut: int

    @property
    def finished(self) -> int:
        """The games that reached an end."""
        return self.wins + self.draws + self.losses - self.cut

    @property
    def share(self) -> float:
        """The part that was won."""
        return self.wins / max(self.wins + self.draws + self.losses, 1)


class Measure(NamedTuple):
    """A line of metrics; right and decisions of the grade, guarantee by seat, each None or 0 without the truth."""

    games: int
    against: dict[str, Result]
    decisions: int
    right: float | None
    guarantee: dict[str, str | float] | None
    error: Errors | None


class Recorded(NamedTuple):
    """A run with all that was measured, and what it is called among others."""

    run: Run
    label: str
    lines: list[Line]
    measures: list[Measure]

    @property
    def games(self) -> int:
        """The games played up to the last measure."""
        return self.measures[-1].games if self.measures else 0

    @property
    def settings(self) -> dict[str, str]:
        """All that it was set up with, as it is written; the learner's own settings after its name."""
        learner = catalog.learner_name(self.run.learner)
        own = {f"{learner} {name}": format_value(value) for name, value in self.run.learner._asdict().items()}
        plan = {name: format_value(value) for name, value in self.run.plan._asdict().items()}
        return {"game": catalog.name_of(self.run.game), "learner": learner} | plan | own


class Damaged(NamedTuple):
    """A run that cannot be read, and why."""

    path: Path
    problem: str


def recorded(run: Run, label: str) -> Recorded:
    """A run with its measures; LudusError says what is damaged."""
    lines = run.metrics()
    try:
        return Recorded(run, label, lines, [as_measure(line) for line in lines])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise LudusError(f"{run.path / METRICS} is damaged: {type(error).__name__}: {error}") from None


def listed() -> Iterator[Recorded | Damaged]:
    """All runs of the user, in the order of their names."""
    for head in sorted((home() / "runs").glob(f"*/{HEAD}")):
        try:
            run = read_run(head.parent)
            yield recorded(run, run.name)
        except LudusError as error:
            yield Damaged(head.parent, str(error))


def found(names: list[str]) -> list[Recorded]:
    """The runs of these names or folders, by their folders where names are alike."""
    runs = [run_called(name) for name in names]
    labels = [run.name for run in runs]
    return [recorded(run, str(run.path) if labels.count(run.name) > 1 else run.name) for run in runs]


def as_measure(line: Line) -> Measure:
    """A line of metrics, taken apart."""
    graded: dict[str, Any] = line.get("grade") or {}
    return Measure(
        int(line["games"]),
        {name: _result(seats) for name, seats in line["against"].items()},
        int(graded["decisions"]) if graded else 0,
        float(graded["optimal"]) if graded else None,
        dict(graded["guarantee"]) if graded and graded["guarantee"] else None,
        _errors(line["error"]) if "error" in line else None,
    )


def _errors(columns: Line) -> Errors:
    if len({len(column) for column in columns.values()}) > 1:
        raise ValueError("columns of unlike length in error")
    return Errors(**columns)


def _result(seats: Line) -> Result:
    """Both seats together; older lines do not tell cut games from ties, and are read as if there were no ties."""
    both = [seats["first"], seats["second"]]
    wins, draws, losses = (sum(int(seat[kind]) for seat in both) for kind in ("wins", "draws", "losses"))
    return Result(wins, draws, losses, sum(int(seat.get("cut", seat["draws"])) for seat in both))


def run_as_html(title: str, lines: Sequence[Line]) -> str:
    """The measures of a run, one below the other, and the share of right decisions, or of wins, as a curve."""
    if not lines:
        return shown(title, words("not measured yet"))
    rivals = list(lines[-1]["against"])
    head = ["games", "right decisions", *(f"wins against {rival}" for rival in rivals)]
    rows = [[f"{line['games']:,}", _right(line), *(_wins(line, rival) for rival in rivals)] for line in lines]
    told = table(head, rows)
    graded = [(line["games"], _part(line)) for line in lines if _decisions(line)]
    return shown(title, told, curve([(0, 0), *graded], "right decisions by games")) if graded else shown(title, told)


def _decisions(line: Line) -> int:
    return int((line.get("grade") or {}).get("decisions", 0))


def _part(line: Line) -> float:
    return float(line["grade"]["optimal"]) / _decisions(line)


def _right(line: Line) -> str:
    return share(line["grade"]["optimal"], _decisions(line)) if _decisions(line) else "-"


def _wins(line: Line, rival: str) -> str:
    seats = line["against"].get(rival, {}).values()
    return share(
        sum(seat["wins"] for seat in seats), sum(seat["wins"] + seat["draws"] + seat["losses"] for seat in seats)
    )
