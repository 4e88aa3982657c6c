"""The author's program in plain Python, with the one thing that neither Ludus's rules nor its learner have: passes.

The program keeps whole per cents that need not add up to 100. Where they end before the number drawn it plays the hole
nearest to the store, even if that is empty, which passes the turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

_HOLES = 6
_ALL, _SHRINK, _LEAST = 100, 0.8, 0.01
Holes = tuple[int, ...]  # of one side from the farthest from its store, and the store
Weights = dict[tuple[Holes, Holes], list[int]]  # by position, seen by the side to move
Moves = list[tuple[tuple[Holes, Holes], int]]


def as_programmed(factor: float, stages: list[int], seed: int, passes: bool) -> list[dict[str, Any]]:
    """How all games up to each stage ended; passes: else a hole that is not empty is played instead of an empty one.

    wins, losses, ties; turns and passed of them; short: games so short for player 1 that moves which stay on its stack
    after a tie would be taught with the next ones.
    """
    random, weights, found = Random(seed), Weights(), []
    counts = dict.fromkeys(("wins", "losses", "ties", "turns", "passed", "short"), 0)
    before: int | None = None
    for game in range(1, stages[-1] + 1):
        moves, score, passed = play(weights, random, passes=passes)
        teach(weights, moves, factor, before)
        before = score
        counts["wins" if score > 0 else "losses" if score < 0 else "ties"] += 1
        counts["turns"] += len(moves[0]) + len(moves[1])
        counts["passed"] += passed
        counts["short"] += len(moves[0]) < steps_taught(factor)
        if game in stages:
            found.append({"games": game, **counts})
    return found


def play(weights: Weights, random: Random, *, passes: bool) -> tuple[tuple[Moves, Moves], int, int]:
    """A game: the moves of both players, the difference of the stores, and how many of the moves were passes."""
    sides: list[Holes] = [(4,) * _HOLES + (0,), (4,) * _HOLES + (0,)]
    moves: tuple[Moves, Moves] = ([], [])
    player = passed = 0
    while any(sides[0][:_HOLES]) and any(sides[1][:_HOLES]):
        position = sides[player], sides[1 - player]
        hole = drawn(weights.get(position) or start(position[0]), random)
        if not position[0][hole]:
            if not passes:
                hole = random.choice([each for each in range(_HOLES) if position[0][each]])
            passed += 1
        moves[player].append((position, hole))
        sides[player], sides[1 - player], again = sown(*position, hole)
        player = player if again else 1 - player
    return moves, sides[0][_HOLES] - sides[1][_HOLES], passed


def sown(own: Holes, other: Holes, hole: int) -> tuple[Holes, Holes, bool]:
    """Both sides after a hole is sown, and whether the last stone came into the store."""
    ring, stones, place = [*own, *other[:_HOLES]], own[hole], hole
    ring[hole] = 0
    for _ in range(stones):
        place = (place + 1) % len(ring)
        ring[place] += 1
    return tuple(ring[: _HOLES + 1]), (*ring[_HOLES + 1 :], other[_HOLES]), place == _HOLES


def start(own: Holes) -> list[int]:
    """The per cents of a new position."""
    filled = [hole for hole in range(_HOLES) if own[hole]]
    per_cents = [0] * _HOLES
    for place, hole in enumerate(filled):
        per_cents[hole] = _ALL // len(filled) + (place < _ALL % len(filled))
    return per_cents


def drawn(per_cents: list[int], random: Random) -> int:
    """A hole by its per cents, the nearest to the store where they end before the number drawn."""
    point = int(random.random() * _ALL)
    for hole, each in enumerate(per_cents):
        point -= each
        if point < 0:
            return hole
    return _HOLES - 1


def steps_taught(factor: float) -> int:
    """How many moves back a step is at least a hundredth, below which it shifts nothing."""
    count = 0
    while factor >= _LEAST:
        count, factor = count + 1, factor * _SHRINK
    return count


def teach(weights: Weights, moves: Sequence[Moves], factor: float, score: int | None) -> None:
    """Teach both players by the score of the game before, which player 2 loses if it is a tie, and both if none is."""
    for player in (0, 1):
        if score == 0 and player == 0:
            continue
        won = bool(score) and ((score or 0) > 0) == (player == 0)
        step = factor if won else -factor
        for position, hole in reversed(moves[player]):
            if abs(step) < _LEAST:
                break
            weights[position] = shifted(weights.get(position) or start(position[0]), position[0], hole, step)
            step *= _SHRINK


def shifted(per_cents: list[int], own: Holes, played: int, step: float) -> list[int]:
    """Per cents after a hole was won or lost by a step, truncated; others give or take, and what is left is lost."""
    change, after = int(per_cents[played] * step), [*per_cents]
    if change == 0 or sum(stones > 0 for stones in own[:_HOLES]) == 1:
        return after
    others, owed, sign = sum(each > 0 for each in per_cents) - 1, -change, -1 if change > 0 else 1
    share, more = (sign * (abs(owed) // others), abs(owed) % others) if others else (owed, 0)
    for hole, each in enumerate(per_cents):
        if hole == played or each in (0, _ALL) or owed == 0:
            continue
        given = each + share + (sign if more > 0 else 0)
        owed, more = owed - share, more - 1
        owed -= min(given, 0)
        after[hole] = min(max(given, 0), _ALL)
    after[played] = min(per_cents[played] + change, _ALL)
    return after
