"""What a game does, as one number: saved solutions and runs are keyed by it.

Editing a drawing or a comment leaves it alone; changing a rule or a parameter changes it.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from ludus.compiled.masks import actions, words
from ludus.compiled.randomness import mixed
from ludus.game import CHANCE, odds

POSITIONS = 2000  # how many positions are looked at, breadth first
PLIES = 2000  # of random games, which are then played to see how they end


def fingerprint(game: Any) -> str:
    """Sixteen hex digits over the parameters, and over what the rules say of the first positions and random games."""
    try:
        return _kept(game, game.__class__)
    except TypeError:  # it holds arrays, and cannot be looked up
        return _found(game)


@lru_cache
def _kept(game: Any, kind: Any) -> str:
    """The same, kept for the next time; equal tuples are not the same game if their classes differ."""
    return _found(game)


def _found(game: Any) -> str:
    whole = hashlib.sha256(repr(plain(game._asdict())).encode())
    for pos in first_positions(game):
        after = [plain(game.play(pos, action)) for action in actions(game.legal(pos))]
        whole.update(repr((_facts(game, pos), after)).encode())
    for pos in random_positions(game):
        whole.update(repr(_facts(game, pos)).encode())
    return whole.hexdigest()[:16]


def first_positions(game: Any) -> Iterator[Any]:
    """The first positions, breadth first."""
    start = game.start()
    waiting, seen = deque([start]), {start}
    for _ in range(POSITIONS):
        if not waiting:
            return
        pos = waiting.popleft()
        yield pos
        for action in actions(game.legal(pos)):
            after = game.play(pos, action)
            if after not in seen:
                seen.add(after)
                waiting.append(after)


def random_positions(game: Any) -> Iterator[Any]:
    """The positions of games played at random, always the same ones, until so many plies are played."""
    pos = game.start()
    for ply in range(PLIES):
        yield pos
        legal = actions(game.legal(pos))
        pos = game.play(pos, legal[mixed(ply) % len(legal)]) if legal else game.start()


def _facts(game: Any, pos: Any) -> tuple[Any, ...]:
    player, mask = int(game.player(pos)), game.legal(pos)
    legal = actions(mask)
    weights = [int(odds(game, pos, action)) for action in legal] if player == CHANCE else []
    return plain(pos), player, words(mask), weights, [] if legal else [int(game.score(pos))]


def plain(value: Any) -> Any:
    """Tuples and dicts with every number as an ordinary int: an IntEnum or bool counts as its number."""
    if isinstance(value, dict):
        return {name: plain(entry) for name, entry in value.items()}
    return tuple(plain(entry) for entry in value) if isinstance(value, tuple) else int(value)
