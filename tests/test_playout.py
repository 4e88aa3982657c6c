"""Random games: repeatable, capped, with odds, and as the papers report them."""

from typing import NamedTuple

import pytest

import ludus
from ludus.game import CHANCE
from ludus.playout import Tally, playouts
from ludus.solving.explore import explore


def test_the_same_seed_gives_the_same_tally_whatever_the_threads():
    game = ludus.make_game("connect-four")
    assert playouts(game, 40_000, seed=7, threads=1) == playouts(game, 40_000, seed=7, threads=5)


def test_another_seed_gives_another_tally():
    game = ludus.make_game("connect-four")
    assert playouts(game, 2_000, seed=7) != playouts(game, 2_000, seed=8)


@pytest.mark.parametrize("name", ["tic-tac-toe", "mancala", "tests/user_games/clobber.py", "examples/pig.py"])
def test_games_without_the_jit_go_the_same_way(monkeypatch, name):
    game = ludus.make_game(name)
    compiled = playouts(game, 40, seed=3)
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert playouts(game, 40, seed=3) == compiled


def test_exploring_without_the_jit_finds_the_same(monkeypatch):
    game = ludus.make_game("tapnswap")
    compiled = explore(game)
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    plain = explore(game)
    assert (compiled.positions == plain.positions).all()
    assert (compiled.level_sizes, compiled.edges, compiled.ended) == (plain.level_sizes, plain.edges, plain.ended)


def test_the_cap_of_the_game_cuts_games_and_can_be_overridden():
    game = ludus.make_game("chung-toi")
    assert playouts(game, 5_000).unfinished > 0
    assert playouts(game, 5_000, cap=0).unfinished == 0
    assert playouts(game, 100, cap=3) == Tally(games=100, unfinished=100, plies=300)


def test_progress_is_reported_of_every_game():
    reported = []
    playouts(ludus.make_game("tic-tac-toe"), 40_000, progress=reported.append)
    assert sum(reported) == 40_000


class Toss(NamedTuple):
    tossed: int
    heads: int


class Coin(NamedTuple):
    """One toss of a coin that shows heads three times in four; heads win for player 0."""

    def start(self):
        return Toss(0, 0)

    def player(self, pos):
        return 0 if pos.tossed else CHANCE

    def legal(self, pos):
        return 0 if pos.tossed else 0b11

    def odds(self, pos, action):
        return 3 if action == 1 else 1

    def play(self, pos, action):
        return Toss(1, action)

    def score(self, pos):
        return 1 if pos.heads else -1


def test_chance_draws_by_its_odds():
    tally = playouts(Coin(), 100_000, seed=5)
    assert tally.first_wins / tally.games == pytest.approx(0.75, abs=0.006)


@pytest.mark.parametrize(
    ("game", "first", "second", "tolerance"),
    [
        ("tic-tac-toe", 737 / 1260, 121 / 420, 0.005),  # exact, by the tree of all games
        ("mancala", 0.467, 0.454, 0.006),
        ("fox-and-hounds", 0.915, 0.083, 0.008),
    ],
)
def test_random_play_wins_as_often_as_the_papers_report(game, first, second, tolerance):
    tally = playouts(ludus.make_game(game), 100_000, seed=11)
    assert tally.first_wins / tally.games == pytest.approx(first, abs=tolerance)
    assert tally.second_wins / tally.games == pytest.approx(second, abs=tolerance)


def test_an_interrupt_stops_soon(fresh_python):
    code = """
import _thread, threading, time, ludus
game = ludus.make_game("mancala")
ludus.playouts(game, 10)
threading.Timer(1, _thread.interrupt_main).start()
began = time.monotonic()
try:
    ludus.playouts(game, 10**9)
except KeyboardInterrupt:
    print(time.monotonic() - began < 20)
"""
    assert fresh_python(code) == "True"
