"""Dots and Boxes: draw an edge; who closes a box owns it and draws again; most boxes win."""

from typing import NamedTuple

from ludus.compiled.bits import popcount


class Position(NamedTuple):
    edges: int
    margin: int  # boxes of player 0 less those of player 1
    turn: int


class DotsAndBoxes(NamedTuple):
    """Close more boxes than the opponent; who closes one draws again."""

    rows: int = 2
    columns: int = 2

    def validate(self):
        if min(self.rows, self.columns) < 1 or self.num_actions > 62:
            raise ValueError(
                f"rows and columns must be at least 1 with at most 62 edges, not {self.rows}x{self.columns}"
            )

    @property
    def level_edges(self):
        return (self.rows + 1) * self.columns

    @property
    def num_actions(self):
        return self.level_edges + self.rows * (self.columns + 1)

    def start(self):
        return Position(0, 0, 0)

    def player(self, pos):
        return pos.turn

    def legal(self, pos):
        return (1 << self.num_actions) - 1 & ~pos.edges

    def box(self, row, column):
        """The four edges of a box; level ones are counted first, row by row."""
        above = row * self.columns + column
        left = self.level_edges + row * (self.columns + 1) + column
        return 1 << above | 1 << above + self.columns | 3 << left

    def closed(self, edges):
        boxes = 0
        for row in range(self.rows):
            for column in range(self.columns):
                boxes += popcount(edges & self.box(row, column)) == 4
        return boxes

    def play(self, pos, action):
        edges = pos.edges | 1 << action
        won = self.closed(edges) - self.closed(pos.edges)
        if won:
            return Position(edges, pos.margin + (won if pos.turn == 0 else -won), pos.turn)
        return Position(edges, pos.margin, 1 - pos.turn)

    def score(self, pos):
        return pos.margin

    def banked(self, pos):
        return pos.margin

    def unbanked(self, pos):
        return Position(pos.edges, 0, pos.turn)
