"""Ratings from results: maximum-likelihood strengths on the Elo scale, with draws and the first-move advantage.

Davidson and Beaver, "On Extending the Bradley-Terry Model to Incorporate Within-Pair Order Effects", Biometrics 1977:
the first player with strength s against strength t wins, loses and draws in proportion to w s, t and v sqrt(w s t).
The likelihood has one maximum. Every pair that met gets a fraction of a pseudo-game for each result, so that an
undefeated player has a finite rating: half a game for two players, as with Jeffreys's prior, and less where many
results constrain few players. Intervals come from the parametric bootstrap: the fitted model plays the same games
again and again. They measure the sampling error of these games, not the effect of other opponents; for a player
that won or lost every game only one end is meaningful.
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
    """All players, the first-move advantage, and the share of draws between equals; groups: connected components."""

    players: tuple[Rating, ...]
    moving_first: Rating
    draws: float
    groups: tuple[int, ...]


class _Data(NamedTuple):
    """Ordered pairs; counts: wins, losses and, if there are any, draws, with pseudo-games of each result."""

    first: Ints
    second: Ints
    counts: Floats
    pseudo: float
    players: int


def rate(results: Sequence[Played], players: int, *, zero: int | None = None, seed: int = 0) -> Ratings:
    """Ratings of the players; the player `zero` has 0 points, else the mean. Intervals depend on the players' order."""
    data = _data(results, players)
    best = _fit(data, np.zeros(players + 2))
    generator, found = np.random.default_rng(seed), [best]
    for _ in range(RESAMPLES if len(data.counts) else 0):
        found.append(_fit(_resampled(data, best, generator), best))
    points = np.array([_in_points(fitted, zero) for fitted in found])
    ends = (1 - COVERAGE) / 2, (1 + COVERAGE) / 2  # of the bootstrap interval
    rated = [Rating(*(round(float(n), 1) for n in (own[0], *np.quantile(own, ends)))) for own in points.T]
    drawing = math.exp(best[-1]) if data.counts.shape[1] == 3 else 0.0
    return Ratings(tuple(rated[:-1]), rated[-1], drawing / (2 + drawing), _groups(data))


def _data(results: Sequence[Played], players: int) -> _Data:
    met: dict[tuple[int, int], Floats] = {}
    for first, second, *counts in results:
        if sum(counts) and first != second:
            met[first, second] = met.get((first, second), np.zeros(3)) + counts
    pairs = np.array(sorted(met), np.int64).reshape(len(met), 2)
    seen = np.array([met[pair] for pair in sorted(met)]).reshape(len(met), 3)
    kinds = 3 if seen[:, 2].any() else 2
    parameters = len(np.unique(pairs)) - 1 + kinds - 1
    pseudo = min(0.5, 0.5 * parameters / max(len(pairs) * (kinds - 1), 1))  # half a game if there are as many results
    return _Data(pairs[:, 0], pairs[:, 1], seen[:, :kinds] + pseudo, pseudo, players)


def _resampled(data: _Data, fitted: Floats, generator: np.random.Generator) -> _Data:
    """The same numbers of games with results drawn from the model."""
    log_odds = _log_odds(fitted, data)
    shares = np.exp(log_odds - log_odds.max(axis=1, keepdims=True))
    games = np.rint((data.counts - data.pseudo).sum(axis=1)).astype(np.int64)
    drawn = generator.multinomial(games, shares / shares.sum(axis=1, keepdims=True))
    return data._replace(counts=(drawn + data.pseudo).astype(np.float64))


def _fit(data: _Data, start: Floats) -> Floats:
    """Log strengths, then the logs of the first-move advantage and of the weight of draws."""
    from scipy.optimize import minimize

    return np.asarray(minimize(_loss, start, (data,), "TNC", jac=True, options={"maxfun": 10_000}).x)


def _loss(parameters: Floats, data: _Data) -> tuple[float, Floats]:
    """The negative log-likelihood of the results and its gradient."""
    log_odds = _log_odds(parameters, data)
    top = log_odds.max(axis=1, keepdims=True)
    shares = np.exp(log_odds - top)
    total = shares.sum(axis=1, keepdims=True)
    games = data.counts.sum(axis=1, keepdims=True)
    loss = float((games[:, 0] * (top + np.log(total))[:, 0]).sum() - (data.counts * log_odds).sum())
    excess = games * shares / total - data.counts
    draws = excess[:, 2] if data.counts.shape[1] == 3 else np.zeros(len(excess))
    for_first, for_second = excess[:, 0] + draws / 2, excess[:, 1] + draws / 2
    gradient = np.bincount(data.first, for_first, data.players) + np.bincount(data.second, for_second, data.players)
    whole = np.concatenate([gradient, [for_first.sum(), draws.sum()]])
    return loss + _LEAST / 2 * float(parameters @ parameters), whole + _LEAST * parameters


def _log_odds(parameters: Floats, data: _Data) -> Floats:
    """The logs of the proportions of wins, losses and draws, for each pair."""
    strengths, (advantage, drawing) = parameters[:-2], parameters[-2:]
    first, second = strengths[data.first] + advantage, strengths[data.second]
    return np.stack([first, second, drawing + (first + second) / 2][: data.counts.shape[1]], axis=1)


def _in_points(fitted: Floats, zero: int | None) -> Floats:
    """Elo points of the players and of the first move."""
    strengths = fitted[:-2]
    origin = strengths.mean() if zero is None else strengths[zero]
    return ELO * np.append(strengths - origin, fitted[-2])


def _groups(data: _Data) -> tuple[int, ...]:
    """The connected component of each player in the graph of meetings."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    met = coo_matrix((np.ones(len(data.first)), (data.first, data.second)), (data.players, data.players))
    return tuple(int(number) for number in connected_components(met, directed=False)[1])


class Results(NamedTuple):
    """Results of one agent; cut: games that reached the most plies without a result."""

    wins: int = 0
    losses: int = 0
    ties: int = 0
    cut: int = 0

    @property
    def games(self) -> int:
        """The number of games."""
        return sum(self)

    @property
    def points(self) -> float:
        """One for a win, half for a tie, none for a cut game."""
        return self.wins + self.ties / 2

    @property
    def turned(self) -> Results:
        """The same for the other agent."""
        return Results(self.losses, self.wins, self.ties, self.cut)


class Meeting(NamedTuple):
    """Results of agent a against agent b, given by index: moving first, and moving second."""

    a: int
    b: int
    first: Results
    second: Results

    @property
    def points(self) -> tuple[float, float]:
        """The points of a and of b."""
        return self.first.points + self.second.points, self.first.turned.points + self.second.turned.points

    def played(self) -> tuple[Played, Played]:
        """The games as `rate` takes them: a cut game counts as a draw, as endless play does in exact values."""
        (wins, losses, ties, cut), other = self.first, self.second.turned
        second = Played(self.b, self.a, other.wins, other.losses, other.ties + other.cut)
        return Played(self.a, self.b, wins, losses, ties + cut), second


class Counter:
    """Counts games one by one, for the first agent of a match."""

    def __init__(self, first_player: int) -> None:
        self._first_player, self._counts = first_player, [[0, 0, 0, 0], [0, 0, 0, 0]]

    def add(self, game: GameResult) -> None:
        """Count a game."""
        score = game.score if game.seat == 0 else -game.score
        kind = 0 if score > 0 else 1 if score < 0 else 2 if game.ended else 3
        self._counts[int(game.seat != self._first_player)][kind] += 1

    def by_seat(self) -> tuple[Results, Results]:
        """The results moving first, and moving second."""
        return Results(*self._counts[0]), Results(*self._counts[1])
