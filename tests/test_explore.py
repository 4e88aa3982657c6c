"""Exploring: every reachable position once, in order of plies."""

from collections import Counter
from typing import NamedTuple

import numpy as np
import pytest
from count_perft import twin_of

import ludus
from ludus.compiled import compiling
from ludus.compiled.masks import actions
from ludus.solving import explore


@pytest.mark.parametrize("name", ["tic-tac-toe", "tapnswap", "toads-and-frogs(toads=2, gaps=3, frogs=2)"])
def test_exploring_agrees_with_a_plain_search(name):
    game = ludus.make_game(name)
    found = ludus.explore(game)
    depths, edges = plain_search(game)
    assert {tuple(int(field) for field in row) for row in found.positions} == set(map(tuple, depths))
    by_depth = Counter(depths.values())
    assert found.level_sizes == [by_depth[depth] for depth in range(len(by_depth))]
    assert found.edges == edges
    assert found.ended == sum(not actions(game.legal(pos)) for pos in depths)


def plain_search(game):
    """{position: fewest plies to it}, and the number of edges."""
    depths, layer, edges = {game.start(): 0}, [game.start()], 0
    while layer:
        following = []
        for pos in layer:
            for action in actions(game.legal(pos)):
                edges += 1
                after = game.play(pos, action)
                if after not in depths:
                    depths[after] = depths[pos] + 1
                    following.append(after)
        layer = following
    return depths, edges


@pytest.mark.parametrize(("name", "limit"), [("connect-four", 3), ("connect-four", 5_000), ("tic-tac-toe", 700)])
def test_exploring_further_finds_what_exploring_at_once_finds(name, limit):
    game = ludus.make_game(name)
    cut = explore.explore(game, limit=limit)
    assert not cut.complete
    further, at_once = explore.explore_further(cut, limit=40_000), explore.explore(game, limit=40_000)
    assert (further.level_sizes, further.edges, further.ended) == (at_once.level_sizes, at_once.edges, at_once.ended)
    np.testing.assert_array_equal(further.positions, at_once.positions)
    np.testing.assert_array_equal(further.room.targets[: further.edges], at_once.room.targets[: further.edges])


WALKED = [
    ("tic-tac-toe", {}),
    ("tic-tac-toe", {"symmetric": True}),
    ("tapnswap", {}),
    ("tapnswap", {"symmetric": True}),
    ("toads-and-frogs(toads=2, gaps=3, frogs=2)", {}),
    ("fox-and-hounds(size=4)", {}),
    ("examples/pig.py(target=8)", {}),
    ("connect-four", {"limit": 1_000}),
    ("connect-four", {"limit": 10_000}),
    ("chung-toi", {"limit": 30_000}),
]


@pytest.mark.parametrize(("name", "settings"), WALKED)
def test_exploring_in_plain_python_gives_the_same_graph_as_the_kernel(name, settings, monkeypatch):
    game = ludus.make_game(name)
    found = []
    for plainly in (True, False):
        monkeypatch.setattr(explore.expand, "runs_plainly", lambda *args, plainly=plainly: plainly)
        found.append(explore.explore(game, **settings))
    walked, expanded = found
    assert walked.level_sizes == expanded.level_sizes
    assert (walked.complete, walked.edges, walked.ended) == (expanded.complete, expanded.edges, expanded.ended)
    assert np.array_equal(walked.positions, expanded.positions)
    assert np.array_equal(walked.lookup.words, expanded.lookup.words)
    assert np.array_equal(walked.flips, expanded.flips)
    if walked.complete:
        assert np.array_equal(walked.actions, expanded.actions)
        for one, other in zip(walked.graph, expanded.graph, strict=True):
            assert one.dtype == other.dtype
            assert np.array_equal(one, other)


@pytest.mark.parametrize("name", ["tic-tac-toe", "tapnswap", "examples/pig.py(target=6)"])
def test_small_games_have_the_same_values_solved_in_plain_python(name, monkeypatch):
    game, found = ludus.make_game(name), []
    monkeypatch.setattr(compiling, "PLAIN_SECONDS", -1.0)
    for disabled in ("1", "0"):
        monkeypatch.setenv("NUMBA_DISABLE_JIT", disabled)
        found.append((ludus.solve(game), ludus.grade(ludus.make_agent("smart-random"), game)))
    (plain, plain_grade), (compiled, compiled_grade) = found
    assert np.array_equal(plain.answers.score, compiled.answers.score)
    assert np.array_equal(plain.answers.plies, compiled.answers.plies)
    assert (plain.gap, plain.counts()) == (compiled.gap, compiled.counts())
    assert plain_grade._replace(seconds=0) == compiled_grade._replace(seconds=0)


def test_a_limit_stops_exploring_and_says_so():
    found = ludus.explore(ludus.make_game("connect-four"), limit=10_000)
    assert not found.complete
    assert len(found.positions) >= 10_000
    assert sum(found.level_sizes) == len(found.positions)


def test_exploring_from_another_position():
    game = ludus.make_game("tic-tac-toe")
    pos = game.start()
    for action in (0, 3, 1, 4):
        pos = game.play(pos, action)
    twin = twin_of("tic-tac-toe")
    state = twin.start()
    for action in (0, 3, 1, 4):
        state = twin.play(state, action)
    seen, waiting = {state}, [state]
    while waiting:
        current = waiting.pop()
        new = {twin.play(current, action) for action in twin.legal(current)} - seen
        seen |= new
        waiting += new
    assert len(ludus.explore(game, pos).positions) == len(seen)


def test_progress_shows_the_positions_found():
    reported = []
    found = ludus.explore(ludus.make_game("chung-toi"), progress=reported.append)
    assert reported == sorted(reported)
    assert reported[-1] == len(found.positions)


class Many(NamedTuple):
    number: int


class Wide(NamedTuple):
    """Six thousand actions at the start, and then the end."""

    num_actions = 63 * 100

    def start(self):
        return Many(-1)

    def player(self, pos):
        return 0

    def legal(self, pos):
        return (2**63 - 1 if pos.number < 0 else 0,) * 100

    def play(self, pos, action):
        return Many(action)

    def score(self, pos):
        return 0


def test_more_actions_than_the_first_room_holds(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert len(ludus.explore(Wide()).positions) == 6301
