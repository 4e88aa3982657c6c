"""Closed strategies: the actions of one player in every position that can arise under them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any, NamedTuple

import numpy as np

from ludus.agents.asking import answers_in_turn, job_size, shares_of
from ludus.compiled.masks import actions
from ludus.errors import LudusError

MOST_POSITIONS = 2_000_000  # some two gigabytes of memory here, and in the checker
_BATCH = 4096  # positions that an agent answers at once
Progress = Callable[[int], None]


class Strategy(NamedTuple):
    """The actions of a player in each position, and the score that they guarantee against all play and all luck."""

    player: int
    at_least: int  # the guaranteed score, where endless play scores 0
    answers: dict[Any, list[int]]
    positions: int  # that can arise, of either side to move


def close(
    game: Any, start: Any, player: int, agent: Any, *, single: bool = False, progress: Progress | None = None
) -> Strategy:
    """The strategy of an agent in a player's seat from `start` on; only its first choices if `single`."""
    answers: dict[Any, list[int]] = {}
    leads_to: dict[Any, list[Any]] = {}
    level = [start]
    while level:
        following: dict[Any, None] = {}
        for begin in range(0, len(level), _BATCH):
            batch = level[begin : begin + _BATCH]
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


def least_score(game: Any, player: int, leads_to: dict[Any, list[Any]]) -> int:
    """The least score of a player, given the successors of each position; at most 0 where play may never end."""
    side = 1 if player == 0 else -1
    least = min((side * int(game.score(pos)) for pos, after in leads_to.items() if not after), default=0)
    return 0 if least > 0 and cycle_in(leads_to) else least


def cycle_in(leads_to: Mapping[Any, Iterable[Any]]) -> list[Any]:
    """Nodes each of which leads to the next, the last one being the first again; empty if there is no cycle."""
    try:
        TopologicalSorter(leads_to).prepare()
    except CycleError as error:
        cycle: list[Any] = error.args[1]
        return cycle[::-1]
    return []


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
