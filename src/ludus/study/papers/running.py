"""Papers run again: all that they ask for is done, and a document made of each."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import ludus
from ludus import catalog, face
from ludus.cluster import Progress
from ludus.errors import LudusError
from ludus.files import made_folder
from ludus.report.parts import Claimed, Document, Made, Section, Table
from ludus.study.papers.lab import SCALES, Lab
from ludus.study.papers.paper import Claim, Experiment, Paper
from ludus.study.papers.task import Task
from ludus.study.papers.work import Kept, work
from ludus.study.papers.working import Working, noted, together

_LIBRARIES = ("numpy", "numba", "scipy", "jax", "optax", "plotly")


class Order(NamedTuple):
    """How papers are run again: one of SCALES, how many seeds (None: as each paper says), the folder, and where."""

    scale: str
    seeds: int | None
    out: Path
    on: str = "local"


def run_papers(
    papers: Sequence[Paper], order: Order, tell: Callable[[str, Progress], None] | None = None
) -> list[Document]:
    """Do what some papers ask for, all of it side by side, and tell what came of it; what was done before is kept."""
    if order.scale not in SCALES:
        raise LudusError(f"there is no scale {order.scale!r}; there is: quick, full")
    kept = Kept(made_folder(order.out))
    labs = [Lab(paper.name, order.scale, range(order.seeds or paper.seeds[order.scale])) for paper in papers]
    used: list[dict[str, Task]] = [{} for _ in papers]
    workings = [noted(_document(paper, lab), notes) for paper, lab, notes in zip(papers, labs, used, strict=True)]
    found = work(together(workings), kept, order.on, tell)
    return [
        document._replace(made=_made(lab, order, list(tasks.values()), kept))
        for document, lab, tasks in zip(found, labs, used, strict=True)
    ]


def _document(paper: Paper, lab: Lab) -> Working[Document]:
    """All of a paper as one working: whatever its experiments, claims and best agent ask for is asked for at once."""
    works = [experiment.work(lab) for experiment in paper.experiments]
    judges = [claim.judge(lab) for claim in paper.claims]
    *found, best = yield from together([*works, *judges, paper.best(lab)])
    sections = [_section(each, parts) for each, parts in zip(paper.experiments, found, strict=False)]
    claims = [_claimed(each, judged) for each, judged in zip(paper.claims, found[len(works) :], strict=True)]
    game = catalog.make_game(paper.game)
    board = face.draw(game, game.start()).svg
    nothing = Made((), Table("", "", (), ()), ())
    return Document(paper.name, paper.title, paper.authors, paper.about, board, sections, claims, best, nothing)


def _section(experiment: Experiment, parts: Any) -> Section:
    return Section(experiment.key, experiment.title, experiment.did, tuple(parts))


def _claimed(claim: Claim, judged: Any) -> Claimed:
    found: Claimed = judged.of(claim)
    return found


def _made(lab: Lab, order: Order, tasks: list[Task], kept: Kept) -> Made:
    done = [kept.done(task) for task in tasks]
    rows = [(task.name, round(each.seconds, 1), task.command) for task, each in zip(tasks, done, strict=True)]
    facts = [
        ("scale", lab.scale),
        ("seeds", f"{len(lab.seeds)}: {', '.join(map(str, lab.seeds))}"),
        ("processor time", f"{sum(each.seconds for each in done):,.0f} s in {len(tasks):,} tasks"),
        ("versions", ", ".join(f"{name} {version}" for name, version in _versions().items())),
        ("machine", "; ".join(sorted({each.machine for each in done}))),
    ]
    again = f"ludus paper {lab.paper} --scale {lab.scale} --seeds {len(lab.seeds)}"
    return Made(facts, Table("tasks", "All that was computed", ("task", "seconds", "command"), rows), (again,))


def _versions() -> dict[str, str]:
    libraries = {name: metadata.version(name) for name in _LIBRARIES}
    return {"ludus": ludus.__version__, "python": platform.python_version()} | libraries
