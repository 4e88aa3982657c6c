"""The benchmark: learners on games whose exact solutions are known, with several seeds, by one command."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Any, NamedTuple

import numpy as np

import ludus
from ludus import catalog
from ludus.agents.agent import agent_for, has_memory
from ludus.agents.perfect import Perfect
from ludus.agents.program import Program
from ludus.arena.participants import identity, sent
from ludus.cluster import Job, JobProgress, require_place, run_jobs
from ludus.compiled import digests
from ludus.documents import Count, read_document, write_document
from ludus.errors import LudusError
from ludus.files import is_there, made_folder
from ludus.fingerprints import fingerprint
from ludus.learning.runs.files import has_network
from ludus.locks import locked
from ludus.networks.inputs import input_shape
from ludus.parameters import parse_written
from ludus.study.benchmark.jobs import Outcome, grade_agent, train

EVALUATIONS = 20  # of each training
BASELINE = "random"
ENOUGH = 0.99  # of all decisions
_VERSION = 1  # of the file of results


class Entry(NamedTuple):
    """A learner or an agent that takes part; games: how many a learner trains for, which {games} in it stands for.

    title: what it is called, if not as it is written.
    """

    text: str
    games: int = 0
    title: str = ""

    @property
    def name(self) -> str:
        """What it is called."""
        return self.title or self.text

    @property
    def written(self) -> str:
        """The learner or agent with all its settings."""
        return self.text.replace("{games}", str(self.games))


class Scale(NamedTuple):
    """How much is trained: on which games, for how many games a learner that is not listed, and with how many seeds."""

    games: tuple[str, ...]
    length: int
    seeds: int
    entries: tuple[Entry, ...]


_TABLE = "q-table(epsilon=0.3, margin=true)"
_BACKWARD = (
    "q-table(epsilon=0, alpha=1, gamma=0.95, random_plies=40, random_side=both, backward=true,"
    " symmetry=true, margin=true)"
)
_TD = "td-lambda(hidden=100, epsilon=0.3, alpha=0.003..0@{games}, lam=0.5, view=mover, margin=true)"
_DQN = (
    "dqn(hidden=128-128-128, epsilon=0.8, gamma=0.97, target_every=0, tau=0.02, reply=false, "
    "learning_rate=0.002..0@{games}, buffer=50000, lanes=32, updates=0.25, margin=true)"
)
_ZERO = (
    "alphazero(width=64, blocks=2, lanes=64, sims=16, random_plies=10, batch=64, reuse=8, gamma=0.98,"
    " learning_rate=0.002..0@{games})"
)
_SMALL = ("tic-tac-toe", "tapnswap", "toads-and-frogs", "mancala(holes=3, stones=2)")
_LARGER = ("fox-and-hounds(size=6)", "connect-four(width=4, height=3)", "chung-toi")


def _entries(tables: int, weights: int, td: int, dqn: int, zero: int) -> tuple[Entry, ...]:
    return (
        Entry(_TABLE, tables, "q-table"),
        Entry(_BACKWARD, tables, "q-table, backward"),
        Entry("move-weights", weights, "move-weights"),
        Entry(_TD, td, "td-lambda"),
        Entry(_DQN, dqn, "dqn"),
        Entry(_ZERO, zero, "alphazero"),
    )


SCALES = {
    "small": Scale(_SMALL[:1], 2_000, 1, _entries(20_000, 4_000, 4_000, 600, 600)),
    "quick": Scale(_SMALL[:3], 10_000, 1, _entries(100_000, 20_000, 50_000, 4_000, 4_000)),
    "full": Scale(_SMALL + _LARGER, 200_000, 5, _entries(1_000_000, 200_000, 300_000, 20_000, 20_000)),
}


class Case(NamedTuple):
    """One training, or an agent that is only graded: seed None then."""

    game: str
    entry: Entry
    seed: int | None
    key: str

    @property
    def name(self) -> str:
        """What the job is called."""
        return f"{self.game}: {self.entry.name}" + ("" if self.seed is None else f", seed {self.seed}")


class Benchmark(NamedTuple):
    """The outcomes of all cases."""

    scale: str
    outcomes: dict[Case, Outcome]


def benchmark(
    scale: str = "quick",
    entries: Sequence[str] = (),
    *,
    games: Sequence[str] = (),
    length: int | None = None,
    seeds: int | None = None,
    out: Path,
    on: str = "local",
    on_progress: Callable[[JobProgress], None] | None = None,
) -> Benchmark:
    """Train, or grade, all entries beside the standard ones, and keep the results in a folder.

    games: others than those of the scale; length: for how many games the entries train. What the folder holds already
    is not done again; a stopped training resumes.
    """
    require_place(on)
    if scale not in SCALES:
        raise LudusError(f"there is no scale {scale!r}; there is: {', '.join(SCALES)}")
    chosen = SCALES[scale]
    own = [Entry(text, length or chosen.length) if _is_learner(text) else Entry(text) for text in entries]
    field = dict.fromkeys([Entry(BASELINE), *chosen.entries, *own])
    count = seeds or chosen.seeds
    played = [catalog.make_game(game) for game in games or chosen.games]
    for entry in field:
        _require_able(entry, played)
    found = [case for game in played for entry in field for case in _cases(game, entry, count)]
    cases = list({case.key: case for case in found}.values())
    with locked(made_folder(out) / "benchmark.lock", "in use"):
        results = _Results(out)
        waiting = [case for case in cases if case.key not in results.known]
        run_jobs(
            [_job(case, out, on) for case in waiting],
            on,
            done=lambda number, found: results.keep(waiting[number], found),
            on_progress=on_progress,
            threads=1,
        )
    return Benchmark(scale, {case: results.known[case.key] for case in cases})


def _is_learner(text: str) -> bool:
    """Whether a learner is written so, not an agent; LudusError if neither is."""
    name = "" if text.partition(":")[0] in catalog.AGENT_SCHEMES else parse_written(text).name
    if name in catalog.learners():
        catalog.make_learner(text)
        return True
    if ".py" in name:
        with suppress(LudusError):
            catalog.make_learner(text)
            return True
    catalog.make_agent(text)
    return False


def _require_able(entry: Entry, games: Sequence[Any]) -> None:
    """Raise LudusError for an entry that cannot be trained, or graded, on one of these games."""
    try:
        for game in games:
            if entry.games:
                learner = catalog.make_learner(entry.written)
                input_shape(game) if has_network(learner) else learner.trainer(game, twin=False)
            else:
                _make_ready(entry, game)
    except LudusError as error:
        raise LudusError(f"{entry.name} cannot take part: {error}") from None


def _make_ready(entry: Entry, game: Any) -> None:
    agent = catalog.make_agent(entry.written)
    if has_memory(agent) and not isinstance(agent, Program):
        raise LudusError("it may remember earlier moves, as people do")
    if not isinstance(agent, Perfect):  # which plays any game, but takes its time to know it
        agent_for(agent, game)


def _cases(game: Any, entry: Entry, seeds: int) -> list[Case]:
    name = catalog.lasting_name(game)
    parts = [fingerprint(game), entry.written, _version(entry), entry.games]
    numbers = range(seeds) if entry.games else [None]
    return [Case(name, entry, seed, _digest([json.dumps([*parts, seed]).encode()])) for seed in numbers]


def _version(entry: Entry) -> str:
    """A digest of the content of a learner or agent, so that an edited one differs; of a built-in one the version."""
    if not entry.games:
        return identity(catalog.make_agent(entry.written))
    name = parse_written(entry.written).name
    if name.endswith(".py") or ".py:" in name:
        path = Path(re.sub(r"\.py:.*", ".py", name))
        return _digest(digests.contents("benchmark_entry", path.resolve()))
    module = type(catalog.make_learner(entry.written)).__module__
    return ludus.__version__ if module.partition(".")[0] == "ludus" else _digest(digests.contents(module))


def _digest(contents: list[bytes]) -> str:
    return hashlib.blake2b(b"".join(contents), digest_size=8).hexdigest()


def _job(case: Case, out: Path, on: str) -> Job:
    if case.seed is None:
        agent = catalog.make_agent(case.entry.written)
        return Job(case.name, grade_agent, (case.game, sent(case.entry.written, identity(agent), on)))
    folder = None if on.startswith("ray") else out
    words = re.sub(r"[^a-z0-9]+", "-", f"{case.game} {case.entry.text.partition('(')[0].rpartition('/')[2]}".lower())
    path = folder and str(folder / "runs" / f"{words}-{case.key}")
    settings = case.game, case.entry.written, case.entry.games, case.entry.games // EVALUATIONS, case.seed
    return Job(case.name, train, (*settings, path), case.entry.games)


class _Kept(NamedTuple):
    """A case and its outcome, as kept in a file."""

    game: str
    entry: str
    games: Count
    seed: Count | None
    outcome: Outcome


class _File(NamedTuple):
    """The results of all cases by their keys."""

    results: dict[str, _Kept] = {}  # noqa: RUF012, never changed


class _Results:
    """Outcomes of cases, kept in a file."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "results.json"
        self._kept = self._read()
        self.known = {key: each.outcome for key, each in self._kept.items()}

    def _read(self) -> dict[str, _Kept]:
        if not is_there(self._path):
            return {}
        try:
            kept = read_document(self._path, _VERSION, _File).results
            for outcome in (each.outcome for each in kept.values()):
                if not 0 < len(outcome.plies) == len(outcome.seconds) == len(outcome.optimal):
                    raise LudusError(f"{self._path} is damaged: columns of unlike length")
        except LudusError as error:
            raise LudusError(f"{error}; remove it to run everything again") from None
        return kept

    def keep(self, case: Case, found: Outcome) -> None:
        """Note the outcome of a case."""
        self.known[case.key] = found
        self._kept[case.key] = _Kept(case.game, case.entry.written, case.entry.games, case.seed, found)
        results = {
            key: each._asdict() | {"outcome": each.outcome._asdict()} for key, each in sorted(self._kept.items())
        }
        write_document(self._path, _VERSION, {"results": results})


