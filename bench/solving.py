"""Solving beside OpenSpiel: whole games by value iteration, single positions by alpha-beta search.

Both contestants solve the same games from the start, in turns, in one process on one core; the best time counts.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from time import perf_counter
from types import ModuleType
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

import ludus
from ludus.compiled.compiling import always_compiled
from ludus.solving.alpha_beta import Searcher

WHOLE = "whole game: Ludus listing, OpenSpiel value iteration"
START = "the start: Ludus search, OpenSpiel alpha-beta"
TARGET = 50  # times as fast


class Problem(NamedTuple):
    """A game in both systems, and the problem."""

    task: str
    game: str
    peer: str


PROBLEMS = (
    Problem(WHOLE, "tic-tac-toe", "tic_tac_toe"),
    Problem(WHOLE, "connect-four(width=4, height=3)", "connect_four(rows=3,columns=4)"),
    Problem(START, "connect-four(width=4, height=5)", "connect_four(rows=5,columns=4)"),
)


class Line(NamedTuple):
    """The result of one problem: the seconds of both, and the number of positions solved."""

    task: str
    game: str
    positions: int
    seconds: float
    peer_seconds: float

    @property
    def ratio(self) -> float:
        """How many times as fast Ludus is."""
        return self.peer_seconds / self.seconds


def solve_all(repeats: int, report: Callable[[str], None]) -> list[Line]:
    """Solve every problem so often; raises ImportError where there is no OpenSpiel."""
    lines = []
    for problem in PROBLEMS:
        report(f"solving {problem.game}")
        ours, theirs = _contestants(problem)
        with always_compiled():
            ours()
        times = [(_timed(ours), _timed(theirs)) for _ in range(repeats)]
        (positions, value), (peer_positions, peer_value) = ours(), theirs()
        if (positions, value) != (peer_positions, peer_value):
            raise AssertionError(f"{problem}: {positions} of value {value}, not {peer_positions} of {peer_value}")
        lines.append(Line(problem.task, problem.game, positions, *(min(each) for each in zip(*times, strict=True))))
    return lines


def _contestants(problem: Problem) -> tuple[Callable[[], tuple[int, float]], Callable[[], tuple[int, float]]]:
    """Two functions that solve a problem and return how many positions they valued, and the value of the start."""
    game = ludus.make_game(problem.game)
    peer, value_iteration, alpha_beta = _openspiel(problem.peer)

    def listed() -> tuple[int, float]:
        solution = ludus.solve(game, method="listed")
        return len(solution), solution.value(game.start()).score

    def iterated() -> tuple[int, float]:
        values = value_iteration(peer, -1, 0.01)
        return len(values), values[str(peer.new_initial_state())]

    def searched() -> tuple[int, float]:
        return 1, Searcher(game, memory=1 << 24).value(game.start()).score

    def pruned() -> tuple[int, float]:
        return 1, alpha_beta(peer)[0]

    return (listed, iterated) if problem.task == WHOLE else (searched, pruned)


def _openspiel(name: str) -> tuple[Any, Any, Any]:
    """A game of OpenSpiel's and its two solvers."""
    # Its value iteration imports a solver of linear programs, which games with turns never call.
    sys.modules.setdefault("open_spiel.python.algorithms.lp_solver", ModuleType("lp_solver"))
    import pyspiel
    from open_spiel.python.algorithms.minimax import alpha_beta_search
    from open_spiel.python.algorithms.value_iteration import value_iteration

    return pyspiel.load_game(name), value_iteration, alpha_beta_search


def _timed(solve: Callable[[], object]) -> float:
    began = perf_counter()
    solve()
    return perf_counter() - began


def main() -> None:
    """Solves all problems and prints the results."""
    parser = argparse.ArgumentParser(prog="python -m bench.solving", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one run each, rougher numbers")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of a table")
    options = parser.parse_args()
    with Console(stderr=True).status("starting") as status:
        lines = solve_all(1 if options.quick else 3, status.update)
    if options.json:
        print(json.dumps([{**line._asdict(), "ratio": line.ratio} for line in lines], indent=2))
    else:
        print_lines(Console(), lines)


def print_lines(console: Console, lines: list[Line]) -> None:
    """The results as a table."""
    table = Table("solving", "game", "positions", "Ludus", "OpenSpiel", "ratio", "target", title="Exact solving")
    for line in lines:
        met = "[green]met[/]" if line.ratio >= TARGET else "[red]not met[/]"
        speeds = (f"{1000 * seconds:,.1f} ms" for seconds in (line.seconds, line.peer_seconds))
        table.add_row(line.task, line.game, f"{line.positions:,}", *speeds, f"{line.ratio:,.0f}x", f"{TARGET}x {met}")
    console.print(table)


if __name__ == "__main__":
    main()
