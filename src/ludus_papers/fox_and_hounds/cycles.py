"""Cycles of training and testing, as the Fox and Hounds paper has them, with grades on the way."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from ludus import catalog
from ludus.agents.agent import Probabilities
from ludus.agents.simple import Random
from ludus.agents.tabular import Greedy
from ludus.arena import Seats
from ludus.arena.match import play_match
from ludus.compiled.masks import count, has
from ludus.files import write_whole
from ludus.grading.asking import ask
from ludus.grading.decisions import Choices, judged, listed_choices, tally
from ludus.grading.grade import standing
from ludus.learning.loop.training import Training, Watcher
from ludus.learning.presets import configured, preset_for
from ludus.learning.runs import AGENT, METRICS, create, metadata_for
from ludus.learning.runs.files import write_arrays
from ludus.solving.explore import explore
from ludus.solving.solution import Solution
from ludus.study.paper import Lab
from ludus.study.paper.tasks import Task, options, truth_about

GAME = "fox-and-hounds"

TURNS = 100_000  # of a cycle, as the paper has it

FOX, HOUNDS = 0, 1

ALWAYS = 1.0  # how often a side explores that plays at random


_GAMES = 100  # of a test

_LOOK = 50  # games after which it is seen whether a cycle is over

_PLIES = 40  # that a game takes, about


_COUNTS = 12  # of positions met, in a training, about


Words = dict[str, str]

Test = tuple[float, float]  # how often the fox, and the hounds, explore while the other side is tested


@cache
def game() -> Any:
    """The paper's game."""
    return catalog.make_game(GAME)


class Exploring(NamedTuple):
    """An agent that takes any action, all alike, with some probability."""

    agent: Greedy
    epsilon: float

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """The agent's own, mixed with a uniform one."""
        self.agent.policy(game, pos, out)
        mask = game.legal(pos)
        each = self.epsilon / count(mask)
        for action in range(len(out)):
            out[action] = (1 - self.epsilon) * out[action] + (each if has(mask, action) else 0.0)


# ---- tasks ----


def settings(fox: float | None, hounds: float | None, eta: float = 0.5, gamma: float = 0.99) -> Words:
    """A training in which the sides explore so often; None for a side that plays at random and learns nothing."""
    words = {"tables": "roles", "alpha": str(eta), "gamma": str(gamma)}
    if fox is None or hounds is None:
        own = {"epsilon": str(hounds), "seats": "second"} if fox is None else {"epsilon": str(fox), "seats": "first"}
        return words | own | {"opponent": "random"}
    return words | {"epsilon": str(fox), "second": str(hounds)}


def perfect_settings() -> Words:
    """Those that were found by measuring."""
    return preset_for("perfect", "q-table", game())[0]


def training_cycles(
    words: Words,
    seed: int,
    cycles: int,
    tests: Sequence[Test],
    *,
    turns: int = TURNS,
    school: Sequence[Words] = (),
    grades: int = 0,
    proves: bool = False,
    keeps: bool = False,
) -> Task:
    """A training in cycles of so many turns, as `play_cycles` gives it.

    school: trainings before it, of as many cycles, each of which begins with what was learned; grades: how often it is
    graded, more often at first; proves: whether it tells what the hounds are sure of; keeps: whether a run is kept.
    """
    games = cycles * turns // _PLIES
    command = training_command(words, games, seed)
    command = (
        " && ".join([*_schooling(school, games, seed), f"{command} --init-from RUN{len(school)}"])
        if school
        else command
    )
    marks = sorted({max(round(cycles * 4.0**-step), 1) for step in range(grades)})
    name = ", ".join([*(f"{key} {value}" for key, value in words.items()), f"seed {seed}"])
    told = "trained before; " if school else ""
    arguments = list(words.items()), seed, cycles, turns, tests, [list(each.items()) for each in school], marks, proves
    of_all = (1 + len(school)) * games
    return Task(f"{told}{cycles} cycles, {name}", play_cycles, arguments, keeps=keeps, command=command, games=of_all)


def training_command(words: Words, games: int, seed: int, **others: str) -> str:
    """The command that trains so."""
    return f"ludus train {GAME} q-table {options(words | {'games': str(games), 'seed': str(seed)} | others)}"


def _schooling(school: Sequence[Words], games: int, seed: int) -> list[str]:
    """The commands of trainings of which each begins with what the one before has learned."""
    told = []
    for number, words in enumerate(school, 1):
        begin = {} if number == 1 else {"init_from": f"RUN{number - 1}"}
        told.append(training_command(words, games, seed, **begin, out=f"RUN{number}"))
    return told