class Mean(NamedTuple):
    """A mean over seeds and its standard error, None for a single seed."""

    mean: float
    error: float | None


class Scores(NamedTuple):
    """An entry at a game, over all seeds.

    accuracy: the share of optimal decisions at the end; reached: how many seeds came to 99 %; plies, seconds: the
    median over all seeds until then, None if fewer than half came there; regret: the area between its curve and all
    decisions optimal, in plies; exploitability: the value minus the guaranteed score, moving first and second.
    """

    game: str
    entry: Entry
    seeds: int
    accuracy: Mean
    reached: int
    plies: float | None
    seconds: float | None
    regret: Mean | None
    exploitability: tuple[Mean, Mean]
    outcomes: tuple[Outcome, ...]


def scores(held: Benchmark) -> list[Scores]:
    """All entries, game by game."""
    grouped: dict[tuple[str, Entry], list[Outcome]] = {}
    for case, outcome in held.outcomes.items():
        grouped.setdefault((case.game, case.entry), []).append(outcome)
    untrained = {game: found[0] for (game, entry), found in grouped.items() if entry.text == BASELINE}
    return [_scores(game, entry, found, untrained[game]) for (game, entry), found in grouped.items()]


def _scores(game: str, entry: Entry, found: list[Outcome], untrained: Outcome) -> Scores:
    reached = [first for outcome in found if (first := _first_enough(outcome)) is not None]
    plies, seconds = ([at[column] for at in reached] for column in (0, 1))
    return Scores(
        game,
        entry,
        len(found),
        _mean([outcome.optimal[-1] / max(outcome.decisions, 1) for outcome in found]),
        len(reached),
        _median(plies, len(found)),
        _median(seconds, len(found)),
        _mean([regret(outcome, untrained) for outcome in found]) if entry.games else None,
        (_exploitability(found, 0), _exploitability(found, 1)),
        tuple(found),
    )


