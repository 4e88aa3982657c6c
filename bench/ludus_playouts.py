"""Ludus's own playouts."""

from __future__ import annotations

from typing import Any

from bench.player import Sample
from ludus import play_match, playouts
from ludus.agents.simple import Random

SEED = 1
SAMPLED_GAMES = 200_000


def game_called(name: str) -> Any:
    """Ludus's game of that name, with the rules that the peers play."""
    if name == "tic_tac_toe":
        from ludus.games.tic_tac_toe import TicTacToe

        return TicTacToe()
    if name == "connect_four":
        from ludus.games.connect_four import ConnectFour

        return ConnectFour()
    from ludus.games.mancala import Capture, Leftovers, Mancala

    return Mancala(capture=Capture.STANDARD, leftovers=Leftovers.OWNER)


class LudusPlayer:
    """Ludus on some threads."""

    def __init__(self, game: str, threads: int) -> None:
        self.game = game_called(game)
        self.threads = threads
        self.play(1)

    def play(self, amount: int) -> int:
        """Plays a number of games."""
        return playouts(self.game, amount, seed=SEED, threads=self.threads).plies

    def sample(self) -> Sample:
        """Many games: they are cheap."""
        tally = playouts(self.game, SAMPLED_GAMES, seed=SEED, threads=self.threads)
        return Sample(tally.games, tally.plies, tally.first_wins, tally.second_wins, tally.ties)

    def note(self) -> str:
        """Empty: all others are compared with this."""
        return ""


class MatchPlayer(LudusPlayer):
    """Ludus's matches: random against random."""

    def play(self, amount: int) -> int:
        """Plays a number of games."""
        result = play_match(self.game, Random(), Random(), amount, seed=SEED, threads=self.threads)
        return round(result.mean_plies * amount)


def in_matches(game: str) -> MatchPlayer:
    """Matches on one thread."""
    return MatchPlayer(game, threads=1)


def on_one_thread(game: str) -> LudusPlayer:
    """Ludus as it is compared with the others."""
    return LudusPlayer(game, threads=1)


def on_two_threads(game: str) -> LudusPlayer:
    """Ludus on both of two cores."""
    return LudusPlayer(game, threads=2)
