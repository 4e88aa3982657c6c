"""What perfect play makes of a position."""

from __future__ import annotations

from typing import NamedTuple

from ludus.compiled.compiling import helper


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
