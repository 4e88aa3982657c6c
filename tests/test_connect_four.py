"""What connect four gives a search: threats beside a slow twin, and bounds beside all values of small boards."""

import random

import pytest

import ludus
from ludus.games.connect_four import ConnectFour

pytestmark = pytest.mark.usefixtures("home")


def cells_of(game):
    return [1 << cell for cell in range(game.width * (game.height + 1)) if game.cells >> cell & 1]


@pytest.mark.parametrize(("width", "height", "connect"), [(7, 6, 4), (5, 4, 3), (9, 5, 5), (4, 5, 4), (6, 4, 2)])
def test_threats_are_the_cells_that_complete_a_line(plain, width, height, connect):
    game, generator = ConnectFour(width, height, connect), random.Random(1)
    for _ in range(300):
        board = sum(generator.sample(cells_of(game), generator.randrange(1, 2 * height)))
        if not game.has_line(board):
            completing = sum(cell for cell in cells_of(game) if not board & cell and game.has_line(board | cell))
            assert game.threats(board) == completing


@pytest.mark.slow
@pytest.mark.parametrize("size", ["width=4, height=4", "width=4, height=5", "width=5, height=3, connect=3"])
def test_bounds_hold_every_value_of_small_boards(size):
    game = ludus.make_game(f"connect-four({size})")
    solution, tight = ludus.solve(game), 0
    for pos in map(game.start()._make, solution.positions.tolist()):
        if game.legal(pos):
            low, high = game.bounds(pos)
            assert low <= solution.value(pos).score <= high
            tight += (low, high) != (-1, 1)
    assert tight > 0


def test_who_must_begin_every_column_gets_every_other_cell(plain):
    game = ConnectFour(4, 4)
    pos = game.start()
    assert game.within_reach(pos) == game.bottom * 0b0101
    assert game.within_reach(game.play(pos, 0)) == game.cells
    assert game.bounds(pos) == (-1, 1)  # a level line of four is left
    assert ConnectFour(3, 4, 4).bounds(ConnectFour(3, 4, 4).start()) == (-1, 0)
