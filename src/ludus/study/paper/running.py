"""Running papers: tasks in rounds, side by side, each done once and kept in a folder."""

from __future__ import annotations

import inspect
import platform
import re
import shlex
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from importlib import metadata
from itertools import chain, count
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar, cast

import ludus
from ludus import catalog, face
from ludus.cluster import Job, JobProgress, run_jobs
from ludus.documents import read_document, write_document
from ludus.errors import LudusError, in_one_line, own_frames
from ludus.files import made_folder, write_whole
from ludus.learning.presets import configured
from ludus.locks import locked
from ludus.machine import machine
from ludus.parameters import format_value
from ludus.report.document import OPEN, UNSURE, Claimed, Document, Made, Part, Results, Section, Table
from ludus.study.paper import SCALES, Claim, Judged, Lab, Paper
from ludus.study.paper.changing import in_words, require_known, side_by_side, with_changes
from ludus.study.paper.tasks import Rounds, Task, Working, do, each_task, rounds, with_needs

T = TypeVar("T")
Files = tuple[tuple[str, bytes], ...]
_VERSION = 1  # of the files of finished tasks
_LIBRARIES = ("numpy", "numba", "scipy", "jax", "optax", "plotly")


class Done(NamedTuple):
    """The result of a task, the processor seconds that it took, on which machine, and its files."""

    result: Any
    seconds: float
    machine: str
    files: Files = ()


class _Kept(NamedTuple):
    """A finished task as it is kept; its result is whatever its function returns."""

    task: str
    command: str
    seconds: float
    machine: str
    result: Any


class Kept:
    """Finished tasks in a folder: results as JSON in `done`, folders of tasks in `runs`, found by the keys of tasks."""

    def __init__(self, folder: Path) -> None:
        self._done, self._runs = made_folder(folder / "done"), made_folder(folder / "runs")
        self._paths = {_key(path.stem): path for path in self._done.glob("*.json")}
        self._folders = {_key(path.name): path for path in self._runs.iterdir()}
        self._known: dict[str, Done] = {}

    def has(self, task: Task) -> bool:
        """Whether a task is done, and what it keeps is there."""
        return task.key in self._paths and (not task.keeps or task.key in self._folders)

    def done(self, task: Task) -> Done:
        """The outcome of a finished task."""
        if task.key not in self._known:
            self._known[task.key] = _read(self._paths[task.key])
        return self._known[task.key]

    def keep(self, task: Task, done: Done) -> None:
        """Keep the outcome of a task."""
        if done.files:
            _put(self.folder(task), done.files)
        path = self._done / f"{task.place}.json"
        kept = _Kept(task.name, task.command, done.seconds, done.machine, done.result)
        write_document(path, _VERSION, kept._asdict())
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
        kept = read_document(path, _VERSION, _Kept)
    except LudusError as error:
        raise LudusError(f"{error}; remove it to have it done again") from None
    return Done(kept.result, kept.seconds, kept.machine)


def work(asked: Any, kept: Kept, on: str, on_progress: Callable[[str, JobProgress], None] | None = None) -> Any:
    """Do all tasks of a working, or of several in dicts and lists, as many at once as possible; return the results."""
    steps, numbers = rounds(asked), count(1)
    results: list[Any] | None = None
    while True:
        try:
            tasks = steps.send(results)  # type: ignore[arg-type]
        except StopIteration as stop:
            return stop.value
        while waiting := [task for task in with_needs(tasks) if not kept.has(task)]:
            ready = [task for task in waiting if all(kept.has(need) for need in task.needs)]
            step = f"round {next(numbers)}"
            _run(ready, kept, on, None if on_progress is None else partial(on_progress, step))
        results = [kept.done(task).result for task in tasks]


def noted(asked: Any, used: dict[str, Task]) -> Rounds[Any]:
    """The same rounds, with a note of each task that is used, by its key."""

    def note(task: Task) -> Task:
        used.update({each.key: each for each in with_needs([task])})
        return task

    return each_task(asked, note)


def _run(tasks: list[Task], kept: Kept, on: str, on_progress: Callable[[JobProgress], None] | None) -> None:
    tasks = unlike_first(tasks)
    jobs = [_job(task, kept, on) for task in tasks]
    run_jobs(jobs, on, done=lambda number, done: kept.keep(tasks[number], done), on_progress=on_progress, threads=1)


def unlike_first(tasks: Sequence[Task]) -> list[Task]:
    """Tasks in another order: one of each kind first, so that processes do not compile the same at the same time.

    By their names tasks are of a kind that differ in numbers or in what follows a comma.
    """
    seen: Counter[str] = Counter()
    ranks = []
    for task in tasks:
        kind = re.sub(r"\d+", "", task.name.partition(",")[0])
        ranks.append(seen[kind])
        seen[kind] += 1
    return [task for _, task in sorted(zip(ranks, tasks, strict=True), key=lambda pair: pair[0])]


