"""Bounds that a search gives while it closes in on a value."""

from itertools import pairwise

import pytest

from ludus.games.connect_four import ConnectFour
from ludus.games.mancala import Mancala
from ludus.solving.alpha_beta import Searcher


@pytest.mark.parametrize("game", [ConnectFour(3, 4, 3), Mancala(3, 2)])
def test_bounds_only_narrow_hold_the_value_and_meet_at_it(game, plain):
    searcher = Searcher(game, memory=1 << 20)
    pos = game.start()
    told = list(searcher.closing_in(pos))
    value = Searcher(game, memory=1 << 20).solved(pos)
    assert all(low <= value <= high for low, high in told)
    assert all(now[0] >= before[0] and now[1] <= before[1] for before, now in pairwise(told))
    assert told[-1] == (value, value)
    assert searcher.told(pos, value) == searcher.value(pos)
