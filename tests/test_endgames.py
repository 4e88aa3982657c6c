"""Tables of endgames: right, numbered without gaps, kept on disk, and used by searches."""

from functools import cache

import numpy as np
import pytest

import ludus
from ludus.masks import actions
from ludus.solving import endgames, search
from ludus.solving.endgame_index import index_of, sizes_at
from ludus.solving.search import Searcher
from ludus.solving.search_files import path_for
from ludus.solving.value import Value

VARIANTS = [
    f"mancala(holes=2, capture={capture}, leftovers={leftovers})"
    for capture in ("none", "standard", "empty")
    for leftovers in ("nobody", "owner")
]


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A folder of its own for what is kept on disk."""
    monkeypatch.setenv("LUDUS_HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("name", VARIANTS)
def test_a_table_agrees_with_plain_minimax(name):
    game = ludus.make_game(name)

    @cache
    def value(pos):
        legal = actions(game.legal(pos))
        if not legal:
            return game.score(pos)
        best = max if game.player(pos) == 0 else min
        return best(value(game.play(pos, action)) for action in legal)

    table = endgames.compute(game, 7)
    sizes = np.zeros(4, np.int64)
    for number, found in enumerate(table.values):
        sizes_at(number, table, sizes)
        assert found == value(game.endgame_position(sizes))


def test_every_position_has_its_own_number_and_fewer_marbles_come_first():
    game = ludus.make_game("mancala(holes=2)")
    table = endgames.compute(game, 5)
    sizes, totals = np.zeros(4, np.int64), []
    for number in range(len(table.values)):
        sizes_at(number, table, sizes)
        totals.append(int(sizes.sum()))
        assert index_of(game, game.endgame_position(sizes), table) == number
    assert totals == sorted(totals)
    assert totals[-1] == 5


def test_what_is_larger_is_not_in_the_table():
    game = ludus.make_game("mancala(holes=2)")
    assert index_of(game, game.start(), endgames.compute(game, 5)) == -1


@pytest.mark.parametrize("threads", [1, 3])
def test_a_table_is_the_same_however_it_is_made(threads, monkeypatch):
    monkeypatch.setattr(endgames, "_CHUNK", 100)
    game = ludus.make_game("mancala(holes=3)")
    grown = endgames.extended(game, endgames.compute(game, 4), 8, threads=threads)
    assert np.array_equal(grown.values, endgames.compute(game, 8, threads=1).values)


def test_a_search_works_out_endgames_once_it_takes_long(monkeypatch):
    monkeypatch.setattr(search, "_SLICE", 100)
    game = ludus.make_game("mancala(holes=4, stones=3, capture=empty, leftovers=owner)")
    with_tables = Searcher(game, memory=1 << 20)
    assert with_tables.value(game.start()) == Value(8)
    monkeypatch.setattr(search, "_NODES_PER_ENDGAME", 1e9)
    without = Searcher(game, memory=1 << 20)
    assert without.value(game.start()) == Value(8)
    assert with_tables.nodes < without.nodes


def test_a_table_on_disk_serves_every_search():
    game = ludus.make_game("mancala(holes=3, stones=2)")
    plain = Searcher(game, memory=1 << 20)
    value = plain.value(game.start())
    built = endgames.build(game, 10)
    assert np.array_equal(endgames.load(game).values, built.values)
    searcher = Searcher(game, memory=1 << 20)
    assert searcher.value(game.start()) == value
    assert searcher.nodes < plain.nodes


def test_a_smaller_table_is_not_built_over_a_larger_one():
    game = ludus.make_game("mancala(holes=2)")
    endgames.build(game, 6)
    assert endgames.build(game, 4).most == 6


def test_a_table_of_other_rules_is_refused():
    game, other = ludus.make_game("mancala(holes=2)"), ludus.make_game("mancala(holes=2, capture=empty)")
    endgames.build(game, 4)
    path_for(game, "endgame").rename(path_for(other, "endgame"))
    with pytest.raises(ludus.LudusError, match="other rules: Mancala"):
        endgames.load(other)


def test_a_damaged_table_is_refused():
    game = ludus.make_game("mancala(holes=2)")
    endgames.build(game, 4)
    path = path_for(game, "endgame")
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(ludus.LudusError, match="is damaged"):
        endgames.load(game)


def test_a_game_without_heaps_has_no_table():
    with pytest.raises(ludus.LudusError, match="TicTacToe has no endgame tables"):
        endgames.build(ludus.make_game("tic-tac-toe"), 4)


def test_a_table_too_large_for_its_values_is_refused():
    with pytest.raises(ludus.LudusError, match="up to 126"):
        endgames.compute(ludus.make_game("mancala"), 127)
