"""A game that cannot be solved is refused within seconds, with what it would take, and that is remembered."""

import re
import time
from typing import NamedTuple

import pytest
from test_check_notes import Growing
from test_loops import Kings

import ludus
from ludus.solving import forecast, solver
from ludus.solving.explore import explore
from ludus.solving.forecast import Forecast, fewest_positions

MEMORY = 200_000_000


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache of its own, so that nothing is remembered."""
    monkeypatch.setattr("ludus.memo.machine_code.directory", lambda: tmp_path)
    monkeypatch.setattr(forecast, "_GAMES", 20_000)


@pytest.mark.parametrize(
    "written",
    [
        *("tic-tac-toe", "tapnswap", "chung-toi", "mancala(holes=3, stones=2)", "toads-and-frogs"),
        *("fox-and-hounds(size=6)", "connect-four(width=4, height=4)"),
    ],
)
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("limit", [10, 1 << 30])
@pytest.mark.slow
def test_no_game_has_fewer_positions_than_random_games_prove(written, symmetric, limit):
    game = ludus.make_game(written)
    proved = fewest_positions(explore(game, symmetric=symmetric, limit=limit))
    size = len(explore(game, symmetric=symmetric))
    assert size / 1000 < proved <= size


@pytest.mark.slow
@pytest.mark.parametrize("name", ["connect-four", "mancala"])
def test_a_large_game_is_proved_large(name):
    assert fewest_positions(explore(ludus.make_game(name), limit=10_000)) > 1_000_000


class Places(NamedTuple):
    """The squares of three pieces, and the side to move."""

    a: int
    b: int
    c: int
    turn: int


class Walks(NamedTuple):
    """Three pieces walk over a board from a corner, each step to one of four sides, and nobody ever wins."""

    size: int = 47
    num_actions = 12
    max_plies = 200

    def start(self):
        return Places(0, 1, 2, 0)

    def player(self, pos):
        return pos.turn

    def legal(self, pos):
        return self.ways(pos.a) | self.ways(pos.b) << 4 | self.ways(pos.c) << 8

    def ways(self, place):
        row, column = place // self.size, place % self.size
        return (column < self.size - 1) | (column > 0) << 1 | (row < self.size - 1) << 2 | (row > 0) << 3

    def play(self, pos, action):
        step = (1 - 2 * (action % 2)) * (1 if action % 4 < 2 else self.size)
        a, b = pos.a + step * (action // 4 == 0), pos.b + step * (action // 4 == 1)
        return Places(a, b, pos.c + step * (action // 4 == 2), 1 - pos.turn)

    def score(self, pos):
        return 0


@pytest.mark.slow
def test_a_game_whose_play_reaches_its_cap_is_proved_large_by_longer_play(monkeypatch):
    monkeypatch.setattr(forecast, "_FEWER_GAMES", 20_000)
    assert fewest_positions(explore(Walks(), limit=10_000)) > 20_000_000


@pytest.mark.slow
def test_what_random_games_prove_too_large_is_refused_before_it_is_enumerated():
    began = time.process_time()
    words = r"at least [\d,]{9,} positions, which take .* with 200 MB to use"
    with pytest.raises(ludus.LudusError, match=words) as error:
        ludus.solve(Kings(clocked=0), memory=MEMORY)
    assert "cannot be searched: play can come back to" in str(error.value)
    ways = r"solve it from a later position, with more than .* [GM]B of memory or with smaller parameters$"
    assert re.search(ways, str(error.value))
    assert time.process_time() - began < 60


def test_a_refusal_is_remembered(monkeypatch, plain):
    monkeypatch.setattr(solver, "_FIRST_GLANCE", 1000)
    monkeypatch.setattr(solver, "_GLANCE", 2000)
    monkeypatch.setattr(solver, "fewest_positions", lambda *args, **named: 10**9)
    with pytest.raises(ludus.LudusError, match="at least 1,000,000,000 positions"):
        ludus.solve(Kings(), memory=MEMORY)
    monkeypatch.setattr(solver, "fewest_positions", None)
    with pytest.raises(ludus.LudusError, match="at least 1,000,000,000 positions"):
        ludus.solve(Kings(), memory=MEMORY)


def test_the_forecast_is_made_again_as_more_is_known(monkeypatch, plain):
    found = []
    monkeypatch.setattr(solver, "_FIRST_GLANCE", 500)
    monkeypatch.setattr(solver, "_GLANCE", 1000)
    monkeypatch.setattr(solver, "_LATER_GLANCES", (2000, 4000))
    monkeypatch.setattr(
        solver, "fewest_positions", lambda explored: found.append(len(explored)) or 10 ** (5 + 2 * len(found))
    )
    with pytest.raises(ludus.LudusError, match="at least 1,000,000,000 positions"):
        ludus.solve(Kings(), memory=20 * MEMORY)
    assert len(found) == 2
    assert 1000 < found[0] < 2000 < found[1] < 4000


def test_play_without_an_end_is_refused_before_it_fills_the_memory(monkeypatch, plain):
    monkeypatch.setattr(solver, "_FIRST_GLANCE", 1000)
    monkeypatch.setattr(solver, "_GLANCE", 2000)
    monkeypatch.setattr(solver, "_LONGEST", 200)
    with pytest.raises(ludus.LudusError, match="play goes on for more than 200 plies, perhaps for ever; solve it from"):
        ludus.solve(Growing(), memory=MEMORY)


def test_a_little_more_memory_than_a_remembered_refusal_asked_for_is_not_tried(monkeypatch):
    game = ludus.make_game("chung-toi")
    monkeypatch.setattr(solver, "_FIRST_GLANCE", 1000)
    monkeypatch.setattr(solver, "obstacle_to_search", lambda game: "it is not to be")
    forecast.remember_forecast(game, game.start(), False, Forecast(10**6, MEMORY, 1.0))
    with pytest.raises(ludus.LudusError, match="with more than 250 MB of memory"):
        ludus.solve(game, memory=int(1.1 * MEMORY), disk=0)


def test_more_memory_than_a_remembered_refusal_asked_for_is_tried(monkeypatch):
    game = ludus.make_game("chung-toi")
    monkeypatch.setattr(solver, "_FIRST_GLANCE", 1000)
    forecast.remember_forecast(game, game.start(), False, Forecast(10**6, MEMORY, 1.0))
    assert len(ludus.solve(game, memory=4 * MEMORY)) == 249_299


def test_a_damaged_memory_of_a_forecast_counts_as_none(tmp_path):
    game = ludus.make_game("tic-tac-toe")
    forecast.remember_forecast(game, game.start(), False, Forecast(1, 2, 3.0))
    assert forecast.known_forecast(game, game.start(), False) == Forecast(1, 2, 3.0)
    for content in ("", "[]", "{}", '{"positions": null, "memory": 1, "seconds": 1}'):
        for path in tmp_path.rglob("*.json"):
            path.write_text(content)
        assert forecast.known_forecast(game, game.start(), False) is None


@pytest.mark.parametrize(("seconds", "words"), [(5, "5 s"), (600, "10 minutes"), (10**5, "28 hours")])
def test_times_are_given_in_the_unit_that_people_use(seconds, words):
    assert str(Forecast(2, 3_000_000_000, seconds)) == f"at least 2 positions, which take 3.0 GB and {words}"
