"""The actions that an agent may choose in each position, their values, and how its choices are judged."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import helper, kernel
from ludus.compiled.masks import first, is_empty, without_first
from ludus.compiled.rows import Row, unpack
from ludus.errors import LudusError
from ludus.solving.explore import Explored
from ludus.solving.position_index import NOT_FOUND, find
from ludus.solving.retrograde import ENDLESS
from ludus.solving.solution import Answers, Solution, score_of
from ludus.solving.value import sign

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
    graph, answers, size = explored.graph, solution.answers, len(explored)
    found = _Annotated(np.zeros(size), np.zeros(size, np.int32), np.zeros(len(graph.targets), np.int32))
    if annotate(explored.game, explored.start, explored.positions, answers, graph.first, found) < size:
        raise LudusError("the solution does not hold all positions of this game; solve it from the same start")
    after = found.plies[graph.targets]
    lengths = np.where(after == ENDLESS, ENDLESS, after + 1).astype(np.int32)
    values = found.score[graph.targets], lengths, np.zeros(len(after)), np.zeros(size, np.int64)
    return Choices(explored.positions, graph.first, graph.mover, found.actions, *values)


class _Annotated(NamedTuple):
    score: Floats  # [positions]
    plies: Lengths  # [positions]
    actions: Actions  # [edges]


@kernel
def annotate(game: Any, like: Any, positions: Row, answers: Answers, begins: Ints, found: _Annotated) -> int:
    """Fill in values and legal actions of positions; begins [positions + 1]; returns how many the solution holds."""
    row, key = np.zeros(len(like), np.int64), np.zeros(answers.lookup.words.shape[1], np.int64)
    for number in range(len(positions)):
        pos = unpack(like, positions[number])
        place = find(answers.lookup, game, pos, row, key)
        if place == NOT_FOUND:
            return number
        found.score[number] = score_of(game, pos, answers, place)
        found.plies[number] = answers.plies[place]
        edge, mask = begins[number], game.legal(pos)
        while not is_empty(mask):
            found.actions[edge] = first(mask)
            mask = without_first(mask)
            edge += 1
    return len(positions)


Flags = npt.NDArray[np.bool_]
RESIGNS = "resigns"  # in place of the name of an action


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
    judge(choices, tolerance, found)
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


@kernel
def judge(choices: Choices, tolerance: float, found: Judged) -> None:
    """Fill in the judgement of every decision."""
    for number in range(len(choices.mover)):
        if choices.mover[number] > 1:
            continue
        best, worst = extremes(choices, number)
        if best - worst > tolerance:
            found.is_decision[number] = True
            found.best[number] = best
            found.plies[number] = best_length(choices, number, best, tolerance)
            add_up(choices, number, tolerance, found)


@helper
def value_of(choices: Choices, number: int, edge: int) -> float:
    """The score of an action for the side to move."""
    score: float = choices.score[edge]
    return score if choices.mover[number] == 0 else -score


@helper
def value_of_resigning(choices: Choices, number: int) -> int:
    """The score of resigning for the side to move; 0 where the agent does not."""
    score: int = choices.resigned[number]
    return score if choices.mover[number] == 0 else -score


@helper
def extremes(choices: Choices, number: int) -> tuple[float, float]:
    """The scores of the best and of the worst action, resigning included where the agent does."""
    best, worst = -np.inf, np.inf
    if choices.resigned[number] != 0:
        worst = float(value_of_resigning(choices, number))
    for edge in range(choices.first[number], choices.first[number + 1]):
        best = max(best, value_of(choices, number, edge))
        worst = min(worst, value_of(choices, number, edge))
    return best, worst


@helper
def best_length(choices: Choices, number: int, best: float, tolerance: float) -> int:
    """The plies of the fastest win, the slowest loss, or the fastest draw that ends."""
    length = ENDLESS
    for edge in range(choices.first[number], choices.first[number + 1]):
        plies = choices.plies[edge]
        if value_of(choices, number, edge) < best - tolerance or plies == ENDLESS:
            continue
        if length == ENDLESS or (plies > length if best < 0 else plies < length):
            length = plies
    return length


@helper
def add_up(choices: Choices, number: int, tolerance: float, found: Judged) -> None:
    """Add up the losses, optimal actions and blunders of the policy."""
    best = found.best[number]
    if choices.resigned[number] != 0:
        own = float(value_of_resigning(choices, number))
        found.loss[number] = best - own
        if sign(own) < sign(best):
            found.blunders[number, 1 - sign(own) - sign(best)] = 1.0
        return
    for edge in range(choices.first[number], choices.first[number + 1]):
        share, own = choices.shares[edge], value_of(choices, number, edge)
        found.loss[number] += share * (best - own)
        if own >= best - tolerance:
            found.optimal[number] += share
            if best == 0 or choices.plies[edge] == found.plies[number]:
                found.fastest[number] += share
        elif sign(own) < sign(best):
            found.blunders[number, 1 - sign(own) - sign(best)] += share
