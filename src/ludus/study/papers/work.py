"""Doing what papers ask for: tasks in rounds, side by side, each done once and kept in a folder."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from ludus.cluster import Job, Progress, run_jobs
from ludus.errors import LudusError
from ludus.files import made_folder, write_whole
from ludus.study.machine import machine
from ludus.study.papers.task import Task
from ludus.study.papers.working import Working, with_needs

T = TypeVar("T")

Files = tuple[tuple[str, bytes], ...]


class Done(NamedTuple):
    """What came of a task: its result, the seconds of the processor that it took, on which machine, and its files."""

    result: Any
    seconds: float
    machine: str
    files: Files = ()


class Kept:
    """What is done, in a folder: results as JSON in `done`, folders of tasks in `runs`, found by the keys of tasks."""

    def __init__(self, folder: Path) -> None:
        self._done, self._runs = made_folder(folder / "done"), made_folder(folder / "runs")
        self._paths = {_key(path.stem): path for path in self._done.glob("*.json")}
        self._folders = {_key(path.name): path for path in self._runs.iterdir()}
        self._known: dict[str, Done] = {}

    def has(self, task: Task) -> bool:
        """Whether a task is done, and what it keeps is there."""
        return task.key in self._paths and (not task.keeps or task.key in self._folders)

    def done(self, task: Task) -> Done:
        """What came of it."""
        if task.key not in self._known:
            self._known[task.key] = _read(self._paths[task.key])
        return self._known[task.key]

    def keep(self, task: Task, done: Done) -> None:
        """Note what came of it."""
        if done.files:
            _put(self.folder(task), done.files)
        told = {"task": task.name, "command": task.command, "seconds": done.seconds, "machine": done.machine}
        path = self._done / f"{task.place}.json"
        write_whole(path, [json.dumps(told | {"result": done.result}).encode()])
        self._paths[task.key] = path
        self._known[task.key] = _read(path)  # as it will be read the next time

    def folder(self, task: Task) -> Path:
        """The folder of a task that keeps one, made if it is not there."""
        if task.key not in self._folders:
            self._folders[task.key] = made_folder(self._runs / task.place)
        return self._folders[task.key]


def _key(place: str) -> str:
    return place.rpartition("-")[2]


def _read(path: Path) -> Done:
    try:
        told = json.loads(path.read_text())
        return Done(told["result"], told["seconds"], told["machine"])
    except (OSError, ValueError, KeyError) as error:
        raise LudusError(f"{path} is damaged: {error}; remove it to have it done again") from None


def work(working: Working[T], kept: Kept, on: str, tell: Callable[[str, Progress], None] | None = None) -> T:
    """Do all that a working asks for, as much at once as can be, and return what it returns."""
    rounds = count(1)
    results: list[Any] | None = None
    while True:
        try:
            tasks = working.send(results)  # type: ignore[arg-type]
        except StopIteration as stop:
            returned: T = stop.value
            return returned
        while ready := _ready(tasks, kept):
            step = f"round {next(rounds)}"
            _run(ready, kept, on, None if tell is None else partial(tell, step))
        results = [kept.done(task).result for task in tasks]


def _ready(tasks: Sequence[Task], kept: Kept) -> list[Task]:
    """Those among some tasks, and what they need, that are not done and could be now."""
    waiting = [task for task in with_needs(tasks) if not kept.has(task)]
    return [task for task in waiting if all(kept.has(need) for need in task.needs)]


def _run(tasks: list[Task], kept: Kept, on: str, tell: Callable[[Progress], None] | None) -> None:
    jobs = [_job(task, kept, on) for task in tasks]
    run_jobs(jobs, on, done=lambda number, done: kept.keep(tasks[number], done), tell=tell, threads=1)


def _job(task: Task, kept: Kept, on: str) -> Job:
    if on.startswith("ray"):
        sent = tuple(_files(kept.folder(need)) for need in task.needs)
        return Job(task.name, _do_there, (task._replace(needs=()), sent), task.games)
    folder = kept.folder(task) if task.keeps else None
    folders = [kept.folder(need) for need in task.needs]
    return Job(task.name, _do, (task._replace(needs=()), folder, folders), task.games)


def _files(folder: Path) -> Files:
    """All files of a folder and of those in it, by their paths there."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return tuple((str(path.relative_to(folder)), path.read_bytes()) for path in paths)


def _put(folder: Path, files: Files) -> None:
    for name, content in files:
        path = folder / name
        made_folder(path.parent)
        write_whole(path, [content])


def _do(task: Task, folder: Path | None, folders: list[Path]) -> Done:
    began = time.process_time()
    given: dict[str, Any] = {"folder": folder} if folder is not None else {}
    if folders or folder is not None:
        given["folders"] = folders
    result = task.function(*task.arguments, **given)
    return Done(result, round(time.process_time() - began, 3), machine())


def _do_there(task: Task, sent: tuple[Files, ...]) -> Done:
    """The same on another machine, in folders that last as long as this."""
    with tempfile.TemporaryDirectory(prefix="ludus-") as passing:
        folders = [made_folder(Path(passing) / f"need-{number}") for number in range(len(sent))]
        for folder, files in zip(folders, sent, strict=True):
            _put(folder, files)
        own = made_folder(Path(passing) / "own") if task.keeps else None
        done = _do(task, own, folders)
        return done._replace(files=_files(own) if own else ())
