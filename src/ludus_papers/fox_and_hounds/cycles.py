"""Cycles of training and testing, as the Fox and Hounds paper has them, with grades on the way."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import ludus
from ludus.study.paper import Lab
from ludus.study.paper.tasks import Task, Trains, accuracy_by_player, keep_run, options, preset_settings, start_training
from ludus_papers.fox_and_hounds.tables import (
    FOX,
    GAME,
    HOUNDS,
    Exploring,
    game,
    lost_games,
    own_play,
    positions_met,
    repeated_games,
)

PLIES = 100_000  # of a cycle, as in the paper
SIDES = ("fox", "hounds")
ALWAYS = (1.0, 1.0)  # tests against a side that plays at random
EPSILONS, RATES, GAMMAS = (0.1, 0.2), (0.5, 0.3), (0.99, 0.95)
PAIRS = ((0.1, 0.1), (0.1, 0.2), (0.2, 0.1), (0.2, 0.2))  # exploration of the fox, and of the hounds
TRIED = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)  # learning rates, of which the paper shows two
TOP, STEADY = 0.99, 10  # won by the hounds, in one test, and on average in so many one after another
HIGH = 0.95  # won by the hounds of experiment 2, the least that "very high" can mean: in the end they win a little more
_GAMES = 100  # of a test
_LOOK = 50  # games after which to see whether a cycle is over
_PLIES_OF_A_GAME = 40  # about
_GRADED = (0.5, 0.99)  # learning rate and discount of trainings that are graded, and trained further
_LAST = 50  # cycles over which results are averaged
_BEST_PLIES = 1_000_000  # of a cycle of the best agent, which is tested less often
Settings = dict[str, str]
Test = tuple[float | None, float | None]


# ---- trainings in cycles ----


class Course(NamedTuple):
    """Cycles of training, each followed by tests.

    tests: how often the fox explores while the hounds are tested, and the hounds while the fox is, None for no test;
    plies: of a cycle; before: settings of earlier trainings of as many cycles, each initialised from the one before;
    grades: how often it is graded, more often at first; counts: about how often the positions met are counted, and at
    the end; enough: what share the hounds must win, on average over how many tests, to end it early; examined: what is
    asked of the table at the end: own, lost, repeats.
    """

    cycles: int
    tests: tuple[Test, ...] = ()
    plies: int = PLIES
    before: tuple[Settings, ...] = ()
    grades: int = 0
    counts: int = 0
    enough: tuple[float, int] | None = None
    examined: tuple[str, ...] = ()


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

    The fox's choice of its square is no ply here, as in the authors' program. accuracy: at some cycles the plies, and
    the accuracy of the fox and of the hounds; met: likewise `positions_met`; own, lost, repeats: where the course asks
    for them, `own_play`, `lost_games` and `repeated_games`; seconds: of the processor, spent learning.
    """
    parameters = None
    for each in course.before:
        earlier = _Cycles(each, seed, Course(course.cycles, plies=course.plies), parameters)
        parameters = earlier.run()
    watched = _Cycles(chosen, seed, course, parameters)
    watched.run()
    if folder is not None:
        keep_run(watched.training, folder)
    learned = {"games": watched.training.games, "seconds": round(watched.seconds, 1)}
    return watched.found | learned | {name: watched.examine(name) for name in course.examined}


class _EnoughError(Exception):
    """All cycles are over, or the hounds win enough."""


