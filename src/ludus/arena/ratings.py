"""Ratings from results: strengths on the Elo scale by maximum likelihood, with draws and the worth of moving first.

Davidson and Beaver, "On Extending the Bradley-Terry Model to Incorporate Within-Pair Order Effects", Biometrics 1977:
who moves first with strength s, against strength t, wins, loses and draws in proportion to w s, t and v sqrt(w s t).
The likelihood has one top. All results of every two that met are credited with a part of a game more, so that who never
lost has a finite rating: as much as Jeffreys's prior would, half a game for each result of two players, and less where
many results speak of few players. Intervals are by the parametric bootstrap: the same games are played again and again
by the model that fits best, and rated. They tell how far other such games might have moved a rating, not what other
opponents would do to it; of who won or lost every game only one side of the interval means something.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.arena.match import GameResult

ELO = 400 / math.log(10)  # points for a factor e in strength

RESAMPLES = 200

COVERAGE = 0.95


Floats = npt.NDArray[np.float64]

Ints = npt.NDArray[np.int64]


_LEAST = 1e-6  # pulls all ratings to 0 by next to nothing, which fixes what results leave open


class Played(NamedTuple):
    """The games of two players, counted from 0, in which the first of them also moved first."""

    first: int
    second: int
    wins: float
    losses: float
    draws: float


class Rating(NamedTuple):
    """Elo points, and the 95 % interval."""

    points: float
    low: float
    high: float


class Ratings(NamedTuple):
    """All players, what moving first is worth, and how likely two equals draw; groups: who met, also through others."""

    players: tuple[Rating, ...]
    moving_first: Rating
    draws: float
    groups: tuple[int, ...]


class _Data(NamedTuple):
    """Pairs by who moved first; counts: wins, losses and draws, the last left out where there are none at all.

    imagined: how many games of each result are credited beside those played.
    """

    first: Ints
    second: Ints
    counts: Floats
    imagined: float
    players: int


def rate(results: Sequence[Played], players: int, *, zero: int | None = None, seed: int = 0) -> Ratings:
    """The ratings of so many players; the player `zero` has 0 points, or else the mean has.

    The order of the results does not matter; intervals depend on that of the players.
    """
    data = _data(results, players)
    best = _fit(data, np.zeros(players + 2))
    generator, found = np.random.default_rng(seed), [best]
    for _ in range(RESAMPLES if len(data.counts) else 0):
        found.append(_fit(_played_again(data, best, generator), best))
    points = np.array([_in_points(fitted, zero) for fitted in found])
    rated = [_rating(own) for own in points.T]
    drawing = math.exp(best[-1]) if data.counts.shape[1] == 3 else 0.0
    return Ratings(tuple(rated[:-1]), rated[-1], drawing / (2 + drawing), _groups(data))


def _rating(points: Floats) -> Rating:
    """The first of some points, with the interval that holds most of the others."""
    ends = np.quantile(points, [(1 - COVERAGE) / 2, (1 + COVERAGE) / 2])
    return Rating(*(round(float(number), 1) for number in (points[0], *ends)))


def _data(results: Sequence[Played], players: int) -> _Data:
    met: dict[tuple[int, int], Floats] = {}
    for first, second, *counts in results:
        if sum(counts) and first != second:
            met[first, second] = met.get((first, second), np.zeros(3)) + counts
    pairs = np.array(sorted(met), np.int64).reshape(len(met), 2)
    seen = np.array([met[pair] for pair in sorted(met)]).reshape(len(met), 3)
    kinds = 3 if seen[:, 2].any() else 2
    imagined = _imagined(pairs, kinds)
    return _Data(pairs[:, 0], pairs[:, 1], seen[:, :kinds] + imagined, imagined, players)


def _imagined(pairs: Ints, kinds: int) -> float:
    """Games that every pair is credited with for each result: a half for as many parameters as there are results."""
    parameters = len(np.unique(pairs)) - 1 + kinds - 1
    return min(0.5, 0.5 * parameters / max(len(pairs) * (kinds - 1), 1))


def _played_again(data: _Data, fitted: Floats, generator: np.random.Generator) -> _Data:
    """The same numbers of games with results drawn by the model."""
    worths = _worths(fitted, data)
    shares = np.exp(worths - worths.max(axis=1, keepdims=True))
    games = np.rint((data.counts - data.imagined).sum(axis=1)).astype(np.int64)
    drawn = generator.multinomial(games, shares / shares.sum(axis=1, keepdims=True))
    return data._replace(counts=(drawn + data.imagined).astype(np.float64))


def _fit(data: _Data, start: Floats) -> Floats:
    """Log strengths, then the logs of what moving first is worth and of the weight of draws."""
    from scipy.optimize import minimize

    return np.asarray(minimize(_loss, start, (data,), "TNC", jac=True, options={"maxfun": 10_000}).x)


def _loss(parameters: Floats, data: _Data) -> tuple[float, Floats]:
    """How unlikely the results are, as a negative logarithm, and its gradient."""
    worths = _worths(parameters, data)
    top = worths.max(axis=1, keepdims=True)
    shares = np.exp(worths - top)
    total = shares.sum(axis=1, keepdims=True)
    games = data.counts.sum(axis=1, keepdims=True)
    loss = float((games[:, 0] * (top + np.log(total))[:, 0]).sum() - (data.counts * worths).sum())
    excess = games * shares / total - data.counts
    draws = excess[:, 2] if data.counts.shape[1] == 3 else np.zeros(len(excess))
    for_first, for_second = excess[:, 0] + draws / 2, excess[:, 1] + draws / 2
    gradient = np.bincount(data.first, for_first, data.players) + np.bincount(data.second, for_second, data.players)
    whole = np.concatenate([gradient, [for_first.sum(), draws.sum()]])
    return loss + _LEAST / 2 * float(parameters @ parameters), whole + _LEAST * parameters


def _worths(parameters: Floats, data: _Data) -> Floats:
    """The logs of the proportions of wins, losses and draws, for each pair."""
    strengths, (advantage, drawing) = parameters[:-2], parameters[-2:]
    first, second = strengths[data.first] + advantage, strengths[data.second]
    return np.stack([first, second, drawing + (first + second) / 2][: data.counts.shape[1]], axis=1)


def _in_points(fitted: Floats, zero: int | None) -> Floats:
    """Ratings of the players and of moving first."""
    strengths = fitted[:-2]
    origin = strengths.mean() if zero is None else strengths[zero]
    return ELO * np.append(strengths - origin, fitted[-2])


def _groups(data: _Data) -> tuple[int, ...]:
    """A number for each player, the same for all who met, also through others."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    size = data.players
    met = coo_matrix((np.ones(len(data.first)), (data.first, data.second)), (size, size))
    return tuple(int(number) for number in connected_components(met, directed=False)[1])


