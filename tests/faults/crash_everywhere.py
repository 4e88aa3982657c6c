"""Kill a command before each change that it makes to its files, do it again, and list the files that then differ.

`python -m faults.crash_everywhere FOLDER WORK [MOST]`, in the folder of tests, prints as JSON how many changes there
are, and what differs by the number of the change; with MOST, at so many changes only, evenly spread. Each try is a
process of its own that ends without any clean-up, as by SIGKILL. Before and after a row enters a database counts too.
"""

import importlib.metadata
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from faults.calls import HERE, TINY, Call, become_reaper
from faults.contents import contents
from ludus import commands
from ludus.database import Database
from ludus.learning.runs import files, read_run
from ludus.report.document import Best, Findings
from ludus.study import benchmark, paper
from ludus.study.paper import Claim, Experiment, Judged, Paper, tasks
from ludus.study.sweep import load

KILLED = 9
CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.truncate", "os.rmdir", "os.link"}
PATIENCE = 120.0  # seconds of a call
LEARNERS = {
    "q-table": "q-table",
    "sarsa": "sarsa",
    "monte-carlo": "monte-carlo",
    "move-weights": "move-weights",
    "td-lambda": "td-lambda(hidden=5)",
    "dqn": "dqn(hidden=8, buffer=64, batch=8)",
    "alphazero": "alphazero(width=8, blocks=1, lanes=4, sims=4, random_plies=2, buffer=40, batch=8)",
}
SMALL = "toads-and-frogs(toads=2, gaps=2, frogs=2)"
RUN = ["--games", "10", "--eval-every", "2", "--eval-games", "2", "--grade", "no", "--out", "run"]
SHORT = ["--games", "4", "--eval-games", "2"]
GRID = ["grid", TINY, "q-table", "--grid", "epsilon=0.1,0.2", "--grid", "opponent=random,twin", *SHORT]
Words = list[str]


class Work(NamedTuple):
    """A command that is killed; what is done before, undisturbed; and how to do it again, given its folder."""

    words: Words
    before: tuple[Words, ...] = ()
    again: Callable[[Path], Words] | None = None  # no words: nothing


def resumed(words: Words) -> Callable[[Path], Words]:
    """Resume a run that is there, else begin it."""
    return lambda folder: ["train", "--resume", "run"] if (folder / "run" / files.MANIFEST).exists() else words


def sweep_resumed(words: Words, rounds: int) -> Callable[[Path], Words]:
    """Resume a sweep in which so many rounds are ordered, else order them."""

    def again(folder: Path) -> Words:
        there = (folder / "sweep" / "sweep.json").exists() and len(load(folder / "sweep").orders) == rounds
        return ["sweep", "resume", "sweep", *HERE] if there else words

    return again


def training(learner: str) -> Work:
    """A small training with five evaluations."""
    words = ["train", "tic-tac-toe", learner, *RUN]
    return Work(words, again=resumed(words))


EXTEND = ["train", "--resume", "run", "--games", "14"]


def extended(folder: Path) -> Words:
    """Resume a run that was extended, else extend it."""
    return EXTEND[:3] if read_run(folder / "run").plan.games == 14 else EXTEND


def ranked(folder: Path) -> Words:
    """Nothing more if the table is there, which is written last, else the tournament."""
    return [] if (folder / "out" / "tournament1.csv").exists() else TOURNAMENT


SWEEP = ["sweep", *GRID, "--out", "sweep", *HERE]
TOURNAMENT = ["tournament", TINY, "first", "last", "random", "--games", "4", "--out", "out", *HERE]
RETRAIN = ["sweep", "retrain", "sweep", "--games", "2", *HERE]
WORKS = {
    **{name: training(learner) for name, learner in LEARNERS.items()},
    "extend": Work(EXTEND, (training("q-table").words,), extended),
    "sweep": Work(SWEEP, again=sweep_resumed(SWEEP, 1)),
    "retrain": Work(RETRAIN, (SWEEP,), sweep_resumed(RETRAIN, 2)),
    "tournament": Work(TOURNAMENT, again=ranked),
    "benchmark": Work(
        ["benchmark", "first", "--game", SMALL, "--seeds", "1", "--out", "out", *HERE]
    ),
    "paper": Work(["paper", "small", "--scale", "tiny", "--out", "out", *HERE]),
    "book": Work(["book", "connect-four(width=4, height=3)", "--plies", "2", "--repertoire", "50", "--memory", "0.02"]),
    "solution-file": Work(["solve", TINY, "--save", "solution"]),
}  # fmt: skip


# ---- a small paper, and a small benchmark ----


def word(text: str, folder: Path, folders: list[Path]) -> int:
    """A task that keeps a file."""
    tasks.write_sample(folder, [text])
    return len(text)


