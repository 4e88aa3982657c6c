"""What an agent is sure of in a seat, whoever the opponent, and the line that holds it to that."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludus import face
from ludus.grading.decisions import Choices, Flags
from ludus.solving.best_response import Play, best_response
from ludus.solving.explore import ENDED, Graph
from ludus.solving.value import Value


class Guarantee(NamedTuple):
    """The result against the best possible opponent.

    result: win, draw or loss, or the expected score where chance or the agent's dice have a part; score: for the agent;
    gap: by how much an expected score may be better than told; plies: to the end, None where play is endless or that
    depends on dice; endless: whether it is a draw because play never ends, None where that depends on dice; sure: the
    result if the agent's dice, too, fall as badly as they can, None where the game has chance; line: the actions by
    name; repeats_from: the place in the line to which its last action leads back, if it does; resigns: whether the
    agent resigns at the end of the line.
    """

    result: str | float
    score: float
    gap: float | None
    plies: int | None
    endless: bool | None
    sure: str | None
    line: tuple[str, ...]
    repeats_from: int | None
    resigns: bool


def guarantee(game: Any, graph: Graph, choices: Choices, seat: int, play: Play) -> Guarantee:
    """What the agent is sure of as this player; the play is what can arise then."""
    resigned = (choices.mover == seat) & (choices.resigned != 0)
    response = best_response(_over_where(resigned, graph, choices), choices.shares, seat, play)
    last = graph.targets[response.line[-1]] if response.line else 0
    return Guarantee(
        _outcome(response.score) if response.gap is None else response.score,
        response.score,
        response.gap,
        response.plies,
        response.endless,
        None if response.sure is None else _outcome(response.sure),
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
