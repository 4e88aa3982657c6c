"""One agent's training in a round, and its match against its old self, as a job for here or for a Ray cluster."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ludus.arena.match import play_match
from ludus.arena.sent import packed
from ludus.cluster import Job
from ludus.learning.opponents import runs_of
from ludus.learning.runs import STATE, Run, go_on, read_run, run_called
from ludus.learning.sent import at_the_end, to_go_on, unpacked
from ludus.sent_runs import Files, Runs
from ludus.study.sweep import Score


class Session(NamedTuple):
    """A run to be trained to its end; match: games against the run that it began with, 0 for none."""

    run: Path
    match: int


class Trained(NamedTuple):
    """What came of it: games that it took, and the match; files: those of the run, unless they are where it is."""

    games: int
    match: Score | None
    files: Files = ()


def job_for(session: Session, name: str, games: int, on: str) -> Job:
    """The job; on a cluster, which may share no disk, files go to and fro with it."""
    if not on.startswith("ray"):
        return Job(name, train_here, session, games)
    others = packed(runs_of(read_run(session.run).plan))
    return Job(name, train_there, (to_go_on(session.run), others, session.match), games)


def train_here(path: Path, match: int) -> Trained:
    """Train in the folder of the run, from its last checkpoint on."""
    run = read_run(path)
    go_on(run)
    with suppress(FileNotFoundError):
        (path / STATE).unlink()  # what is finished needs none
    return Trained(run.metrics()[-1]["games"], _match(run, match))


def train_there(run: Files, others: Runs, match: int) -> Trained:
    """Train in a folder that lasts as long as this job, and send its files back."""
    with unpacked(run, others) as path:
        return train_here(path, match)._replace(files=at_the_end(path))


def _match(run: Run, games: int) -> Score | None:
    if not games or not run.plan.begin.name:
        return None
    old = run_called(run.plan.begin.name).agent()
    count = play_match(run.game, run.agent(), old, games, seed=run.plan.seed).all
    return Score(count.a_wins, count.b_wins, count.draws)