def _job(task: Task, kept: Kept, on: str) -> Job:
    if on.startswith("ray"):
        if _is_in_file(task.function):
            raise LudusError(f"{task.name} cannot be done on Ray: its function is in a file; take --on local")
        sent = tuple(_files(kept.folder(need)) for need in task.needs)
        return Job(task.name, _do_there, (task._replace(needs=()), sent), task.games)
    folder = kept.folder(task) if task.keeps else None
    folders = [kept.folder(need) for need in task.needs]
    return Job(task.name, _do, (_portable(task._replace(needs=())), folder, folders), task.games)


def _call_in_file(path: str, name: str, *arguments: Any, **given: Any) -> Any:
    """The result of a function of a paper's file, which each process loads for itself."""
    return vars(catalog.load_file(Path(path)))[name](*arguments, **given)


def _is_in_file(function: Callable[..., Any]) -> bool:
    return function.__module__.startswith(catalog.FILE_MODULES)


def _portable(task: Task) -> Task:
    if not _is_in_file(task.function):
        return task
    return task._replace(function=partial(_call_in_file, inspect.getfile(task.function), task.function.__qualname__))


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
    result = do(task, **given)
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


class Order(NamedTuple):
    """How papers are run again: one of SCALES, how many seeds (None: as each paper says), the folder, and where.

    only: the key of the only experiment; changes: settings of the paper's learner that are changed, in a run beside it.
    """

    scale: str
    seeds: int | None
    out: Path
    on: str = "local"
    only: str | None = None
    changes: Mapping[str, str] = MappingProxyType({})

    def options(self) -> str:
        """What a command says of the last two."""
        words = ["--only", self.only] if self.only else []
        for name, value in self.changes.items():
            words += ["--set", f"{name}={value}"]
        return shlex.join(words)

    def report_name(self, paper: Paper) -> str:
        """The name of the report; one of a part of the paper, or of a change, stands beside that of the whole."""
        words = [paper.name, *(["only", self.only] if self.only else []), *chain(*self.changes.items())]
        return re.sub(r"[^A-Za-z0-9_]+", "-", "-".join(words)).strip("-")[:80]


# ---- seeds until decided ----


_BUDGET = 600.0  # processor seconds of a part, in tasks that grow with the seeds, beyond which no seeds are added


def until_decided(make: Callable[[Lab], Working[T]], lab: Lab, is_open: Callable[[T], bool], kept: Kept) -> Working[T]:
    """What a part of a paper returns, with more seeds, round by round, as long as it is open and the budget lasts."""
    for seeds in lab.rounds:
        used: dict[str, Task] = {}
        found = yield {"part": noted(make(lab._replace(seeds=range(seeds))), used)}
        if seeds == lab.rounds[-1] or not is_open(found["part"]):
            break
        growing = sum(kept.done(task).seconds for task in one_per_seed(used.values(), seeds))
        if 2 * growing > _BUDGET:  # each round doubles what there is
            break
    return cast(T, found["part"])


def one_per_seed(tasks: Iterable[Task], seeds: int) -> list[Task]:
    """The tasks of which there are as many as seeds: by their names of a kind, which differ in numbers only."""
    kinds: dict[str, list[Task]] = {}
    for task in tasks:
        kinds.setdefault(re.sub(r"\d+", "", task.name), []).append(task)
    return [task for kind in kinds.values() if len(kind) >= seeds for task in kind]


def _is_open(parts: Sequence[Part]) -> bool:
    """Whether more seeds could decide a result."""
    results = [result for part in parts if isinstance(part, Results) for result in part.results]
    return any(result.verdict == UNSURE and len(result.values) > 1 for result in results)


def _is_left_open(judged: Judged) -> bool:
    return judged.verdict == OPEN


def run_papers(
    papers: Sequence[Paper], order: Order, on_progress: Callable[[str, JobProgress], None] | None = None
) -> list[Document]:
    """Do the tasks of some papers, all side by side, and return the documents; finished tasks are not done again."""
    if order.scale not in SCALES:
        raise LudusError(f"there is no scale {order.scale!r}; there is: quick, full")
    if order.only is not None:
        papers = [paper.only(order.only) for paper in papers]
    labs = {paper.name: paper.lab(order.scale, order.seeds) for paper in papers}
    used: dict[str, dict[str, Task]] = {paper.name: {} for paper in papers}
    with locked(made_folder(order.out) / "papers.lock", "in use"):
        kept = Kept(order.out)
        asked = {paper.name: noted(_report(paper, labs[paper.name], order, kept), used[paper.name]) for paper in papers}
        try:
            found = work(asked, kept, order.on, on_progress)
        except (KeyError, TypeError, ValueError, LookupError, AttributeError) as error:
            if own_frames(error):  # of a paper that somebody writes
                raise
            problem = f"holds what the papers cannot use: {in_one_line(error)}; remove it to have all done again"
            raise LudusError(f"{order.out / 'done'} {problem}") from error
    return [
        found[paper.name]._replace(made=_made(paper, labs[paper.name], list(used[paper.name].values()), kept, order))
        for paper in papers
    ]


