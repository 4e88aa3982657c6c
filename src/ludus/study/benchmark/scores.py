"""What the benchmark tells of an entry at a game: how soon it plays optimally, its regret, and its exploitability."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median, stdev
from typing import NamedTuple

import numpy as np

from ludus.study.benchmark import BASELINE, Benchmark, Entry
from ludus.study.benchmark.jobs import Outcome

ENOUGH = 0.99  # of all decisions


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
    untaught = {game: found[0] for (game, entry), found in grouped.items() if entry.text == BASELINE}
    return [_scores(game, entry, found, untaught[game]) for (game, entry), found in grouped.items()]


def _scores(game: str, entry: Entry, found: list[Outcome], untaught: Outcome) -> Scores:
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
        _mean([regret(outcome, untaught) for outcome in found]) if entry.games else None,
        (_exploitability(found, 0), _exploitability(found, 1)),
        tuple(found),
    )


def _first_enough(outcome: Outcome) -> tuple[float, float] | None:
    """The plies and seconds at the first measure with enough optimal decisions."""
    for plies, seconds, optimal in zip(outcome.plies, outcome.seconds, outcome.optimal, strict=True):
        if optimal >= ENOUGH * outcome.decisions:
            return plies, seconds
    return None


def _median(reached: Sequence[float], seeds: int) -> float | None:
    """The median over all seeds, those that did not reach it counting as later than all others."""
    known = [*reached, *[float("inf")] * (seeds - len(reached))]
    middle = median(known)
    return middle if middle < float("inf") else None


def regret(outcome: Outcome, untaught: Outcome) -> float:
    """The area of the share of wrong decisions over plies; before the first ply an agent is as good as `random`."""
    plies = [0, *outcome.plies]
    optimal = [untaught.optimal[-1], *outcome.optimal]
    wrong = [1 - count / max(outcome.decisions, 1) for count in optimal]
    return float(np.trapezoid(wrong, plies))


def _exploitability(found: list[Outcome], seat: int) -> Mean:
    return _mean([outcome.value[seat] - outcome.guarantee[seat] for outcome in found])


def _mean(numbers: list[float]) -> Mean:
    return Mean(fmean(numbers), stdev(numbers) / len(numbers) ** 0.5 if len(numbers) > 1 else None)
