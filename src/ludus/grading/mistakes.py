"""The worst mistakes of an agent: where they happen, what it does there, and what would be right."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus import face
from ludus.game import transform
from ludus.grading.choices import Choices
from ludus.grading.decisions import RESIGNS, Flags, Judged
from ludus.solving.canonical import canonical_symmetry
from ludus.solving.retrograde import ENDLESS
from ludus.solving.value import Value


class Weighed(NamedTuple):
    """An action by name, how likely the agent takes it, and its value, seen by player 0 as all values are."""

    action: str
    probability: float
    value: Value


class Mistake(NamedTuple):
    """A position in which an agent gives something away.

    player: who moves; loss: the points that it gives away, on average; value: of the position; plays: what the agent
    may do, the likeliest first; right: the names of the actions that keep the value.
    """

    position: Any
    player: int
    loss: float
    value: Value
    plays: tuple[Weighed, ...]
    right: tuple[str, ...]


def worst_mistakes(
    game: Any, choices: Choices, found: Judged, among: Flags, tolerance: float, most: int
) -> tuple[Mistake, ...]:
    """The decisions among these positions that lose most, of equal ones those that were listed first.

    Of positions that are alike up to symmetry only one is told.
    """
    numbers = np.flatnonzero(found.is_decision & among & (found.loss > tolerance))
    order = np.argsort(-np.round(found.loss[numbers], 9), kind="stable")
    worst: dict[Any, int] = {}
    for number in numbers[order]:
        if len(worst) == most:
            break
        pos = choices.position(game, number)
        worst.setdefault(transform(game, pos, canonical_symmetry(game, pos)), int(number))
    return tuple(mistake_at(game, choices, found, number, tolerance) for number in worst.values())


def mistake_at(game: Any, choices: Choices, found: Judged, number: int, tolerance: float) -> Mistake:
    """What the agent does in one position; actions of one name do the same, and are told as one."""
    pos, player = choices.position(game, number), int(choices.mover[number])
    side, best = (1 if player == 0 else -1), float(found.best[number])
    plays: dict[str, Weighed] = {}
    for edge in range(choices.first[number], choices.first[number + 1]):
        name = face.action_name(game, pos, int(choices.actions[edge]))
        value = _value(choices.score[edge], choices.plies[edge])
        before = plays[name].probability if name in plays else 0.0
        plays[name] = Weighed(name, before + float(choices.shares[edge]), value)
    if choices.resigned[number]:
        plays[RESIGNS] = Weighed(RESIGNS, 1.0, _value(choices.resigned[number], 0))
    return Mistake(
        pos,
        player,
        float(found.loss[number]),
        _value(side * best, found.plies[number]),
        tuple(sorted((play for play in plays.values() if play.probability), key=lambda play: -play.probability)),
        tuple(name for name, play in plays.items() if side * play.value.score >= best - tolerance),
    )


def _value(score: float, plies: int) -> Value:
    """A value in plain numbers, whole ones where they are."""
    exact = int(score) if float(score).is_integer() else float(score)
    return Value(exact, None if plies == ENDLESS else int(plies))
