"""What an agent does in every position that is judged."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ludus.agents.agent import may_resign, score_of_resigning
from ludus.agents.asking import answers_in_turn, check_answers_alike, job_size, shares_of
from ludus.grading.choices import Choices, Ints


def ask(agent: Any, game: Any, choices: Choices, progress: Callable[[int, int], None] | None = None) -> None:
    """Fill in the shares of all actions where a player moves; an only action needs no asking, unless of who resigns."""
    counts, resigning = np.diff(choices.first), may_resign(agent)
    players = choices.mover <= 1
    choices.shares[choices.first[:-1][players & (counts == 1)]] = 1.0
    asked = np.flatnonzero(players & (counts > (0 if resigning else 1)))
    check_answers_alike(agent, game, choices.positions[asked])
    size = job_size(len(asked))
    chunks = [asked[begin : begin + size] for begin in range(0, len(asked), size)]
    tables = answers_in_turn(agent, game, (choices.positions[chunk] for chunk in chunks))
    done = 0
    for chunk, table in zip(chunks, tables, strict=True):
        edges, place = choices.edges_of(chunk)
        given = table[place, choices.actions[edges]]
        choices.shares[edges] = shares_of(given, place, game, choices.positions[chunk], resigning=resigning)
        _note_resigned(game, choices, chunk[np.bincount(place, choices.shares[edges], len(chunk)) == 0])
        done += len(chunk)
        if progress:
            progress(done, len(asked))


def _note_resigned(game: Any, choices: Choices, numbers: Ints) -> None:
    """Write down what resigning scores in these positions: never more than the worst action would."""
    for number in numbers:
        side = 1 if choices.mover[number] == 0 else -1
        worst = (side * choices.score[choices.first[number] : choices.first[number + 1]]).min()
        resigned = side * score_of_resigning(game, choices.position(game, number))
        choices.resigned[number] = side * min(resigned, math.floor(worst))
