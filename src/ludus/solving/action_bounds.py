"""Bounds of the values of all actions of a position, narrowed in turn while a search runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ludus.compiled.masks import actions, is_empty
from ludus.game import unbanked
from ludus.solving.alpha_beta import Searcher
from ludus.solving.value import Value, before_it, gained, seen_by_mover, unit


class Bounds(NamedTuple):
    """What a value is at least and at most, seen by the side to move; exact where both are the same."""

    low: Value
    high: Value

    @property
    def is_exact(self) -> bool:
        """Whether the value is known."""
        return self.low == self.high


def narrowed(searcher: Searcher, pos: Any) -> Iterator[dict[int, Bounds]]:
    """The bounds of every action: first what is known without search, then narrowed in turn until all are exact."""
    game, rest = searcher.game, unbanked(searcher.game, pos)
    legal = actions(game.legal(rest))
    steps = {action: _narrowing(searcher, rest, action) for action in legal}
    most, best = (searcher.book.get(rest), searcher.book.best(rest)) if searcher.book else (None, [])
    found: dict[int, tuple[int, int]] = {}
    waiting = legal
    while waiting:
        for action in waiting:
            low, high = next(steps[action])
            if most is not None:
                high = min(high, most)
                low = most if action in best else min(low, high)
            found[action] = low, high
            if len(found) == len(legal):
                yield {a: Bounds(*(searcher.as_value(pos, value) for value in found[a])) for a in legal}
        waiting = [action for action in legal if found[action][0] < found[action][1]]


def _narrowing(searcher: Searcher, pos: Any, action: int) -> Iterator[tuple[int, int]]:
    """Bounds of the search value of an action where nothing is banked, until they meet."""
    game, after = searcher.game, searcher.game.play(pos, action)
    gain, again = gained(game, pos, after), game.player(after) == game.player(pos)
    for low, high in _bounds(searcher, after):
        own = (low, high) if again else (-high, -low)
        yield int(before_it(game, gain, own[0])), int(before_it(game, gain, own[1]))


def _bounds(searcher: Searcher, pos: Any) -> Iterator[tuple[int, int]]:
    """The same of a position, which may be over."""
    game, rest = searcher.game, unbanked(searcher.game, pos)
    if is_empty(game.legal(rest)):
        value = seen_by_mover(game, rest, game.score(rest)) * unit(game)
        return iter([(value, value)])
    return searcher.narrowing(pos)
