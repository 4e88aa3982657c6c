"""How wrong a learner was, over its games: some points of a curve since it was last measured."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus.compiling import helper
from ludus.learning.lesson import Ints
from ludus.networks.shallow import Floats

_MOST = 40  # points; when there are as many, two become one each
SUM, LESSONS, ALL_SUM, ALL_LESSONS = range(4)  # of `sums`: since the last point, and since the last measure
GAMES, STRIDE, FILLED = range(3)  # of `counts`: games since the last point, games a point, and points


class Losses(NamedTuple):
    """points: the number of games, the sum of losses and how many they are, each; sums and counts as named above."""

    points: Floats
    sums: Floats
    counts: Ints


def new_losses() -> Losses:
    """Before the first game."""
    return Losses(np.zeros((_MOST, 3)), np.zeros(4), np.array([0, 1, 0]))


def told(losses: Losses) -> dict[str, Any]:
    """The mean loss since this was last told, and of which the points of the curve are; None for no lesson."""
    points = [[int(game), _mean(total, lessons)] for game, total, lessons in losses.points[: losses.counts[FILLED]]]
    loss = _mean(losses.sums[ALL_SUM], losses.sums[ALL_LESSONS])
    losses.sums[:], losses.counts[:] = 0.0, (0, 1, 0)
    return {"loss": loss, "losses": points}


def _mean(total: float, lessons: float) -> float | None:
    return float(f"{total / lessons:.6g}") if lessons else None


@helper
def note_loss(losses: Losses, loss: float) -> None:
    """Count what one lesson showed."""
    losses.sums[SUM] += loss
    losses.sums[LESSONS] += 1
    losses.sums[ALL_SUM] += loss
    losses.sums[ALL_LESSONS] += 1


@helper
def note_game(losses: Losses, games: int) -> None:
    """Count a game, the last of so many; make a point of the last ones when it is time."""
    counts, sums = losses.counts, losses.sums
    counts[GAMES] += 1
    if counts[GAMES] < counts[STRIDE]:
        return
    point = losses.points[counts[FILLED]]
    point[0], point[1], point[2] = games, sums[SUM], sums[LESSONS]
    counts[GAMES], sums[SUM], sums[LESSONS] = 0, 0.0, 0.0
    counts[FILLED] += 1
    if counts[FILLED] == len(losses.points):
        thin_out(losses)


@helper
def thin_out(losses: Losses) -> None:
    """Make one point of two."""
    points = losses.points
    for place in range(len(points) // 2):
        points[place, 0] = points[2 * place + 1, 0]
        for column in range(1, 3):
            points[place, column] = points[2 * place, column] + points[2 * place + 1, column]
    losses.counts[FILLED] = len(points) // 2
    losses.counts[STRIDE] *= 2