def play_cycles(
    words: list[tuple[str, str]],
    seed: int,
    cycles: int,
    turns: int,
    tests: Sequence[Test],
    school: list[list[tuple[str, str]]],
    marks: list[int],
    proves: bool,
    folder: Path | None = None,
    folders: Sequence[Path] = (),
) -> dict[str, Any]:
    """Train for so many cycles, and tell turns and the wins of each side in each test after each of them.

    right: at the marked cycles turns, and the accuracy of the fox and of the hounds; met: now and then
    turns, and the positions that the fox and the hounds have met; own: if it proves itself, the decisions that the
    hounds can meet as they play now, how many are right, and the score that they are sure of against every fox;
    seconds: of the processor, spent learning.
    """
    known = None
    for each in school:
        before = _training(dict(each), seed, cycles * turns, known)
        _Cycles(before, cycles, turns, None, []).run()
        known = before.trainer.parameters()
    training = _training(dict(words), seed, cycles * turns, known)
    done = _Cycles(training, cycles, turns, tests, marks)
    done.run()
    own = _own(Greedy(training.trainer.entries, True)) if proves else None  # type: ignore[attr-defined]
    if folder is not None:
        _keep(training, folder)
    return {**done.told, "games": training.games, "seconds": round(done.seconds, 1), "own": own}


def _training(words: Words, seed: int, games: int, known: Any) -> Training:
    plan = {"games": str(games), "seed": str(seed), "eval_against": "none", "grade": "no"}
    training = Training(game(), *configured(game(), "q-table", words | plan, None))
    if known is not None:
        training.trainer.init_from(known)
    return training


def _keep(training: Training, folder: Path) -> None:
    """Write what was learned as the run that `ludus train` would have made in as many games."""
    for left in folder.iterdir():
        left.unlink()
    run = create(training.game, training.learner, training.plan._replace(games=training.games), folder)
    write_whole(folder / METRICS, [])
    write_arrays(folder / AGENT, training.trainer.parameters(), metadata_for(run, AGENT, training.games))


class _EnoughError(Exception):
    """All cycles are over."""


