"""Clobber on 5x6: step onto a neighbouring enemy stone and take it; the player who cannot move loses. 120 actions."""

from typing import NamedTuple

from ludus import helper
from ludus.compiled.bits import lowest
from ludus.compiled.masks import add

HEIGHT, WIDTH = 5, 6
CELLS = HEIGHT * WIDTH
BOARD = (1 << CELLS) - 1
LEFT_EDGE = sum(1 << WIDTH * row for row in range(HEIGHT))
WHITE = sum(1 << WIDTH * y + x for y in range(HEIGHT) for x in range(WIDTH) if (x + y) % 2 == 0)


class Position(NamedTuple):
    white: int
    black: int
    turn: int


@helper
def shifted(board, direction):
    """Every stone moved one step: 0 right, 1 left, 2 down, 3 up."""
    if direction == 0:
        return board << 1 & BOARD & ~LEFT_EDGE
    if direction == 1:
        return (board & ~LEFT_EDGE) >> 1
    return board << WIDTH & BOARD if direction == 2 else board >> WIDTH


class Clobber(NamedTuple):
    """Step onto a neighbouring enemy stone and take it; the player who cannot move loses."""

    num_actions = 4 * CELLS  # four times the cell of the stone, plus the direction

    def start(self):
        return Position(WHITE, BOARD ^ WHITE, 0)

    def player(self, pos):
        return pos.turn

    def legal(self, pos):
        mine, theirs = (pos.white, pos.black) if pos.turn == 0 else (pos.black, pos.white)
        mask = (0, 0)
        for direction in range(4):
            movers = mine & shifted(theirs, direction ^ 1)
            while movers:
                mask = add(mask, 4 * lowest(movers) + direction)
                movers &= movers - 1
        return mask

    def play(self, pos, action):
        stone = 1 << action // 4
        target = shifted(stone, action % 4)
        if pos.turn == 0:
            return Position(pos.white ^ stone ^ target, pos.black ^ target, 1)
        return Position(pos.white ^ target, pos.black ^ stone ^ target, 0)

    def score(self, pos):
        return 1 if pos.turn == 1 else -1

    def with_mover(self, pos, player):
        return Position(pos.white, pos.black, player)
