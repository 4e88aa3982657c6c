"""A solution in memory: the exact value of every reachable position, and its verification by one-step lookahead."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus import face
from ludus.compiled.compiling import helper, kernel
from ludus.compiled.masks import actions, first, is_empty, without_first
from ludus.compiled.rows import Row, borrowed
from ludus.documents import Count
from ludus.errors import LudusError
from ludus.game import CHANCE, odds
from ludus.notebook import picture, shown, table, words
from ludus.solving.explore import Explored
from ludus.solving.position_index import NOT_FOUND, Lookup, canonical_symmetry, find, position_at, swaps_sides
from ludus.solving.retrograde import ENDLESS
from ludus.solving.value import Value, sign

Scores = npt.NDArray[Any]  # int64, or float64 where chance plays
_STEP = 1 << 18  # positions between two checks for an interrupt
_ROUNDING = 1e-9


class Answers(NamedTuple):
    """The values of all positions of a lookup, as kernels read them."""

    lookup: Lookup
    score: Scores  # [positions]: for player 0
    plies: npt.NDArray[np.int32]  # [positions]: to the end, or ENDLESS


class Counts(NamedTuple):
    """The numbers of positions by their value for the side to move."""

    positions: Count
    terminal: Count
    wins: Count
    losses: Count
    draws: Count
    longest: Count | None  # plies of the longest forced win, if there is one


class Solution:
    """The values of all positions reachable from `start`; `gap` bounds the error where chance plays, else None.

    explored: the graph of these positions in the same order, where it is kept.
    """

    method = "listed"

    def __init__(
        self, game: Any, start: Any, answers: Answers, gap: float | None = None, explored: Explored | None = None
    ) -> None:
        self.game, self.start, self.answers, self.gap, self.explored = game, start, answers, gap, explored

    def __len__(self) -> int:
        return len(self.answers.score)

    @property
    def symmetric(self) -> bool:
        """Whether a position stands for all its images under symmetry."""
        return bool(self.answers.lookup.symmetric)

    def __contains__(self, pos: Any) -> bool:
        return self._find(pos) != NOT_FOUND

    def _find(self, pos: Any) -> int:
        lookup = self.answers.lookup
        row, key = np.zeros(len(pos), np.int64), np.zeros(lookup.words.shape[1], np.int64)
        return int(find(lookup, self.game, pos, row, key))

    def number(self, pos: Any) -> int:
        """The index of a position; raises LudusError if it cannot be reached."""
        number = self._find(pos)
        if number == NOT_FOUND:
            raise LudusError(f"{face.format_position(self.game, pos)} cannot be reached from where this was solved")
        return number

    def value(self, pos: Any) -> Value:
        """The value of a position under perfect play."""
        return value_of(self.game, pos, self.answers, self.number(pos), self.gap is not None)

    def actions(self, pos: Any) -> dict[int, Value]:
        """The value of each legal action, its plies counted from here."""
        return {action: after(self.value(self.game.play(pos, action))) for action in actions(self.game.legal(pos))}

    @property
    def positions(self) -> Row:
        """The fields of each position."""
        return self.answers.lookup.rows

    def counts(self) -> Counts:
        """Counts positions by value; expected scores count by sign, for player 0 where chance moves."""
        totals = np.zeros(4, np.int64)
        count_outcomes(self.game, self.start, self.answers, np.zeros(len(self.start), np.int64), totals)
        terminal, losses, draws, wins = (int(total) for total in totals)
        forced = self.answers.plies[self.answers.score != 0]
        longest = int(forced.max()) if self.gap is None and len(forced) else None
        return Counts(len(self), terminal, wins, losses, draws, longest)

    def _repr_html_(self) -> str:
        game, pos, values = self.game, self.start, self.actions(self.start)
        player = 1 if game.player(pos) == 1 else 0
        best_first = sorted(face.menu(game, pos), key=lambda entry: values[entry[0]].score, reverse=player == 0)
        rows = [(name, self._in_words(values[action], player)) for action, name in best_first]
        who = face.players(game)[player]
        counts = self.counts()._asdict().items()
        return shown(
            f"{type(game).__name__}: {who}, {self._in_words(self.value(pos), player)}",
            picture(face.draw(game, pos).svg),
            table(("action", f"value for {who}"), rows),
            words(", ".join(f"{name} {number:,}" for name, number in counts if number is not None)),
        )

    def _in_words(self, value: Value, player: int) -> str:
        if self.gap is not None:
            return f"{value.score if player == 0 else -value.score:+.4f}"
        plies = "" if value.plies is None else f" in {value.plies}"
        margin = f" by {abs(value.score):.16g}" if abs(value.score) > 1 else ""
        return f"{value.outcome(player)}{margin}{plies}"


def value_of(game: Any, pos: Any, answers: Answers, number: int, has_chance: bool) -> Value:
    """The value of the position of an index, from the point of view of `pos` itself."""
    score = score_of(game, pos, answers, number)
    if has_chance:
        return Value(float(score))
    plies = int(answers.plies[number])
    return Value(int(score), None if plies == ENDLESS else plies)


@helper
def score_of(game: Any, pos: Any, answers: Answers, number: int) -> Any:
    """The score of the position of an index, negated if a symmetry exchanges the players."""
    if answers.lookup.symmetric and swaps_sides(game, canonical_symmetry(game, pos)):
        return -answers.score[number]
    return answers.score[number]


def after(value: Value) -> Value:
    """The value one ply earlier."""
    return value if value.plies is None else value._replace(plies=value.plies + 1)


@kernel(work=lambda game, like, answers, row, totals: 20 * len(answers.score))
def count_outcomes(game: Any, like: Any, answers: Answers, row: Row, totals: npt.NDArray[np.int64]) -> None:
    """Counts positions for the side to move; totals [(terminal, lost, drawn, won)]."""
    answers, row = borrowed(answers), borrowed(row)
    for number in range(len(answers.score)):
        pos = position_at(like, answers.lookup, number, row)
        score = answers.score[number] if game.player(pos) != 1 else -answers.score[number]
        totals[0] += is_empty(game.legal(pos))
        totals[2 + sign(score)] += 1


# ---- verification ----
#
# It proves forced results, by induction over margin and plies, and draws, because no side has an action that leaves the
# draws in its favour. Expected scores are checked for consistency within the gap; with chance and loops it is no proof.


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


@kernel(work=lambda game, like, answers, row, key, begin, end: 300 * (end - begin))
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
        elif score == best:
            length = length_of_both(score, length, plies)
        mask = without_first(mask)
    return True, best, length


@helper
def length_of_both(score: float, one: int, other: int) -> int:
    """The plies of the better of two actions of the same score: the longer loss, else the shortest that ends."""
    longer = score < 0 or one == ENDLESS or other == ENDLESS
    return max(one, other) if longer else min(one, other)


@kernel(work=lambda game, like, answers, row, key, begin, end, tolerance: 300 * (end - begin))
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
