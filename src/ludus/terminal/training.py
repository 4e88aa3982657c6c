"""Training from the command line: live progress, games with the learner, and what came of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console, Group
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from ludus import catalog
from ludus.learning.interrupts import interrupts_heard
from ludus.learning.lesson import CUT, DRAWS, LOSSES, WINS
from ludus.learning.measures import Line
from ludus.learning.plan import Plan
from ludus.learning.presets import configured
from ludus.learning.recorded import as_measure
from ludus.learning.runs import Run, create, extended, free_path, go_on, run_called
from ludus.learning.training import Training, Watcher
from ludus.parameters import make
from ludus.terminal.asking import LeftError
from ludus.terminal.play import Seat, in_order, sit
from ludus.terminal.runs import in_words


def created(game: Any, learner: str, settings: dict[str, str], preset: str | None, out: Path | None) -> Run:
    """A new run with these settings, of the preset, of the learner as written, and of the options."""
    config, plan = configured(game, learner, settings, preset)
    return create(game, config, plan, free_path(game, config) if out is None else out)


def resumed(name: str, games: str | None) -> Run:
    """The run of this name, to be gone on with."""
    run = run_called(name)
    return run if games is None else extended(run, make(Plan, "train", {"games": games}).games)


def follow(run: Run, console: Console, play_every: int) -> dict[str, Any]:
    """Train to the end, and say what came of it."""
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _Speed(), TimeRemainingColumn(),
        console=console, transient=True, disable=not console.is_terminal,
    )  # fmt: skip
    console.print(f"[dim]run {escape(str(run.path))}[/]", soft_wrap=True)
    with bar:
        view = _View(run, bar, console, play_every)
        go_on(run, Watcher(progress=view.progress, every=play_every, line=view.line))
    return told(run)


def told(run: Run) -> dict[str, Any]:
    """What came of a training."""
    return {"run": str(run.path), "game": catalog.name_of(run.game), "metrics": run.metrics()}


class _Speed(ProgressColumn):
    """How many games a second there were lately."""

    def render(self, task: Task) -> Text:
        """In words; nothing before the first game is over."""
        return Text(f"{task.speed:,.0f} games/s" if task.speed else "")


class _View:
    """What is shown while a run goes on."""

    def __init__(self, run: Run, bar: Progress, console: Console, play_every: int) -> None:
        self.run, self.bar, self.console, self.play_every = run, bar, console, play_every
        self.task = bar.add_task("getting ready, compiling", total=run.plan.games)
        self.played = 0

    def progress(self, training: Training) -> None:
        """Show how far it is, and play a game with a person when it is time."""
        if training.games:
            self.bar.update(self.task, completed=training.games, description=_shares(training))
        if self.play_every and training.games - self.played >= self.play_every:
            self.played = training.games
            self._ask_to_play(training)

    def _ask_to_play(self, training: Training) -> None:
        self.bar.stop()
        self.console.print(f"After {training.games:,} games: your turn to play against the learner.")
        you, other = Seat("You"), Seat("Learner", training.agent())
        try:
            with interrupts_heard():
                sit(self.run.game, in_order(self.run.game, you, other), self.console, training.games)
        except LeftError:
            self.console.print("No more games, then: the training goes on.")
            self.play_every = 0
        self.bar.start()

    def line(self, line: Line) -> None:
        """Show a measure."""
        self.bar.console.print(Text(f"{line['games']:>12,} games  {in_words(as_measure(line))}"), soft_wrap=True)


def _shares(training: Training) -> str:
    """The learner's own games so far, in shares."""
    results = training.student.results.sum(axis=0)
    total = max(int(results.sum()), 1)
    won, drawn, lost = (results[column] / total for column in (WINS, DRAWS, LOSSES))
    cut = f" cut {results[CUT] / total:.0%}" if results[CUT] else ""
    return f"won {won:.0%} drawn {drawn:.0%} lost {lost:.0%}{cut}"


def as_text(run: Run, told: dict[str, Any]) -> Group:
    """What came of a training, for people."""
    last = told["metrics"][-1]
    table = Table.grid(padding=(0, 2))
    table.add_row("games", f"{last['games']:,}")
    table.add_row("plies", f"{last['turns']:,}")
    if "met" in last:
        table.add_row("positions met", " + ".join(f"{met:,}" for met in last["met"]))
    table.add_row("measured", in_words(as_measure(last)))
    name, game = escape(str(run.path)), escape(catalog.name_of(run.game))
    return Group(
        Text.from_markup(f"[bold]{game}[/]: trained in [cyan]{name}[/]"),
        table,
        Text.from_markup(f"[dim]ludus grade {name}; ludus play '{game}' --against {name}[/]"),
    )
