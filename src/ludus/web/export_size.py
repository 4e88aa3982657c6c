"""Whether a game is small enough to be taken away whole, and which smaller ones are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from ludus.errors import LudusError
from ludus.parameters import format_with_parameters, type_hints
from ludus.solving.explore import Explored, explore

_STEPS = 12  # by which parameters are made smaller
_OFFERED = 3


def listed_within(game: Any, name: str, limit: int) -> Explored:
    """All positions of a game; LudusError for one with more than the limit, saying which parameters make it small."""
    explored = explore(game, limit=limit)
    if _is_whole(explored, limit):
        return explored
    known = getattr(type(game), "reachable", None) if game == type(game)() else None
    size = f"{known:,}" if known else f"more than {limit:,}"
    small = [format_with_parameters(name, one) for one in _small_enough(game, limit)]
    instead = f"take a smaller one, such as {' or '.join(small)}, or " if small else ""
    raise LudusError(f"{format_with_parameters(name, game)} has {size} positions: {instead}raise --limit")


def _is_whole(explored: Explored, limit: int) -> bool:
    return explored.complete and len(explored) <= limit


def _small_enough(game: Any, limit: int) -> list[Any]:
    """The largest of the games that are small enough with a little less of some whole parameters, alike of each."""
    hints = type_hints(type(game))
    sizes = [field for field in game._fields if hints[field] is int]
    some = [fields for count in range(1, len(sizes) + 1) for fields in combinations(sizes, count)]
    found = dict(one for fields in some for one in _first_small(game, fields, limit))
    return sorted(found, key=lambda one: -found[one])[:_OFFERED]


def _first_small(game: Any, fields: Sequence[str], limit: int) -> Iterator[tuple[Any, int]]:
    """The first game that is small enough as these parameters get smaller step by step, and its positions."""
    for less in range(1, _STEPS + 1):
        smaller = game._replace(**{field: getattr(game, field) - less for field in fields})
        try:
            explored = explore(smaller, limit=limit)
        except ValueError:  # it makes no game
            continue
        if _is_whole(explored, limit):
            yield smaller, len(explored)
            return
