"""What an agent does in every position that is judged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ludus.agents.asking import answers_in_turn, check_answers_alike, job_size, shares_of
from ludus.grading.choices import Choices


def ask(agent: Any, game: Any, choices: Choices, progress: Callable[[int, int], None] | None = None) -> None:
    """Fill in the shares of all actions where a player moves; an only action needs no asking."""
    counts = np.diff(choices.first)
    players = choices.mover <= 1
    choices.shares[choices.first[:-1][players & (counts == 1)]] = 1.0
    asked = np.flatnonzero(players & (counts > 1))
    check_answers_alike(agent, game, choices.positions[asked])
    size = job_size(len(asked))
    chunks = [asked[begin : begin + size] for begin in range(0, len(asked), size)]
    tables = answers_in_turn(agent, game, (choices.positions[chunk] for chunk in chunks))
    done = 0
    for chunk, table in zip(chunks, tables, strict=True):
        edges, place = choices.edges_of(chunk)
        given = table[place, choices.actions[edges]]
        choices.shares[edges] = shares_of(given, place, game, choices.positions[chunk])
        done += len(chunk)
        if progress:
            progress(done, len(asked))
