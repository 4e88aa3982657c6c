"""Pieces of Toads and Frogs that never move again, and what they leave of a strip; bitboards from the left edge."""

from __future__ import annotations

from ludus.bits import lowest
from ludus.compiling import helper


@helper
def dead_pieces(toads: int, frogs: int, squares: int) -> int:
    """All pieces that stand without a gap from TT, or the left edge, to FF, or the right edge; and those that arrived.

    No frog hops over TT and no toad over FF, so no blank ever comes between.
    """
    pieces, edge = toads | frogs, 1 << squares - 1
    beyond = _joined((toads & toads >> 1) | (pieces & 1), pieces, 1)
    behind = _joined((frogs & frogs << 1) | (pieces & edge), pieces, -1)
    return (beyond & behind) | _joined(frogs & 1, frogs, 1) | _joined(toads & edge, toads, -1)


@helper
def live_span(toads: int, frogs: int, squares: int, number: int) -> tuple[int, int]:
    """Where the n-th part that dead pieces leave begins and ends, counting those with a piece; (0, 0) for none."""
    rest = ((1 << squares) - 1) & ~dead_pieces(toads, frogs, squares)
    while rest:
        start = lowest(rest)
        stop = start + lowest(~(rest >> start))
        inside = (1 << stop) - (1 << start)
        rest &= ~inside
        if (toads | frogs) & inside:
            if number == 0:
                return start, stop
            number -= 1
    return 0, 0


@helper
def _joined(seeds: int, among: int, way: int) -> int:
    """The seeds, and the squares among those given that are joined to them, to the right (way 1) or the left (-1)."""
    before = 0
    while seeds != before:
        before, seeds = seeds, seeds | ((seeds << 1 if way == 1 else seeds >> 1) & among)
    return seeds
