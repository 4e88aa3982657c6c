"""Whether play can come back to a position: then it need not end, and no search along lines of play finishes."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from typing import Any

from ludus.compiled.masks import actions

_GAMES, _PLIES = 30, 500  # random games, and the most plies of one
_WIDTH = 50  # positions of which ways back are tried


def cycle_in(leads_to: Mapping[Any, Iterable[Any]]) -> list[Any]:
    """Nodes each of which leads to the next, the last one being the first again; empty if there is no cycle."""
    try:
        TopologicalSorter(leads_to).prepare()
    except CycleError as error:
        cycle: list[Any] = error.args[1]
        return cycle[::-1]
    return []


def recurring_position(game: Any) -> Any:
    """A position that play can come back to, if a few random games show one; else None, which proves nothing."""
    try:
        return _kept(game, game.__class__)
    except TypeError:  # it holds arrays, and cannot be looked up
        return _found(game)


@lru_cache
def _kept(game: Any, kind: Any) -> Any:
    """The same, kept for the next time; equal tuples are not the same game if their classes differ."""
    return _found(game)


def _found(game: Any) -> Any:
    generator = random.Random(0)
    for _ in range(_GAMES):
        played = _random_game(game, generator)
        if played[-1] in played[:-1]:
            return played[-1]
        at = generator.randrange(len(played))
        if _can_go_back(game, played[at : at + 3]):
            return played[at]
    return None


def _random_game(game: Any, generator: random.Random) -> list[Any]:
    """The positions of a random game, up to the first that comes back."""
    pos = game.start()
    played = {pos: None}  # in this order
    while len(played) < _PLIES and (legal := actions(game.legal(pos))):
        pos = game.play(pos, generator.choice(legal))
        if pos in played:
            return [*played, pos]
        played[pos] = None
    return list(played)


def _can_go_back(game: Any, line: list[Any]) -> bool:
    """Whether two more plies lead from the end of a line to its beginning, as when both sides take back a move."""
    near = [game.play(line[-1], action) for action in actions(game.legal(line[-1]))]
    far = [game.play(pos, action) for pos in near[:_WIDTH] for action in actions(game.legal(pos))]
    return len(line) > 1 and line[0] in (*near, *far)
