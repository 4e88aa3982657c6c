"""Values of positions, and how a search counts them."""

from __future__ import annotations

from typing import Any, NamedTuple

from ludus.compiled.compiling import helper
from ludus.game import ANY_PLIES, banked, gives_banked


class Value(NamedTuple):
    """The score for player 0 and the plies to the end, under perfect play.

    Among equal scores the winner hurries and the loser delays; in a draw both hurry. `plies` is None where play need
    not end, where chance decides its length, and where a search did not count.
    """

    score: float
    plies: int | None = None

    def outcome(self, player: int) -> str:
        """The result for a player: win, draw or loss."""
        return ("loss", "draw", "win")[1 + sign(self.score if player == 0 else -self.score)]


@helper
def sign(score: float) -> int:
    """-1, 0 or 1."""
    return int(score > 0) - int(score < 0)


# ---- values as a search counts them ----

UNIT = ANY_PLIES + 1  # of scores that do not add up


@helper
def unit(game: Any) -> int:
    """The search value of one point."""
    return 1 if gives_banked(game) else UNIT


@helper
def seen_by_mover(game: Any, pos: Any, points: int) -> int:
    """Points for player 0 as points for the side to move, and back."""
    return points if game.player(pos) == 0 else -points


@helper
def gained(game: Any, pos: Any, after: Any) -> int:
    """The points that an action banked for its player, where nothing was banked before it."""
    return seen_by_mover(game, pos, banked(game, after))


@helper
def before_it(game: Any, gain: int, value: int) -> int:
    """The value of an action, given that of the position after it for the same player."""
    if gives_banked(game):
        return gain + value
    return value - (value > 0) + (value < 0)


@helper
def after_it(game: Any, gain: int, beta: int) -> int:
    """The bound for the position after an action that corresponds to `beta` before it, for the same player."""
    if gives_banked(game):
        return beta - gain
    return beta + (beta > 0) - (beta < 0)
