"""The Mancala paper's example of adjusted weights, worked out by the learner's own rule."""

from __future__ import annotations

import numpy as np

from ludus.learning.move_weights import shift
from ludus.report.parts import Part, Results, Words
from ludus.study.papers.lab import Lab

_HOLES = range(1, 7)
_PLAYED = 4
_STEP = 0.7

_SHARING = (
    "What the hole played gains or loses is shared equally over the other holes that are not empty; none falls below"
    " nothing, and what one cannot give is taken from the others. The example: hole 4 is played, by 70 %."
)
_WHY = "The paper says what the weights might look like; by its own rule hole 5 has less to give than its share"


def equal_sharing(lab: Lab) -> list[Part]:
    """The example, won and lost, beside what the paper says."""
    before = np.array([lab.number(f"before-{hole}").value for hole in _HOLES])
    mask = sum(1 << place for place, weight in enumerate(before) if weight)
    results = []
    for word, step in (("won", _STEP), ("lost", -_STEP)):
        weights = before.copy()
        shift(weights, mask, _PLAYED - 1, step)
        results += [
            lab.result(f"hole {hole} after the game is {word}", f"{word}-{hole}", [float(weights[hole - 1])], _WHY)
            for hole in _HOLES
        ]
    return [Words(_SHARING), Results("update", results)]
