"""Puzzles: positions in which exactly one action keeps the win, from easy to hard.

Difficulty is the number of simulations that MCTS needs to find the action, the median of some runs.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from statistics import median_low
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus import face
from ludus.agents.mcts import simulations_until
from ludus.agents.simple import SmartRandom
from ludus.compiled.compiling import helper, kernel
from ludus.compiled.masks import first, is_empty, without_first
from ludus.compiled.rows import Row, unpack
from ludus.errors import LudusError
from ludus.game import CHANCE, transform
from ludus.grading.sample import sampled_positions
from ludus.machine import run_in_threads
from ludus.solving.explore import explore
from ludus.solving.position_index import NOT_FOUND, canonical_symmetry, find, position_at
from ludus.solving.solution import Answers, Solution, score_of
from ludus.solving.solver import Progress, Searched, TooCostlyError, solve
from ludus.solving.tablebases.tablebase import Tablebase
from ludus.solving.value import Value

MOST_SIMULATIONS = 10_000  # more is as hard as it gets
_GLANCE = 1000  # positions checked for chance before solving
_RANKED = 200  # puzzles from which the result is chosen
_RUNS = 5  # of MCTS for each
_RANKED_IF_SEARCHED = 16  # in a game too large to enumerate:
_PLAYED = 1000  # positions that may be searched,
_NODES_EACH = 1 << 18  # nodes that each,
_MOST_NODES = 1 << 26  # and that all of them may take


class Puzzle(NamedTuple):
    """A position and the one action that keeps the win."""

    position: Any
    action: int  # the lowest of those with one name that lead to one position
    plies: int | None  # to the win; None where a search does not count them
    simulations: int  # from which on MCTS takes it; above MOST_SIMULATIONS if those do not suffice
    values: dict[int, Value]  # of each action


def find_puzzles(game: Any, count: int = 10, *, seed: int = 0, progress: Progress | None = None) -> list[Puzzle]:
    """`count` puzzles from easy to hard, or all there are; the same seed gives the same ones.

    They are drawn from all positions, or from play in a game too large to enumerate, no two equal up to symmetry.
    """
    glance = (unpack(game.start(), row) for row in explore(game, limit=_GLANCE).positions[:_GLANCE])
    has_chance = any(game.player(pos) == CHANCE and not is_empty(game.legal(pos)) for pos in glance)
    truth = None if has_chance else solve(game, progress=progress)
    if isinstance(truth, Searched | Tablebase):
        found, enough = _played(truth, seed, progress), _RANKED_IF_SEARCHED
    elif truth is not None and truth.gap is None:
        found, enough = _enumerated(truth, seed), _RANKED
    else:
        raise LudusError("there are no puzzles in a game of chance: a win is hardly ever forced")
    ranked = _ranked(game, islice(_unlike(game, found), max(enough, count)), seed, progress)
    return [ranked[place] for place in spread([puzzle.simulations for puzzle in ranked], count)]


# ---- finding ----

Found = tuple[Any, dict[int, Value]]  # a position, and the values of its actions


def _enumerated(solution: Solution, seed: int) -> Iterator[Found]:
    """All puzzles of a solution, shuffled."""
    lookup, row = solution.answers.lookup, np.zeros(len(solution.start), np.int64)
    for number in np.random.default_rng(seed).permutation(puzzle_numbers(solution)):
        pos = position_at(solution.start, lookup, number, row)
        yield pos, solution.actions(pos)


def _played(truth: Searched | Tablebase, seed: int, progress: Progress | None) -> Iterator[Found]:
    """Puzzles in the play of agents that look one ply ahead, until the search has taken long enough."""
    on_progress = progress and partial(progress, "sampling")
    for pos in sampled_positions(SmartRandom(), truth.game, _PLAYED, seed, on_progress):
        if truth.nodes > _MOST_NODES:
            return
        try:
            with truth.within(_NODES_EACH):
                is_won = truth.value(pos).outcome(truth.game.player(pos)) == "win"
                values = truth.actions(pos) if is_won else {}
        except TooCostlyError:
            continue
        if only_wins(truth.game, pos, values):
            yield pos, values


def _unlike(game: Any, found: Iterable[Found]) -> Iterator[Found]:
    """The same without images of earlier ones under symmetry."""
    seen = set()
    for pos, values in found:
        image = transform(game, pos, canonical_symmetry(game, pos))
        if image not in seen:
            seen.add(image)
            yield pos, values


def only_wins(game: Any, pos: Any, values: dict[int, Value]) -> list[int]:
    """The winning actions if all lead to one position and have one name, and other actions do not win, else none."""
    player = game.player(pos)
    wins = [action for action, value in values.items() if value.outcome(player) == "win"]
    different = {(game.play(pos, action), face.action_name(game, pos, action)) for action in wins}
    return wins if len(wins) < len(values) and len(different) == 1 else []


def puzzle_numbers(solution: Solution) -> npt.NDArray[np.int64]:
    """The indices of the puzzles among the positions of a solution without symmetry."""
    answers, wins = solution.answers, np.zeros(len(solution), np.int64)
    row, key = np.zeros(len(solution.start), np.int64), np.zeros(answers.lookup.words.shape[1], np.int64)
    count_wins(solution.game, solution.start, answers, row, key, wins)
    for number in np.flatnonzero(wins > 1):  # their names are not for kernels
        pos = position_at(solution.start, answers.lookup, int(number), row)
        wins[number] = len(only_wins(solution.game, pos, solution.actions(pos)))
    return np.flatnonzero(wins)


@kernel
def count_wins(game: Any, like: Any, answers: Answers, row: Row, key: Row, wins: npt.NDArray[np.int64]) -> None:
    """Counts wins [positions]: winning actions where exactly one successor, and not every action, wins."""
    for number in range(len(wins)):
        if answers.score[number] != 0:
            pos = position_at(like, answers.lookup, number, row)
            wins[number] = only_successor_wins(game, pos, answers, row, key)


@helper
def only_successor_wins(game: Any, pos: Any, answers: Answers, row: Row, key: Row) -> int:
    """The number of actions that win for the side to move; 0 unless all lead to one position and others do not win."""
    side = 1 if game.player(pos) == 0 else -1
    only, wins, others = NOT_FOUND, 0, False
    left = game.legal(pos)
    while not is_empty(left):
        after = game.play(pos, first(left))
        number = find(answers.lookup, game, after, row, key)
        if side * score_of(game, after, answers, number) <= 0:
            others = True
        elif only not in (NOT_FOUND, number):
            return 0
        else:
            only = number
            wins += 1
        left = without_first(left)
    return wins if others else 0


# ---- difficulty ----


def _ranked(game: Any, found: Iterable[Found], seed: int, progress: Progress | None) -> list[Puzzle]:
    """The puzzles with their simulations, the easiest first."""
    posed = list(found)
    puzzles = []
    for puzzle in run_in_threads(partial(_measured, game, pos, values, seed) for pos, values in posed):
        puzzles.append(puzzle)
        if progress:
            progress("ranking", len(puzzles), len(posed))
    return sorted(puzzles, key=lambda puzzle: (puzzle.simulations, puzzle.plies or 0))


def _measured(game: Any, pos: Any, values: dict[int, Value], seed: int) -> Puzzle:
    """A puzzle with the simulations that find its action."""
    wins = only_wins(game, pos, values)
    runs = range(seed * _RUNS, (seed + 1) * _RUNS)
    simulations = [min(simulations_until(game, pos, action, MOST_SIMULATIONS, run) for action in wins) for run in runs]
    return Puzzle(pos, wins[0], values[wins[0]].plies, median_low(simulations), values)


def spread(sizes: Sequence[int], count: int) -> list[int]:
    """The places of `count` of these ascending sizes, or of all, each larger by about the same factor."""
    if not sizes:
        return []
    places: list[int] = []
    left = min(count, len(sizes))
    for size in np.geomspace(sizes[0], sizes[-1], left):
        earliest, latest = places[-1] + 1 if places else 0, len(sizes) - left
        places.append(min(max(bisect_left(sizes, size), earliest), latest))
        left -= 1
    return places
