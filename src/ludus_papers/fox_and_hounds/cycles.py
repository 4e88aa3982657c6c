"""Cycles of training and testing, as the Fox and Hounds paper has them, with grades on the way."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import ludus
from ludus.compiled.masks import count, has
from ludus.solving.solution import Solution
from ludus.study.paper import Lab
from ludus.study.paper.tasks import (
    Task,
    Trains,
    accuracy_by_player,
    exact_solution,
    keep_run,
    options,
    preset_settings,
    start_training,
)

GAME = "fox-and-hounds"
PLIES = 100_000  # of a cycle, as in the paper
FOX, HOUNDS = 0, 1
SIDES = ("fox", "hounds")
ALWAYS = (1.0, 1.0)  # a test against a side that plays at random
EPSILONS, RATES, GAMMAS = (0.1, 0.2), (0.5, 0.3), (0.99, 0.95)
PAIRS = ((0.1, 0.1), (0.1, 0.2), (0.2, 0.1), (0.2, 0.2))  # exploration of the fox, and of the hounds
_GAMES = 100  # of a test
_LOOK = 50  # games after which to see whether a cycle is over
_PLIES_OF_A_GAME = 40  # about
_GRADED = (0.5, 0.99)  # learning rate and discount of trainings that are graded, and trained further
_LAST = 50  # cycles over which results are averaged
_BEST_PLIES = 1_000_000  # of a cycle of the best agent, which is tested less often
Settings = dict[str, str]


@cache
def game() -> Any:
    """The paper's game."""
    return ludus.make_game(GAME)


class Exploring(NamedTuple):
    """An agent that takes a uniformly random action with probability epsilon."""

    agent: Any
    epsilon: float

    def policy(self, game: Any, pos: Any, out: npt.NDArray[np.float64]) -> None:
        """The agent's own policy, mixed with a uniform one."""
        self.agent.policy(game, pos, out)
        mask = game.legal(pos)
        each = self.epsilon / count(mask)
        for action in range(len(out)):
            out[action] = (1 - self.epsilon) * out[action] + (each if has(mask, action) else 0.0)


# ---- trainings in cycles ----


class Course(NamedTuple):
    """Cycles of training, each followed by tests.

    tests: how often the fox, and the hounds, explore while the other side is tested; plies: of a cycle; before:
    settings of earlier trainings of as many cycles, each initialised from the one before; grades: how often it is
    graded, more often at first; proves: whether the hounds' guarantee is computed at the end; counts: about how often
    visited positions are counted, which takes longer than to learn from a cycle.
    """

    cycles: int
    tests: tuple[tuple[float, float], ...] = ()
    plies: int = PLIES
    before: tuple[Settings, ...] = ()
    grades: int = 0
    proves: bool = False
    counts: int = 0


def settings(fox: float | None, hounds: float | None, eta: float = 0.5, gamma: float = 0.99) -> Settings:
    """A training with these exploration rates; None for a side that plays at random and learns nothing."""
    common = {"tables": "roles", "alpha": str(eta), "gamma": str(gamma)}
    if fox is None:
        return common | {"epsilon": str(hounds), "seats": "second", "opponent": "random"}
    if hounds is None:
        return common | {"epsilon": str(fox), "seats": "first", "opponent": "random"}
    return common | {"epsilon": str(fox), "epsilon_second": str(hounds)}


def perfect_settings() -> Settings:
    """Those of the preset, found by experiment."""
    return preset_settings("perfect", "q-table", game())


def training_command(chosen: Settings, games: int, seed: int, **others: str) -> str:
    """The command of a training with these settings."""
    return f"ludus train {GAME} q-table {options(chosen | {'games': str(games), 'seed': str(seed)} | others)}"


