"""The interface of a contestant: a player for each game that it knows."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class MissingError(Exception):
    """Why a contestant cannot play here."""


class Sample(NamedTuple):
    """The results of random games, to check that two contestants play by the same rules."""

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
        """A note on how it was run."""


class SamplePlayer(Player, Protocol):
    """A player that also reports the results of its games."""

    def sample(self) -> Sample:
        """The results of enough games to compare rules by."""
