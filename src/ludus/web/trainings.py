"""Trainings started from the page: each in a process of its own, few at a time, and stopped at any moment."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from ludus.errors import LudusError
from ludus.learning.loop.evaluation import Line
from ludus.web.jobs import BusyError
from ludus.web.processes import PATIENCE, ReportingProcess, ended_in_words
from ludus.web.registry import MissingError, of_app

MOST_ACTIVE = 3
_KEPT = 30  # trainings that are listed after their end
Order = dict[str, Any]
State = Literal["starting", "running", "paused", "finished", "stopped", "refused"]
ENDED = ("finished", "stopped", "refused")


class TrainingProcess:
    """A training in a process of its own, and what it reported so far."""

    def __init__(self, folder: Path, game: Any, learner: Any, lines: Iterable[Line] = ()) -> None:
        self.folder, self.game, self.learner, self.lines = folder, game, learner, list(lines)
        self.state: State = "starting"
        self.words, self.problem = "", ""
        self.status: dict[str, Any] = {"games": self.lines[-1]["games"] if self.lines else 0}
        self.changed = threading.Condition()
        self.reports = 0

    def start(self, order: Order) -> None:
        """Starts the process with its first order."""
        module = "ludus.learning.runs.steering"
        self._process = ReportingProcess(module, str(self.folder), on_report=self._receive, on_end=self._end)
        self.send(order)

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self.state in ENDED

    def send(self, order: Order) -> None:
        """Sends an order; LudusError if it has ended."""
        if self.is_over:
            raise LudusError(f"{self.folder.name} is {self.state}: resume it first")
        self._process.send(order)

    def stop(self) -> None:
        """Lets it save and stop; kills it if it does not soon."""
        if not self.is_over:
            self._process.stop()

    def wait(self, seconds: float) -> None:
        """Waits until it has ended, but no longer than this."""
        with self.changed:
            self.changed.wait_for(lambda: self.is_over, seconds)

    def wait_for_report(self, after: int, seconds: float) -> int:
        """Waits for a report after this number; returns the number of the last one."""
        with self.changed:
            self.changed.wait_for(lambda: self.reports > after, seconds)
            return self.reports

    def _end(self, status: int, is_stopping: bool) -> None:
        if not self.is_over:
            failed = {"state": "refused", "words": ended_in_words(status)}
            self._receive({"state": "stopped"} if is_stopping else failed)

    def _receive(self, report: dict[str, Any]) -> None:
        with self.changed:
            if "line" in report:
                self.lines.append(report["line"])
            self.problem = report.get("refused", "" if "changes" in report else self.problem)
            self.state = report.get("state", self.state)
            self.words = report.get("words", self.words)
            self.status |= report
            self.reports += 1
            self.changed.notify_all()


class Trainings:
    """The trainings started or resumed from the page, by the ids of their runs."""

    def __init__(self) -> None:
        self._trainings: dict[str, TrainingProcess] = {}
        self._lock = threading.Lock()

    def start(self, training: TrainingProcess, order: Order) -> TrainingProcess:
        """Starts a training; BusyError if too many are active."""
        name = training.folder.name
        with self._lock:
            if self.is_active(name):
                raise LudusError(f"{name} is being trained already")
            self.require_room()
            training.start(order)
            self._trainings.pop(name, None)
            self._trainings[name] = training
            ended = [name for name, one in self._trainings.items() if one.is_over]
            for old in ended[: max(0, len(ended) - _KEPT)]:
                del self._trainings[old]
        return training

    def require_room(self) -> None:
        """Raises BusyError if no more trainings may start."""
        if sum(not one.is_over for one in self) >= MOST_ACTIVE:
            raise BusyError(f"{MOST_ACTIVE} trainings are active already: stop one first")

    def find(self, run: str) -> TrainingProcess:
        """The training of a run; MissingError if there is none."""
        if run not in self._trainings:
            raise MissingError(f"{run!r} is not being trained")
        return self._trainings[run]

    def is_active(self, run: str) -> bool:
        """Whether a run is being trained."""
        return run in self._trainings and not self._trainings[run].is_over

    def __iter__(self) -> Iterator[TrainingProcess]:
        return iter(list(self._trainings.values())[::-1])

    def close(self) -> None:
        """Stops all, saved."""
        active = [one for one in self if not one.is_over]
        for one in active:
            one.stop()
        for one in active:
            one.wait(PATIENCE)


TrainingsDep = Annotated[Trainings, of_app("trainings")]
