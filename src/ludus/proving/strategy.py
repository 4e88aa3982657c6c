"""Closed strategies: what one player does in every position that can arise while it does so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from graphlib import CycleError, TopologicalSorter
from typing import Any, NamedTuple

import numpy as np

from ludus.agents.asking import answers_in_turn, job_size, shares_of
from ludus.compiled.masks import actions
from ludus.errors import LudusError

MOST_POSITIONS = 2_000_000  # take some two gigabytes of memory here, and in the checker
_BATCH = 4096  # positions that an agent is asked for at once
Progress = Callable[[int], None]


class Strategy(NamedTuple):
    """What a player may do, {position: actions}, and what that makes sure of against all play and all luck.

    at_least: the least that the player scores, where play without end scores 0; positions: how many can arise,
    whoever is to move.
    """

    player: int
    at_least: int
    answers: dict[Any, list[int]]
    positions: int


def close(
    game: Any, start: Any, player: int, agent: Any, *, single: bool = False, progress: Progress | None = None
) -> Strategy:
    """All that can happen from `start` on with an agent in a player's seat, that takes its first choice if `single`."""
    answers: dict[Any, list[int]] = {}
    leads_to: dict[Any, list[Any]] = {}
    level = [start]
    while level:
        following: dict[Any, None] = {}
        for batch in _batches(level):
            own = [pos for pos in batch if game.player(pos) == player and actions(game.legal(pos))]
            for pos, taken in zip(own, supports(agent, game, own), strict=True):
                answers[pos] = taken[:1] if single else taken
            for pos in batch:
                leads_to[pos] = [game.play(pos, action) for action in answers.get(pos) or actions(game.legal(pos))]
                following.update(dict.fromkeys(leads_to[pos]))
            if len(leads_to) + len(following) > MOST_POSITIONS:
                raise LudusError(
                    f"more than {MOST_POSITIONS:,} positions can arise: too many for a certificate;"
                    " prove a later position or smaller parameters"
                )
            if progress:
                progress(len(leads_to))
        level = [pos for pos in following if pos not in leads_to]
    return Strategy(player, least_score(game, player, leads_to), answers, len(leads_to))


def _batches(positions: list[Any]) -> Iterator[list[Any]]:
    for begin in range(0, len(positions), _BATCH):
        yield positions[begin : begin + _BATCH]


def least_score(game: Any, player: int, leads_to: dict[Any, list[Any]]) -> int:
    """The least that a player can come to score, given what each position leads to; 0 where play may never end."""
    side = 1 if player == 0 else -1
    least = min((side * int(game.score(pos)) for pos, after in leads_to.items() if not after), default=0)
    return 0 if least > 0 and not _always_ends(leads_to) else least


def _always_ends(leads_to: dict[Any, list[Any]]) -> bool:
    try:
        TopologicalSorter(leads_to).prepare()
    except CycleError:
        return False
    return True


def supports(agent: Any, game: Any, positions: list[Any]) -> list[list[int]]:
    """The actions that an agent may take in each of some positions."""
    if not positions:
        return []
    rows, size = np.array(positions, np.int64), job_size(len(positions))
    jobs = (rows[begin : begin + size] for begin in range(0, len(rows), size))
    table = np.concatenate(list(answers_in_turn(agent, game, jobs)))
    legal = [actions(game.legal(pos)) for pos in positions]
    place = np.repeat(np.arange(len(rows)), [len(several) for several in legal])
    shares = iter(shares_of(table[place, np.concatenate(legal)], place, game, rows))
    return [[action for action in several if next(shares) > 0] for several in legal]
