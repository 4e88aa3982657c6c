"""Few positions to know, chosen greedily: at every node what costs least some plies ahead, then mended one by one."""

from __future__ import annotations

import time
from collections.abc import Iterator

from ludus.cribs.region import Choice, Option, Region, cycle_in, in_play, to_know

_PLIES_AHEAD = 2, 4, 8, 16, 32  # what is best differs from game to game


def greedy(region: Region, seconds: float) -> Choice:
    """A choice that no change at a single node betters, or the best that so many seconds find."""
    deadline = time.monotonic() + seconds
    allowed = _allowed(region)
    choice = min(_foresighted(region, allowed), key=lambda choice: to_know(region, choice))
    return _mended(region, allowed, choice, deadline)


def _allowed(region: Region) -> list[list[int]]:
    """The options at each node that may be combined freely: where play must end, those that lower a rank."""
    everywhere = [list(range(len(options))) for options in region.options]
    if not region.must_end or not cycle_in(_all_needs(region)):
        return everywhere

    def lowers(node: int, option: Option) -> bool:
        return all(region.rank[other] < region.rank[node] for other in option.needs)

    return [
        [place for place in places if lowers(node, region.options[node][place])]
        for node, places in enumerate(everywhere)
    ]


def _all_needs(region: Region) -> dict[int, tuple[int, ...]]:
    """The nodes to which each node can lead."""
    return {node: tuple({n for option in options for n in option.needs}) for node, options in enumerate(region.options)}


def _foresighted(region: Region, allowed: list[list[int]]) -> Iterator[list[int]]:
    """The options that cost least within so many plies, as if no two lines of play met."""
    costs = [0.0] * len(region.options)

    def cost(option: Option) -> float:
        return (option.leads_to is not None) + sum(costs[other] for other in option.needs)

    for plies in range(1, max(_PLIES_AHEAD) + 1):
        costs = [min(cost(region.options[node][place]) for place in places) for node, places in enumerate(allowed)]
        if plies in _PLIES_AHEAD:
            yield [
                min(places, key=lambda place: cost(options[place]))
                for places, options in zip(allowed, region.options, strict=True)
            ]


def _mended(region: Region, allowed: list[list[int]], choice: list[int], deadline: float) -> Choice:
    """Take another option at a node wherever that alone saves something, until nothing does."""
    best, before = to_know(region, choice), -1
    while best != before:
        before = best
        for node in in_play(region, choice):
            for place in allowed[node]:
                if time.monotonic() > deadline:
                    return choice
                taken, choice[node] = choice[node], place
                size = to_know(region, choice)
                if size < best:
                    best = size
                else:
                    choice[node] = taken
    return choice
