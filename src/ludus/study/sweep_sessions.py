"""One agent's training in a round, and its match against its old self, as a job for here or for a Ray cluster."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ludus.arena.match import play_match
from ludus.cluster import Job
from ludus.learning.runs import STATE, go_on, read_run
from ludus.learning.sent import AT_THE_END, Files, files_of, to_go_on, unpacked
from ludus.study.sweep import Score


class Session(NamedTuple):
    """A run to be trained to its end; begin: the run that it begins with; match: games against that, 0 for none."""

    run: Path
    begin: Path | None
    match: int
    seed: int


class Trained(NamedTuple):
    """What came of it; files: those of the run, unless they were written where it is."""

    match: Score | None
    files: Files = ()


def job_for(session: Session, name: str, games: int, on: str) -> Job:
    """The job; on a cluster, which may share no disk, files go to and fro with it."""
    if not on.startswith("ray"):
        return Job(name, train_here, (session,), games)
    begin = read_run(session.begin).files() if session.begin else ()
    return Job(name, train_there, (to_go_on(session.run), begin, session.match, session.seed), games)


def train_here(session: Session) -> Trained:
    """Train in the folder of the run, from its last checkpoint on."""
    go_on(read_run(session.run))
    with suppress(FileNotFoundError):
        (session.run / STATE).unlink()  # what is finished needs none
    return Trained(_match(session))


def train_there(run: Files, begin: Files, match: int, seed: int) -> Trained:
    """Train in a folder that lasts as long as this job, and send its files back."""
    with unpacked(run, begin) as (path, old):
        trained = train_here(Session(path, old, match, seed))
        return trained._replace(files=files_of(path, AT_THE_END))


def _match(session: Session) -> Score | None:
    if session.begin is None or not session.match:
        return None
    new, old = read_run(session.run), read_run(session.begin)
    count = play_match(new.game, new.agent(), old.agent(), session.match, seed=session.seed).all
    return Score(count.a_wins, count.b_wins, count.draws)
