"""What a game does, as one number: saved solutions and runs are keyed by it.

Editing a drawing or a comment leaves it alone; changing a rule or a parameter changes it.
"""

from __future__ import annotations

import hashlib
from collections import deque
from typing import Any

from ludus.game import CHANCE, odds
from ludus.masks import actions, words

POSITIONS = 2000  # how many positions are looked at, breadth first


def fingerprint(game: Any) -> str:
    """Sixteen hex digits over the parameters and over legal, player, play, odds and score of the first positions."""
    whole = hashlib.sha256(repr(_plain(game._asdict())).encode())
    start = game.start()
    waiting, seen = deque([start]), {start}
    looked_at = 0
    while waiting and looked_at < POSITIONS:
        pos = waiting.popleft()
        looked_at += 1
        whole.update(repr(_facts(game, pos)).encode())
        for action in actions(game.legal(pos)):
            after = game.play(pos, action)
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return whole.hexdigest()[:16]


def _facts(game: Any, pos: Any) -> tuple[Any, ...]:
    player, mask = int(game.player(pos)), game.legal(pos)
    legal = actions(mask)
    after = [_plain(game.play(pos, action)) for action in legal]
    weights = [int(odds(game, pos, action)) for action in legal] if player == CHANCE else []
    return _plain(pos), player, words(mask), after, weights, [] if legal else [int(game.score(pos))]


def _plain(value: Any) -> Any:
    """Tuples and dicts with every number as an ordinary int: an IntEnum or bool counts as its number."""
    if isinstance(value, dict):
        return {name: _plain(entry) for name, entry in value.items()}
    return tuple(_plain(entry) for entry in value) if isinstance(value, tuple) else int(value)
