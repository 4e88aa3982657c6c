"""Searching: exact values without listing the game, and books of them."""

import random
from functools import cache
from typing import NamedTuple

import pytest
from conftest import TESTS

import ludus
from ludus.game import gives_banked
from ludus.masks import actions
from ludus.solving import book, search, search_files
from ludus.solving.search import Searcher, searchable
from ludus.solving.value import Value
from ludus.terminal.values import rank

DOTS = str(TESTS / "user_games" / "dots_and_boxes.py")
SMALL = 1 << 20  # bytes of a table

# The first player's margin in Kalah, by holes (1 to 6) for each number of stones. Who wins: Irving, Donkers and
# Uiterwijk, "Solving Kalah", ICGA Journal 23 (2000), who also give the margins for six holes.
KALAH = {1: [0, 2, 0, 2, 0, 2], 2: [-2, -2, 4, 6, 0, 10], 3: [6, -2, 2, 8, 8, 2], 4: [-2, -12, 2, 2, 12]}


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A folder of its own for what is kept on disk."""
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path))
    return tmp_path


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


def test_the_best_actions_can_come_from_a_book():
    game = ludus.make_game("connect-four(width=4, height=4)")
    searcher = Searcher(game, memory=SMALL, book=book.build(game, 2, memory=SMALL))
    visited = searcher.nodes
    assert searcher.best(game.start()) == Searcher(game, memory=SMALL).best(game.start())
    assert searcher.nodes == visited


def test_actions_count_their_own_ply():
    game = ludus.make_game("tic-tac-toe")
    pos = game.parse_position("XX./OO./...")
    found = Searcher(game, memory=SMALL).actions(pos)
    assert found[2] == Value(1, 1)
    assert {found[action] for action in (6, 7, 8)} == {Value(-1, 2)}


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
def test_small_boards_of_connect_four_have_the_values_that_listing_finds(size, value):
    game = ludus.make_game(f"connect-four(width={size[0]}, height={size[1]})")
    assert Searcher(game, memory=1 << 24).value(game.start()) == value


def test_an_interrupted_search_can_be_asked_again(monkeypatch):
    monkeypatch.setattr(search, "_SLICE", 1000)
    game = ludus.make_game("mancala(holes=4, stones=3, capture=empty, leftovers=owner)")

    def interrupt(nodes):
        if nodes > 3000:
            raise KeyboardInterrupt

    searcher = Searcher(game, memory=SMALL, progress=interrupt)
    with pytest.raises(KeyboardInterrupt):
        searcher.value(game.start())
    searcher.progress = None
    assert searcher.value(game.start()) == Value(8)


def test_progress_tells_the_nodes_visited(monkeypatch):
    monkeypatch.setattr(search, "_SLICE", 1000)
    game, told = ludus.make_game("mancala(holes=4, stones=3, capture=empty, leftovers=owner)"), []
    searcher = Searcher(game, memory=SMALL, progress=told.append)
    searcher.value(game.start())
    assert told == sorted(told)
    assert told[-1] <= searcher.nodes


def test_lines_longer_than_the_first_room_are_searched(monkeypatch):
    monkeypatch.setattr(search, "_FIRST_DEPTH", 2)
    game = ludus.make_game("tic-tac-toe")
    assert Searcher(game, memory=SMALL).value(game.start()) == Value(0)


@pytest.mark.parametrize(("name", "can"), [("tic-tac-toe", True), ("chung-toi", False)])
def test_games_that_may_never_end_are_not_searchable(name, can):
    assert searchable(ludus.make_game(name)) == can


def test_a_game_that_may_never_end_is_refused():
    with pytest.raises(ludus.LudusError, match=r"ChungToi cannot be searched.*gives no max_plies"):
        Searcher(ludus.make_game("chung-toi"))


class Place(NamedTuple):
    number: int


class Endless(NamedTuple):
    """Walk on, for ever perhaps: who stops loses."""

    def start(self):
        return Place(0)

    def player(self, pos):
        return pos.number & 1

    def legal(self, pos):
        return 3 if pos.number >= 0 else 0

    def play(self, pos, action):
        return Place(pos.number + 1) if action == 0 else Place(-1 - (pos.number & 1))

    def score(self, pos):
        return -1 if pos.number == -1 else 1


class Huge(Endless):
    def score(self, pos):
        return 1000 if pos.number == -1 else -1000


@pytest.mark.slow
@pytest.mark.parametrize(("game", "why"), [(Endless(), "more than 2048 plies"), (Huge(), "larger than a search")])
def test_what_cannot_be_searched_is_told(game, why):
    with pytest.raises(ludus.LudusError, match=why):
        Searcher(game, memory=SMALL).value(game.start())


@pytest.mark.slow
def test_a_search_gives_the_same_without_the_jit(fresh_python):
    code = """
import ludus
from ludus.solving.search import Searcher
for name in ("tic-tac-toe", "mancala(holes=3, stones=1)", "connect-four(width=4, height=2, connect=3)"):
    game = ludus.make_game(name)
    searcher = Searcher(game, memory=1 << 16)
    print(searcher.value(game.start()), searcher.nodes)
"""
    assert fresh_python(code, NUMBA_DISABLE_JIT="1") == fresh_python(code)


# ---- books ----

OPENING = "connect-four(width=4, height=4)"


def test_a_book_holds_the_values_of_the_opening():
    game = ludus.make_game(OPENING)
    made, searcher = book.build(game, 3, memory=SMALL), Searcher(game, memory=SMALL)
    positions = [pos for pos in reachable(game) if (pos.mine | pos.theirs).bit_count() <= 3]
    assert all(made.get(pos) == searcher.solved(pos) for pos in positions)
    assert len(made) < len(positions)


def test_a_search_asks_its_book_first():
    game = ludus.make_game(OPENING)
    book.build(game, 2, memory=SMALL)
    searcher = Searcher(game, memory=SMALL, book=book.load(game))
    assert searcher.actions(game.start()) == Searcher(game, memory=SMALL).actions(game.start())
    assert searcher.nodes == 0


def test_a_book_of_points_is_right():
    game = ludus.make_game("mancala(holes=3, stones=2, capture=empty, leftovers=owner)")
    made, searcher = book.build(game, 2, memory=SMALL), Searcher(game, memory=SMALL)
    pos = game.play(game.start(), 1)
    assert Searcher(game, memory=SMALL, book=made).value(pos) == searcher.value(pos)
    assert made.get(pos) is not None


def test_an_interrupted_book_goes_on_where_it_was():
    game, done = ludus.make_game(OPENING), []

    def interrupt(positions, total):
        done.append(positions)
        if positions == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        book.build(game, 3, memory=SMALL, progress=interrupt)
    assert len(book.load(game)) == 5
    book.build(game, 3, memory=SMALL, progress=lambda positions, total: done.append(positions))
    assert done == list(range(1, len(done) + 1))


def test_there_is_no_book_until_it_is_built():
    assert book.load(ludus.make_game(OPENING)) is None


def test_a_book_of_negative_depth_is_refused():
    with pytest.raises(ludus.LudusError, match="not -1"):
        book.build(ludus.make_game(OPENING), -1)


@pytest.mark.parametrize("damage", [lambda content: content[:-1], lambda content: content[:-1] + b"?", lambda _: b"?"])
def test_a_damaged_book_is_refused(damage):
    game = ludus.make_game(OPENING)
    book.build(game, 1, memory=SMALL)
    path = search_files.path_for(game, "book")
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ludus.LudusError, match="is damaged"):
        book.load(game)