class _Cycles:
    """Watches a training, tests it when a cycle is over, and ends it after the last one."""

    def __init__(self, chosen: Settings, seed: int, course: Course, parameters: Any) -> None:
        plan = {"games": str(course.cycles * course.plies), "seed": str(seed)}
        self.training = start_training(game(), "q-table", chosen | plan, parameters)
        self._course, self._over, self._since, self.seconds = course, 0, time.process_time(), 0.0
        self._graded = {max(round(course.cycles * 4.0**-step), 1) for step in range(course.grades)}
        self.found: dict[str, list[Any]] = {"plies": [], "fox": [], "hounds": [], "accuracy": [], "met": []}
        self._agents = {ties: self._agent(ties) for ties in ("random", "first")}

    def _agent(self, ties: str) -> Any:
        """Greedy play by the table as it is at any time; ties: which of equally good actions it takes."""
        learner, trainer = ludus.make_learner(f"q-table(ties={ties}, tables=roles)"), self._trainer
        return learner.agent(game(), trainer.parameters())._replace(entries=trainer.store.entries)

    @property
    def _trainer(self) -> Any:
        return self.training.trainer

    def run(self) -> Any:
        """Train to the end, and return the parameters."""
        try:
            self.training.run(ludus.Watcher(progress=self._look, every=_LOOK))
        except _EnoughError:
            pass
        finally:
            self.training.close()
        return self._trainer.parameters()

    def examine(self, name: str) -> Any:
        """What a course asks of the table at its end."""
        if name == "own":
            return own_play(self._agents["first"])
        greedy = self._agents["random"]
        if name == "repeats":
            return repeated_games(greedy)
        fox = self._course.tests[0][FOX]
        return lost_games(greedy, self._trainer.store.entries.visits, fox or 0.0, 20 * _GAMES)

    def _look(self, training: Any) -> None:
        self.seconds += time.process_time() - self._since
        plies = self._trainer.plies - self._trainer.games
        if plies >= (self._over + 1) * self._course.plies:
            self._over += 1
            if self._course.tests:
                self._test(plies)
            is_last = self._over == self._course.cycles or self._is_enough()
            self._count(plies, is_last)
            if is_last:
                raise _EnoughError
        self._since = time.process_time()

    def _test(self, plies: int) -> None:
        found, greedy = self.found, self._agents["random"]
        found["plies"].append(plies)
        for side, other, seat in (("fox", HOUNDS, ludus.Seats.FIRST), ("hounds", FOX, ludus.Seats.SECOND)):
            explored = [test[other] for test in self._course.tests]
            rivals = [Exploring(greedy, epsilon) for epsilon in explored if epsilon is not None]
            if rivals:
                found[side].append([_won(greedy, rival, seat, self._over) for rival in rivals])
        if self._over in self._graded:
            found["accuracy"].append([plies, *accuracy_by_player(greedy, GAME)])

    def _is_enough(self) -> bool:
        if self._course.enough is None:
            return False
        share, tests = self._course.enough
        return self._over >= tests and fmean(won(self.found, "hounds")[-tests:]) >= share

    def _count(self, plies: int, is_last: bool) -> None:
        counts = self._course.counts
        if counts and (is_last or self._over % max(self._course.cycles // counts, 1) == 0):
            self.found["met"].append([plies, *positions_met(game(), self._trainer.store.entries.visits)])


def _won(agent: Any, other: Any, seat: ludus.Seats, seed: int) -> float:
    match = ludus.play_match(game(), agent, other, _GAMES, seed=seed, seats=seat, threads=1)
    return match.all.a_wins / _GAMES


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
    course = Course(_short(lab), (_only(side),), grades=grades)
    return training_cycles(settings(fox, hounds, eta, gamma), seed, course)


def _only(side: str) -> Test:
    """A test of one side, against random play."""
    return (1.0, None) if side == "hounds" else (None, 1.0)


def until_high(lab: Lab, eta: float, epsilon: float, gamma: float, seed: int) -> Task:
    """Hounds that learn against random play until they win nearly all games of a test."""
    course = Course(_short(lab), (_only("hounds"),), enough=(HIGH, 1))
    return training_cycles(settings(None, epsilon, eta, gamma), seed, course)


def _short(lab: Lab) -> int:
    return lab.pick(full=100, quick=10, tiny=2)


def _grades(lab: Lab) -> int:
    return lab.pick(full=5, quick=2, tiny=2)


def pretrained(lab: Lab, pair: tuple[float, float], seed: int) -> Task:
    """Both sides, each trained against random play before."""
    before = settings(None, pair[1]), settings(pair[0], None)
    course = Course(_short(lab), (pair,), before=before, grades=_grades(lab))
    return training_cycles(settings(*pair), seed, course)


def untrained(lab: Lab, pair: tuple[float, float], seed: int) -> Task:
    """Both sides, from scratch."""
    examined = ("own", "lost", "repeats")
    course = Course(_long(lab), (pair,), grades=_grades(lab), counts=lab.pick(12, 4, 2), examined=examined)
    return training_cycles(settings(*pair), seed, course)


def until_steady(lab: Lab, pair: tuple[float, float], seed: int) -> Task:
    """Both sides, from scratch, until the hounds win nearly all games of ten tests in a row."""
    course = Course(lab.pick(480, 10, 2), ((pair[0], None),), counts=1, enough=(TOP, STEADY), examined=("lost",))
    return training_cycles(settings(*pair), seed, course)


def _long(lab: Lab) -> int:
    return lab.pick(full=480, quick=10, tiny=2)


def adaptive(lab: Lab, seed: int) -> Task:
    """Both sides from scratch, exploring more while they lose."""
    chosen = settings(0.1, 0.1) | {"epsilon": "0.5..0.01@results", "epsilon_second": "same"}
    return training_cycles(chosen, seed, Course(_long(lab), (PAIRS[0],), grades=_grades(lab)))


def best(lab: Lab) -> Task:
    """The settings found by experiment, tested against random play, and against exploration 0.1."""
    cycles, plies = lab.pick(full=(150, _BEST_PLIES), quick=(70, _BEST_PLIES), tiny=(2, _BEST_PLIES // 10))
    course = Course(cycles, (ALWAYS, PAIRS[0]), plies, grades=_grades(lab), examined=("own",))
    return training_cycles(perfect_settings(), 0, course, keeps=True)


def won(one: Any, side: str, test: int = 0) -> list[float]:
    """The share of a test that a side won after each cycle."""
    return [each[test] for each in one[side]]


def first_at(one: Any, share: float) -> int | None:
    """In which cycle the hounds first won so much of a test, if ever."""
    return next((cycle for cycle, each in enumerate(won(one, "hounds"), 1) if each >= share), None)


def last(one: Any, side: str) -> float:
    """The mean of the last cycles."""
    return fmean(won(one, side)[-last_cycles(one) :])


def last_cycles(one: Any) -> int:
    """How many these are: 50, or the last half of fewer."""
    return min(_LAST, (len(one["plies"]) + 1) // 2)
