"""Which trainings the Fox and Hounds paper consists of, and how long they are at each scale."""

from __future__ import annotations

from statistics import fmean
from typing import Any

from ludus.study.papers.fox_and_hounds_cycles import (
    ALWAYS,
    perfect_settings,
    random_cycles,
    settings,
    training_cycles,
)
from ludus.study.papers.lab import Lab
from ludus.study.papers.task import Task

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
