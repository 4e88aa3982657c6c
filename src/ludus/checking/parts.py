"""Proof that the parts of a position are worth as much as the position, in plain Python, where it is small."""

from __future__ import annotations

from typing import Any

from ludus import game as contract
from ludus.checking.broken import Broken, ask, ask_whole_number
from ludus.checking.sample import Sample, check_position
from ludus.masks import actions

_MOST = 300  # positions of play from one whose parts are proved
_PROVED = 50  # positions whose parts are proved

Won = dict[tuple[tuple[Any, ...], int], bool]


def check_parts(game: Any, sample: Sample) -> None:
    """Each part is its own only part, and the sum of the parts is won as the position is, whoever moves."""
    if not contract.gives_parts(game):
        return
    proved = 0
    for pos in sample.positions:
        parts = tuple(ask(game, "part", pos, number) for number in range(ask_whole_number(game, "num_parts", pos)))
        for one in parts:
            check_position(game, "part", one, pos)
            if ask_whole_number(game, "num_parts", one) != 1 or ask(game, "part", one, 0) != one:
                raise Broken(game, "part", "gives what is not its own only part", "cut away all that is dead", pos)
        if proved < _PROVED and _is_small(game, pos):
            proved += 1
            _check_worth(game, pos, parts)


def _check_worth(game: Any, pos: Any, parts: tuple[Any, ...]) -> None:
    known: Won = {}
    for player in (0, 1):
        if _wins(game, (pos,), player, known) != _wins(game, parts, player, known):
            how = f"makes a sum that player {player}, moving first, does not win as the position"
            raise Broken(game, "part", how, "the sum of the parts must be worth the position", pos)


def _is_small(game: Any, pos: Any) -> bool:
    """Whether moves of either side lead to few positions in all."""
    waiting, found = [pos], {pos}
    while waiting and len(found) <= _MOST:
        new = {after for player in (0, 1) for after in _after(game, waiting[-1], player)} - found
        waiting.pop()
        found |= new
        waiting += new
    return len(found) <= _MOST


def _after(game: Any, pos: Any, player: int) -> list[Any]:
    """What the moves of a player lead to."""
    to_move = ask(game, "with_mover", pos, player)
    return [ask(game, "play", to_move, action) for action in actions(ask(game, "legal", to_move))]


def _wins(game: Any, parts: tuple[Any, ...], player: int, known: Won) -> bool:
    """Whether a player who moves first wins a sum in which who cannot move loses."""
    if (parts, player) not in known:
        sums = [
            (*parts[:number], after, *parts[number + 1 :])
            for number, one in enumerate(parts)
            for after in _after(game, one, player)
        ]
        known[parts, player] = any(not _wins(game, after, 1 - player, known) for after in sums)
    return known[parts, player]
