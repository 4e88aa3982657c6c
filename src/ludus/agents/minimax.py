"""The agent `minimax`: alpha-beta search to a fixed depth."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ludus.agents.agent import Probabilities
from ludus.compiled.compiling import helper, kernel
from ludus.compiled.masks import actions, count, first, is_empty, without_first
from ludus.compiled.rows import Row, pack, unpack
from ludus.game import CHANCE, banked, num_actions, odds

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]

# The line of play under search, a row a ply: positions, their actions, and the columns below.
Line: TypeAlias = tuple[Row, Ints, Ints, Floats]
_PLAYER, _SIZE, _DONE = range(3)  # player to move, actions, actions done
_LOW, _HIGH, _VALUE, _WEIGHT = range(4)  # the window, the value so far, the odds of CHANCE so far
MOST_PLIES = 1000  # of the deepest search
_A_PLY = 2.0**-20  # the cost of a ply for the winner
_ALIKE = _A_PLY / 4  # values nearer than this are the same


class Minimax(NamedTuple):
    """Full-width search to `depth` plies: any of the best actions.

    Lines that do not end there count their banked points. Among equal scores the shorter win and the longer loss are
    better. CHANCE counts by its odds.
    """

    depth: int = 4

    def validate(self) -> None:
        """Depth 1 sees the own action."""
        if not 1 <= self.depth <= MOST_PLIES:
            raise ValueError(f"depth must be 1 to {MOST_PLIES}, not {self.depth}")

    def work(self, game: Any) -> float:
        """Microseconds of a policy in plain Python."""
        return _work(num_actions(game), self.depth)

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """Uniform over the best actions; nothing where the game is over."""
        share_among_best(game, pos, self.depth, out)

    def evaluation(self, game: Any, pos: Any) -> dict[int, float]:
        """The score of each action for the player to move, minus a little per ply to a win."""
        values = np.zeros(num_actions(game))
        weigh_actions(game, pos, self.depth, values)
        return {action: float(values[action]) for action in actions(game.legal(pos))}


def _work(branching: int, depth: int) -> float:
    """Microseconds of a search in plain Python."""
    return float(10 * min(branching, 1000) ** min(depth, 20))


@kernel(work=lambda game, pos, depth, out: _work(count(game.legal(pos)), depth))
def share_among_best(game: Any, pos: Any, depth: int, out: Probabilities) -> None:
    """Write equal probabilities for the best actions."""
    line = new_line(game, pos, depth)
    best = -math.inf
    for action in range(len(out)):
        out[action] = -math.inf
    left = game.legal(pos)
    while not is_empty(left):
        out[first(left)] = action_value(game, pos, first(left), line, best - _ALIKE)
        best = max(best, out[first(left)])
        left = without_first(left)
    alike = 0
    for action in range(len(out)):
        alike += out[action] > best - _ALIKE
    for action in range(len(out)):
        out[action] = 1.0 / alike if out[action] > best - _ALIKE else 0.0


@kernel(work=lambda game, pos, depth, values: _work(count(game.legal(pos)), depth))
def weigh_actions(game: Any, pos: Any, depth: int, values: Floats) -> None:
    """Write the value of each legal action for the player to move; values [actions]."""
    line = new_line(game, pos, depth)
    left = game.legal(pos)
    while not is_empty(left):
        values[first(left)] = action_value(game, pos, first(left), line, -math.inf)
        left = without_first(left)


@helper
def new_line(game: Any, pos: Any, depth: int) -> Line:
    """Room for lines of this many plies."""
    return (
        np.empty((depth, len(pos)), np.int64),
        np.empty((depth, num_actions(game)), np.int64),
        np.empty((depth, 3), np.int64),
        np.empty((depth, 4), np.float64),
    )


@helper
def action_value(game: Any, pos: Any, action: int, line: Line, least: float) -> float:
    """The value of an action for the player to move, or a bound of at most `least`."""
    after = game.play(pos, action)
    if game.player(pos) == 1:
        return -value(game, after, line, -math.inf, -least)
    return value(game, after, line, least, math.inf)


@helper
def value(game: Any, pos: Any, line: Line, low: float, high: float) -> float:
    """The value for player 0 of the position after the first action; outside of low and high only a bound."""
    rows, choices, counts, numbers = line
    if is_leaf(game, pos, 1, len(rows)):
        return leaf_value(game, pos, 1)
    enter(game, pos, line, 0, low, high)
    ply = 0
    while True:
        if counts[ply, _DONE] == counts[ply, _SIZE] or numbers[ply, _LOW] >= numbers[ply, _HIGH]:
            result = numbers[ply, _VALUE] / numbers[ply, _WEIGHT]
            if ply == 0:
                return float(result)
            ply -= 1
            fold(game, unpack(pos, rows[ply]), line, ply, result)
            continue
        before = unpack(pos, rows[ply])
        after = game.play(before, int(choices[ply, counts[ply, _DONE]]))
        if is_leaf(game, after, ply + 2, len(rows)):
            fold(game, before, line, ply, leaf_value(game, after, ply + 2))
        else:
            is_chance = counts[ply, _PLAYER] == CHANCE
            low = -math.inf if is_chance else numbers[ply, _LOW]
            high = math.inf if is_chance else numbers[ply, _HIGH]
            ply += 1
            enter(game, after, line, ply, low, high)


@helper
def is_leaf(game: Any, pos: Any, plies: int, depth: int) -> bool:
    """Whether a line ends here."""
    return bool(plies == depth or is_empty(game.legal(pos)))


@helper
def leaf_value(game: Any, pos: Any, plies: int) -> float:
    """The score of an ended game, minus a little per ply; else the banked points."""
    if not is_empty(game.legal(pos)):
        return float(banked(game, pos))
    score = game.score(pos)
    return float(score - ((score > 0) - (score < 0)) * plies * _A_PLY)


@helper
def enter(game: Any, pos: Any, line: Line, ply: int, low: float, high: float) -> None:
    """Start the search of a position of the line."""
    rows, choices, counts, numbers = line
    pack(pos, rows[ply])
    mask = game.legal(pos)
    size = 0
    while not is_empty(mask):
        choices[ply, size] = first(mask)
        mask = without_first(mask)
        size += 1
    player = game.player(pos)
    counts[ply, _PLAYER], counts[ply, _SIZE], counts[ply, _DONE] = player, size, 0
    numbers[ply, _LOW], numbers[ply, _HIGH] = low, high
    numbers[ply, _VALUE] = 0.0 if player == CHANCE else math.inf if player == 1 else -math.inf
    numbers[ply, _WEIGHT] = 0.0 if player == CHANCE else 1.0


@helper
def fold(game: Any, pos: Any, line: Line, ply: int, result: float) -> None:
    """Update a position by the result of its next action."""
    _, choices, counts, numbers = line
    action = int(choices[ply, counts[ply, _DONE]])
    counts[ply, _DONE] += 1
    if counts[ply, _PLAYER] == CHANCE:
        numbers[ply, _VALUE] += odds(game, pos, action) * result
        numbers[ply, _WEIGHT] += odds(game, pos, action)
    elif counts[ply, _PLAYER] == 0:
        numbers[ply, _VALUE] = max(numbers[ply, _VALUE], result)
        numbers[ply, _LOW] = max(numbers[ply, _LOW], result)
    else:
        numbers[ply, _VALUE] = min(numbers[ply, _VALUE], result)
        numbers[ply, _HIGH] = min(numbers[ply, _HIGH], result)
