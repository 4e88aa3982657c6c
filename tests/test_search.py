"""Alpha-beta search: exact values without enumerating the game."""

import random
from functools import cache
from itertools import pairwise

import pytest
from conftest import TESTS

import ludus
from ludus.commands.terminal import rank
from ludus.compiled.masks import actions
from ludus.game import gives_banked
from ludus.games.connect_four import ConnectFour
from ludus.games.mancala import Mancala
from ludus.games.tic_tac_toe import TicTacToe
from ludus.solving import alpha_beta
from ludus.solving.alpha_beta import Searcher
from ludus.solving.solver import Searched
from ludus.solving.value import Value

DOTS = str(TESTS / "user_games" / "dots_and_boxes.py")
SMALL = 1 << 20  # bytes of a table

# The first player's margin in Kalah, by holes (1 to 6) for each number of stones. Who wins: Irving, Donkers and
# Uiterwijk, "Solving Kalah", ICGA Journal 23 (2000), who also give the margins for six holes.
KALAH = {1: [0, 2, 0, 2, 0, 2], 2: [-2, -2, 4, 6, 0, 10], 3: [6, -2, 2, 8, 8, 2], 4: [-2, -12, 2, 2, 12]}


pytestmark = pytest.mark.usefixtures("home")


def minimax(game):
    """The value of any position by plain recursion: score for player 0, and plies."""

    @cache
    def value(pos):
        legal = actions(game.legal(pos))
        if not legal:
            return Value(game.score(pos), 0)
        sign = 1 if game.player(pos) == 0 else -1
        after = [value(game.play(pos, action)) for action in legal]
        best = max(sign * found.score for found in after)
        plies = [found.plies for found in after if sign * found.score == best]
        return Value(sign * best, 1 + (max(plies) if best < 0 else min(plies)))

    return value


def as_searched(game, found):
    """What a search says of the same: it counts no plies in draws, nor where points are banked."""
    counted = found.score != 0 and not gives_banked(game)
    return Value(found.score, found.plies if counted else None)


