"""One position for all that are alike up to symmetry: the least of its transforms."""

from __future__ import annotations

from typing import Any

from ludus.compiling import helper
from ludus.game import swaps_players, symmetries, transform


@helper
def canonical_symmetry(game: Any, pos: Any) -> int:
    """The symmetry that brings a position to the least of its transforms."""
    best, least = 0, pos
    for symmetry in range(1, symmetries(game)):
        other = transform(game, pos, symmetry)
        if other < least:
            best, least = symmetry, other
    return best


@helper
def turned(game: Any, symmetry: int) -> bool:
    """Whether a symmetry exchanges the players; the identity never does."""
    return symmetry > 0 and swaps_players(game, symmetry)
