"""How far the work is, on a terminal: bars of stages, a table of jobs, a line while one waits; else nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)  # fmt: skip
from rich.status import Status
from rich.table import Table
from rich.text import Text

from ludus.cluster import JobProgress

OnStage = Callable[..., None]  # (stage, done=0, total=None)
OnJobs = Callable[[str, JobProgress], None]
_ROWS = 8  # steps that are shown, the latest


class _Speed(ProgressColumn):
    """The games a second of a task that counts games."""

    def render(self, task: Task) -> Text:
        """Nothing before the first game is over."""
        return Text(f"{task.speed:,.0f} games/s" if task.fields.get("games") and task.speed else "")


def bars(console: Console) -> Progress:
    """The progress bars of all commands; add a task with games=True to show its games a second."""
    return Progress(
        SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _Speed(),
        TimeElapsedColumn(), TimeRemainingColumn(),
        console=console, transient=True, disable=not console.is_terminal,
    )  # fmt: skip


@contextmanager
def stages(console: Console) -> Iterator[OnStage]:
    """Show a bar for each stage; call what this yields with a stage, the work done and the total if it is known."""
    tasks: dict[str, Any] = {}
    with bars(console) as shown:

        def on_progress(stage: str, done: int = 0, total: int | None = None) -> None:
            if stage not in tasks:
                tasks[stage] = shown.add_task(escape(stage), total=total)
            shown.update(tasks[stage], completed=done, total=total)

        yield on_progress


class _Steps:
    """The progress of each step, drawn whenever the screen is."""

    def __init__(self) -> None:
        self._steps: dict[str, tuple[JobProgress, float]] = {}

    def on_progress(self, step: str, progress: JobProgress) -> None:
        """Note the progress of a step."""
        if progress.jobs:
            self._steps[step] = progress, time.monotonic()

    def __rich__(self) -> Table:
        table = Table("", "jobs", "games", "games/s", "left", "last", box=None, pad_edge=False)
        for column in table.columns[1:5]:
            column.justify = "right"
        for step, (progress, reported) in list(self._steps.items())[-_ROWS:]:
            table.add_row(step, *in_words(progress, time.monotonic() - reported))
        return table


def in_words(progress: JobProgress, since: float = 0.0) -> tuple[str, str, str, str, str]:
    """Jobs, games, games a second, the time left `since` seconds later, and the last job that ended."""
    left = "" if progress.left is None else _clock(max(progress.left - since, 0.0))
    if progress.done == progress.jobs:
        left = f"took {_clock(progress.seconds)}"
    games = f"{progress.played:,} of {progress.games:,}" if progress.games else ""
    speed = f"{progress.played / progress.seconds:,.0f}" if progress.games and progress.seconds else ""
    return f"{progress.done:,} of {progress.jobs:,}", games, speed, left, progress.latest


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def one_job(on_progress: Callable[[JobProgress], None], games: int) -> Callable[[int], None]:
    """A callback for games played in this process; call it with the number of each batch of them."""
    began, played = time.monotonic(), 0

    def more(number: int) -> None:
        nonlocal played
        played += number
        words = "" if played else "getting ready"
        on_progress(JobProgress(1, int(played == games), games, played, words, time.monotonic() - began))

    more(0)
    return more


@contextmanager
def live_table(console: Console) -> Iterator[OnJobs]:
    """Show steps of work while it is done; call what this yields with the name of a step and its progress."""
    steps = _Steps()
    if not console.is_terminal:
        yield steps.on_progress
        return
    with Live(steps, console=console, refresh_per_second=4, transient=True):
        yield steps.on_progress


PATIENCE = 1.0  # seconds


@contextmanager
def waiting(console: Console, words: str) -> Iterator[Status]:
    """Show a status line, which may be updated, when what is done meanwhile takes more than a second."""
    status = console.status(escape(words))
    clock = Timer(PATIENCE, status.start)
    clock.daemon = True
    clock.start()
    try:
        yield status
    finally:
        clock.cancel()
        clock.join()  # it may be starting the line just now
        status.stop()
