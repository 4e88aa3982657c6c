"""Decisions: positions in which it matters what one does, and what an agent made of each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiling import helper, kernel
from ludus.grading.choices import Choices, Floats, Lengths
from ludus.solving.retrograde import ENDLESS
from ludus.solving.value import sign

Flags = npt.NDArray[np.bool_]

RESIGNS = "resigns"  # in place of the name of an action


class Judged(NamedTuple):
    """For each position: whether it is a decision, and if so, what perfect play and the agent make of it.

    best: the score for the mover; plies: of perfect play; loss: the points for the mover that the agent gives away;
    kept: how likely it keeps the value; fastest: and the plies; blunders: how likely it turns a win into a draw, a win
    into a loss, a draw into a loss.
    """

    is_decision: Flags
    best: Floats
    plies: Lengths
    loss: Floats
    kept: Floats
    fastest: Floats
    blunders: Floats


class Blunders(NamedTuple):
    """How often a result was given away, by kind; probabilities add up for agents that randomise."""

    win_to_draw: float
    win_to_loss: float
    draw_to_loss: float


class Tally(NamedTuple):
    """An agent's decisions added up; whole numbers for agents that do not randomise.

    optimal: those that keep the value; fastest: those that also win as fast or lose as slowly as can be, None where
    plies are not known; blunders: None where chance plays; mean_loss: in points a decision, None if there is none.
    """

    decisions: int
    optimal: float
    fastest: float | None
    blunders: Blunders | None
    mean_loss: float | None


def judged(choices: Choices, tolerance: float) -> Judged:
    """Judge every position; scores that differ by no more than the tolerance are taken for equal."""
    size = len(choices.mover)
    found = Judged(
        np.zeros(size, np.bool_),
        np.zeros(size),
        np.zeros(size, np.int32),
        np.zeros(size),
        np.zeros(size),
        np.zeros(size),
        np.zeros((size, 3)),
    )
    judge(choices, tolerance, found)
    return found


def tally(choices: Choices, found: Judged, among: Flags, *, has_chance: bool) -> Tally:
    """Add up the decisions among these positions."""
    count = int if choices.is_deterministic else float
    numbers = np.flatnonzero(found.is_decision & among)
    lost = found.blunders[numbers].sum(axis=0)
    return Tally(
        len(numbers),
        count(found.kept[numbers].sum()),
        count(found.fastest[numbers].sum()) if choices.has_plies else None,
        None if has_chance else Blunders(*(count(kind) for kind in lost)),
        float(found.loss[numbers].mean()) if len(numbers) else None,
    )


@kernel
def judge(choices: Choices, tolerance: float, found: Judged) -> None:
    """Fill in what was found of every position in which a player decides."""
    for number in range(len(choices.mover)):
        if choices.mover[number] > 1:
            continue
        best, worst = extremes(choices, number)
        if best - worst > tolerance:
            found.is_decision[number] = True
            found.best[number] = best
            found.plies[number] = best_length(choices, number, best, tolerance)
            weigh(choices, number, tolerance, found)


@helper
def worth(choices: Choices, number: int, edge: int) -> float:
    """The score of an action for the player who takes it."""
    score: float = choices.score[edge]
    return score if choices.mover[number] == 0 else -score


@helper
def worth_of_resigning(choices: Choices, number: int) -> int:
    """The score of resigning for the player who does; 0 where the agent does not."""
    score: int = choices.resigned[number]
    return score if choices.mover[number] == 0 else -score


@helper
def extremes(choices: Choices, number: int) -> tuple[float, float]:
    """The scores of the best and of the worst action for the mover, which is resigning where the agent does."""
    best, worst = -np.inf, np.inf
    if choices.resigned[number] != 0:
        worst = float(worth_of_resigning(choices, number))
    for edge in range(choices.first[number], choices.first[number + 1]):
        best = max(best, worth(choices, number, edge))
        worst = min(worst, worth(choices, number, edge))
    return best, worst


@helper
def best_length(choices: Choices, number: int, best: float, tolerance: float) -> int:
    """The plies of the fastest win, the slowest loss, or the fastest draw that ends."""
    length = ENDLESS
    for edge in range(choices.first[number], choices.first[number + 1]):
        plies = choices.plies[edge]
        if worth(choices, number, edge) < best - tolerance or plies == ENDLESS:
            continue
        if length == ENDLESS or (plies > length if best < 0 else plies < length):
            length = plies
    return length


@helper
def weigh(choices: Choices, number: int, tolerance: float, found: Judged) -> None:
    """Add up what the agent's actions do to the value."""
    best = found.best[number]
    if choices.resigned[number] != 0:
        own = float(worth_of_resigning(choices, number))
        found.loss[number] = best - own
        if sign(own) < sign(best):
            found.blunders[number, 1 - sign(own) - sign(best)] = 1.0
        return
    for edge in range(choices.first[number], choices.first[number + 1]):
        share, own = choices.shares[edge], worth(choices, number, edge)
        found.loss[number] += share * (best - own)
        if own >= best - tolerance:
            found.kept[number] += share
            if best == 0 or choices.plies[edge] == found.plies[number]:
                found.fastest[number] += share
        elif sign(own) < sign(best):
            found.blunders[number, 1 - sign(own) - sign(best)] += share
