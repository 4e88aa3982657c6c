"""Repertoires: a best action against every reply, down to where a search is quick; the same bytes however made."""

import itertools
import os
import random
import signal
import subprocess
import sys
import time

import pytest

import ludus
from ludus import catalog
from ludus.agents import perfect
from ludus.agents.agent import probabilities
from ludus.agents.perfect import Bounded
from ludus.compiled.masks import actions
from ludus.solving import book_building, opening_book
from ludus.solving.alpha_beta import Searcher
from ludus.solving.book_building import build
from ludus.solving.opening_book import NO_ACTION, Extent, after_action, key_of
from ludus.solving.solver import search
from ludus.solving.value import before_it

SMALL = 1 << 20
BOARD = "connect-four(width=4, height=4)"
LARGER = "connect-four(width=5, height=4)"
KALAH = "mancala(holes=4, stones=3, capture=empty, leftovers=owner)"

pytestmark = pytest.mark.usefixtures("home")


def lines(game, book, own):
    """Every position in which player `own` moves by the book against all replies; the last one of a line is without."""
    seen, waiting = set(), [game.start()]
    while waiting:
        pos = waiting.pop()
        if pos in seen or not actions(game.legal(pos)):
            continue
        seen.add(pos)
        chosen = actions(game.legal(pos))
        if game.player(pos) == own:
            chosen = book.best(pos)
            yield pos, chosen
        waiting += [game.play(pos, action) for action in chosen]


def best_by(solution, game, pos):
    """The best actions of a position by the solution, plies counted where the game counts them."""
    side = 1 if game.player(pos) == 0 else -1

    def rank(value):
        plies = 0 if value.plies is None or not value.score else value.plies
        return side * value.score, -plies if side * value.score > 0 else plies

    values = {action: rank(value) for action, value in solution.actions(pos).items()}
    return {action for action, value in values.items() if value == max(values.values())}


@pytest.mark.slow
@pytest.mark.parametrize("player", [0, 1])
def test_the_book_plays_perfectly_against_every_reply_to_the_end(player):
    game = ludus.make_game(BOARD)
    book, solution = build(game, 1, nodes=1, memory=SMALL), ludus.solve(game)
    searcher, seen = Searcher(game, memory=SMALL), 0
    for pos, chosen in lines(game, book, player):
        if chosen:
            seen += 1
            assert set(chosen) <= best_by(solution, game, pos)
            value, found = solution.value(pos), searcher.as_value(pos, book.get(pos))
            assert (found.score, found.plies) == (value.score, value.plies if value.score else None)
    assert seen > 1000


@pytest.mark.slow
@pytest.mark.parametrize("player", [0, 1])
def test_a_book_of_points_and_extra_turns_plays_perfectly(player):
    game = ludus.make_game(KALAH)
    book, searcher = build(game, 1, nodes=1, memory=SMALL), Searcher(game, memory=SMALL)
    known = [(pos, chosen) for pos, chosen in lines(game, book, player) if chosen]
    assert len(known) > 50
    for pos, chosen in known[::5]:
        assert set(chosen) <= set(searcher.best(pos))
        assert searcher.as_value(pos, book.get(pos)) == searcher.value(pos)


def test_a_line_ends_where_a_search_visits_few_nodes():
    game = ludus.make_game(BOARD)
    book, nodes = build(game, 0, nodes=500, memory=SMALL), 500
    for player in (0, 1):
        for pos, chosen in lines(game, book, player):
            if not chosen:
                searcher = Searcher(game, memory=book_building._LINE_MEMORY)
                searcher.best(pos)
                assert searcher.nodes < 4 * nodes  # a position below may be a little harder than that above


def test_a_position_after_the_books_own_move_is_valued_by_lookahead():
    game = ludus.make_game(BOARD)
    book = build(game, 0, nodes=100, memory=SMALL)
    first = game.play(game.start(), book.best(game.start())[0])
    reply = next(action for action in actions(game.legal(first)) if action not in book.best(first))
    second = game.play(first, reply)
    pos = game.play(second, book.best(second)[0])
    assert key_of(game, pos) not in book.entries()
    assert book.get(pos) == Searcher(game, memory=SMALL).search_value(pos)


def test_mirror_images_have_mirrored_actions():
    game = ludus.make_game(BOARD)
    book = build(game, 1, nodes=500, memory=SMALL)
    left, right = (game.play(game.start(), column) for column in (0, 3))
    assert book.get(left) == book.get(right)
    assert [3 - action for action in book.best(left)] == book.best(right) != []


def content(game):
    return opening_book.path_for(game).read_bytes()


def test_one_thread_and_many_make_the_same_bytes(tmp_path, monkeypatch):
    game, found = ludus.make_game(BOARD), set()
    for threads in (1, 5):
        monkeypatch.setenv("LUDUS_HOME", str(tmp_path / str(threads)))
        build(game, 1, nodes=300, memory=SMALL, threads=threads)
        found.add(content(game))
    assert len(found) == 1


def test_a_book_interrupted_again_and_again_ends_with_the_same_bytes(tmp_path, monkeypatch):
    game, calls, interrupts = ludus.make_game(BOARD), itertools.count(1), 0

    def interrupt(stage, done, total):
        if next(calls) % 25 == 0:
            raise KeyboardInterrupt

    while True:
        try:
            build(game, 1, nodes=300, memory=SMALL, progress=interrupt)
            break
        except KeyboardInterrupt:
            interrupts += 1
    interrupted = content(game)
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path / "other"))
    build(game, 1, nodes=300, memory=SMALL)
    assert interrupts >= 3
    assert content(game) == interrupted


