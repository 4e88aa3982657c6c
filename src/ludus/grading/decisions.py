"""The actions that an agent may choose in each position, their values, and how its choices are judged."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import kernel
from ludus.compiled.rows import Row, unpack
from ludus.errors import LudusError
from ludus.solving.explore import Explored
from ludus.solving.position_index import NOT_FOUND, find
from ludus.solving.retrograde import ENDLESS
from ludus.solving.solution import Answers, Solution, score_of

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Lengths = npt.NDArray[np.int32]
Actions = npt.NDArray[np.int32]


class Choices(NamedTuple):
    """Positions and their legal actions, the actions of all positions one after another as edges."""

    positions: Row  # [positions, fields]
    first: Ints  # [positions + 1], where the edges of each position begin
    mover: npt.NDArray[np.int8]  # [positions], as in `Graph`
    actions: Actions  # [edges]
    score: Floats  # [edges], under perfect play, for player 0
    plies: Lengths  # [edges], under perfect play, counted from the position; ENDLESS where there is no end
    shares: Floats  # [edges], the agent's policy; 0 where no player moves
    resigned: Ints  # [positions], the score for player 0 where the agent resigns, else 0

    @property
    def is_deterministic(self) -> bool:
        """Whether the policy is deterministic."""
        return bool(((self.shares == 0.0) | (self.shares == 1.0)).all())

    @property
    def has_plies(self) -> bool:
        """Whether the plies of every win and loss are known."""
        return not ((self.score != 0) & (self.plies == ENDLESS)).any()

    def position(self, game: Any, number: int) -> Any:
        """The position of this number."""
        return unpack(game.start(), self.positions[number])

    def edges_of(self, numbers: Ints) -> tuple[Ints, Ints]:
        """The edges of these positions, and the place in `numbers` of each edge's position."""
        counts = self.first[numbers + 1] - self.first[numbers]
        place = np.repeat(np.arange(len(numbers)), counts)
        ends = np.cumsum(counts)
        return np.arange(len(place)) - (ends - counts)[place] + self.first[numbers][place], place


def all_choices(explored: Explored, solution: Solution) -> Choices:
    """All positions of a game with their exact values; the policy is still zero."""
    graph, size = explored.graph, len(explored)
    score, plies = _values(explored, solution)
    after = plies[graph.targets]
    lengths = np.where(after == ENDLESS, ENDLESS, after + 1).astype(np.int32)
    values = score[graph.targets], lengths, np.zeros(len(after)), np.zeros(size, np.int64)
    return Choices(explored.positions, graph.first, graph.mover, explored.actions, *values)


def _values(explored: Explored, solution: Solution) -> tuple[Floats, Lengths]:
    """The score and plies of each position."""
    if solution.explored is explored:
        return solution.answers.score.astype(np.float64), solution.answers.plies
    size = len(explored)
    score, plies = np.zeros(size), np.zeros(size, np.int32)
    if look_up(explored.game, explored.start, explored.positions, solution.answers, score, plies) < size:
        raise LudusError("the solution does not hold all positions of this game; solve it from the same start")
    return score, plies


@kernel(work=lambda game, like, positions, answers, score, plies: 30 * len(positions))
def look_up(game: Any, like: Any, positions: Row, answers: Answers, score: Floats, plies: Lengths) -> int:
    """Fills in the values [positions]; returns the number of positions before the first that is not in the solution."""
    row, key = np.zeros(len(like), np.int64), np.zeros(answers.lookup.words.shape[1], np.int64)
    for number in range(len(positions)):
        pos = unpack(like, positions[number])
        place = find(answers.lookup, game, pos, row, key)
        if place == NOT_FOUND:
            return number
        score[number] = score_of(game, pos, answers, place)
        plies[number] = answers.plies[place]
    return len(positions)


Flags = npt.NDArray[np.bool_]
RESIGNS = "resigns"  # in place of the name of an action
_AT_ONCE = 1 << 13  # positions judged at once, few enough for the processor's cache


class Judged(NamedTuple):
    """The judgement of each position; all but the first are 0 where there is no decision."""

    is_decision: Flags  # [positions]
    best: Floats  # [positions], the best score for the side to move
    plies: Lengths  # [positions], of perfect play
    loss: Floats  # [positions], the expected loss of the agent, in points
    optimal: Floats  # [positions], the probability of an optimal action
    fastest: Floats  # [positions], and of one that is also the fastest
    blunders: Floats  # [positions, 3], of win to draw, win to loss, draw to loss


class Blunders(NamedTuple):
    """Results given away, by kind: counts, or sums of probabilities for agents that randomise."""

    win_to_draw: float
    win_to_loss: float
    draw_to_loss: float


