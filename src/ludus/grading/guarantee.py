"""The result that an agent is guaranteed in a seat against every opponent, and the line of a best response."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus import face
from ludus.grading.decisions import Choices, Flags
from ludus.solving.best_response import Play, best_response
from ludus.solving.explore import ENDED, Graph
from ludus.solving.value import Value


class Guarantee(NamedTuple):
    """The result against a best response.

    result: win, draw or loss, None where chance or the agent's own dice decide; score: for the agent, expected where
    the result is None; gap: an upper bound on the error of an expected score, which is never too high; plies: to the
    end, None where play is endless or dice decide; endless: whether play never ends, None where dice decide;
    worst_case: the result if the agent's own dice fall as badly as they can, None where the game has chance; line: the
    actions by name; repeats_from: the place in the line that its last action returns to, if any; resigns: whether the
    agent resigns at the end of the line.
    """

    result: str | None
    score: float
    gap: float | None
    plies: int | None
    endless: bool | None
    worst_case: str | None
    line: tuple[str, ...]
    repeats_from: int | None
    resigns: bool

    @property
    def in_words(self) -> str:
        """The result, or the expected score where there is none."""
        return self.result or f"an expected score of {self.score:+.4f}"


def guarantee(game: Any, graph: Graph, choices: Choices, seat: int, play: Play) -> Guarantee:
    """The guarantee of the agent as this player; `play` holds the positions that can arise then."""
    resigned = (choices.mover == seat) & (choices.resigned != 0)
    response = best_response(_over_where(resigned, graph, choices), choices.shares, seat, play)
    last = graph.targets[response.line[-1]] if response.line else 0
    return Guarantee(
        _outcome(response.score) if response.gap is None else None,
        response.score,
        response.gap,
        response.plies,
        response.endless,
        None if response.worst_case is None else _outcome(response.worst_case),
        tuple(_name(game, choices, edge) for edge in response.line),
        response.repeats_from,
        bool(resigned[last]),
    )


def _over_where(resigned: Flags, graph: Graph, choices: Choices) -> Graph:
    """The same game, over where the agent resigns."""
    if not resigned.any():
        return graph
    mover, score = graph.mover.copy(), graph.score.copy()
    mover[resigned], score[resigned] = ENDED, choices.resigned[resigned]
    return graph._replace(mover=mover, score=score)


def _outcome(score: float) -> str:
    return Value(score).outcome(0)


def _name(game: Any, choices: Choices, edge: int) -> str:
    number = int(np.searchsorted(choices.first, edge, side="right")) - 1
    return face.action_name(game, choices.position(game, number), int(choices.actions[edge]))
