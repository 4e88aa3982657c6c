"""Studies started from the page: each in a process of its own, one of a kind at a time, resumed if that was killed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args

from ludus.documents import read_document, write_document
from ludus.errors import LudusError
from ludus.files import home, made_folder
from ludus.web.processes import PATIENCE, ReportingProcess, ended_in_words
from ludus.web.registry import ConflictError, of_app

Kind = Literal["tournament", "league", "benchmark", "papers"]
State = Literal["none", "running", "finished", "stopped", "refused"]
Message = dict[str, Any]
_VERSION = 1


class _Kept(NamedTuple):
    order: Message | None
    state: State
    words: str


class Study:
    """The study of a kind that was started last: its order, its state, and what it reported; kept in a file."""

    def __init__(self, kind: Kind, on_change: Callable[[], None]) -> None:
        self.kind, self._on_change = kind, on_change
        self.order: Message | None = None
        self.state: State = "none"
        self.status: Message = {}
        self.changed = threading.Condition()
        self._process: ReportingProcess | None = None
        self._read()

    @property
    def is_active(self) -> bool:
        """Whether it runs."""
        return self.state == "running"

    def start(self, order: Message, words: Message) -> None:
        """Starts it with this order, which the page may repeat; `words`: the same for the process."""
        self.order, self.status = order, {}
        self._set("running")
        self._process = ReportingProcess("ludus.study.steering", on_report=self._receive, on_end=self._end)
        self._process.send({"kind": self.kind, **words})

    def stop(self) -> None:
        """Stops it, with what is done kept."""
        if self.is_active and self._process:
            self._process.stop()

    def wait(self, seconds: float) -> None:
        """Waits until it has ended, but no longer than this."""
        with self.changed:
            self.changed.wait_for(lambda: not self.is_active, seconds)

    def _receive(self, report: Message) -> None:
        self.status |= report
        self._on_change()

    def _end(self, status: int, is_stopping: bool) -> None:
        """Takes over the last state that was reported, once the process is gone and another one may start."""
        if self.status.get("state", "running") == "running":
            failed = {"state": "refused", "words": ended_in_words(status)}
            self.status |= {"state": "stopped", "words": ""} if is_stopping else failed
        self._set(self.status["state"])
        self._on_change()

    def _set(self, state: State) -> None:
        with self.changed:
            self.state = state
            self.changed.notify_all()
        kept = _Kept(self.order, state, self.status.get("words", ""))
        with suppress(LudusError):  # a full disk is no reason to stop it
            write_document(made_folder(self._path.parent) / self._path.name, _VERSION, kept._asdict())

    @property
    def _path(self) -> Path:
        return home() / "studies" / f"{self.kind}.json"

    def _read(self) -> None:
        """Reads what an earlier server started; what ran when that was killed is stopped."""
        if not self._path.is_file():
            return
        with suppress(LudusError):
            kept = read_document(self._path, _VERSION, _Kept)
            self.order, self.status = kept.order, {"words": kept.words}
            self.state = "stopped" if kept.state == "running" else kept.state


class Studies:
    """The last study of each kind."""

    def __init__(self, on_change: Callable[[], None]) -> None:
        self._lock = threading.Lock()
        self.by_kind: dict[Kind, Study] = {kind: Study(kind, on_change) for kind in get_args(Kind)}

    def start(self, kind: Kind, order: Message, words: Message) -> Study:
        """Starts a study; ConflictError if one of this kind runs."""
        study = self.by_kind[kind]
        with self._lock:
            if study.is_active:
                raise ConflictError(f"a {NAMES[kind]} is already running: wait for it, or cancel it")
            study.start(order, words)
        return study

    def close(self) -> None:
        """Stops all, with what is done kept."""
        active = [study for study in self.by_kind.values() if study.is_active]
        for study in active:
            study.stop()
        for study in active:
            study.wait(PATIENCE)


NAMES = {"tournament": "tournament", "league": "league", "benchmark": "benchmark", "papers": "study of a paper"}
StudiesDep = Annotated[Studies, of_app("studies")]
