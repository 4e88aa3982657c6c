"""The successors of many positions at once: the one kernel of tablebases that runs the rules of a game."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus import face
from ludus.compiled.compiling import kernel
from ludus.compiled.masks import count, first, is_empty, without_first
from ludus.compiled.rows import Row, borrowed
from ludus.errors import LudusError
from ludus.game import gives_index, index, num_actions, tier
from ludus.solving.tablebases.keys import Keying, canonical, key_of, position_of
from ludus.solving.tablebases.position_sets import Keys
from ludus.solving.value import seen_by_mover

_EDGES = 1 << 17  # of a block: they stay in the processor's cache
DONE, FULL, MISFIT, GROWS, BROKEN = range(5)  # why `expand` stopped


class MisfitError(Exception):
    """A position whose fields use bits that were not seen before."""

    def __init__(self, row: Row) -> None:
        super().__init__()
        self.row = row


class Block(NamedTuple):
    """Some positions and their successors."""

    degree: npt.NDArray[np.int32]  # [positions]: how many actions are legal; 0 where the game is over
    score: npt.NDArray[np.int64]  # [positions]: for the side to move, where the game is over
    source: npt.NDArray[np.int32]  # [edges]: the position, by its place in the block
    key: npt.NDArray[np.int64]  # [edges]: the successor
    tier: npt.NDArray[np.int64]  # [edges]: its tier
    changes: npt.NDArray[np.bool_]  # [edges]: whether the side to move changes


def blocks(game: Any, keying: Keying, keys: Keys, number: int) -> Iterator[tuple[int, Block]]:
    """The positions of one tier with their successors, block by block, each with the place where it begins.

    Raises MisfitError, and LudusError for a tier that grows and for an index that does not lead back.
    """
    like = game.start()
    edges = max(_EDGES, 2 * num_actions(game))
    room = Block(
        np.empty(len(keys), np.int32), np.empty(len(keys), np.int64),
        np.empty(edges, np.int32), np.empty(edges, np.int64), np.empty(edges, np.int64), np.empty(edges, np.bool_),
    )  # fmt: skip
    row, begin = np.zeros(len(like), np.int64), 0
    while begin < len(keys):
        end, filled, status = expand(game, like, keying, keys, number, begin, room, row)
        if status == MISFIT:
            raise MisfitError(row)
        if status in (GROWS, BROKEN):
            raise _broken(game, position_of(game, like, keying, int(keys[end]), row), status)
        of_positions, of_edges = slice(begin, end), slice(0, filled)
        yield (
            begin,
            Block(
                room.degree[of_positions],
                room.score[of_positions],
                room.source[of_edges],
                room.key[of_edges],
                room.tier[of_edges],
                room.changes[of_edges],
            ),
        )
        begin = end


def _broken(game: Any, pos: Any, status: int) -> LudusError:
    where = face.format_position(game, pos)
    if status == GROWS:
        return LudusError(f"tier grows along play, after {where}: give a number that no action makes larger")
    return LudusError(f"index has holes: position_at and index do not lead to each other at {where}")


@kernel(work=lambda game, like, keying, keys, number, begin, block, row: 60 * (len(keys) - begin))
def expand(
    game: Any, like: Any, keying: Keying, keys: Keys, number: int, begin: int, block: Block, row: Row
) -> tuple[int, int, int]:
    """Writes positions from place begin on, all in the tier of this number, and their successors, as far as they fit.

    Returns where it ended, the edges written, and why it stopped.
    """
    keying, keys, block, row = borrowed(keying), borrowed(keys), borrowed(block), borrowed(row)
    filled = 0
    for place in range(begin, len(keys)):
        pos = position_of(game, like, keying, int(keys[place]), row)
        if gives_index(game) and index(game, pos) != keys[place]:
            return place, filled, BROKEN
        mask = game.legal(pos)
        if filled + count(mask) > len(block.key):
            return place, filled, FULL
        block.degree[place] = count(mask)
        block.score[place] = seen_by_mover(game, pos, game.score(pos)) if is_empty(mask) else 0
        while not is_empty(mask):
            after = game.play(pos, first(mask))
            image = canonical(game, after, keying)
            key, reached = key_of(game, image, keying, row), tier(game, image)
            if key < 0 or reached > number:
                return place, filled, GROWS if key >= 0 else BROKEN if gives_index(game) else MISFIT
            block.source[filled], block.key[filled], block.tier[filled] = place - begin, key, reached
            block.changes[filled] = game.player(after) != game.player(pos)
            filled += 1
            mask = without_first(mask)
    return len(keys), filled, DONE
