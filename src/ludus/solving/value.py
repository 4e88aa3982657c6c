"""What perfect play makes of a position."""

from __future__ import annotations

from typing import Any, NamedTuple

from ludus.compiled.compiling import helper
from ludus.game import ANY_PLIES, banked, gives_banked


class Value(NamedTuple):
    """The score for player 0, and the plies to the end.

    The winner hurries and the loser delays, among equal scores; in a draw both hurry. Plies are None where play need
    not end, where chance decides how long it takes, and where a search did not count them.
    """

    score: float
    plies: int | None = None

    def outcome(self, player: int) -> str:
        """What it is for a player: win, draw or loss."""
        return ("loss", "draw", "win")[1 + sign(self.score if player == 0 else -self.score)]


@helper
def sign(score: float) -> int:
    """-1, 0 or 1."""
    return int(score > 0) - int(score < 0)


# ---- values as a search counts them ----

UNIT = ANY_PLIES + 1  # of scores that do not add up


@helper
def unit(game: Any) -> int:
    """What one point is worth."""
    return 1 if gives_banked(game) else UNIT


@helper
def seen_by_mover(game: Any, pos: Any, points: int) -> int:
    """Points for player 0 as points for the player to move, and back."""
    return points if game.player(pos) == 0 else -points


@helper
def gained(game: Any, pos: Any, after: Any) -> int:
    """What playing here, with nothing banked before, banked for the player who did."""
    return seen_by_mover(game, pos, banked(game, after))


@helper
def before_it(game: Any, gain: int, value: int) -> int:
    """The value of an action by that of the position after it, seen by the same player."""
    if gives_banked(game):
        return gain + value
    return value - (value > 0) + (value < 0)


@helper
def after_it(game: Any, gain: int, beta: int) -> int:
    """What the position after an action must be worth to the same player if the action is to be worth beta."""
    if gives_banked(game):
        return beta - gain
    return beta + (beta > 0) - (beta < 0)
