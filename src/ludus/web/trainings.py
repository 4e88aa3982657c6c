"""Trainings started from the page: each in a process of its own, few at a time, and stopped at any moment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import Depends, Request

from ludus.errors import LudusError
from ludus.files import home, made_folder
from ludus.learning.loop.evaluation import Line
from ludus.web.jobs import BusyError
from ludus.web.registry import MissingError

MOST_AT_WORK = 3


_KEPT = 30  # trainings that are remembered after their end


_PATIENCE = 10.0  # seconds until one that was told to stop is ended


Order = dict[str, Any]


State = Literal["starting", "running", "paused", "finished", "stopped", "refused"]


ENDED = ("finished", "stopped", "refused")


class Training:
    """A training at work, and what it reported so far."""

    def __init__(self, folder: Path, game: Any, learner: Any, lines: Iterable[Line] = ()) -> None:
        self.folder, self.game, self.learner, self.lines = folder, game, learner, list(lines)
        self.state: State = "starting"
        self.words, self.problem = "", ""
        self.told: dict[str, Any] = {"games": self.lines[-1]["games"] if self.lines else 0}
        self.news = threading.Condition()
        self.number = 0  # of reports
        self._is_stopping = False

    def begin(self, order: Order) -> None:
        """Start the process, with its first order."""
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "ludus.learning.runs.steering", str(self.folder)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            cwd=made_folder(home()), env=os.environ | {"LUDUS_HOME": str(home().resolve())},
            text=True, start_new_session=True,
        )  # fmt: skip
        self._killing = threading.Timer(_PATIENCE, self._process.kill)
        self._killing.daemon = True
        threading.Thread(target=self._listen, daemon=True, name=f"training {self.folder.name}").start()
        self.send(order)

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come of it."""
        return self.state in ENDED

    def send(self, order: Order) -> None:
        """Give an order; LudusError if it is over."""
        if self.is_over or self._process.stdin is None:
            raise LudusError(f"{self.folder.name} is {self.state}: resume it first")
        try:
            self._process.stdin.write(json.dumps(order) + "\n")
            self._process.stdin.flush()
        except OSError:
            raise LudusError(f"{self.folder.name} has just ended") from None

    def stop(self) -> None:
        """Let it save and stop; if it does not soon, end it."""
        if not self.is_over and not self._is_stopping:
            self._is_stopping = True
            self._killing.start()
            with suppress(LudusError):  # it has just ended
                self.send({"do": "stop"})

    def wait(self, seconds: float) -> None:
        """Wait until it is over, but no longer than this."""
        with self.news:
            self.news.wait_for(lambda: self.is_over, seconds)

    def since(self, number: int, seconds: float) -> int:
        """Wait for a report after this one; the number of the last."""
        with self.news:
            self.news.wait_for(lambda: self.number > number, seconds)
            return self.number

    def _listen(self) -> None:
        with self._process:  # which waits for its end, and closes what leads to it
            assert self._process.stdout
            for line in self._process.stdout:
                self._hear(json.loads(line))
        self._killing.cancel()
        if not self.is_over:
            self._hear(
                {"state": "stopped"}
                if self._is_stopping
                else {"state": "refused", "words": _ended(self._process.returncode)}
            )

    def _hear(self, report: dict[str, Any]) -> None:
        with self.news:
            if "line" in report:
                self.lines.append(report["line"])
            self.problem = report.get("refused", "" if "changes" in report else self.problem)
            self.state = report.get("state", self.state)
            self.words = report.get("words", self.words)
            self.told |= report
            self.number += 1
            self.news.notify_all()


def _ended(code: int) -> str:
    if code < 0:
        return "it was ended: it may have needed more memory than it is allowed"
    return f"it ended with status {code}"


class Trainings:
    """All trainings that were begun or gone on with from the page, by the ids of their runs."""

    def __init__(self) -> None:
        self._trainings: dict[str, Training] = {}
        self._lock = threading.Lock()

    def begin(self, training: Training, order: Order) -> Training:
        """Set one to work; BusyError if there are too many."""
        name = training.folder.name
        with self._lock:
            if self.is_at_work(name):
                raise LudusError(f"{name} is being trained already")
            self.require_room()
            training.begin(order)
            self._trainings.pop(name, None)
            self._trainings[name] = training
            self._forget()
        return training

    def require_room(self) -> None:
        """Raise BusyError if there is no room for one more."""
        if sum(not one.is_over for one in self) >= MOST_AT_WORK:
            raise BusyError(f"{MOST_AT_WORK} trainings are at work already: stop one first")

    def _forget(self) -> None:
        over = [name for name, one in self._trainings.items() if one.is_over]
        for name in over[: max(0, len(over) - _KEPT)]:
            del self._trainings[name]

    def called(self, run: str) -> Training:
        """The training of a run."""
        if run not in self._trainings:
            raise MissingError(f"{run!r} is not being trained")
        return self._trainings[run]

    def is_at_work(self, run: str) -> bool:
        """Whether a run is being trained."""
        return run in self._trainings and not self._trainings[run].is_over

    def __iter__(self) -> Iterator[Training]:
        return iter(list(self._trainings.values())[::-1])

    def close(self) -> None:
        """Let all stop, saved."""
        at_work = [one for one in self if not one.is_over]
        for one in at_work:
            one.stop()
        for one in at_work:
            one.wait(_PATIENCE)


def _trainings(request: Request) -> Trainings:
    trainings: Trainings = request.app.state.trainings
    return trainings


TrainingsDep = Annotated[Trainings, Depends(_trainings)]
