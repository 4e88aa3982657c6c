"""What every contestant gives the bench: a player for each game that it knows."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class MissingError(Exception):
    """Why a contestant cannot play here."""


class Sample(NamedTuple):
    """What came of some random games, to see whether two contestants play by the same rules."""

    games: int
    plies: int
    first_wins: int
    second_wins: int
    ties: int


class Player(Protocol):
    """One contestant at one game, compiled and warm."""

    def play(self, amount: int) -> int:
        """Play random games, more for a greater amount, and return how many plies they took."""

    def note(self) -> str:
        """What a reader should know about how it was run."""


class SamplePlayer(Player, Protocol):
    """A player that also tells what came of its games."""

    def sample(self) -> Sample:
        """The results of enough games to compare rules by."""
