"""A solution in memory: the exact value of every reachable position."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus import face
from ludus.compiled.compiling import helper, kernel
from ludus.compiled.masks import actions, is_empty
from ludus.compiled.rows import Row, borrowed
from ludus.errors import LudusError
from ludus.notebook import picture, shown, table, words
from ludus.solving.position_index import NOT_FOUND, Lookup, canonical_symmetry, find, position_at, swaps_sides
from ludus.solving.retrograde import ENDLESS
from ludus.solving.value import Value, sign

Scores = npt.NDArray[Any]  # int64, or float64 where chance plays


class Answers(NamedTuple):
    """The values of all positions of a lookup, as kernels read them."""

    lookup: Lookup
    score: Scores  # [positions]: for player 0
    plies: npt.NDArray[np.int32]  # [positions]: to the end, or ENDLESS


class Counts(NamedTuple):
    """The numbers of positions by their value for the side to move."""

    positions: int
    terminal: int
    wins: int
    losses: int
    draws: int
    longest: int | None  # plies of the longest forced win, if there is one


class Solution:
    """The values of all positions reachable from `start`; `gap` bounds the error where chance plays, else None."""

    method = "listed"

    def __init__(self, game: Any, start: Any, answers: Answers, gap: float | None = None) -> None:
        self.game, self.start, self.answers, self.gap = game, start, answers, gap

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
        margin = f" by {abs(value.score):g}" if abs(value.score) > 1 else ""
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


@kernel
def count_outcomes(game: Any, like: Any, answers: Answers, row: Row, totals: npt.NDArray[np.int64]) -> None:
    """Counts terminal, lost, drawn and won positions, for the side to move."""
    answers, row = borrowed(answers), borrowed(row)
    for number in range(len(answers.score)):
        pos = position_at(like, answers.lookup, number, row)
        score = answers.score[number] if game.player(pos) != 1 else -answers.score[number]
        totals[0] += is_empty(game.legal(pos))
        totals[2 + sign(score)] += 1
