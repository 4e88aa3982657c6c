"""The time to find the exact score of every column in connect four, beside Pascal Pons's solver.

His program (https://github.com/PascalPons/connect4) is built apart from Ludus, and LUDUS_PONS names it. Both get the
same random positions, his program without an opening book. Processor seconds are counted, without those of its start,
which clears a table. The scores must agree.
"""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
from time import process_time
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

import ludus
from ludus.solving.alpha_beta import Searcher
from ludus.solving.value import Value

POSITIONS = {8: 12, 10: 12, 12: 12, 14: 100, 16: 100, 20: 100, 24: 100}  # by the discs played
FULL = -1000  # his score of a full column
Scores = list[list[int]]  # by position and column


class Asked(NamedTuple):
    """The scores that one of them found, and what they cost."""

    scores: Scores
    seconds: float
    nodes: int = 0


def main() -> None:
    """Prints a row for each number of discs, and leaves with status 1 if the scores differ."""
    game: Any = ludus.make_game("connect-four")
    solver = os.environ.get("LUDUS_PONS")
    if not solver:
        print("LUDUS_PONS names no solver to compare with: Ludus alone", file=sys.stderr)
    names = ("discs", "positions", "seconds", "nodes", "nodes/s", "Pons, seconds", "ratio")
    table = Table(*names, title="connect four: all columns of random positions, none winning at once")
    of_ludus(game, open_lines(game, 12, 1))  # compiles
    for discs, number in POSITIONS.items():
        lines = open_lines(game, discs, number)
        ours = of_ludus(game, lines)
        row = [f"{ours.seconds:.3f}", f"{ours.nodes:,}", f"{ours.nodes / ours.seconds / 1e6:.1f} M"]
        if solver:
            his = of_pons(solver, lines)
            if his.scores != ours.scores:
                sys.exit(f"scores differ after {discs} discs")
            row += [f"{his.seconds:.3f}", f"{ours.seconds / his.seconds:.2f}"]
        table.add_row(str(discs), str(number), *row)
    Console().print(table)


def open_lines(game: Any, discs: int, number: int) -> list[list[int]]:
    """The columns played in random games until nobody has won, nor can at once."""
    generator, found = random.Random(discs), []
    while len(found) < number:
        line: list[int] = []
        while len(line) < discs and (legal := ludus.actions(game.legal(after(game, line)))):
            line.append(generator.choice(legal))
        pos = after(game, line)
        if ludus.actions(game.legal(pos)) and not game.wins(pos):
            found.append(line)
    return found


def after(game: Any, line: list[int]) -> Any:
    """The position after columns were played."""
    pos = game.start()
    for action in line:
        pos = game.play(pos, action)
    return pos


def of_ludus(game: Any, lines: list[list[int]]) -> Asked:
    """Searches each position with an empty transposition table."""
    scores, nodes, began = [], 0, process_time()
    for line in lines:
        pos, searcher = after(game, line), Searcher(game)
        found = searcher.actions(pos)
        nodes += searcher.nodes
        scores.append([as_his(found[column], pos, len(line)) if column in found else FULL for column in range(7)])
    return Asked(scores, process_time() - began, nodes)


def as_his(value: Value, pos: Any, discs: int) -> int:
    """A column's value in his units: how many discs before his last one a player wins, counted from 1."""
    sign = int(value.score) * (1 if pos.turn == 0 else -1)
    return sign * ((44 - discs - (value.plies or 0)) // 2)


def of_pons(solver: str, lines: list[list[int]]) -> Asked:
    """Asks his program, which keeps its table from one position to the next."""
    printed, seconds = run(solver, "".join("".join(str(column + 1) for column in line) + "\n" for line in lines))
    return Asked(
        [[int(word) for word in line.split()[1:]] for line in printed.splitlines()], seconds - run(solver, "")[1]
    )


def run(solver: str, asked: str) -> tuple[str, float]:
    """What the program prints, and its processor seconds."""
    before = children_seconds()
    try:
        words = [solver, "-a", "-b", os.devnull]
        printed = subprocess.run(words, input=asked, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"LUDUS_PONS names a solver that does not run: {error}")
    return printed, children_seconds() - before


def children_seconds() -> float:
    """Processor seconds of all programs that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
