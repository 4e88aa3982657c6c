"""Tablebases beside solutions in memory, and beside the physical limit: the edges of the bare rules, the bytes written.

`python -m bench.tablebases [GAME ...]`; each of both ways runs in a process of its own.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import ludus
from ludus.compiled.compiling import always_compiled
from ludus.solving.tablebases.building import build
from ludus.solving.tablebases.successors import blocks
from ludus.solving.tablebases.tablebase import Tablebase

GAMES = ("fox-and-hounds", "chung-toi", "connect-four(width=5, height=4)", "dobutsu-shogi(drops=false)")
BLOCK = 1 << 15  # positions


def main() -> None:
    games = sys.argv[1:] or GAMES
    table = Table(
        *("game", "positions", "way", "seconds", "processor s", "positions/s", "GB of memory", "bytes a position"),
        title="Solving whole games",
    )
    for game in games:
        for way in ("listed", "tablebase"):
            run = json.loads(subprocess.check_output([sys.executable, "-m", "bench.tablebases", "--one", way, game]))
            positions, speed = f"{run['positions']:,}", f"{run['positions'] / run['processor']:,.0f}"
            row = (f"{run['seconds']:.1f}", f"{run['processor']:.1f}", speed, f"{run['memory'] / 1e9:.2f}")
            table.add_row(game, positions, way, *row, f"{run['bytes'] / run['positions']:.2f}")
            if way == "tablebase":
                limit = f"{run['rules']:.1f}", f"{run['positions'] / run['rules']:,.0f}"
                table.add_row("", f"{run['edges']:,} edges", "the bare rules, once", "", *limit, "", "")
                written = f"{run['written']:.2f}", f"{run['positions'] / run['written']:,.0f}"
                table.add_row("", "", "its bytes, written once", "", *written, "", "")
    Console().print(table)


def one(way: str, name: str) -> dict[str, Any]:
    """The cost of solving a game in one way, machine code included in neither."""
    game: Any = ludus.make_game(name)
    with tempfile.TemporaryDirectory() as folder:
        with always_compiled():
            _solved(way, game, Path(folder) / "first")
        began, before = time.perf_counter(), time.process_time()
        found = _solved(way, game, Path(folder) / "second")
        run = {"seconds": time.perf_counter() - began, "processor": time.process_time() - before}
        run |= {"positions": len(found), "memory": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}
        if not isinstance(found, Tablebase):
            answers = found.answers
            arrays = (answers.lookup.words, answers.lookup.table, answers.score, answers.plies)
            return run | {"bytes": sum(array.nbytes for array in arrays)}
        size = sum(path.stat().st_size for path in found.files())
        return run | {"bytes": size, "written": _seconds_to_write(size, Path(folder)), **_bare_rules(game, found)}


def _solved(way: str, game: Any, folder: Path) -> Any:
    if way == "listed":
        return ludus.solve(game, method="listed")
    build(game, folder)
    return Tablebase(game, folder)


def _bare_rules(game: Any, found: Tablebase) -> dict[str, float]:
    """The processor seconds that the rules take to play every action of every position once."""
    edges, before = 0, time.process_time()
    for number in found.numbers:
        tier = found.tier(number)
        for begin in range(0, tier.facts.size, BLOCK):
            end = min(tier.facts.size, begin + BLOCK)
            keys = tier.positions.keys(begin, end)
            if tier.reached is not None:
                keys = keys[tier.reached[begin:end]]
            edges += sum(len(block.key) for _, block in blocks(game, found.keying, keys, number))
    return {"edges": edges, "rules": time.process_time() - before}


def _seconds_to_write(size: int, folder: Path) -> float:
    content, began = np.zeros(size, np.uint8), time.perf_counter()
    with (folder / "content").open("wb") as file:
        content.tofile(file)
        file.flush()
    return time.perf_counter() - began


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(one(*sys.argv[2:])))
    else:
        main()
