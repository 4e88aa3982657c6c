"""The jobs of the benchmark: one training with a clock, or one agent, graded against the exact solution."""

from __future__ import annotations

import platform
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from ludus import catalog
from ludus.agents.policies import ended_after
from ludus.agents.program import Program
from ludus.arena.participants import Sent, at_hand
from ludus.documents import Count, read_document, write_document
from ludus.errors import LudusError
from ludus.files import is_there
from ludus.game import first_player
from ludus.grading.grade import grade
from ludus.learning.loop.evaluation import Line
from ludus.learning.loop.training import Training, Watcher
from ludus.learning.presets import configured
from ludus.learning.runs import create, read_run, resume
from ludus.learning.runs.files import MANIFEST, compute, versions
from ludus.machine import processor
from ludus.solving.solution import Solution
from ludus.solving.solver import solve

_LOOKS = 100  # at the clock in a training
_CLOCK_VERSION = 1


class Outcome(NamedTuple):
    """The results at each evaluation of a training, the last of which is that of the agent at its end.

    plies: played until then; seconds: of the processor, spent learning until then; optimal: decisions; value,
    guarantee: the score of perfect play, and the agent's guaranteed score, by seat, from its point of view; made: by
    which versions, and on what machine; older results lack it.
    """

    decisions: Count
    plies: list[Count]
    seconds: list[float]
    optimal: list[float]
    value: tuple[float, float]
    guarantee: tuple[float, float]
    made: dict[str, str] = {}  # noqa: RUF012, never changed


def train(game: str, learner: str, games: int, every: int, seed: int, folder: str | None) -> Outcome:
    """Train in a folder, from the last checkpoint on if there is one, or in one that lasts as long as this job."""
    if folder is not None:
        return _trained(game, learner, games, every, seed, Path(folder))
    with tempfile.TemporaryDirectory(prefix="ludus-") as passing:
        return _trained(game, learner, games, every, seed, Path(passing) / "run")


def _trained(game: str, learner: str, games: int, every: int, seed: int, path: Path) -> Outcome:
    if is_there(path / MANIFEST):
        run = read_run(path)
    else:
        plan = {"games": str(games), "eval_every": str(every), "seed": str(seed)}
        chosen = catalog.make_game(game)
        run = create(chosen, *configured(chosen, learner, plan | {"eval_against": "none", "grade": "yes"}, None), path)
    clock = _Clock(run.path / "clock.json")
    looks = max(games // _LOOKS, 1)
    resume(run, Watcher(progress=clock.look, every=looks, line=clock.line, save=clock.save))
    return _outcome(run.agent(), run.game, run.learner)._replace(
        plies=[line["plies"] for line in run.metrics()],
        seconds=[clock.at(line) for line in run.metrics()],
        optimal=[float(line["grade"]["optimal"]) for line in run.metrics()],
    )


class _Shown(NamedTuple):
    """What a clock shows: the seconds so far, and at each evaluation, by its games."""

    seconds: float = 0.0
    at: dict[str, float] = {}  # noqa: RUF012, never changed


class _Clock:
    """The processor seconds that a training took, without evaluations and without its first hundredth.

    That is left out since code is compiled then. The clock resumes from the last checkpoint.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._shown = read_document(path, _CLOCK_VERSION, _Shown) if is_there(path) else _Shown()
        self._since: float | None = None

    def look(self, training: Training) -> None:
        """Count what passed since the last time."""
        now = time.process_time()
        if self._since is not None:
            self._shown = self._shown._replace(seconds=self._shown.seconds + now - self._since)
        self._since = now

    def line(self, line: Line) -> None:
        """Note when an evaluation was made, before that is saved, and leave out how long it took."""
        at = self._shown.at | {str(line["games"]): round(self._shown.seconds, 3)}
        self._shown = self._shown._replace(at=at)
        self._write()
        self._since = time.process_time()

    def save(self, training: Training) -> None:
        """Save the clock."""
        self._write()

    def _write(self) -> None:
        write_document(self._path, _CLOCK_VERSION, self._shown._asdict())

    def at(self, line: Line) -> float:
        """The seconds at an evaluation."""
        if (games := str(line["games"])) not in self._shown.at:
            raise LudusError(f"{self._path} is damaged: it does not know when {games} games were played")
        return self._shown.at[games]


def grade_agent(game: str, agent: Sent) -> Outcome:
    """Grade an agent that does not learn; an outside program is taken at its word that it remembers nothing."""
    with at_hand(agent.runs):
        made = catalog.make_agent(agent.text)
        if isinstance(made, Program):
            made.has_memory = False
        with ended_after(made):
            return _outcome(made, catalog.make_game(game), made)


def _outcome(agent: Any, game: Any, learner: Any) -> Outcome:
    """The outcome of an agent, or of a learner at the end, with all that it depends on."""
    solution = solve(game)
    if not isinstance(solution, Solution):
        raise LudusError(f"{catalog.name_of(game)} is too large to enumerate: the benchmark needs its exact solution")
    graded = grade(agent, game, solution=solution, mistakes=0)
    if not graded.all.decisions:
        raise LudusError(f"{catalog.name_of(game)} has no decisions: in every position all actions have the same value")
    assert graded.guarantee
    value = float(solution.value(game.start()).score) * (1 if first_player(game) == 0 else -1) + 0.0
    guarantee = float(graded.guarantee.first.score), float(graded.guarantee.second.score)
    made = versions(learner) | compute(learner) | {"machine": platform.platform(), "processor": processor()}
    optimal = float(graded.all.optimal)
    return Outcome(graded.all.decisions, [0], [0.0], [optimal], (value, 0.0 - value), guarantee, made)
