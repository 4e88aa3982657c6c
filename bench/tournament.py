"""A tournament of ten tabular agents at TapnSwap: the duration of a call, and the speed-up of a second core."""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from time import perf_counter, process_time
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

import ludus
from ludus.arena.tournament import tournament

AGENTS = 10
GAMES = 1_000  # for each pair
MANY = 200_000  # for each pair, where cores are compared
REPEATS = 3
SECONDS, SPEED_UP = 1.0, 1.8  # targets


class Taken(NamedTuple):
    """Wall-clock and processor seconds."""

    seconds: float
    processor: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true", help="a tenth of the games where cores are compared")
    options = parser.parse_args()
    many = MANY // 10 if options.quick else MANY
    with tempfile.TemporaryDirectory() as folder:
        agents = trained(Path(folder))
        tournament("tapnswap", agents, 10)  # compiles
        whole = best(agents, GAMES, "local")
        one, two = (best(agents, many, f"local={cores}") for cores in (1, 2))
    speed_up = one.seconds / two.seconds
    if options.json:
        result = {"seconds": whole.seconds, "one_core": one._asdict(), "two_cores": two._asdict(), "speed_up": speed_up}
        print(json.dumps(result, indent=2))
        return
    table = Table("ten agents, 45 pairs", "measured", "target", title="Tournament at TapnSwap")
    table.add_row(f"{GAMES:,} games a pair, seconds", f"{whole.seconds:.2f}", f"about {SECONDS:g}")
    table.add_row(f"{many:,} games a pair, one core, seconds", f"{one.seconds:.2f}", "")
    cores = two.processor / two.seconds
    table.add_row(f"the same on two ({cores:.2f} were given), times as fast", f"{speed_up:.2f}", f"{SPEED_UP:g}")
    Console().print(table)


def trained(folder: Path) -> list[str]:
    """Ten runs of q-table, by epsilon."""
    names = []
    for tenth in range(1, AGENTS + 1):
        run = ludus.train(
            "tapnswap",
            "q-table(tables=mover)",
            games=5_000,
            epsilon=tenth / 10,
            grade="no",
            eval_against="none",
            out=folder / f"epsilon-{tenth}",
        )
        names.append(str(run.path))
    return names


def best(agents: list[str], games: int, on: str) -> Taken:
    """The quickest of some tournaments, agents read from disk and exact results included."""
    return min(taken(agents, games, on) for _ in range(REPEATS))


def taken(agents: list[str], games: int, on: str) -> Taken:
    """The time of one tournament."""
    began, busy = perf_counter(), process_time()
    tournament("tapnswap", agents, games, on=on)
    return Taken(perf_counter() - began, process_time() - busy)


if __name__ == "__main__":
    main()
