"""The fewest positions to know, by integer programming; proven, or bounded when time is up.

A variable for every node says whether it is needed, and one for each option where there are several. The start is
needed; a needed node takes an option, and what an option needs is needed. Where play must end, the cycles of a solution
are forbidden, and the program is solved again until there are none: every program is a relaxation, so each bound holds.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ludus.loops import cycle_in
from ludus.puzzles.region import Choice, Option, Region, in_play, to_know

MOST_NODES = 100_000  # of a region; above, no program is tried
_ROUNDING = 1e-6


class Found(NamedTuple):
    """The best choice found, or None, and a lower bound of the positions to know."""

    choice: Choice | None
    at_least: int


def fewest(region: Region, seconds: float) -> Found:
    """The best choice found within `seconds`."""
    program, deadline, at_least = _Program(region), time.monotonic() + seconds, 0
    while (left := deadline - time.monotonic()) > 0:
        solved = program.solve(left)
        if solved.mip_dual_bound is not None and math.isfinite(solved.mip_dual_bound):
            at_least = max(at_least, math.ceil(solved.mip_dual_bound - _ROUNDING))
        if solved.x is None:
            break
        choice = program.choice(solved.x)
        if not (region.must_end and program.forbid_cycles(choice)):
            return Found(choice, min(at_least, to_know(region, choice)))
    return Found(None, at_least)


class _Program:
    """The integer program: rows of coefficients by variable, each with its lower bound."""

    def __init__(self, region: Region) -> None:
        self.region = region
        self.costs = [0] * len(region.options)  # of the nodes, then of the options of those that have several
        self.rows: list[tuple[dict[int, int], int]] = []
        self.option_variables = [self._variables(node) for node in range(len(region.options))]
        for node, (variables, options) in enumerate(zip(self.option_variables, region.options, strict=True)):
            if len(variables) > 1:
                self.rows.append((dict.fromkeys(variables, 1) | {node: -1}, 0))
            for variable, option in zip(variables, options, strict=True):
                self.rows += [({other: 1, variable: -1}, 0) for other in option.needs if other != variable]

    def _variables(self, node: int) -> list[int]:
        """The variables of the options of a node: the node's own if there is only one."""
        options = self.region.options[node]
        if len(options) == 1:
            self.costs[node] = int(options[0].leads_to is not None)
            return [node]
        begin = len(self.costs)
        self.costs += [int(option.leads_to is not None) for option in options]
        return list(range(begin, len(self.costs)))

    def solve(self, seconds: float) -> Any:
        """The result of HiGHS within `seconds`."""
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array

        places = np.array(
            [(number, variable) for number, (row, _) in enumerate(self.rows) for variable in row], np.int64
        )
        values = [value for row, _ in self.rows for value in row.values()]
        matrix = csr_array((values, places.reshape(-1, 2).T), shape=(len(self.rows), len(self.costs)))
        lowest = np.zeros(len(self.costs))
        lowest[0] = 1
        return milp(
            np.array(self.costs),
            integrality=np.ones(len(self.costs)),
            bounds=Bounds(lowest, 1),
            constraints=LinearConstraint(matrix, [bound for _, bound in self.rows], np.inf),
            options={"time_limit": seconds, "mip_rel_gap": 0},
        )

    def choice(self, x: Any) -> Choice:
        """The options that a solution takes; of several, one without cost."""
        return [
            max(range(len(variables)), key=lambda place: (x[variables[place]] > 0.5, -self.costs[variables[place]]))
            for variables in self.option_variables
        ]

    def forbid_cycles(self, choice: Choice) -> bool:
        """Forbids the cycles of play under a choice; returns whether there are any."""
        leads_to = in_play(self.region, choice)
        found = False
        while cycle := cycle_in(leads_to):
            found = True
            steps = [step for step in pairwise(cycle) if len(self.option_variables[step[0]]) > 1]
            row: dict[int, int] = {}  # not all of these steps
            for node, other in steps:
                options = zip(self.option_variables[node], self.region.options[node], strict=True)
                row |= {variable: -1 for variable, option in options if other in option.needs}
            self.rows.append((row, 1 - len(steps)))
            node, other = steps[0]
            leads_to[node] = tuple(needed for needed in leads_to[node] if needed != other)
        return found


_PLIES_AHEAD = 2, 4, 8, 16, 32  # the best differs from game to game


def greedy(region: Region, seconds: float) -> Choice:
    """A choice that no change at a single node improves, or the best found within `seconds`."""
    deadline = time.monotonic() + seconds
    allowed = _allowed(region)
    choice = min(_foresighted(region, allowed), key=lambda choice: to_know(region, choice))
    return _mended(region, allowed, choice, deadline)


def _allowed(region: Region) -> list[list[int]]:
    """The options at each node that may be combined freely: where play must end, those that lower a rank."""
    needs = {node: {n for option in options for n in option.needs} for node, options in enumerate(region.options)}
    if not region.must_end or not cycle_in(needs):
        return [list(range(len(options))) for options in region.options]
    return [
        [place for place, option in enumerate(options) if all(region.rank[other] < rank for other in option.needs)]
        for rank, options in zip(region.rank, region.options, strict=True)
    ]


def _foresighted(region: Region, allowed: list[list[int]]) -> Iterator[list[int]]:
    """The options of least cost within some plies ahead, as if no two lines of play met."""
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
    """Local search: takes another option at a node wherever that alone saves something."""
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
