"""Opening books: right, kept on disk, and used by searches of the same rules only."""

import pytest
from test_search import SMALL, reachable
from test_search_limits import Place, Walk

import ludus
from ludus.games.connect_four import ConnectFour as Original
from ludus.solving import book_building, opening_book
from ludus.solving.alpha_beta import Searcher

OPENING = "connect-four(width=4, height=4)"


pytestmark = pytest.mark.usefixtures("home")


@pytest.mark.slow
def test_a_book_holds_the_values_of_the_opening():
    game = ludus.make_game(OPENING)
    made, searcher = book_building.build(game, 3, memory=SMALL), Searcher(game, memory=SMALL)
    positions = [pos for pos in reachable(game) if (pos.mine | pos.theirs).bit_count() <= 3]
    assert all(made.get(pos) == searcher.search_value(pos) for pos in positions)
    assert len(made) < len(positions)


@pytest.mark.slow
def test_a_search_asks_its_book_first():
    game = ludus.make_game(OPENING)
    book_building.build(game, 2, memory=SMALL)
    searcher = Searcher(game, memory=SMALL, book=opening_book.load(game))
    assert searcher.actions(game.start()) == Searcher(game, memory=SMALL).actions(game.start())
    assert searcher.nodes == 0


def test_a_book_of_points_is_correct():
    game = ludus.make_game("mancala(holes=3, stones=2, capture=empty, leftovers=owner)")
    made, searcher = book_building.build(game, 2, memory=SMALL), Searcher(game, memory=SMALL)
    pos = game.play(game.start(), 1)
    assert Searcher(game, memory=SMALL, book=made).value(pos) == searcher.value(pos)
    assert made.get(pos) is not None


def test_the_best_actions_can_come_from_a_book():
    game = ludus.make_game(OPENING)
    searcher = Searcher(game, memory=SMALL, book=book_building.build(game, 2, memory=SMALL))
    visited = searcher.nodes
    assert searcher.best(game.start()) == Searcher(game, memory=SMALL).best(game.start())
    assert searcher.nodes == visited


def test_an_interrupted_book_resumes_where_it_was():
    game, done = ludus.make_game(OPENING), []

    def interrupt(stage, positions, total):
        done.append(positions)
        if positions == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        book_building.build(game, 3, memory=SMALL, progress=interrupt)
    assert len(opening_book.load(game)) == 5
    book_building.build(game, 3, memory=SMALL, progress=lambda stage, positions, total: done.append(positions))
    searched = [positions for positions in done if positions]
    assert searched == [1, 2, 3, 4, 5, *range(5, len(searched))]


def test_there_is_no_book_until_it_is_built():
    assert opening_book.load(ludus.make_game(OPENING)) is None


def test_a_book_of_negative_depth_is_refused():
    with pytest.raises(ludus.LudusError, match="not -1"):
        book_building.build(ludus.make_game(OPENING), -1)


@pytest.mark.parametrize("damage", [lambda content: content[:-1], lambda content: content[:-1] + b"?", lambda _: b"?"])
def test_a_damaged_book_is_refused(damage):
    game = ludus.make_game(OPENING)
    book_building.build(game, 1, memory=SMALL)
    path = opening_book.path_for(game)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ludus.LudusError, match="is damaged"):
        opening_book.load(game)


class ConnectFour(Original):
    """Who makes a line loses."""

    def score(self, pos):
        return -Original.score(self, pos)

    def candidates(self, pos):
        return self.legal(pos)


def test_a_book_of_other_rules_under_the_same_name_is_not_used():
    book_building.build(Original(5, 4), 1, memory=1 << 24)
    assert opening_book.load(ConnectFour(5, 4)) is None


class Hopeful(Walk):
    def bounds(self, pos):
        return 0, 1


def test_a_book_made_with_a_wrong_hook_does_not_survive_its_repair(plain, monkeypatch):
    assert book_building.build(Hopeful(), 1, memory=SMALL).get(Place(0)) == 0
    monkeypatch.setattr(Hopeful, "bounds", lambda self, pos: (-1, 1))
    assert opening_book.load(Hopeful()) is None


class Over(Walk):
    def legal(self, pos):
        return 0


@pytest.mark.parametrize("plies", [0, 2])
def test_a_game_that_is_over_at_its_start_has_no_book(plain, plies):
    with pytest.raises(ludus.LudusError, match="Over is over at its start: there is nothing to search"):
        book_building.build(Over(), plies, memory=SMALL)
    assert opening_book.load(Over()) is None


def test_a_book_ends_with_the_game(plain):
    made = book_building.build(Walk(), 1000, memory=SMALL)
    assert (made.extent, len(made)) == (opening_book.Extent(1000), 30)


def test_a_book_of_too_many_positions_is_refused(plain, monkeypatch):
    monkeypatch.setattr(book_building, "MOST", 10)
    with pytest.raises(ludus.LudusError, match="more than 10 positions to search: ask for fewer plies"):
        book_building.build(ludus.make_game(OPENING), 8, memory=SMALL)


def test_a_game_that_cannot_be_searched_is_refused_before_its_book_is_listed(plain, monkeypatch):
    monkeypatch.setattr(book_building, "_root", None)
    with pytest.raises(ludus.LudusError, match="cannot be searched"):
        book_building.build(ludus.make_game("tapnswap"), 30, memory=SMALL)


def test_the_positions_of_a_book_are_counted_while_they_are_listed(plain):
    reported = []
    book_building.build(Walk(), 2, memory=SMALL, progress=lambda *what: reported.append(what))
    assert reported == [("listing", 0, 1)] * 2 + [("all positions, ply 2", done, 1) for done in (0, 1)]


def test_a_deeper_book_that_another_process_finished_meanwhile_is_kept():
    game = ludus.make_game(OPENING)

    def meanwhile(stage, done, total):
        if done == 1 and opening_book.load(game) is None:
            book_building.build(game, 4, memory=SMALL, threads=1)

    made = book_building.build(game, 2, memory=SMALL, threads=1, progress=meanwhile)
    left = opening_book.load(game)
    assert (made.extent.plies, left.extent.plies) == (4, 4)
    assert left.entries() == made.entries() == book_building.build(game, 4, memory=SMALL).entries()
