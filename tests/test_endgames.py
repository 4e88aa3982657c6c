"""Tables of endgames: right, numbered without gaps, and used by searches."""

from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

import ludus
from ludus.compiled.masks import actions
from ludus.solving import alpha_beta, endgames
from ludus.solving.alpha_beta import Searcher
from ludus.solving.endgames import index_of, sizes_at
from ludus.solving.value import Value

VARIANTS = [
    f"mancala(holes=2, capture={capture}, leftovers={leftovers})"
    for capture in ("none", "standard", "empty")
    for leftovers in ("nobody", "owner")
]


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


def test_every_position_has_its_own_number_and_fewer_stones_come_first():
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
    monkeypatch.setattr(endgames, "CHUNK", 100)
    game = ludus.make_game("mancala(holes=3)")
    grown = endgames.extended(game, endgames.compute(game, 4), 8, threads=threads)
    assert np.array_equal(grown.values, endgames.compute(game, 8, threads=1).values)


def test_a_search_works_out_endgames_once_it_takes_long(monkeypatch):
    monkeypatch.setattr(alpha_beta, "SLICE", 100)
    game = ludus.make_game("mancala(holes=4, stones=3, capture=empty, leftovers=owner)")
    with_tables = Searcher(game, memory=1 << 20)
    assert with_tables.value(game.start()) == Value(8)
    monkeypatch.setattr(alpha_beta, "NODES_PER_ENDGAME", 1e9)
    without = Searcher(game, memory=1 << 20)
    assert without.value(game.start()) == Value(8)
    assert with_tables.nodes < without.nodes


def test_partners_use_one_table(monkeypatch):
    monkeypatch.setattr(alpha_beta, "SLICE", 100)
    game = ludus.make_game("mancala(holes=4, stones=3, capture=empty, leftovers=owner)")
    searcher = Searcher(game, memory=1 << 20)
    partner = searcher.partner()
    assert searcher.value(game.start()) == Value(8)
    partner.actions(game.start())
    assert searcher._search.endgames.most > 0
    assert partner._search.endgames is partner._endgames.table is searcher._endgames.table


def test_tables_of_positions_and_of_endgames_fit_the_memory_together(monkeypatch):
    monkeypatch.setattr(alpha_beta, "SLICE", 100)
    monkeypatch.setattr(alpha_beta, "NODES_PER_ENDGAME", 0.001)
    game = ludus.make_game("mancala(holes=4, stones=3, capture=empty, leftovers=owner)")
    searcher = Searcher(game, memory=1 << 20)
    searcher.value(game.start())
    made = searcher._search
    assert 0 < made.endgames.values.nbytes <= (1 << 20) - made.table.nbytes


class Board(NamedTuple):
    heap: int
    points: int


class Rich(NamedTuple):
    """Take one or two from a heap, each for fifty points."""

    def start(self):
        return Board(6, 0)

    def player(self, pos):
        return 0

    def legal(self, pos):
        return min(pos.heap, 3)

    def play(self, pos, action):
        return Board(pos.heap - action - 1, pos.points + 50 * (action + 1))

    def score(self, pos):
        return pos.points

    def banked(self, pos):
        return pos.points

    def unbanked(self, pos):
        return Board(pos.heap, 0)

    endgame_heaps = 1

    def endgame_heap(self, pos, number):
        return pos.heap

    def endgame_position(self, sizes):
        return Board(int(sizes[0]), 0)


@pytest.mark.parametrize("jit", ["0", "1"])
def test_values_that_are_more_than_the_heaps_hold_are_refused(jit, monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", jit)
    with pytest.raises(ludus.LudusError, match="Rich cannot have endgame tables: more is won than its heaps hold"):
        endgames.compute(Rich(), 6)


def test_a_table_too_large_for_its_values_is_refused():
    with pytest.raises(ludus.LudusError, match="up to 126"):
        endgames.compute(ludus.make_game("mancala"), 127)