def _first_enough(outcome: Outcome) -> tuple[float, float] | None:
    """The plies and seconds at the first evaluation with enough optimal decisions."""
    for plies, seconds, optimal in zip(outcome.plies, outcome.seconds, outcome.optimal, strict=True):
        if optimal >= ENOUGH * outcome.decisions:
            return plies, seconds
    return None


def _median(reached: Sequence[float], seeds: int) -> float | None:
    """The median over all seeds, those that did not reach it counting as later than all others."""
    middle = median([*reached, *[float("inf")] * (seeds - len(reached))])
    return middle if middle < float("inf") else None


def regret(outcome: Outcome, untrained: Outcome) -> float:
    """The area of the share of wrong decisions over plies; before the first ply an agent is as good as `random`."""
    wrong = [1 - count / max(outcome.decisions, 1) for count in (untrained.optimal[-1], *outcome.optimal)]
    return float(np.trapezoid(wrong, [0, *outcome.plies]))


def _exploitability(found: list[Outcome], seat: int) -> Mean:
    return _mean([outcome.value[seat] - outcome.guarantee[seat] for outcome in found])


def _mean(numbers: list[float]) -> Mean:
    return Mean(fmean(numbers), stdev(numbers) / len(numbers) ** 0.5 if len(numbers) > 1 else None)
