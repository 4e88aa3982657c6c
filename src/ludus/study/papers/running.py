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
from ludus.learning.presets import configured
from ludus.parameters import format_value
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
        document._replace(made=_made(paper, lab, list(tasks.values()), kept))
        for document, paper, lab, tasks in zip(found, papers, labs, used, strict=True)
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
    head = paper.name, paper.title, paper.authors, paper.about, board
    return Document(*head, sections, claims, best, nothing, paper.headline)


def _section(experiment: Experiment, parts: Any) -> Section:
    return Section(experiment.key, experiment.title, experiment.did, tuple(parts))


def _claimed(claim: Claim, judged: Any) -> Claimed:
    found: Claimed = judged.of(claim)
    return found


def _made(paper: Paper, lab: Lab, tasks: list[Task], kept: Kept) -> Made:
    done = [kept.done(task) for task in tasks]
    rows = [(task.name, round(each.seconds, 1), task.command) for task, each in zip(tasks, done, strict=True)]
    facts = [
        ("scale", lab.scale),
        ("seeds", f"{len(lab.seeds)}: {', '.join(map(str, lab.seeds))}"),
        ("processor time", f"{sum(each.seconds for each in done):,.0f} s in {len(tasks):,} tasks"),
        ("versions", ", ".join(f"{name} {version}" for name, version in _versions().items())),
        ("machine", "; ".join(sorted({each.machine for each in done}))),
    ]
    every = Table("tasks", "All that was computed", ("task", "seconds", "command"), rows, _COMMANDS)
    return Made(facts, every, (lab.command,), _config(paper))


_COMMANDS = (
    "Commands show the same at the command line; RUN is the folder of a training. Of a training that ends after so many"
    " turns the command tells about as many games."
)


def _config(paper: Paper) -> Table:
    """The paper's learner with all its settings, and those of its training."""
    learner, plan = configured(catalog.make_game(paper.game), paper.learner, dict(paper.settings), paper.preset)
    rows = [
        (of, name, format_value(value))
        for of, chosen in ((paper.learner, learner), ("training", plan))
        for name, value in chosen._asdict().items()
    ]
    title = f"The paper's learner, {paper.learner}, with all its settings"
    return Table("config", title, ("of", "setting", "value"), rows, _CONFIG)


_CONFIG = "As in the paper's first training, whatever the scale; other trainings tell in their commands what differs."


def _versions() -> dict[str, str]:
    libraries = {name: metadata.version(name) for name in _LIBRARIES}
    return {"ludus": ludus.__version__, "python": platform.python_version()} | libraries
