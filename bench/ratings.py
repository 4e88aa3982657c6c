"""How often the intervals of ratings hold the true strengths, in games simulated by the model itself.

The strengths of players are drawn anew each time; the first has 0 points.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np
from rich.console import Console

from ludus.arena.ratings import COVERAGE, ELO, Played, Rating, rate


class Case(NamedTuple):
    """Players whose strengths spread so far, games with either of two moving first, and the weight of draws."""

    name: str
    players: int
    spread: float
    games: int
    drawing: float


CASES = (
    Case("few games", 10, 1.0, 5, 0.5),
    Case("few draws", 6, 1.0, 50, 0.5),
    Case("mostly draws", 6, 1.0, 20, 3.0),
    Case("far apart", 2, 3.0, 50, 0.0),
)
ADVANTAGE = 0.2  # of moving first, in logs, as strengths are


def simulated(case: Case, strengths: np.ndarray, generator: np.random.Generator) -> list[Played]:
    """The results of all pairs."""
    found = []
    for first, second in np.argwhere(~np.eye(case.players, dtype=bool)).tolist():
        strengths_of = np.array([strengths[first] + ADVANTAGE, strengths[second]])
        weights = np.append(np.exp(strengths_of), case.drawing * np.exp(strengths_of.mean()))
        found.append(Played(first, second, *generator.multinomial(case.games, weights / weights.sum())))
    return found


def covered(case: Case, times: int) -> list[bool]:
    """For each player but the first, each time: whether the interval holds the true strength."""
    generator, hits = np.random.default_rng(1), []
    for seed in range(times):
        strengths = generator.normal(0, case.spread, case.players)
        results = simulated(case, strengths, generator)
        rated = rate(results, case.players, zero=0, seed=seed).players
        true = ELO * (strengths - strengths[0])
        hits += [held(rated[player], true[player], points_of(player, results)) for player in range(1, case.players)]
    return hits


def points_of(player: int, results: list[Played]) -> float:
    """The share of the points that a player made."""
    made = sum(one.wins for one in results if one.first == player) + sum(
        one.losses for one in results if one.second == player
    )
    games = [one for one in results if player in (one.first, one.second)]
    return (made + sum(one.draws for one in games) / 2) / sum(one.wins + one.draws + one.losses for one in games)


def held(rating: Rating, true: float, points: float) -> bool:
    """Whether the interval holds the true strength; a player with all points or none has a one-sided interval."""
    return bool((rating.low <= true or points == 0) and (true <= rating.high or points == 1))


def main() -> None:
    """Prints the fraction of intervals that hold the true strength."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=60, help="tournaments for each case")
    times = parser.parse_args().times
    console = Console()
    console.print(f"intervals of {COVERAGE:.0%} that hold the true strength:")
    for case in CASES:
        hits = covered(case, times * (5 if case.players == 2 else 1))
        console.print(f"{case.name:14} {np.mean(hits):6.1%} of {len(hits)}")


if __name__ == "__main__":
    main()