class Results(NamedTuple):
    """Games by how they ended for one agent; cut: at the most plies that the game allows, with no result."""

    wins: int = 0
    losses: int = 0
    ties: int = 0
    cut: int = 0

    @property
    def games(self) -> int:
        """All of them."""
        return sum(self)

    @property
    def points(self) -> float:
        """One for a win, half for a tie; a cut game scores for nobody."""
        return self.wins + self.ties / 2

    @property
    def turned(self) -> Results:
        """The same seen by the other agent."""
        return Results(self.losses, self.wins, self.ties, self.cut)


class Meeting(NamedTuple):
    """The games of agents a and b, by their places in a list, seen by a: those in which it moved first, and second."""

    a: int
    b: int
    first: Results
    second: Results

    @property
    def points(self) -> tuple[float, float]:
        """Of a and of b."""
        return (self.first.points + self.second.points, self.first.turned.points + self.second.turned.points)

    def played(self) -> tuple[Played, Played]:
        """The games as ratings are made from: a cut game counts as a draw, as endless play does in exact values."""
        first, second = self.first, self.second.turned
        return (
            Played(self.a, self.b, first.wins, first.losses, first.ties + first.cut),
            Played(self.b, self.a, second.wins, second.losses, second.ties + second.cut),
        )


class Counter:
    """Counts games one by one, for the first agent of a match."""

    def __init__(self, first_player: int) -> None:
        self._first_player = first_player
        self._counts = [[0, 0, 0, 0], [0, 0, 0, 0]]

    def add(self, game: GameResult) -> None:
        """Count a game."""
        score = game.score if game.seat == 0 else -game.score
        kind = 0 if score > 0 else 1 if score < 0 else 2 if game.ended else 3
        self._counts[int(game.seat != self._first_player)][kind] += 1

    def by_seat(self) -> tuple[Results, Results]:
        """The games in which the agent moved first, and second."""
        first, second = self._counts
        return Results(*first), Results(*second)