def training_cycles(chosen: Settings, seed: int, course: Course, *, keeps: bool = False) -> Task:
    """A training in cycles; its result is what `play_cycles` returns; keeps: whether a run is kept."""
    games = course.cycles * course.plies // _PLIES_OF_A_GAME
    steps = []
    for number, each in enumerate([*course.before, chosen], 1):
        init = {} if number == 1 else {"init_from": f"RUN{number - 1}"}
        out = {} if number > len(course.before) else {"out": f"RUN{number}"}
        steps.append(training_command(each, games, seed, **init, **out))
    words = ", ".join([*(f"{key} {value}" for key, value in chosen.items()), f"seed {seed}"])
    name = f"{'trained before; ' if course.before else ''}{course.cycles} cycles, {words}"
    arguments, command = (chosen, seed, course), " && ".join(steps)
    trains = Trains("q-table", "perfect" if chosen == perfect_settings() else None)
    return Task(name, play_cycles, arguments, keeps, command=command, games=len(steps) * games, trains=trains)


def play_cycles(
    chosen: Settings, seed: int, course: Course, folder: Path | None = None, folders: Sequence[Path] = ()
) -> dict[str, Any]:
    """Train in cycles and return lists with an entry per cycle: plies, and the wins of each side in each test.

    accuracy: at some cycles the plies, and the accuracy of the fox and of the hounds; visited: likewise the positions
    that each has visited; own: of a course that proves, the decisions that the hounds can meet, how many of them are
    optimal, and their guaranteed score against every fox; seconds: of the processor, spent learning.
    """
    parameters = None
    for each in course.before:
        earlier = _Cycles(each, seed, course._replace(tests=(), grades=0), parameters)
        parameters = earlier.run()
    watched = _Cycles(chosen, seed, course, parameters)
    watched.run()
    own = _own(watched.agent("first")) if course.proves else None
    if folder is not None:
        keep_run(watched.training, folder)
    return {**watched.found, "games": watched.training.games, "seconds": round(watched.seconds, 1), "own": own}


class _EnoughError(Exception):
    """All cycles are over."""