class Tally(NamedTuple):
    """The decisions of an agent in figures; whole numbers for agents that do not randomise.

    optimal: those that keep the value; fastest: those that also win as fast or lose as slowly as possible, None where
    plies are unknown; blunders: None in games of chance; mean_loss: points per decision, None without decisions.
    """

    decisions: int
    optimal: float
    fastest: float | None
    blunders: Blunders | None
    mean_loss: float | None

    @property
    def accuracy(self) -> float:
        """The share of decisions that are optimal; 1 where there are none."""
        return self.optimal / self.decisions if self.decisions else 1.0


def judged(choices: Choices, tolerance: float) -> Judged:
    """Judge every position; scores within the tolerance are equal."""
    size = len(choices.mover)
    loss, optimal, fastest = np.zeros((3, size))
    plies = np.zeros(size, np.int32)
    found = Judged(np.zeros(size, np.bool_), np.zeros(size), plies, loss, optimal, fastest, np.zeros((size, 3)))
    moves = (choices.mover <= 1) & (choices.first[1:] > choices.first[:-1])
    for begin in range(0, size, _AT_ONCE):
        find_decisions(choices, begin + np.flatnonzero(moves[begin : begin + _AT_ONCE]), tolerance, found)
        judge(choices, begin + np.flatnonzero(found.is_decision[begin : begin + _AT_ONCE]), tolerance, found)
    return found


def tally(choices: Choices, found: Judged, among: Flags, *, has_chance: bool) -> Tally:
    """Add up the decisions among these positions."""
    count = int if choices.is_deterministic else float
    numbers = np.flatnonzero(found.is_decision & among)
    lost = found.blunders[numbers].sum(axis=0)
    return Tally(
        len(numbers),
        count(found.optimal[numbers].sum()),
        count(found.fastest[numbers].sum()) if choices.has_plies else None,
        None if has_chance else Blunders(*(count(kind) for kind in lost)),
        float(found.loss[numbers].mean()) if len(numbers) else None,
    )


def find_decisions(choices: Choices, numbers: Ints, tolerance: float, found: Judged) -> None:
    """Mark the decisions among these positions, where a player moves, and fill in their best scores."""
    edges, place = choices.edges_of(numbers)
    begins = np.flatnonzero(np.diff(place, prepend=-1))
    side = _side(choices, numbers)
    own = side[place] * choices.score[edges]
    best, worst = np.maximum.reduceat(own, begins), np.minimum.reduceat(own, begins)
    resigned = choices.resigned[numbers]
    worst = np.where(resigned != 0, np.minimum(worst, side * resigned), worst)
    decides = best - worst > tolerance
    found.is_decision[numbers] = decides
    found.best[numbers[decides]] = best[decides]


def judge(choices: Choices, numbers: Ints, tolerance: float, found: Judged) -> None:
    """Fill in the judgement of these decisions: losses, optimal actions and blunders of the policy."""
    edges, place = choices.edges_of(numbers)
    best, shares, plies = found.best[numbers], choices.shares[edges], choices.plies[edges]
    own = _side(choices, numbers)[place] * choices.score[edges]
    is_optimal = own >= (best - tolerance)[place]
    found.plies[numbers] = best_lengths(np.where(is_optimal, plies, ENDLESS), best, place)
    is_fastest = is_optimal & ((best == 0)[place] | (plies == found.plies[numbers][place]))
    found.loss[numbers] = np.bincount(place, shares * (best[place] - own), len(numbers))
    found.optimal[numbers] = np.bincount(place, shares * is_optimal, len(numbers))
    found.fastest[numbers] = np.bincount(place, shares * is_fastest, len(numbers))
    found.blunders[numbers] = blunders(np.where(is_optimal, best[place], own), best, place, shares)
    resigned = np.flatnonzero(choices.resigned[numbers])
    given_up, had = (_side(choices, numbers) * choices.resigned[numbers])[resigned], best[resigned]
    found.loss[numbers[resigned]] = had - given_up
    found.blunders[numbers[resigned]] = blunders(given_up, had, np.arange(len(had)), np.ones(len(had)))


def _side(choices: Choices, numbers: Ints) -> Floats:
    """1 where player 0 moves, -1 where player 1 does."""
    return np.where(choices.mover[numbers] == 0, 1.0, -1.0)


def best_lengths(plies: Lengths, best: Floats, place: Ints) -> Lengths:
    """The plies of the fastest win, the slowest loss, or the fastest draw that ends, of those by action."""
    begins = np.flatnonzero(np.diff(place, prepend=-1))
    longest = np.maximum.reduceat(plies, begins)
    shortest = np.minimum.reduceat(np.where(plies == ENDLESS, np.iinfo(np.int32).max, plies), begins)
    return np.where((best < 0) | (longest == ENDLESS), longest, shortest)


def blunders(own: Floats, best: Floats, place: Ints, shares: Floats) -> Floats:
    """The shares of each kind of blunder in each position, from the scores of its actions and its best score."""
    before, after = np.sign(best)[place], np.sign(own)
    worse = after < before
    kinds = (3 * place + 1 - before - after)[worse].astype(np.int64)
    return np.asarray(np.bincount(kinds, shares[worse], 3 * len(best)), np.float64).reshape(-1, 3)
