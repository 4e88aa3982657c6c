"""A training in a process of its own, steered from outside: orders as JSON lines come in, and what happens goes out.

    python -m ludus.learning.runs.steering FOLDER < orders > reports

The first order says what to train: {"game", "learner", "settings", "preset"}, or {} to go on with the run in the
folder, {"games"} to go on with it to more games. Later ones: {"do": "pause"}, "go", "stop", "save"; {"do": "step",
"games": 1}; {"do": "pace", "pace": 10}, games a second, 0 for as fast as it can; {"do": "change", "settings":
{"epsilon": "0.3"}}. When orders end, it stops, saved. A run is the same whatever was ordered, but for changes.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, TextIO

from ludus import catalog
from ludus.errors import LudusError
from ludus.learning.loop.evaluation import Line
from ludus.learning.loop.plan import NEVER
from ludus.learning.loop.training import Training, Watcher
from ludus.learning.presets import configured
from ludus.learning.runs import Run, change, create, extend, read_run, resume, save_training

MEMORY = 4 << 30  # bytes that such a process may have

LARGEST = 2 << 30  # bytes of a file that it may write

_TELL = 0.2  # seconds between two reports of progress

_MOMENT = 0.25  # seconds until an order is heard, about

_MOST = 1 << 20  # games until then

_NAP = 0.05

_WINDOW = 0.5  # seconds over which the speed is a mean


Report = dict[str, Any]

Order = dict[str, Any]


class Steering:
    """Who obeys orders while a run is trained, and reports."""

    def __init__(self, run: Run, orders: SimpleQueue[Order | None], report: Callable[[Report], None]) -> None:
        self.run, self.report = run, report
        self._orders = orders
        self._paused, self._pace, self._stop_at = False, 0.0, NEVER
        self._told, self._clock = 0.0, _Clock()
        self._began, self._chunk = 0.0, 1  # when it was left to play, and for how many games at most

    @property
    def watcher(self) -> Watcher:
        """What the training tells."""
        return Watcher(progress=self._progress, until=self._until, line=self._line, save=self._saved)

    def _until(self, games: int) -> int:
        """Play on to where a step ends, but for no more games than take a moment, or than the pace allows."""
        self._began = time.monotonic()
        allowed = int(self._pace * _NAP) if self._pace else self._chunk
        return min(games + max(1, min(self._chunk, allowed)), self._stop_at)

    def _progress(self, training: Training) -> None:
        took = time.monotonic() - self._began
        self._chunk = min(2 * self._chunk, _MOST) if took < _MOMENT / 2 else max(self._chunk // 2, 1)
        if training.games >= self._stop_at:
            self._paused, self._stop_at = True, NEVER
        self._clock.tick(training.games)
        self._obey_all(training)
        is_next = not self._paused and 0 < training.games == training.plan.next_measure(training.games - 1)
        self._on_progress(training, now=self._paused or is_next, words="being measured" if is_next else "")
        while self._paused or self._clock.is_early(training.games, self._pace):
            self._obey_all(training, wait=_NAP)

    def _obey_all(self, training: Training, wait: float = 0.0) -> None:
        """Obey what was ordered, waiting a moment for an order if that is wanted."""
        try:
            while True:
                order = self._orders.get(timeout=wait) if wait else self._orders.get_nowait()
                self._obey(order or {"do": "stop"}, training)
                self._on_progress(training, now=True)
                wait = 0.0
        except Empty:
            return

    def _obey(self, order: Order, training: Training) -> None:
        self._clock.begin(training.games)
        match order["do"]:
            case "stop":
                raise KeyboardInterrupt
            case "pause":
                self._paused, self._stop_at = True, NEVER
                self._save(training)
            case "go":
                self._paused, self._stop_at = False, NEVER
            case "step":
                self._paused, self._stop_at = False, training.games + int(order["games"])
            case "pace":
                self._pace = float(order["pace"])
            case "save":
                self._save(training)
            case "change":
                self._change(training, order["settings"])

    def _save(self, training: Training) -> None:
        save_training(self.run, training)
        self._saved(training)

    def _change(self, training: Training, settings: dict[str, str]) -> None:
        try:
            change(self.run, training, settings)
            self.report({"changes": str(training.plan.changes)})
        except LudusError as error:
            self.report({"refused": str(error)})

    def _on_progress(self, training: Training, *, now: bool = False, words: str = "") -> None:
        if not now and time.monotonic() - self._told < _TELL:
            return
        self._told = time.monotonic()
        results = training.trainer.results.sum(axis=0)
        self.report(
            {
                "state": "paused" if self._paused else "running",
                "words": words,
                "games": training.games,
                "plies": training.trainer.plies,
                "pace": self._pace,
                "speed": 0.0 if self._paused else self._clock.speed,
                "results": [int(count) for count in results],
            }
        )

    def _line(self, line: Line) -> None:
        self.report({"line": line})

    def _saved(self, training: Training) -> None:
        self._on_progress(training, now=True)
        self.report({"saved": training.games})


class _Clock:
    """How fast games are played, and whether that is faster than wanted."""

    def __init__(self) -> None:
        self.speed = 0.0
        self._last = self._first = 0.0, 0

    def begin(self, games: int) -> None:
        """Count from here on."""
        self._first = self._last = time.monotonic(), games

    def tick(self, games: int) -> None:
        """Look at the clock."""
        if not self._last[0]:
            self.begin(games)
        seconds, before = time.monotonic() - self._last[0], self._last[1]
        if seconds > _WINDOW:
            self.speed = (games - before) / seconds
            self._last = time.monotonic(), games

    def is_early(self, games: int, pace: float) -> bool:
        """Whether more games are played than so many a second."""
        return pace > 0 and time.monotonic() - self._first[0] < (games - self._first[1]) / pace


def main() -> None:
    """Obey, with as little memory and at as low a priority as is fair to others."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST, LARGEST))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(5)
    out, sys.stdout = sys.stdout, sys.stderr  # what a game prints is no report
    orders: SimpleQueue[Order | None] = SimpleQueue()
    Thread(target=_read, args=(sys.stdin, orders), daemon=True).start()

    def report(told: Report) -> None:
        out.write(json.dumps(told) + "\n")
        out.flush()

    report(_trained(Path(sys.argv[1]), orders, report))


def _read(lines: TextIO, orders: SimpleQueue[Order | None]) -> None:
    for line in lines:
        orders.put(json.loads(line))
    orders.put(None)


def _trained(folder: Path, orders: SimpleQueue[Order | None], report: Callable[[Report], None]) -> Report:
    """Train as ordered; the last report."""
    try:
        run = _ordered(folder, orders.get() or {})
        report({"state": "starting", "planned": run.plan.games, "changes": str(run.plan.changes)})
        resume(run, Steering(run, orders, report).watcher)
        return {"state": "finished"}
    except KeyboardInterrupt:
        return {"state": "stopped"}
    except LudusError as error:
        return {"state": "refused", "words": str(error)}
    except MemoryError:
        return {"state": "refused", "words": f"it takes more than {MEMORY >> 30} GiB of memory"}
    except Exception as error:  # a game or an agent from elsewhere may raise anything
        return {"state": "refused", "words": f"{type(error).__name__}: {' '.join(str(error).split())}"}


def _ordered(folder: Path, order: Order) -> Run:
    if "game" not in order:
        run = read_run(folder)
        return extend(run, int(order["games"])) if "games" in order else run
    game = catalog.make_game(order["game"])
    config, plan = configured(game, order["learner"], order["settings"], order["preset"])
    return create(game, config, plan, folder)


if __name__ == "__main__":
    main()
