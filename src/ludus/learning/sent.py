"""Trainings as jobs: in the folder of the run, or on another machine, to and from which its files are sent."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ludus.cluster import Job, Progress, run_jobs
from ludus.files import made_folder, write_whole
from ludus.learning.head import HEAD, read_head, write_head
from ludus.learning.runs import AGENT, METRICS, STATE, TIMES, Run, go_on, read_run, run_called

Files = tuple[tuple[str, bytes], ...]

AT_THE_END = METRICS, TIMES, STATE, AGENT  # the last one says that the training is finished


def train_runs(
    runs: Sequence[Run],
    on: str,
    *,
    done: Callable[[Run], None],
    tell: Callable[[Progress], None] | None = None,
) -> None:
    """Train runs to their ends, side by side on all cores or on a cluster; `done` is told of each as it ends."""

    def received(number: int, files: Files) -> None:
        write_files(runs[number].path, files)
        done(runs[number])

    run_jobs([_job(run, on) for run in runs], on, done=received, tell=tell)


def _job(run: Run, on: str) -> Job:
    if not on.startswith("ray"):
        return Job(run.name, _train_here, (run.path,), run.plan.games)
    begin = run_called(run.plan.begin.name) if run.plan.begin.name else None
    return Job(run.name, _train_there, (to_go_on(run.path), begin.files() if begin else ()), run.plan.games)


def _train_here(path: Path) -> Files:
    go_on(read_run(path))
    return ()


def _train_there(run: Files, begin: Files) -> Files:
    with unpacked(run, begin) as (path, _):
        go_on(read_run(path))
        return files_of(path, AT_THE_END)


# ---- files ----


def to_go_on(path: Path) -> Files:
    """What a run needs to go on elsewhere."""
    return files_of(path, (HEAD, METRICS, STATE))


def files_of(path: Path, wanted: Iterable[str]) -> Files:
    """Those of a run's files that are there."""
    return tuple((name, (path / name).read_bytes()) for name in wanted if (path / name).is_file())


def write_files(path: Path, files: Files) -> None:
    """Put files into the folder of a run."""
    made_folder(path)
    for name, content in files:
        write_whole(path / name, [content])


@contextmanager
def unpacked(run: Files, begin: Files) -> Iterator[tuple[Path, Path | None]]:
    """A run, and the one that it begins with, in folders that last as long as this; its head names the other there."""
    with tempfile.TemporaryDirectory(prefix="ludus-") as folder:
        path, other = Path(folder) / "run", Path(folder) / "begin"
        write_files(path, run)
        if begin:
            write_files(other, begin)
            head = read_head(path)
            (digest,) = head.begin.values()
            write_head(path, head._replace(plan=head.plan | {"begin": str(other)}, begin={str(other): digest}))
        yield path, other if begin else None
