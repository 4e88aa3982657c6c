"""Saved positions are checked before a training continues from them."""

import numpy as np
import pytest

from ludus import catalog, make_game
from ludus.errors import LudusError
from ludus.learning.loop.restoring import require_positions

pytestmark = pytest.mark.usefixtures("plain")
ODD = (-1, 2, 100, -100, 1 << 40, 1 << 62, -(1 << 62), -(1 << 63), (1 << 63) - 1)


@pytest.mark.parametrize("name", catalog.games())
def test_numbers_that_are_no_position_are_refused_though_rules_might_never_return(name):
    game = make_game(name)
    start = np.array(game.start(), np.int64)
    for number in ODD:
        with pytest.raises(LudusError, match="is no position of"):
            require_positions("rows", np.full_like(start, number)[None], game)
    require_positions("rows", start[None], game, is_over=False)
