"""Actions and lines that a side may not use in training, so that it learns what else there is.

The TapnSwap paper's wish: forbid the known winning strategy, at some point or at the last move.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus import face
from ludus.compiled.compiling import helper, hook
from ludus.compiled.masks import Mask, actions, add, first, is_empty, none_like, without_first
from ludus.compiled.rows import Row, pack, unpack
from ludus.errors import LudusError
from ludus.game import first_player, num_actions
from ludus.learning.loop.plan import Ban, Bans
from ludus.solving.explore import explore
from ludus.solving.position_index import find_slot, table_for
from ludus.solving.solver import solve_explored

_MOST = 1_000_000  # positions of a game in which actions can be forbidden
Pairs = list[tuple[Any, int]]  # positions, and an action in each


class Forbidden(NamedTuple):
    """For each ban and each position with forbidden actions, which they are, and at which plies the ban holds."""

    rows: npt.NDArray[np.int64]  # [positions, fields]
    slots: npt.NDArray[np.int32]  # [slots]: the table that finds them
    banned: npt.NDArray[np.bool_]  # [bans, positions, actions]
    plies: npt.NDArray[np.int64]  # [bans, (first, last)]

    def permitted(self, game: Any, pos: Any, mask: Mask, ply: int, row: Row) -> Mask:
        """The actions that are not forbidden, or all if there would be none."""
        pack(pos, row)
        number = int(self.slots[find_slot(self.rows, self.slots, row)]) - 1
        if number < 0:
            return mask
        left, kept = mask, none_like(mask)
        while not is_empty(left):
            action = first(left)
            if not is_banned(self.banned, self.plies, number, action, ply):
                kept = add(kept, action)
            left = without_first(left)
        return mask if is_empty(kept) else kept


class Unrestricted(NamedTuple):
    """Nothing is forbidden, and nothing is compiled to look for it."""


@hook
def permitted(forbidden: Any, game: Any, pos: Any, mask: Mask, ply: int, row: Row) -> Mask:
    """The actions that are not forbidden, or all if there would be none; `row` is room for a position."""
    return mask


def forbidden(game: Any, bans: Bans) -> Forbidden | Unrestricted:
    """What the bans mean in a game."""
    if not bans.bans:
        return Unrestricted()
    found = [_pairs(game, ban) for ban in bans.bans]
    numbers: dict[Any, int] = {}
    for pairs in found:
        for pos, _ in pairs:
            numbers.setdefault(pos, len(numbers))
    rows = np.array(list(numbers), np.int64).reshape(len(numbers), len(game.start()))
    banned = np.zeros((len(found), len(numbers), num_actions(game)), np.bool_)
    for which, pairs in enumerate(found):
        for pos, action in pairs:
            banned[which, numbers[pos], action] = True
    plies = np.array([ban.plies for ban in bans.bans], np.int64).reshape(len(found), 2)
    return Forbidden(rows, table_for(rows, len(rows), 2 * len(rows) + 1), banned, plies)


def _pairs(game: Any, ban: Ban) -> Pairs:
    player = {"first": first_player(game), "second": 1 - first_player(game)}[ban.seat]
    if ban.line:
        return [_end_of_line(game, ban, player)]
    explored = explore(game, game.start(), limit=_MOST)
    if not explored.complete:
        raise LudusError(f"too large to forbid {ban.what} in: more than {_MOST:,} positions; forbid lines")
    listed = (unpack(game.start(), row) for row in explored.positions)
    choices = [(pos, a) for pos in listed if game.player(pos) == player for a in actions(game.legal(pos))]
    if ban.action:
        named = [(pos, a) for pos, a in choices if face.action_name(game, pos, a) == ban.action]
        if not named:
            raise LudusError(f"{ban.seat} has no action called {ban.action!r} anywhere")
        return named
    if ban.what == "last":
        return [(pos, a) for pos, a in choices if _wins(game, game.play(pos, a), player)]
    truth = solve_explored(explored, game.start())
    side = 1 if player == 0 else -1
    return [(pos, a) for pos, a in choices if side * truth.value(game.play(pos, a)).score > 0]


def _wins(game: Any, pos: Any, player: int) -> bool:
    return not actions(game.legal(pos)) and bool(game.score(pos) > 0 if player == 0 else game.score(pos) < 0)


def _end_of_line(game: Any, ban: Ban, player: int) -> tuple[Any, int]:
    pos = game.start()
    for place, name in enumerate(ban.line):
        names = {face.action_name(game, pos, action): action for action in actions(game.legal(pos))}
        if name not in names:
            raise LudusError(f"{name!r} cannot be played as ply {place + 1} of the line; there are: {', '.join(names)}")
        if place == len(ban.line) - 1:
            break
        pos = game.play(pos, names[name])
    if game.player(pos) != player:
        raise LudusError(f"the last action of the line is not one of the {ban.seat} player")
    return pos, names[name]


@helper
def is_banned(banned: Any, plies: Any, number: int, action: int, ply: int) -> bool:
    """Whether some ban holds for an action of a listed position at this ply."""
    for ban in range(len(plies)):  # noqa: SIM110, a loop compiles and any() does not
        if plies[ban, 0] <= ply <= plies[ban, 1] and banned[ban, number, action]:
            return True
    return False
