"""One training with several seeds, side by side on all cores: each is an ordinary run, as it would be alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from ludus.errors import LudusError
from ludus.learning.presets import configured
from ludus.learning.recorded import as_measure
from ludus.learning.runs import Run, create, free_path
from ludus.terminal.runs import in_words

_TRAIN = "from ludus.cli import main; main()"


def created(
    game: Any, learner: str, settings: dict[str, str], preset: str | None, out: Path | None, seeds: int
) -> list[Run]:
    """New runs with so many seeds from the one that is set, in folders of `out` named by them, or else of the user."""
    config, plan = configured(game, learner, settings, preset)
    runs = []
    for seed in range(plan.seed, plan.seed + seeds):
        path = free_path(game, config) if out is None else out / f"seed-{seed}"
        runs.append(create(game, config, plan._replace(seed=seed), path))
    return runs


def follow(runs: Sequence[Run], console: Console) -> None:
    """Train all to the end, as many at a time as there are cores, and tell the last measure of each."""
    working: list[subprocess.Popen[str]] = []
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        waiting = {pool.submit(_train, run, working): run for run in runs}
        try:
            for done in as_completed(waiting):
                done.result()
                last = waiting[done].metrics()[-1]
                words = f"seed {waiting[done].plan.seed}: {last['games']:,} games  {in_words(as_measure(last))}"
                console.print(Text(words), soft_wrap=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            _interrupt(working)
            raise


def _train(run: Run, working: list[subprocess.Popen[str]]) -> None:
    """Train in a process of its own, which hears of Ctrl-C only from this one."""
    command = [sys.executable, "-c", _TRAIN, "train", "--resume", str(run.path), "--json"]
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    working.append(process)
    _, told = process.communicate()
    if process.returncode:
        why = told.strip().splitlines() or [f"it ended with {process.returncode}"]
        raise LudusError(f"{run.path} was not trained to the end: {why[-1]}")


def _interrupt(working: list[subprocess.Popen[str]]) -> None:
    for process in working:
        with suppress(ProcessLookupError):
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
