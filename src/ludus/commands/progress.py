"""What a command does now: bars of stages, a table of jobs, a line, for what takes more than half a second.

One reporter runs around every command. On a terminal it shows all this on standard error and wipes it at the end;
without one it prints a plain line every ten seconds.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock
from typing import TYPE_CHECKING, Any, Protocol

from rich.console import Console, Group, RenderableType
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
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from ludus import activity
from ludus.activity import Activity

if TYPE_CHECKING:
    from ludus.cluster import JobProgress

OnStage = Callable[..., None]  # (stage, done=0, total=None)
OnJobs = Callable[[str, "JobProgress"], None]
_ROWS = 8  # steps that are shown, the latest


INTERVAL = 10.0  # seconds between two plain lines
_FRAME = 0.1  # seconds between two pictures on a terminal


class View(Protocol):
    """Something that is shown while work goes on."""

    @property
    def words(self) -> str:
        """The same in a plain line; empty if there is nothing to say yet."""

    def __rich__(self) -> RenderableType: ...


class Reporter:
    """What this process does now, and where it is shown."""

    def __init__(self, console: Console) -> None:
        self.console, self.activity, self.views = console, Activity("loading"), list[View]()
        self._live = Live(self, console=console, auto_refresh=False, transient=True, redirect_stdout=_is_terminal())
        self._lock, self._resting = RLock(), 0
        self._quiet_since = self._spoke = time.monotonic()

    def tick(self) -> None:
        """Draw what is being done, or say it."""
        with self._lock:
            now = time.monotonic()
            if self._resting or now - self._quiet_since < activity.PATIENCE:
                return
            if self.console.is_interactive:
                self._live.start()
                self._live.refresh()
            elif now - max(self._spoke, self._quiet_since) >= INTERVAL:
                self._spoke = now
                self.console.print(self.words, markup=False, highlight=False, soft_wrap=True)

    @property
    def words(self) -> str:
        """What is being done, in a line."""
        return self.activity.compiling or self._viewed or self.activity.stage

    @property
    def _viewed(self) -> str:
        return next((view.words for view in reversed(self.views) if view.words), "")

    def __rich__(self) -> Group:
        line = self.activity.compiling if self._viewed else self.activity.words
        shown = [view for view in self.views if view.words]
        return Group(*shown, *([Spinner("dots", Text(line, overflow="ellipsis", no_wrap=True))] if line else []))

    @contextmanager
    def rest(self) -> Iterator[None]:
        """Show nothing while something is printed elsewhere, or nobody waits for this process."""
        with self._lock:
            self._resting += 1
            self._live.stop()
        try:
            yield
        finally:
            with self._lock:
                self._resting -= 1
                self._quiet_since = time.monotonic()

    @contextmanager
    def showing(self, view: View) -> Iterator[None]:
        """Show a view for as long as this lasts."""
        self.views.append(view)
        try:
            yield
        finally:
            self.views.remove(view)


_running: list[Reporter] = []


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


@contextmanager
def reporting(console: Console | None = None) -> Iterator[Reporter]:
    """The reporter of this process; one for now, on this console, if there is none."""
    if _running:
        yield _running[0]
        return
    reporter = Reporter(console or Console(stderr=True))
    _running.append(reporter)
    every = min(_FRAME, INTERVAL)
    try:
        with activity.following(reporter.activity), activity.ticking(reporter.tick, every, activity.PATIENCE):
            yield reporter
    finally:
        _running.clear()
        reporter._live.stop()


@contextmanager
def at_rest() -> Iterator[None]:
    """Show nothing of what is being done: something is printed, or a person is asked."""
    if not _running:
        yield
        return
    with _running[0].rest():
        yield


class Screen(Console):
    """Where results are printed."""

    def print(self, *objects: Any, **look: Any) -> None:
        """Print, where nothing else is shown."""
        with at_rest():
            super().print(*objects, **look)


def screen(*, stderr: bool = False) -> Console:
    """The console to write to for people; what goes to standard error appears above what is being done."""
    if not stderr:
        return Screen()
    return _running[0].console if _running else Console(stderr=True)


class _Speed(ProgressColumn):
    """The games a second of a task that counts games."""

    def render(self, task: Task) -> Text:
        """Nothing before the first game is over."""
        return Text(f"{task.speed:,.0f} games/s" if task.fields.get("games") and task.speed else "")


class Bars(Progress):
    """The progress bars of all commands; add a task with games=True to show its games a second."""

    def __init__(self, console: Console) -> None:
        super().__init__(
            SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _Speed(),
            TimeElapsedColumn(), TimeRemainingColumn(),
            console=console, auto_refresh=False,
        )  # fmt: skip

    @property
    def words(self) -> str:
        """The latest task."""
        if not self.tasks:
            return ""
        task = self.tasks[-1]
        return activity.in_words(task.description, int(task.completed), None if task.total is None else int(task.total))


@contextmanager
def bars(console: Console) -> Iterator[Bars]:
    """Show progress bars for as long as this lasts."""
    made = Bars(console)
    with reporting(console) as reporter, reporter.showing(made):
        yield made


@contextmanager
def stages(console: Console) -> Iterator[OnStage]:
    """Show a bar for each stage; call what this yields with a stage, the work done and the total if it is known."""
    tasks: dict[str, Any] = {}
    with bars(console) as shown:

        def on_progress(stage: str, done: int = 0, total: int | None = None) -> None:
            if stage not in tasks:
                for earlier in tasks.values():
                    shown.stop_task(earlier)
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

    @property
    def words(self) -> str:
        """The latest step."""
        if not self._steps:
            return ""
        step, (progress, _) = list(self._steps.items())[-1]
        if progress.games:
            return f"{activity.in_words(step, progress.played, progress.games)} games"
        return f"{activity.in_words(step, progress.done, progress.jobs)} jobs"

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
    from ludus.cluster import JobProgress

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
    with reporting(console) as reporter, reporter.showing(steps):
        yield steps.on_progress


class Line:
    """Words for what is done, which may change."""

    def __init__(self, words: str) -> None:
        self.words = words

    def __rich__(self) -> Spinner:
        return Spinner("dots", Text(self.words, overflow="ellipsis", no_wrap=True))


@contextmanager
def waiting(console: Console, words: str) -> Iterator[Line]:
    """Show a line, whose words may change, while something is done."""
    line = Line(words)
    with reporting(console) as reporter, reporter.showing(line):
        yield line