def _report(paper: Paper, lab: Lab, order: Order, kept: Kept) -> Any:
    """The document that is ordered, as a working: of the paper, or of the paper beside what is changed in it."""
    if not order.changes:
        return _named(_document(paper, lab, kept), order.report_name(paper))
    lab = lab._replace(rounds=lab.rounds[:1])  # the same seeds for both
    require_known(paper, order.changes, partial(_document, paper, lab, kept))
    varied = with_changes(_document(paper, lab, kept), paper, order.changes)
    return _side_by_side(_document(paper, lab, kept), varied, order, paper)


def _named(document: Working[Document], name: str) -> Working[Document]:
    found = yield {"document": document}
    return cast(Document, found["document"]._replace(name=name))


def _side_by_side(original: Any, varied: Any, order: Order, paper: Paper) -> Working[Document]:
    found = yield {"original": original, "varied": varied}
    both = side_by_side(found["original"], found["varied"], in_words(order.changes))
    return both._replace(name=order.report_name(paper))


def _document(paper: Paper, lab: Lab, kept: Kept) -> Working[Document]:
    """A whole paper as one working: all that its parts ask for is asked for at once."""
    found = yield {
        "experiments": [
            [until_decided(work, lab, _is_open, kept) for work in each.works] for each in paper.experiments
        ],
        "claims": [until_decided(each.judge, lab, _is_left_open, kept) for each in paper.claims],
        "best": paper.best(lab),
        "findings": paper.findings(lab),
    }
    sections = [
        Section(*experiment[:3], tuple(chain.from_iterable(parts)), experiment.answers)
        for experiment, parts in zip(paper.experiments, found["experiments"], strict=True)
    ]
    claims = [_claimed(claim, judged) for claim, judged in zip(paper.claims, found["claims"], strict=True)]
    game = catalog.make_game(paper.game)
    nothing = Made((), Table("", "", (), ()), ())
    return Document(
        paper.name,
        paper.title,
        paper.authors,
        paper.about,
        face.draw(game, game.start()).svg,
        sections=sections,
        claims=claims,
        best=found["best"],
        made=nothing,
        headline=paper.headline,
        findings=found["findings"],
        not_covered=paper.not_covered,
    )


def _claimed(claim: Claim, judged: Judged) -> Claimed:
    """A claim with its verdict; what would settle it only if it is open."""
    settled_by = judged.settled_by if judged.verdict == OPEN else ""
    return Claimed(claim.text, judged.verdict, judged.evidence, judged.command, settled_by)


def _made(paper: Paper, lab: Lab, tasks: list[Task], kept: Kept, order: Order) -> Made:
    done = [kept.done(task) for task in tasks]
    rows = [(task.name, round(each.seconds, 1), task.command) for task, each in zip(tasks, done, strict=True)]
    libraries = {name: metadata.version(name) for name in _LIBRARIES}
    versions = {"ludus": ludus.__version__, "python": platform.python_version()} | libraries
    facts = [
        ("scale", lab.scale),
        ("seeds", _seeds(lab)),
        *([("changed", f"{in_words(order.changes)}, in {_changed(tasks)}")] if order.changes else []),
        ("processor time", f"{sum(each.seconds for each in done):,.0f} s in {len(tasks):,} tasks"),
        ("versions", ", ".join(f"{name} {version}" for name, version in versions.items())),
        ("machine", "; ".join(sorted({each.machine for each in done}))),
    ]
    words = (
        "Commands do the same at the command line; RUN is the folder of a training. For a training that ends after a"
        " number of plies the command gives about as many games."
    )
    every = Table("tasks", "All that was computed", ("task", "seconds", "command"), rows, words)
    return Made(facts, every, (f"{lab.command} {order.options()}".strip(),), _config(paper))


def _seeds(lab: Lab) -> str:
    if len(lab.rounds) > 1:
        first, last = lab.rounds[0], lab.rounds[-1]
        return f"{first} to {last}: added until decided, or {_BUDGET:,.0f} s of the processor are spent on a part"
    return f"{len(lab.seeds)}: {', '.join(map(str, lab.seeds))}"


def _changed(tasks: Sequence[Task]) -> str:
    """In how many of the trainings settings are changed."""
    changed = sum(bool(task.changes) for task in tasks)
    return f"{changed} of {sum(task.trains is not None for task in tasks) - changed} trainings"


def _config(paper: Paper) -> Table:
    learner, plan = configured(catalog.make_game(paper.game), paper.learner, dict(paper.settings), paper.preset)
    rows = [
        (of, name, format_value(value))
        for of, chosen in ((paper.learner, learner), ("training", plan))
        for name, value in chosen._asdict().items()
    ]
    words = "As in the paper's first training, whatever the scale; the commands of other trainings say what differs."
    title = f"The paper's learner, {paper.learner}, with all its settings"
    return Table("config", title, ("of", "setting", "value"), rows, words)
