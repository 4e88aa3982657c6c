"""Verifies a solution by one-step lookahead: each value must follow from its successors' values.

This proves forced results, by induction over margin and plies, and draws, because no side has an action that leaves the
draws in its favour. Expected scores are checked to be consistent within the gap; where chance and loops meet, that
alone proves nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus import face
from ludus.compiled.compiling import helper, kernel
from ludus.compiled.masks import first, is_empty, without_first
from ludus.compiled.rows import Row, borrowed
from ludus.errors import LudusError
from ludus.game import CHANCE, odds
from ludus.solving.position_index import NOT_FOUND, find, position_at
from ludus.solving.retrograde import ENDLESS
from ludus.solving.solution import Answers, Solution, score_of

_STEP = 1 << 18  # positions between two checks for an interrupt
_ROUNDING = 1e-9


def verify(solution: Solution, progress: Any = None) -> None:
    """Raises LudusError that names the first position whose value does not follow from its successors."""
    solution.number(solution.start)
    game, like, answers = solution.game, solution.start, solution.answers
    row, key = np.zeros(len(like), np.int64), np.zeros(answers.lookup.words.shape[1], np.int64)
    for begin in range(0, len(solution), _STEP):
        end = min(len(solution), begin + _STEP)
        if solution.gap is None:
            wrong = first_wrong(game, like, answers, row, key, begin, end)
        else:
            wrong = first_unexpected(game, like, answers, row, key, begin, end, solution.gap + _ROUNDING)
        if wrong < end:
            words = face.format_position(game, position_at(like, answers.lookup, wrong, row))
            raise LudusError(f"the solution is wrong: the value of {words} does not follow from its successors")
        if progress:
            progress(end)


@kernel
def first_wrong(game: Any, like: Any, answers: Answers, row: Row, key: Row, begin: int, end: int) -> int:
    """The first of the positions begin .. end-1 whose score or plies do not follow, or `end`."""
    answers, row, key = borrowed(answers), borrowed(row), borrowed(key)
    for number in range(begin, end):
        pos = position_at(like, answers.lookup, number, row)
        score, plies = answers.score[number], answers.plies[number]
        if is_empty(game.legal(pos)):
            follows = score == game.score(pos) and plies == 0
        else:
            found, best, length = _best_successor(game, pos, answers, row, key)
            best = best if game.player(pos) == 0 else -best
            follows = found and score == best and plies == (ENDLESS if length == ENDLESS else length + 1)
            follows = follows and (score == 0 or plies != ENDLESS)
        if not follows:
            return number
    return end


@helper
def _best_successor(game: Any, pos: Any, answers: Answers, row: Row, key: Row) -> tuple[bool, int, int]:
    """Whether all successors are found, and the score for the mover and the plies of the best one."""
    best, length = -(1 << 62), 0
    mask = game.legal(pos)
    while not is_empty(mask):
        after = game.play(pos, first(mask))
        place = find(answers.lookup, game, after, row, key)
        if place == NOT_FOUND:
            return False, 0, 0
        score = score_of(game, after, answers, place)
        score = score if game.player(pos) == 0 else -score
        plies = answers.plies[place]
        if score > best:
            best, length = score, plies
        elif score == best:  # the longer loss, else the shortest that ends
            longer = score < 0 or length == ENDLESS or plies == ENDLESS
            length = max(length, plies) if longer else min(length, plies)
        mask = without_first(mask)
    return True, best, length


@kernel
def first_unexpected(
    game: Any, like: Any, answers: Answers, row: Row, key: Row, begin: int, end: int, tolerance: float
) -> int:
    """The first of the positions begin .. end-1 whose expected score does not follow within a tolerance, or `end`."""
    answers, row, key = borrowed(answers), borrowed(row), borrowed(key)
    for number in range(begin, end):
        pos = position_at(like, answers.lookup, number, row)
        mask = game.legal(pos)
        if is_empty(mask):
            if answers.score[number] != game.score(pos):
                return number
            continue
        player = game.player(pos)
        total, weights, best = 0.0, 0.0, -np.inf
        while not is_empty(mask):
            child = game.play(pos, first(mask))
            place = find(answers.lookup, game, child, row, key)
            if place == NOT_FOUND:
                return number
            score = score_of(game, child, answers, place)
            weight = odds(game, pos, first(mask)) if player == CHANCE else 1
            total, weights = total + weight * score, weights + weight
            best = max(best, -score if player == 1 else score)
            mask = without_first(mask)
        expected = total / weights if player == CHANCE else -best if player == 1 else best
        if abs(answers.score[number] - expected) > tolerance:
            return number
    return end