def reachable(game):
    """All positions, in the order of plies."""
    found = {game.start(): None}
    for pos in (waiting := [game.start()]):
        new = [game.play(pos, action) for action in actions(game.legal(pos))]
        new = [after for after in dict.fromkeys(new) if after not in found]
        found.update(dict.fromkeys(new))
        waiting += new
    return list(found)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "tic-tac-toe",
        "connect-four(width=4, height=4)",
        "connect-four(width=4, height=3, connect=3)",
        *(
            f"mancala(holes=3, stones=2, capture={capture}, leftovers={leftovers})"
            for capture in ("none", "standard", "empty")
            for leftovers in ("nobody", "owner")
        ),
        f"{DOTS}(rows=1, columns=3)",
        pytest.param("toads-and-frogs(toads=3, gaps=3, frogs=3)", marks=pytest.mark.slow),
    ],
)
def test_a_search_agrees_with_plain_minimax(name):
    game = ludus.make_game(name)
    value, searcher = minimax(game), Searcher(game, memory=SMALL)
    positions = reachable(game)
    for pos in positions[:: len(positions) // 200 + 1]:
        if actions(game.legal(pos)):
            assert searcher.value(pos) == as_searched(game, value(pos))


@pytest.mark.slow
def test_a_game_of_many_actions_is_searched():
    game, generator = ludus.make_game(str(TESTS / "user_games" / "clobber.py")), random.Random(1)
    pos = game.start()
    for _ in range(14):
        pos = game.play(pos, generator.choice(actions(game.legal(pos))))
    assert Searcher(game, memory=SMALL).value(pos) == minimax(game)(pos)


@pytest.mark.parametrize(
    "name",
    [
        "connect-four(width=4, height=4)",
        "mancala(holes=3, stones=2)",
        "mancala(holes=3, stones=2, capture=empty, leftovers=owner)",
        f"{DOTS}(rows=1, columns=3)",
    ],
)
def test_the_best_actions_are_those_of_the_highest_value(name):
    game, generator = ludus.make_game(name), random.Random(3)
    searcher, positions = Searcher(game, memory=SMALL), reachable(game)
    for pos in generator.sample(positions, 100):
        found = searcher.actions(pos)
        best = min((rank(game.player(pos), value) for value in found.values()), default=None)
        assert searcher.best(pos) == [action for action in found if rank(game.player(pos), found[action]) == best]


def test_actions_count_their_own_ply():
    game = ludus.make_game("tic-tac-toe")
    pos = game.parse_position("XX./OO./...")
    found = Searcher(game, memory=SMALL).actions(pos)
    assert found[2] == Value(1, 1)
    assert {found[action] for action in (6, 7, 8)} == {Value(-1, 2)}


def test_an_action_that_draws_at_once_counts_no_plies(plain):
    game = ludus.make_game("tic-tac-toe")
    pos = game.parse_position("XOX/XOO/OX.")
    assert Searcher(game, memory=SMALL).actions(pos) == {8: Value(0, None)}


@pytest.mark.parametrize("name", ["connect-four(width=4, height=4)", "mancala(holes=3, stones=2)"])
def test_actions_that_keep_the_score_may_take_longer(name):
    game, generator = ludus.make_game(name), random.Random(4)
    searcher = Searcher(game, memory=SMALL)
    for pos in generator.sample(reachable(game), 100):
        found, score = searcher.actions(pos), searcher.value(pos).score
        assert searcher.optimal(pos) == [action for action in found if found[action].score == score]


@pytest.mark.parametrize("game", [ConnectFour(3, 4, 3), Mancala(3, 2)])
def test_bounds_only_narrow_hold_the_value_and_meet_at_it(game, plain):
    searcher = Searcher(game, memory=1 << 20)
    pos = game.start()
    found = list(searcher.narrowing(pos))
    value = Searcher(game, memory=1 << 20).search_value(pos)
    assert all(low <= value <= high for low, high in found)
    assert all(now[0] >= before[0] and now[1] <= before[1] for before, now in pairwise(found))
    assert found[-1] == (value, value)
    assert searcher.as_value(pos, value) == searcher.value(pos)


def test_a_position_is_searched_once_for_its_value_and_its_actions(plain, monkeypatch):
    game, asked = ludus.make_game("tic-tac-toe"), []
    narrowing = Searcher.narrowing
    monkeypatch.setattr(Searcher, "narrowing", lambda self, pos: asked.append(pos) or narrowing(self, pos))
    pos = game.parse_position("XO./.X./..O")
    searched = Searched(game, pos, Searcher(game, memory=SMALL))
    assert searched.value(pos) == searched.known_actions(pos)[3]
    assert asked.count(pos) == 1


def test_an_ended_game_needs_no_search():
    game = ludus.make_game("tic-tac-toe")
    assert Searcher(game, memory=SMALL).value(game.parse_position("XXX/OO./...")) == Value(1, 0)


@pytest.mark.parametrize("memory", [1, 1 << 10])
def test_a_tiny_table_gives_the_same_values(memory):
    game = ludus.make_game("mancala(holes=3, stones=3, capture=empty, leftovers=owner)")
    assert Searcher(game, memory=memory).value(game.start()) == Value(2)


@pytest.mark.parametrize("stones", KALAH)
def test_kalah_has_its_published_values(stones):
    for holes, margin in enumerate(KALAH[stones], 1):
        game = ludus.make_game(f"mancala(holes={holes}, stones={stones}, capture=empty, leftovers=owner)")
        assert Searcher(game, memory=1 << 26).value(game.start()) == Value(margin), holes


@pytest.mark.slow
@pytest.mark.parametrize(("capture", "margin"), [("empty", 10), ("standard", 8)])
def test_kalah_of_six_holes_and_four_stones_has_its_published_value(capture, margin):
    game = ludus.make_game(f"mancala(capture={capture}, leftovers=owner)")
    assert Searcher(game).value(game.start()) == Value(margin)


# Columns played, and the plies to the end; from the test set of Pascal Pons's solver.
LATE = [
    ("2252576253462244111563365343671351441", Value(1, 4)),
    ("7422341735647741166133573473242566", Value(1, 7)),
    ("23163416124767223154467471272416755633", Value(0, None)),
    ("65214673556155731566316327373221417", Value(1, 6)),
]


@pytest.mark.parametrize(("columns", "value"), LATE)
def test_connect_four_has_its_published_values(columns, value):
    game = ludus.make_game("connect-four")
    pos = game.start()
    for column in columns:
        pos = game.play(pos, int(column) - 1)
    assert Searcher(game, memory=SMALL).value(pos) == value


@pytest.mark.parametrize(
    ("size", "value"),
    [((5, 4), Value(0)), ((4, 5), Value(0)), pytest.param((6, 4), Value(-1, 24), marks=pytest.mark.slow)],
)
def test_small_boards_of_connect_four_have_the_values_that_retrograde_analysis_finds(size, value):
    game = ludus.make_game(f"connect-four(width={size[0]}, height={size[1]})")
    assert Searcher(game, memory=1 << 24).value(game.start()) == value


def test_an_interrupted_search_can_be_asked_again(monkeypatch):
    monkeypatch.setattr(alpha_beta, "SLICE", 1000)
    game = ludus.make_game("mancala(holes=4, stones=3, capture=empty, leftovers=owner)")

    def interrupt(nodes):
        if nodes > 3000:
            raise KeyboardInterrupt

    searcher = Searcher(game, memory=SMALL, progress=interrupt)
    with pytest.raises(KeyboardInterrupt):
        searcher.value(game.start())
    searcher.progress = None
    assert searcher.value(game.start()) == Value(8)


def test_progress_shows_the_nodes_visited(monkeypatch):
    monkeypatch.setattr(alpha_beta, "SLICE", 1000)
    game, reported = ludus.make_game("mancala(holes=4, stones=3, capture=empty, leftovers=owner)"), []
    searcher = Searcher(game, memory=SMALL, progress=reported.append)
    searcher.value(game.start())
    assert reported == sorted(reported)
    assert reported[-1] <= searcher.nodes


def test_lines_longer_than_the_first_room_are_searched(monkeypatch):
    monkeypatch.setattr(alpha_beta, "FIRST_DEPTH", 2)
    game = ludus.make_game("tic-tac-toe")
    assert Searcher(game, memory=SMALL).value(game.start()) == Value(0)


@pytest.mark.parametrize("name", ["chung-toi", "tapnswap"])
def test_a_game_in_which_play_can_come_back_is_refused(name):
    with pytest.raises(ludus.LudusError, match=r"cannot be searched: play can come back to Position\(.*\), so that it"):
        Searcher(ludus.make_game(name))


def test_a_cap_alone_does_not_rule_out_search():
    class Capped(TicTacToe):
        max_plies = 9

    assert Searcher(Capped(), memory=SMALL).value(Capped().start()) == Value(0)


@pytest.mark.slow
def test_a_search_gives_the_same_without_the_jit(fresh_python):
    code = """
import ludus
from ludus.solving.alpha_beta import Searcher
for name in ("tic-tac-toe", "mancala(holes=3, stones=1)", "connect-four(width=4, height=2, connect=3)"):
    game = ludus.make_game(name)
    searcher = Searcher(game, memory=1 << 16)
    print(searcher.value(game.start()), searcher.nodes)
"""
    assert fresh_python(code, NUMBA_DISABLE_JIT="1") == fresh_python(code)