class _Cycles:
    """Looks at a training now and then, tests it when a cycle is over, and ends it after the last one."""

    def __init__(
        self, training: Training, cycles: int, turns: int, tests: Sequence[Test] | None, marks: Sequence[int]
    ) -> None:
        self._training, self._cycles, self._turns, self._tests, self._marks = training, cycles, turns, tests, marks
        self._over, self._since, self.seconds = 0, time.process_time(), 0.0
        self.told: dict[str, list[Any]] = {"turns": [], "fox": [], "hounds": [], "accuracy": [], "met": []}

    def run(self) -> None:
        """Train to the end."""
        try:
            self._training.run(Watcher(progress=self._look, every=_LOOK))
        except _EnoughError:
            pass
        finally:
            self._training.close()

    def _look(self, training: Training) -> None:
        self.seconds += time.process_time() - self._since
        self._test_if_over(training)
        self._since = time.process_time()

    def _test_if_over(self, training: Training) -> None:
        if training.trainer.plies < (self._over + 1) * self._turns:
            return
        self._over += 1
        if self._tests is not None:
            self._test(training, self._tests)
        if self._over == self._cycles:
            raise _EnoughError

    def _test(self, training: Training, tests: Sequence[Test]) -> None:
        turns, told = training.trainer.plies, self.told
        greedy = Greedy(training.trainer.entries, False)  # type: ignore[attr-defined]
        told["turns"].append(turns)
        for side, other, seat in (("fox", HOUNDS, Seats.FIRST), ("hounds", FOX, Seats.SECOND)):
            told[side].append([_won(greedy, Exploring(greedy, test[other]), seat, self._over) for test in tests])
        if self._over in self._marks:
            told["accuracy"].append([turns, *right_decisions(greedy)])
        if self._over % max(self._cycles // _COUNTS, 1) == 0:
            told["met"].append([turns, *training.trainer.metrics()["visited"]])


def _won(agent: Any, other: Any, seat: Seats, seed: int) -> float:
    match = play_match(game(), agent, other, _GAMES, seed=seed, seats=seat, threads=1)
    return match.all.a_wins / _GAMES


# ---- the truth ----


@cache
def _truth() -> tuple[Solution, Choices]:
    """The solution, and all choices that there are; kept, since many trainings in a row are graded."""
    solution = truth_about(GAME)
    assert isinstance(solution, Solution)
    explored = explore(solution.game, solution.start, limit=len(solution))
    return solution, listed_choices(explored, solution)


def right_decisions(agent: Any) -> tuple[float, float]:
    """The share of optimal decisions of the fox and of the hounds, over all positions."""
    solution, choices = _truth()
    ask(agent, solution.game, choices)
    found = judged(choices, 1e-9)
    sides = [tally(choices, found, choices.mover == player, has_chance=False) for player in (FOX, HOUNDS)]
    fox, hounds = (side.optimal / side.decisions for side in sides)
    return fox, hounds


def _own(agent: Any) -> list[float]:
    """The decisions that the hounds can meet, how many are right, and the score that they are sure of."""
    graded = standing(agent, _truth()[0])
    assert graded.guarantee
    met = graded.own_play.second
    return [met.decisions, met.optimal, float(graded.guarantee.second.score)]


def random_cycles(seed: int, cycles: int) -> Task:
    """Tests of random play, and its grade, as `play_at_random` gives them."""
    command = f"ludus match {GAME} random random --seats first --games {cycles * _GAMES} --seed {seed}"
    return Task(f"random play, seed {seed}", play_at_random, (seed, cycles), command=command, games=cycles * _GAMES)


def play_at_random(seed: int, cycles: int) -> dict[str, Any]:
    """The wins of the fox in so many tests, and the share of optimal decisions of either side."""
    tests = range(seed * cycles, (seed + 1) * cycles)
    wins = [_won(Random(), Random(), Seats.FIRST, test) for test in tests]
    return {"fox": wins, "hounds": [1 - share for share in wins], "accuracy": right_decisions(Random())}


EPSILONS = (0.1, 0.2)

RATES = (0.5, 0.3)

PAIRS = ((0.1, 0.1), (0.1, 0.2), (0.2, 0.1), (0.2, 0.2))  # exploration of the fox, and of the hounds


_FIRST = (0.5, 0.99)  # learning rate and discount of those that are graded, and trained further

_LAST = 50  # cycles over which results are taken

_BEST_TURNS = 1_000_000  # of a cycle of the best agent, which is tested less often


def chance(lab: Lab, seed: int) -> Task:
    """Random play."""
    return random_cycles(seed, lab.pick(full=100, quick=50, tiny=3))


def learning_hounds(lab: Lab, eta: float, epsilon: float, gamma: float, seed: int) -> Task:
    """Hounds against a random fox."""
    words = settings(None, epsilon, eta, gamma)
    return training_cycles(words, seed, _short(lab), [(ALWAYS, ALWAYS)], grades=_grades(lab, eta, gamma))


def learning_fox(lab: Lab, eta: float, epsilon: float, gamma: float, seed: int) -> Task:
    """A fox against random hounds."""
    words = settings(epsilon, None, eta, gamma)
    return training_cycles(words, seed, _short(lab), [(ALWAYS, ALWAYS)], grades=_grades(lab, eta, gamma))


def _short(lab: Lab) -> int:
    return lab.pick(full=100, quick=15, tiny=2)


def _grades(lab: Lab, eta: float, gamma: float) -> int:
    return lab.pick(full=5, quick=2, tiny=2) if (eta, gamma) == _FIRST else 0


def schooled(lab: Lab, pair: tuple[float, float], seed: int) -> Task:
    """Both sides, each trained against random play before."""
    fox, hounds = pair
    school = [settings(None, hounds), settings(fox, None)]
    return training_cycles(
        settings(fox, hounds), seed, _short(lab), [pair], school=school, grades=_grades(lab, *_FIRST)
    )


def untrained(lab: Lab, pair: tuple[float, float], seed: int) -> Task:
    """Both sides, from scratch."""
    return training_cycles(settings(*pair), seed, _long(lab), [pair], grades=_grades(lab, *_FIRST), proves=True)


def _long(lab: Lab) -> int:
    return lab.pick(full=480, quick=20, tiny=2)


def adaptive(lab: Lab, seed: int) -> Task:
    """Both sides from scratch, exploring more while they lose."""
    words = settings(0.1, 0.1) | {"epsilon": "0.5..0.01@results", "second": "same"}
    return training_cycles(words, seed, _long(lab), [PAIRS[0]], grades=_grades(lab, *_FIRST))


def best(lab: Lab) -> Task:
    """The settings found by measuring, tested against random play, and against exploration 0.1."""
    cycles, turns = lab.pick(full=(150, _BEST_TURNS), quick=(70, _BEST_TURNS), tiny=(2, _BEST_TURNS // 10))
    tests = [(ALWAYS, ALWAYS), PAIRS[0]]
    grades = _grades(lab, *_FIRST)
    return training_cycles(perfect_settings(), 0, cycles, tests, turns=turns, grades=grades, proves=True, keeps=True)


def won(one: Any, side: str, test: int = 0) -> list[float]:
    """The share of a test that a side won after each cycle."""
    return [each[test] for each in one[side]]


def last(one: Any, side: str) -> float:
    """The mean of the last cycles."""
    return fmean(won(one, side)[-last_cycles(one) :])


def last_cycles(one: Any) -> int:
    """How many these are: 50, or the last half of fewer."""
    return min(_LAST, (len(one["turns"]) + 1) // 2)