def asked(lab: Any) -> Any:
    """A training, and a task in a folder of its own."""
    trained = tasks.training(TINY, "q-table", 0, games="4", eval_games="2", eval_every="2")
    found = yield {"lines": trained, "word": tasks.Task("word", word, ("x",), keeps=True)}
    return found


def experiment(lab: Any) -> Any:
    """Nothing to show."""
    yield from asked(lab)
    return []


def judged(lab: Any) -> Any:
    """A verdict."""
    found = yield from asked(lab)
    return Judged("proved", str(found["word"]), "ludus games")


def best(lab: Any) -> Any:
    """The best agent."""
    yield from asked(lab)
    return Best("perfect", "nothing", "all", "ludus games", [])


def findings(lab: Any) -> Any:
    """One sentence."""
    yield {}
    return Findings(("It runs.",), "ludus games")


PAPER = Paper(
    "small", "A small paper", "Nobody", TINY, "q-table", "About nothing.",
    (Experiment("1", "One", "It trained.", experiment),), (Claim("It runs.", judged),), best,
    {"tiny": 1, "quick": 1, "full": 1}, "", findings=findings,
)  # fmt: skip


def make_small() -> None:
    """Few snapshots, so that some are thinned out; one paper, and a benchmark of one training."""
    files.MAX_SNAPSHOTS = 3
    entry = importlib.metadata.EntryPoint("small", f"{__name__}:PAPER", paper.GROUP)
    paper._offered = lambda: {"small": entry}
    small = benchmark.Scale((SMALL,), 20, 1, (benchmark.Entry("q-table", 20),))
    benchmark.SCALES, benchmark.EVALUATIONS = dict.fromkeys(benchmark.SCALES, small), 3


# ---- crashes ----


class Counter:
    """Counts the changes of files below the current folder, and ends this process at one of them."""

    def __init__(self, number: int | None) -> None:
        self.count, self._number = 0, number
        self._top = str(Path.cwd())

    def note(self) -> None:
        """Count a change that is about to happen."""
        if self.count == self._number:
            os._exit(KILLED)
        self.count += 1

    def watch(self, event: str, args: tuple[Any, ...]) -> None:
        """An audit hook."""
        written = event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR)
        named = isinstance(args[0], str | bytes | os.PathLike) if written or event in CHANGES else False
        if named and os.path.abspath(os.fsdecode(args[0])).startswith(f"{self._top}/"):
            self.note()

    def watch_databases(self) -> None:
        """Count before and after rows are put."""
        put = Database.put

        def counted(*args: Any) -> None:
            self.note()
            put(*args)
            self.note()

        Database.put = counted  # type: ignore[method-assign]


def crashing(number: int | None = None) -> Callable[[], None]:
    """The command line, which ends at the change of this number; beside its folder it notes how many there were."""

    def main() -> None:
        counter = Counter(number)
        sys.addaudithook(counter.watch)
        counter.watch_databases()
        try:
            commands.main()
        finally:
            (Path.cwd().parent / "count").write_text(str(counter.count))

    return main


class Place(NamedTuple):
    """A folder in which a work is done."""

    folder: Path
    work: Work

    def prepare(self) -> None:
        """Make the folder, and do what comes before."""
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "home").mkdir(parents=True)
        for words in self.work.before:
            self._call(words, commands.main)

    def do(self, main: Callable[[], None]) -> int:
        """Do the work; its status."""
        return self._call(self.work.words, main)

    def do_again(self) -> dict[str, Any]:
        """Do it after a kill, if it is not done; what the folder holds then."""
        if words := self.work.again(self.folder) if self.work.again else self.work.words:
            self._call(words, commands.main)
        return contents(self.folder)

    def _call(self, words: Words, main: Callable[[], None]) -> int:
        outcome = Call(self.folder, PATIENCE).run(words, main)
        assert outcome.status in (0, KILLED), (words, outcome)
        return outcome.status


def spread(count: int, most: int) -> list[int]:
    """Numbers below a count, at most so many, evenly spread; all for 0."""
    step = max(1, count // most) if most else 1
    return list(range(0, count, step))


def main() -> None:
    """Crash at the changes of a work, and print what differs."""
    top, name, most = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 0
    os.environ |= {"NPROC": "1", "XDG_CACHE_HOME": str(top / "cache"), "NUMBA_CACHE_DIR": str(top / "cache")}
    become_reaper()
    make_small()
    place = Place(top / "folder", WORKS[name])
    place.prepare()
    assert place.do(crashing()) == 0
    whole, count = contents(place.folder), int((top / "count").read_text())
    differences = {}
    for number in spread(count, most):
        place.prepare()
        assert place.do(crashing(number)) == KILLED, number
        found = place.do_again()
        differences[number] = sorted(path for path in whole | found if whole.get(path) != found.get(path))
    sys.stdout.write(json.dumps({"changes": count, "differences": differences}))


if __name__ == "__main__":
    main()
