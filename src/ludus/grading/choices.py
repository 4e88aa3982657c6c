"""What an agent may choose from, and what each choice is worth: the ground that all of a grade stands on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus.compiling import kernel
from ludus.errors import LudusError
from ludus.masks import first, is_empty, without_first
from ludus.rows import Row, unpack
from ludus.solving.explore import Explored
from ludus.solving.lookup import NOT_LISTED, find
from ludus.solving.retrograde import ENDLESS
from ludus.solving.solution import Answers, Solution, score_of

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
        if place == NOT_LISTED:
            return number
        score[number] = score_of(game, pos, answers, place)
        plies[number] = answers.plies[place]
        edge, mask = begins[number], game.legal(pos)
        while not is_empty(mask):
            actions[edge] = first(mask)
            mask = without_first(mask)
            edge += 1
    return len(positions)
