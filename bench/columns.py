"""The time to find the exact score of every column in connect four, by the number of discs played."""

from __future__ import annotations

import random
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

import ludus
from ludus.solving.alpha_beta import Searcher

PLIES = (12, 14, 16, 20, 24)
POSITIONS = 12  # at each


def main() -> None:
    game: Any = ludus.make_game("connect-four")
    table = Table(
        "ply", "mean seconds", "most", title="connect four: all columns of a random position, none winning at once"
    )
    seconds(game, open_positions(game, 30, 1)[0])  # compiles
    for ply in PLIES:
        taken = [seconds(game, pos) for pos in open_positions(game, ply, POSITIONS)]
        table.add_row(str(ply), f"{sum(taken) / len(taken):.2f}", f"{max(taken):.2f}")
    Console().print(table)


def open_positions(game: Any, ply: int, number: int) -> list[Any]:
    """Positions of random play without an immediate win."""
    generator, found = random.Random(ply), []
    while len(found) < number:
        pos = game.start()
        while legal := ludus.actions(game.legal(pos)):
            if len(found) == number or bin(pos.mine | pos.theirs).count("1") == ply:
                break
            pos = game.play(pos, generator.choice(legal))
        if legal and not game.wins(pos):
            found.append(pos)
    return found


def seconds(game: Any, pos: Any) -> float:
    """The seconds of a search with an empty transposition table."""
    searcher = Searcher(game)
    began = perf_counter()
    searcher.actions(pos)
    return perf_counter() - began


if __name__ == "__main__":
    main()