class _Cycles:
    """Watches a training, tests it when a cycle is over, and ends it after the last one."""

    def __init__(self, chosen: Settings, seed: int, course: Course, parameters: Any) -> None:
        plan = {"games": str(course.cycles * course.plies), "seed": str(seed)}
        self.training = start_training(game(), "q-table", chosen | plan, parameters)
        self._course, self._over, self._since, self.seconds = course, 0, time.process_time(), 0.0
        self._graded = {max(round(course.cycles * 4.0**-step), 1) for step in range(course.grades)}
        self.found: dict[str, list[Any]] = {"plies": [], "fox": [], "hounds": [], "accuracy": [], "visited": []}

    def run(self) -> Any:
        """Train to the end, and return the parameters."""
        try:
            self.training.run(ludus.Watcher(progress=self._look, every=_LOOK))
        except _EnoughError:
            pass
        finally:
            self.training.close()
        return self.training.trainer.parameters()

    def agent(self, ties: str) -> Any:
        """Greedy play by the table; ties: which of equally good actions it takes."""
        learner = ludus.make_learner(f"q-table(ties={ties}, tables=roles)")
        return learner.agent(game(), self.training.trainer.parameters())

    def _look(self, training: Any) -> None:
        self.seconds += time.process_time() - self._since
        if training.trainer.plies >= (self._over + 1) * self._course.plies:
            self._over += 1
            if self._course.tests:
                self._test(training.trainer.plies)
            if self._over == self._course.cycles:
                raise _EnoughError
        self._since = time.process_time()

    def _test(self, plies: int) -> None:
        found, greedy = self.found, self.agent("random")
        found["plies"].append(plies)
        for side, other, seat in (("fox", HOUNDS, ludus.Seats.FIRST), ("hounds", FOX, ludus.Seats.SECOND)):
            rivals = [Exploring(greedy, test[other]) for test in self._course.tests]
            found[side].append([_won(greedy, rival, seat, self._over) for rival in rivals])
        if self._over in self._graded:
            found["accuracy"].append([plies, *accuracy_by_player(greedy, GAME)])
        counts = self._course.counts
        if counts and self._over % max(self._course.cycles // counts, 1) == 0:
            found["visited"].append([plies, *self.training.trainer.metrics()["visited"]])


def _won(agent: Any, other: Any, seat: ludus.Seats, seed: int) -> float:
    match = ludus.play_match(game(), agent, other, _GAMES, seed=seed, seats=seat, threads=1)
    return match.all.a_wins / _GAMES


def _own(agent: Any) -> list[float]:
    solution = exact_solution(GAME)
    assert isinstance(solution, Solution)
    graded = ludus.standing(agent, solution)
    assert graded.guarantee
    met = graded.own_play.second
    return [met.decisions, met.optimal, float(graded.guarantee.second.score)]


def play_at_random(seed: int, cycles: int) -> dict[str, Any]:
    """The wins of each side in this many tests of random play, and its accuracy on either side."""
    tests, random = range(seed * cycles, (seed + 1) * cycles), ludus.make_agent("random")
    wins = [_won(random, random, ludus.Seats.FIRST, test) for test in tests]
    return {"fox": wins, "hounds": [1 - share for share in wins], "accuracy": accuracy_by_player(random, GAME)}


# ---- the trainings of the paper, by scale ----


def chance(lab: Lab, seed: int) -> Task:
    """Random play; its result is what `play_at_random` returns."""
    cycles = lab.pick(full=100, quick=50, tiny=3)
    games = cycles * _GAMES
    command = f"ludus match {GAME} random random --seats first --games {games} --seed {seed}"
    return Task(f"random play, seed {seed}", play_at_random, (seed, cycles), command=command, games=games)


def alone(lab: Lab, side: str, eta: float, epsilon: float, gamma: float, seed: int) -> Task:
    """A side that learns against random play."""
    fox, hounds = (epsilon, None) if side == "fox" else (None, epsilon)
    grades = _grades(lab) if (eta, gamma) == _GRADED else 0
    return training_cycles(settings(fox, hounds, eta, gamma), seed, Course(_short(lab), (ALWAYS,), grades=grades))


def _short(lab: Lab) -> int:
    return lab.pick(full=100, quick=15, tiny=2)


def _grades(lab: Lab) -> int:
    return lab.pick(full=5, quick=2, tiny=2)


def pretrained(lab: Lab, pair: tuple[float, float], seed: int) -> Task:
    """Both sides, each trained against random play before."""
    before = settings(None, pair[1]), settings(pair[0], None)
    course = Course(_short(lab), (pair,), before=before, grades=_grades(lab))
    return training_cycles(settings(*pair), seed, course)


def untrained(lab: Lab, pair: tuple[float, float], seed: int) -> Task:
    """Both sides, from scratch."""
    course = Course(_long(lab), (pair,), grades=_grades(lab), proves=True, counts=12)
    return training_cycles(settings(*pair), seed, course)


def _long(lab: Lab) -> int:
    return lab.pick(full=480, quick=20, tiny=2)


def adaptive(lab: Lab, seed: int) -> Task:
    """Both sides from scratch, exploring more while they lose."""
    chosen = settings(0.1, 0.1) | {"epsilon": "0.5..0.01@results", "epsilon_second": "same"}
    return training_cycles(chosen, seed, Course(_long(lab), (PAIRS[0],), grades=_grades(lab)))


def best(lab: Lab) -> Task:
    """The settings found by experiment, tested against random play, and against exploration 0.1."""
    cycles, plies = lab.pick(full=(150, _BEST_PLIES), quick=(70, _BEST_PLIES), tiny=(2, _BEST_PLIES // 10))
    course = Course(cycles, (ALWAYS, PAIRS[0]), plies, grades=_grades(lab), proves=True)
    return training_cycles(perfect_settings(), 0, course, keeps=True)


def won(one: Any, side: str, test: int = 0) -> list[float]:
    """The share of a test that a side won after each cycle."""
    return [each[test] for each in one[side]]


def last(one: Any, side: str) -> float:
    """The mean of the last cycles."""
    return fmean(won(one, side)[-last_cycles(one) :])


def last_cycles(one: Any) -> int:
    """How many these are: 50, or the last half of fewer."""
    return min(_LAST, (len(one["plies"]) + 1) // 2)
