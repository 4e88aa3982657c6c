"""A training in its own process, controlled by commands as JSON lines; it reports as JSON lines.

    python -m ludus.learning.runs.steering FOLDER < commands > reports

The first command says what to train: {"game", "learner", "settings", "preset"}, and with "slow_start" its first plies
are slow; {} resumes the run in the folder, and {"games"} extends it. Later commands: {"do": "pause"}, "go", "stop",
"save"; {"do": "step", "games": 1}; {"do": "pace", "pace": 10}, games per second, 0 for full speed; {"do": "change",
"settings": {"epsilon": "0.3"}}. At the end of input it saves and stops; where it cannot soon, it ends as it was saved
last. Only changes affect the result of a run.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, TextIO

from ludus import catalog
from ludus.compiled import compiling
from ludus.errors import LudusError, diagnosed, in_one_line
from ludus.learning.loop.plan import NEVER
from ludus.learning.loop.training import Training, Watcher
from ludus.learning.presets import configured
from ludus.learning.runs import Run, change, create, extend, read_run, resume, save_checkpoint
from ludus.learning.runs.history import unlearned
from ludus.learning.runs.watching import Compiling, Frames, SlowStart
from ludus.machine import MEMORY, confine

_REPORT_EVERY = 0.2  # seconds between two reports of progress
_LATENCY = 0.25  # seconds until a command is read, about
_MAX_CHUNK = 1 << 20  # games until then
_NAP = 0.05  # seconds
_PATIENCE = 10.0  # seconds to save and stop when nobody is there any more
_WINDOW = 0.5  # seconds over which the speed is averaged
Message = dict[str, Any]
Commands = SimpleQueue[Message | None]


class Steering:
    """Executes commands while a run is trained, and reports."""

    def __init__(
        self, run: Run, commands: Commands, report: Callable[[Message], None], *, slow_start: bool = False
    ) -> None:
        self.run, self.report = run, report
        self._commands = commands
        self._paused, self._pace, self._stop_at = False, 0.0, NEVER
        self._reported, self._clock = 0.0, _Clock()
        self._started, self._chunk = 0.0, 1  # when the current chunk started, and its maximal number of games
        self._slow_start, self._frames = SlowStart() if slow_start else None, Frames()

    @property
    def watcher(self) -> Watcher:
        """The callbacks of the training."""
        return Watcher(
            progress=self._progress,
            until=self._until,
            plies=lambda: self._frames.plies(slow=self._slow_start is not None),
            line=lambda line: self.report({"line": line}),
            save=self._saved,
        )

    def _until(self, games: int) -> int:
        """The game to play to: the end of a step, or of a chunk that fits the latency and the pace."""
        self._started = time.monotonic()
        allowed = int(self._pace * _NAP) if self._pace else self._chunk
        most = 1 if self._slow_start else max(1, min(self._chunk, allowed))
        return min(games + most, self._stop_at)

    def _progress(self, training: Training) -> None:
        took = time.monotonic() - self._started
        if not self._frames.is_next:
            self._chunk = min(2 * self._chunk, _MAX_CHUNK) if took < _LATENCY / 2 else max(self._chunk // 2, 1)
        if training.games >= self._stop_at:
            self._paused, self._stop_at = True, NEVER
        self._clock.tick(training.games)
        self._execute_all(training)
        evaluated_at = training.lines[-1]["games"] if training.lines else 0
        is_due = not self._paused and training.games == training.plan.next_evaluation(evaluated_at)
        self._on_progress(training, now=self._paused or is_due, words="evaluating" if is_due else "")
        if self._frames.is_next or self._paused:
            self.report({"board": self._frames.draw(training)})
        self._wait(training)

    def _wait(self, training: Training) -> None:
        """Waits while it is paused, ahead of its pace, or starts slowly."""
        end = time.monotonic()
        if self._slow_start:
            end += self._slow_start.pause
            self._slow_start.shorten()
            self._slow_start = None if self._slow_start.is_over else self._slow_start
        while (left := end - time.monotonic()) > 0:
            self._execute_all(training, wait=min(_NAP, left))
        while self._paused or self._clock.is_early(training.games, self._pace):
            self._execute_all(training, wait=_NAP)

    def _execute_all(self, training: Training, wait: float = 0.0) -> None:
        """Executes the commands in the queue, after waiting for the first one if it is empty."""
        try:
            while True:
                command = self._commands.get(timeout=wait) if wait else self._commands.get_nowait()
                self._execute(command or {"do": "stop"}, training)
                self._on_progress(training, now=True)
                wait = 0.0
        except Empty:
            return

    def _execute(self, command: Message, training: Training) -> None:
        self._clock.restart(training.games)
        match command["do"]:
            case "stop":
                raise KeyboardInterrupt
            case "pause":
                self._paused, self._stop_at = True, NEVER
                self._save(training)
                self.report({"board": self._frames.draw(training)})
            case "go":
                self._paused, self._stop_at = False, NEVER
            case "step":
                self._paused, self._stop_at = False, training.games + int(command["games"])
            case "pace":
                self._pace, self._slow_start = float(command["pace"]), None
            case "save":
                self._save(training)
            case "change":
                self._change(training, command["settings"])

    def _save(self, training: Training) -> None:
        save_checkpoint(self.run, training)
        self._saved(training)

    def _change(self, training: Training, settings: dict[str, str]) -> None:
        try:
            change(self.run, training, settings)
            self.report({"changes": str(training.plan.changes)})
        except LudusError as error:
            self.report({"refused": str(error)})

    def _on_progress(self, training: Training, *, now: bool = False, words: str = "") -> None:
        if not now and time.monotonic() - self._reported < _REPORT_EVERY:
            return
        self._reported = time.monotonic()
        self.report(
            {
                "state": "paused" if self._paused else "running",
                "words": words,
                "games": training.games,
                "plies": training.trainer.plies,
                "pace": self._pace,
                "is_slow": self._slow_start is not None,
                "speed": 0.0 if self._paused else self._clock.speed,
                "results": [int(count) for count in training.trainer.results.sum(axis=0)],
            }
        )

    def _saved(self, training: Training) -> None:
        self._on_progress(training, now=True)
        self.report({"saved": training.games})
        if training.is_over:
            self.report({"board": self._frames.draw(training)})


class _Clock:
    """The speed of a training in games per second, and whether it is ahead of its pace."""

    def __init__(self) -> None:
        self.speed = 0.0
        self._last = self._first = 0.0, 0

    def restart(self, games: int) -> None:
        """Measures from here on."""
        self._first = self._last = time.monotonic(), games

    def tick(self, games: int) -> None:
        """Updates the speed."""
        if not self._last[0]:
            self.restart(games)
        seconds, before = time.monotonic() - self._last[0], self._last[1]
        if seconds > _WINDOW:
            self.speed = (games - before) / seconds
            self._last = time.monotonic(), games

    def is_early(self, games: int, pace: float) -> bool:
        """Whether more games were played than the pace allows."""
        return pace > 0 and time.monotonic() - self._first[0] < (games - self._first[1]) / pace


def main() -> None:
    """Trains as commanded, with limited memory and file sizes and at low priority."""
    confine()
    out, sys.stdout = sys.stdout, sys.stderr  # what a game prints is no report
    commands: Commands = SimpleQueue()
    Thread(target=_read, args=(sys.stdin, commands), daemon=True).start()

    def report(message: Message) -> None:
        out.write(json.dumps(message) + "\n")
        out.flush()

    report(_train(Path(sys.argv[1]), commands, report))


def _read(lines: TextIO, commands: Commands) -> None:
    for line in lines:
        commands.put(json.loads(line))
    commands.put(None)
    time.sleep(_PATIENCE)
    os._exit(1)  # it may be amid a long evaluation


def _train(folder: Path, commands: Commands, report: Callable[[Message], None]) -> Message:
    """Trains as commanded; returns the last report."""
    try:
        command = commands.get() or {}
        run = _run_for(folder, command)
        report({"state": "starting", "planned": run.plan.games, "changes": str(run.plan.changes)})
        compiling.listeners.append(Compiling(run.game, run.learner, report).on_kernel)
        resume(run, Steering(run, commands, report, slow_start=command.get("slow_start", False)).watcher)
        return {"state": "finished", "words": unlearned(run)}
    except KeyboardInterrupt:
        return {"state": "stopped"}
    except LudusError as error:
        return {"state": "refused", "words": str(error)}
    except MemoryError:
        return {"state": "refused", "words": f"it takes more than {MEMORY >> 30} GiB of memory"}
    except Exception as error:  # a game or an agent from elsewhere may raise anything
        return {"state": "refused", "words": in_one_line(diagnosed(error))}


def _run_for(folder: Path, command: Message) -> Run:
    if "game" not in command:
        run = read_run(folder)
        return extend(run, int(command["games"])) if "games" in command else run
    game = catalog.make_game(command["game"])
    config, plan = configured(game, command["learner"], command["settings"], command["preset"])
    return create(game, config, plan, folder)


if __name__ == "__main__":
    main()
