"""What two agents made of their games against each other, counted by who moved first."""

from __future__ import annotations

from typing import NamedTuple

from ludus.arena.match import GameResult
from ludus.arena.ratings import Played


class Results(NamedTuple):
    """Games by how they ended for one agent; cut: at the most plies that the game allows, with no result."""

    wins: int = 0
    losses: int = 0
    ties: int = 0
    cut: int = 0

    @property
    def games(self) -> int:
        """All of them."""
        return sum(self)

    @property
    def points(self) -> float:
        """One for a win, half for a tie; a cut game scores for nobody."""
        return self.wins + self.ties / 2

    @property
    def turned(self) -> Results:
        """The same seen by the other agent."""
        return Results(self.losses, self.wins, self.ties, self.cut)


class Meeting(NamedTuple):
    """The games of agents a and b, by their places in a list, seen by a: those in which it moved first, and second."""

    a: int
    b: int
    first: Results
    second: Results

    @property
    def points(self) -> tuple[float, float]:
        """Of a and of b."""
        return (self.first.points + self.second.points, self.first.turned.points + self.second.turned.points)

    def played(self) -> tuple[Played, Played]:
        """The games as ratings are made from: a cut game counts as a draw, as endless play does in exact values."""
        first, second = self.first, self.second.turned
        return (
            Played(self.a, self.b, first.wins, first.losses, first.ties + first.cut),
            Played(self.b, self.a, second.wins, second.losses, second.ties + second.cut),
        )


class Counter:
    """Counts games one by one, for the first agent of a match."""

    def __init__(self, first_player: int) -> None:
        self._first_player = first_player
        self._counts = [[0, 0, 0, 0], [0, 0, 0, 0]]

    def add(self, game: GameResult) -> None:
        """Count a game."""
        score = game.score if game.seat == 0 else -game.score
        kind = 0 if score > 0 else 1 if score < 0 else 2 if game.ended else 3
        self._counts[int(game.seat != self._first_player)][kind] += 1

    def by_seat(self) -> tuple[Results, Results]:
        """The games in which the agent moved first, and second."""
        first, second = self._counts
        return Results(*first), Results(*second)
