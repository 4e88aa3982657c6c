"""One training with several seeds, side by side: each is an ordinary run, as it would be alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from ludus.learning.presets import configured
from ludus.learning.recorded import as_measure
from ludus.learning.runs import Run, create, free_path
from ludus.learning.sent import train_runs
from ludus.terminal.jobs import live_table
from ludus.terminal.runs import in_words


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


def follow(runs: Sequence[Run], console: Console, on: str = "local") -> None:
    """Train all to the end, on all cores or elsewhere, and tell the last measure of each."""

    def done(run: Run) -> None:
        last = run.metrics()[-1]
        words = f"seed {run.plan.seed}: {last['games']:,} games  {in_words(as_measure(last))}"
        console.print(Text(words), soft_wrap=True)

    with live_table(console) as tell:
        train_runs(runs, on, done=done, tell=lambda progress: tell("train", progress))