@pytest.mark.slow
def test_a_book_killed_again_and_again_ends_with_the_same_bytes(tmp_path):
    program = (
        "import ludus; from ludus.solving import book_building as b; b._SECONDS = 0.05;"
        f" b.build(ludus.make_game({LARGER!r}), 1, nodes=300, memory={SMALL})"
    )

    def built(home, patience):
        started = subprocess.Popen([sys.executable, "-c", program], env=os.environ | {"LUDUS_HOME": str(home)})
        try:
            return started.wait(patience) == 0
        except subprocess.TimeoutExpired:
            started.send_signal(signal.SIGKILL)
            started.wait()
            return False

    began = time.monotonic()
    assert built(tmp_path / "whole", 120)
    patience, kills = (time.monotonic() - began) / 3, 0
    while not built(tmp_path / "killed", patience):
        kills, patience = kills + 1, patience * 1.1
    assert kills > 0
    one, other = (next((tmp_path / home / "books").glob("*.book")).read_bytes() for home in ("whole", "killed"))
    assert one == other


# ---- how far books go ----


@pytest.mark.parametrize(
    ("one", "other", "covers"),
    [
        (Extent(2, 0), Extent(2, 0), True),
        (Extent(2, 0), Extent(3, 0), False),
        (Extent(2, 0), Extent(2, 100), False),
        (Extent(2, 100), Extent(2, 0), True),
        (Extent(2, 100), Extent(1, 1000), True),
        (Extent(2, 1000), Extent(2, 100), False),
    ],
)
def test_a_book_that_goes_as_far_is_not_made_again(one, other, covers):
    assert one.covers(other) == covers


def test_a_repertoire_extends_a_book_and_is_extended():
    game = ludus.make_game(BOARD)
    few = len(build(game, 2, memory=SMALL))
    more = build(game, 2, nodes=2000, memory=SMALL)
    most = build(game, 2, nodes=200, memory=SMALL)
    assert few < len(more) < len(most)
    assert (more.extent, most.extent) == (Extent(2, 2000), Extent(2, 200))
    assert opening_book.load(game).extent == Extent(2, 200)


# ---- books that ship with Ludus ----


SHIPPED = sorted(opening_book.SHIPPED.glob("*.book"))
BUDGET = 1 << 17  # nodes of a search that checks an entry
each_shipped = pytest.mark.parametrize("path", SHIPPED, ids=[path.name for path in SHIPPED])


def shipped_book(path):
    """The game of a file, and its book."""
    for name in catalog.games():
        game = ludus.make_game(name)
        if path.name.startswith(f"{type(game).__name__}-") and opening_book.path_for(game).name == path.name:
            return game, opening_book.load(game)
    raise AssertionError(f"{path.name} belongs to no game as it is now: make it anew")


@each_shipped
def test_a_shipped_book_is_complete_and_small(path):
    _, book = shipped_book(path)
    assert book.extent.plies >= 0
    assert book.extent.nodes <= perfect._NODES // 2
    assert path.stat().st_size <= 300_000


@each_shipped
def test_a_random_part_of_a_shipped_book_is_what_a_search_finds(path):
    game, book = shipped_book(path)
    quick = sorted(pos for pos, entry in book.entries().items() if 0 < entry.effort <= BUDGET.bit_length())
    for pos in random.Random(26).sample(quick, 60):
        searcher = Searcher(game, memory=1 << 24)
        assert book.get(pos) == searcher.search_value(pos)
        assert set(book.best(pos)) <= set(searcher.best(pos))


@each_shipped
def test_the_values_of_a_shipped_book_follow_from_each_other(path):
    game, book = shipped_book(path)
    entries = sorted((pos, entry) for pos, entry in book.entries().items() if entry.action != NO_ACTION)
    followed = 0
    for pos, entry in random.Random(26).sample(entries, 300):
        after, gain, again = after_action(game, pos, entry.action)
        if actions(game.legal(after)) and (value := book.get(after)) is not None:
            followed += 1
            assert before_it(game, gain, value if again else -value) == entry.value
    assert followed > 30


@pytest.mark.slow
@each_shipped
def test_perfect_proves_every_move_of_random_games_by_a_shipped_book(path):
    game, _ = shipped_book(path)
    for number in range(6):
        draw, pos = random.Random(number), game.start()
        agent = Bounded(search(game, pos, 1 << 26, None), 1.0)
        while legal := actions(game.legal(pos)):
            action = draw.choice(legal)
            if game.player(pos) == number % 2:
                action = int(probabilities(agent, game, pos).argmax())
                assert agent.remark == ""
            pos = game.play(pos, action)


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """A book to ply 1 that ships with Ludus, in place of all others."""
    game = ludus.make_game(BOARD)
    monkeypatch.setattr(opening_book, "SHIPPED", tmp_path / "shipped")
    build(game, 1, nodes=2000, memory=SMALL)
    opening_book.path_for(game).parent.rename(tmp_path / "shipped")
    return game


def test_a_shipped_book_is_used_and_the_users_own_extends_it(shipped):
    first = opening_book.load(shipped)
    assert first.extent == Extent(1, 2000)
    assert not opening_book.path_for(shipped).exists()
    made = build(shipped, 3, memory=SMALL)
    assert made.extent == opening_book.load(shipped).extent == Extent(3, 2000)
    assert first.entries().items() <= opening_book.load(shipped).entries().items()


def test_a_damaged_shipped_book_is_refused(shipped):
    (path,) = opening_book.SHIPPED.glob("*.book")
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ludus.LudusError, match="is damaged"):
        opening_book.load(shipped)
