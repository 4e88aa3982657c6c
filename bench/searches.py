"""How fast Monte Carlo tree search is, beside OpenSpiel: `python -m bench.searches [--quick] [--json]`."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from itertools import product
from typing import Any

from rich.console import Console

from bench.__main__ import conditions
from bench.contest import GAMES, QUICK, Entry, Pace, introduced, with_best
from bench.open_positions import EXPLORATION, OPENINGS, SIMULATIONS
from bench.tables import RESULTS, table
from bench.worker import Worker

MAKERS = {"mcts": "bench.ludus_searches:LudusSearcher", "mcts_bot": "bench.openspiel_searches:OpenSpielSearcher"}
LABELS = {"mcts": "Ludus, mcts", "mcts_bot": "OpenSpiel, C++ MCTSBot"}
TARGET = 2.0
METHOD = (
    f"Each search is {SIMULATIONS} simulations by UCT with c = {EXPLORATION:g}, one random game a leaf, proven results"
    " backed up, from each of a game's open positions; it is asserted that every simulation adds a node to the tree."
    " Every number is the best of {repeats} runs of at least {seconds:g} s, interleaved on one core."
)


def main() -> None:
    """Runs the contest and prints the results."""
    parser = argparse.ArgumentParser(prog="python -m bench.searches", description="How fast tree search is.")
    parser.add_argument("--quick", action="store_true", help="shorter runs, rougher numbers")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of a table")
    options = parser.parse_args()
    pace = QUICK if options.quick else Pace()
    before = {**conditions(pace), "method": METHOD.format(**pace._asdict())}
    with Console(stderr=True).status("starting") as status:
        rows = results(hold(pace, status.update))
    if options.json:
        print(json.dumps({**before, "rows": rows}, indent=2))
    else:
        print_rows(Console(), before, rows)


def hold(pace: Pace, report: Callable[[str], None]) -> dict[tuple[str, str], Entry]:
    """Runs the contest, interleaved on one core."""
    core = max(os.sched_getaffinity(0))
    crew = {name: Worker(maker, {core}) for name, maker in MAKERS.items()}
    entries = {}
    try:
        for name, game in product(crew, GAMES):
            report(f"{name} gets ready for {game}")
            entries[game, name] = introduced(crew[name], game, name)
        for turn in [turn for turn, entry in entries.items() if not entry.missing] * pace.repeats:
            report(f"{turn[1]} searches {turn[0]}")
            entries[turn] = with_best(entries[turn], crew[turn[1]].run(turn[0], pace.seconds))
    finally:
        for worker in crew.values():
            worker.stop()
    return entries


def results(entries: dict[tuple[str, str], Entry]) -> list[dict[str, Any]]:
    """The speed of each contestant at each game, and Ludus's over it."""
    return [
        result(entry, entries[entry.game, "mcts"]) for game in GAMES for entry in entries.values() if entry.game == game
    ]


def result(entry: Entry, ludus: Entry) -> dict[str, Any]:
    """One line of the table; what does not apply is None."""
    positions = len(OPENINGS[entry.game])
    line = {"game": entry.game, "contestant": entry.contestant, "positions": positions, "note": entry.missing}
    if not (entry.best and ludus.best):
        return {**line, "simulations_per_second": None, "ratio": None, "met": None}
    ratio = None if entry is ludus else ludus.best.speed / entry.best.speed
    met = None if ratio is None else ratio >= TARGET
    return {**line, "simulations_per_second": entry.best.speed, "ratio": ratio, "met": met}


def print_rows(console: Console, before: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    """The results as text."""
    console.print("{processor}, {cores} cores, load before the run {load:.2f}\n".format(**before))
    cells = {game: [row_cells(row) for row in rows if row["game"] == game] for game in GAMES}
    console.print(table("Monte Carlo tree search", ("simulations/s", "ratio", "target", "result"), cells))
    console.print(before["method"], highlight=False, soft_wrap=True)


def row_cells(row: dict[str, Any]) -> list[str]:
    """The cells of one contestant's row."""
    label, speed = LABELS[row["contestant"]], row["simulations_per_second"]
    if speed is None:
        return [label, "", "", "", row["note"]]
    if row["ratio"] is None:
        return [label, f"{speed / 1e6:.2f} M", "", "", ""]
    return [label, f"{speed / 1e6:.2f} M", f"{row['ratio']:.2f}x", f"at least {TARGET:g}x", RESULTS[row["met"]]]


if __name__ == "__main__":
    main()
