"""Trainings as jobs: in the folder of the run, or on another machine, to and from which its files are sent."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ludus.arena.participants import Files, Runs, at_hand, packed
from ludus.cluster import Job, JobProgress, run_jobs
from ludus.files import made_folder, write_whole
from ludus.learning.runs import AGENT, CHECKPOINT, METRICS, TIMES, Run, read_run, resume
from ludus.learning.runs.files import MANIFEST, snapshot_name, snapshots
from ludus.learning.runs.lineage import runs_needed
from ludus.signatures import sent_by_user


def train_runs(
    runs: Sequence[Run],
    on: str,
    *,
    done: Callable[[Run], None],
    on_progress: Callable[[JobProgress], None] | None = None,
) -> None:
    """Trains runs to their ends, in parallel on all cores or on a cluster; calls `done` with each as it ends."""

    def received(number: int, files: Files) -> None:
        receive(runs[number].path, files)
        done(runs[number])

    run_jobs([_job(run, on) for run in runs], on, done=received, on_progress=on_progress)


def _job(run: Run, on: str) -> Job:
    if not on.startswith("ray"):
        return Job(run.name, _train_here, (run.path,), run.plan.games)
    return Job(run.name, _train_there, (files_to_resume(run.path), packed(runs_needed(run.plan))), run.plan.games)


def _train_here(path: Path) -> Files:
    resume(read_run(path))
    return ()


def _train_there(run: Files, others: Runs) -> Files:
    with unpacked(run, others) as path:
        resume(read_run(path))
        return final_files(path)


def files_to_resume(path: Path) -> Files:
    """The files that a run needs to resume elsewhere."""
    return _files(path, (MANIFEST, METRICS, TIMES, CHECKPOINT, *_snapshots(path)))


def final_files(path: Path) -> Files:
    """The files of a finished training; the last one marks it as finished."""
    return _files(path, (*_snapshots(path), METRICS, TIMES, CHECKPOINT, AGENT))


def receive(path: Path, files: Files) -> None:
    """Writes the final files of a training elsewhere into the folder of its run; no files if it ran here."""
    names = [name for name, _ in files]
    for name in _snapshots(path) if files else ():
        if name not in names:
            (path / name).unlink()
    _write(path, files)


def _snapshots(path: Path) -> list[str]:
    return [snapshot_name(games) for games in snapshots(path)]


def _files(path: Path, names: Iterable[str]) -> Files:
    return tuple((name, (path / name).read_bytes()) for name in names if (path / name).is_file())


def _write(path: Path, files: Files) -> None:
    for name, content in files:
        made_folder((path / name).parent)
        write_whole(path / name, [content])


@contextmanager
def unpacked(run: Files, others: Runs) -> Iterator[Path]:
    """A temporary folder with a run, while the runs that it needs are found by their names."""
    with tempfile.TemporaryDirectory(prefix="ludus-") as folder, at_hand(others), sent_by_user():
        path = Path(folder) / "run"
        _write(path, run)
        yield path
