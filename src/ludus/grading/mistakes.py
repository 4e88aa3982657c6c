"""The worst mistakes of an agent: where they happen, what it does there, and the optimal actions."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus import face
from ludus.agents.agent import is_compiled
from ludus.compiled.compiling import kernel, member
from ludus.compiled.rows import Row, unpack
from ludus.game import transform
from ludus.grading.decisions import RESIGNS, Choices, Flags, Ints, Judged
from ludus.solving.position_index import canonical_symmetry
from ludus.solving.retrograde import ENDLESS
from ludus.solving.value import Value


class Weighed(NamedTuple):
    """An action by name, its probability, and its value, for player 0 as all values are."""

    action: str
    probability: float
    value: Value


class Mistake(NamedTuple):
    """A position in which an agent gives something away.

    player: the side to move; loss: expected, in points; plays: the agent's actions, the likeliest first; optimal: the
    names of the optimal actions.
    """

    position: Any
    player: int
    loss: float
    value: Value
    plays: tuple[Weighed, ...]
    optimal: tuple[str, ...]


def worst_mistakes(
    game: Any, choices: Choices, found: Judged, among: Flags, tolerance: float, most: int
) -> tuple[Mistake, ...]:
    """The decisions among these positions that lose most, one of those that are equal up to symmetry."""
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
    """The mistake in one position; actions of one name count as one."""
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


_MOST_NAMED = 5_000  # decisions whose actions are named, evenly spread over all
_MOST_KINDS = 16  # names that are kinds of their own where patterns do not differ


class Slice(NamedTuple):
    """Decisions, or actions, that have something in common; `optimal` of them are optimal."""

    label: str
    decisions: float
    optimal: float
    mean_loss: float


class Anatomy(NamedTuple):
    """Slices by plies to the end, by visits in training, and by kind of action; None if unknown.

    named: the number of decisions, evenly spread over all, that were sliced by kind of action.
    """

    by_plies: tuple[Slice, ...] | None
    by_visits: tuple[Slice, ...] | None
    by_action: tuple[Slice, ...]
    named: int


def anatomy(
    agent: Any, game: Any, choices: Choices, found: Judged, tolerance: float, *, endless: str = "no end"
) -> Anatomy:
    """Slice all decisions; visits come from `agent.visits(game, pos)`, `endless` labels positions without plies."""
    numbers = np.flatnonzero(found.is_decision)
    by_plies = by_visits = None
    if choices.has_plies:
        by_plies = _sliced(found.plies[numbers], partial(_doubling, endless=endless), numbers, found)
    if hasattr(agent, "visits"):
        visits = _visits(agent, game, choices.positions[numbers])
        by_visits = _sliced(visits, _tenfold, numbers, found)
    spread = numbers[:: max(1, -(-len(numbers) // _MOST_NAMED))]
    return Anatomy(by_plies, by_visits, by_action(game, choices, found, spread, tolerance), len(spread))


def _visits(agent: Any, game: Any, rows: Row) -> Ints:
    """The agent's visits of each position."""
    visits = np.zeros(len(rows), np.int64)
    ask = count_visits if is_compiled(agent) else count_visits.plain
    ask(agent, game, game.start(), rows, visits)
    return visits


@kernel
def count_visits(agent: Any, game: Any, like: Any, rows: Row, visits: Ints) -> None:
    """Write the agent's visits [positions]."""
    for number in range(len(rows)):
        visits[number] = agent.visits(game, unpack(like, rows[number]))


def _sliced(
    counts: npt.NDArray[np.integer], key: Callable[[int], tuple[int, str]], numbers: Ints, found: Judged
) -> tuple[Slice, ...]:
    """The decisions by the key of their counts: a number to sort by and a label."""
    different, which = np.unique(counts, return_inverse=True)
    keys = [key(count) for count in different.tolist()]
    places = np.array([place for place, _ in keys], np.int64)[which]
    slices = []
    for place, label in sorted(set(keys)):
        among = numbers[places == place]
        slices.append(Slice(label, len(among), float(found.optimal[among].sum()), float(found.loss[among].mean())))
    return tuple(slices)


def _doubling(plies: int, endless: str) -> tuple[int, str]:
    """1, 2, 3-4, 5-8, ... plies."""
    if plies <= 0:
        return 1 << 62, endless
    most = 1 << (plies - 1).bit_length()
    return most, f"{most // 2 + 1}-{most}" if most > 2 else str(most)


def _tenfold(count: int) -> tuple[int, str]:
    """0, 1-9, 10-99, ... visits."""
    least = 10 ** (len(str(count)) - 1)
    return (least, f"{least}-{10 * least - 1}") if count else (0, "0")


def by_action(game: Any, choices: Choices, found: Judged, numbers: Ints, tolerance: float) -> tuple[Slice, ...]:
    """The actions taken in these decisions, by kind, the most frequent first."""
    edges, place = choices.edges_of(numbers)
    taken = choices.shares[edges] > 0
    edges, place = edges[taken], place[taken]
    side = np.where(choices.mover[numbers] == 0, 1, -1)[place]
    resigned = numbers[choices.resigned[numbers] != 0]
    loss = np.append(found.best[numbers][place] - side * choices.score[edges], found.loss[resigned])
    shares = np.append(choices.shares[edges], np.ones(len(resigned)))
    positions = [choices.position(game, int(number)) for number in numbers]
    kinds = kinds_of(game, [(positions[at], int(choices.actions[edge])) for at, edge in zip(place, edges, strict=True)])
    kinds += [RESIGNS] * len(resigned)
    labels, group = np.unique(np.asarray(kinds, np.str_), return_inverse=True)
    weight, optimal, lost = (np.bincount(group, by) for by in (shares, shares * (loss <= tolerance), shares * loss))
    return tuple(
        Slice(str(labels[i]), float(weight[i]), float(optimal[i]), float(lost[i] / weight[i]))
        for i in np.argsort(-weight, kind="stable")
    )


def kinds_of(game: Any, taken: list[tuple[Any, int]]) -> list[str]:
    """The kind of each action taken in a position, by the game's `action_kind(pos, action)`.

    By default it is the action's name with a blank for each number or square, `_ hops to _`, or the name itself where
    all patterns are equal.
    """
    if member(type(game), "action_kind") is not None:
        return [str(game.action_kind(pos, action)) for pos, action in taken]
    names = [face.action_name(game, pos, action) for pos, action in taken]
    patterns = [re.sub(r"\b[a-z]?\d+", "_", name) for name in names]
    if len(set(patterns)) == 1 and len(set(names)) <= _MOST_KINDS:
        return names
    return patterns
