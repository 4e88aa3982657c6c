"""What an agent may choose from, and what each choice is worth: the ground that all of a grade stands on."""

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
    """Positions, one a row, and their legal actions one after another.

    first: where the actions of each position begin, and at last where they end; mover: as in `Graph`; score (for player
    0) and plies (counted from the position, ENDLESS where they are not) of each action under perfect play; shares: how
    likely the agent takes it, 0 where no player moves; resigned: the score (for player 0) where the agent resigns, 0
    where it does not.
    """

    positions: Row
    first: Ints
    mover: npt.NDArray[np.int8]
    actions: Actions
    score: Floats
    plies: Lengths
    shares: Floats
    resigned: Ints

    @property
    def is_deterministic(self) -> bool:
        """Whether the agent never leaves anything to its dice."""
        return bool(((self.shares == 0.0) | (self.shares == 1.0)).all())

    @property
    def has_plies(self) -> bool:
        """Whether it is known how long every win and loss takes."""
        return not ((self.score != 0) & (self.plies == ENDLESS)).any()

    def position(self, game: Any, number: int) -> Any:
        """The position in a row, as the game knows it."""
        return unpack(game.start(), self.positions[number])

    def edges_of(self, numbers: Ints) -> tuple[Ints, Ints]:
        """Where the actions of these positions are, and at which place in `numbers` the position of each is."""
        counts = self.first[numbers + 1] - self.first[numbers]
        place = np.repeat(np.arange(len(numbers)), counts)
        ends = np.cumsum(counts)
        return np.arange(len(place)) - (ends - counts)[place] + self.first[numbers][place], place


def listed_choices(explored: Explored, solution: Solution) -> Choices:
    """All positions of a game with the values that a solution gives them; nothing is shared out yet."""
    graph, answers, size = explored.graph, solution.answers, len(explored)
    score, plies = np.zeros(size), np.zeros(size, np.int32)
    actions = np.zeros(len(graph.targets), np.int32)
    row, key = np.zeros(len(explored.start), np.int64), np.zeros(answers.lookup.words.shape[1], np.int64)
    found = annotate(
        explored.game, explored.start, explored.positions, answers, row, key, score, plies, graph.first, actions
    )
    if found < size:
        raise LudusError("the solution does not hold all positions of this game; solve it from the same start")
    after = plies[graph.targets]
    lengths = np.where(after == ENDLESS, ENDLESS, after + 1).astype(np.int32)
    worths = score[graph.targets], lengths, np.zeros(len(actions)), np.zeros(size, np.int64)
    return Choices(explored.positions, graph.first, graph.mover, actions, *worths)


@kernel
def annotate(
    game: Any,
    like: Any,
    positions: Row,
    answers: Answers,
    row: Row,
    key: Row,
    score: Floats,
    plies: Lengths,
    begins: Ints,
    actions: Actions,
) -> int:
    """Write down the value of every position and the legal actions in it; how many positions were found in a row."""
    for number in range(len(positions)):
        pos = unpack(like, positions[number])
        place = find(answers.lookup, game, pos, row, key)
        if place == NOT_FOUND:
            return number
        score[number] = score_of(game, pos, answers, place)
        plies[number] = answers.plies[place]
        edge, mask = begins[number], game.legal(pos)
        while not is_empty(mask):
            actions[edge] = first(mask)
            mask = without_first(mask)
            edge += 1
    return len(positions)


Flags = npt.NDArray[np.bool_]


RESIGNS = "resigns"  # in place of the name of an action


class Judged(NamedTuple):
    """For each position: whether it is a decision, and if so, what perfect play and the agent make of it.

    best: the score for the mover; plies: of perfect play; loss: the points that the agent gives away on average;
    optimal: the probability that it keeps the value; fastest: and the plies; blunders: the probabilities of win to
    draw, win to loss, draw to loss.
    """

    is_decision: Flags
    best: Floats
    plies: Lengths
    loss: Floats
    optimal: Floats
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

    @property
    def accuracy(self) -> float:
        """The share of decisions that are optimal; 1 where there are none."""
        return self.optimal / self.decisions if self.decisions else 1.0


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
        count(found.optimal[numbers].sum()),
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
            found.optimal[number] += share
            if best == 0 or choices.plies[edge] == found.plies[number]:
                found.fastest[number] += share
        elif sign(own) < sign(best):
            found.blunders[number, 1 - sign(own) - sign(best)] += share
