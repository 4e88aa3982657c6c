"""One live table of all that is computed: jobs, games, speed, and the time left; nothing without a terminal."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.status import Status
from rich.table import Table

from ludus.cluster import JobProgress

Tell = Callable[[str, JobProgress], None]


_ROWS = 8  # steps that are shown, the latest


class _Steps:
    """How far each step is, drawn whenever the screen is."""

    def __init__(self) -> None:
        self._steps: dict[str, tuple[JobProgress, float]] = {}

    def on_progress(self, step: str, progress: JobProgress) -> None:
        """Note how far a step is."""
        if progress.jobs:
            self._steps[step] = progress, time.monotonic()

    def __rich__(self) -> Table:
        table = Table("", "jobs", "games", "games/s", "left", "last", box=None, pad_edge=False)
        for column in table.columns[1:5]:
            column.justify = "right"
        for step, (progress, told) in list(self._steps.items())[-_ROWS:]:
            table.add_row(step, *in_words(progress, time.monotonic() - told))
        return table


def in_words(progress: JobProgress, since: float = 0.0) -> tuple[str, str, str, str, str]:
    """Jobs, games, games a second, the time left so many seconds later, and the last job that ended."""
    jobs = f"{progress.done:,} of {progress.jobs:,}"
    if not progress.games:
        return jobs, "", "", _left(progress, since), progress.latest
    speed = f"{progress.played / progress.seconds:,.0f}" if progress.seconds else ""
    return jobs, f"{progress.played:,} of {progress.games:,}", speed, _left(progress, since), progress.latest


def _left(progress: JobProgress, since: float) -> str:
    if progress.done == progress.jobs:
        return f"took {_clock(progress.seconds)}"
    return "" if progress.left is None else _clock(max(progress.left - since, 0.0))


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def one_job(on_progress: Callable[[JobProgress], None], games: int) -> Callable[[int], None]:
    """Tells of games that are played in this process; call what this returns with the number of each lot of them."""
    began, played = time.monotonic(), 0

    def more(number: int) -> None:
        nonlocal played
        played += number
        words = "" if played else "getting ready"
        on_progress(JobProgress(1, int(played == games), games, played, words, time.monotonic() - began))

    more(0)
    return more


@contextmanager
def live_table(console: Console) -> Iterator[Tell]:
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
