"""The pass over all arrangements of a big board of Toads and Frogs, beside the same pass in C.

Both fill the same rows from the same tables, in turns, in one process on one core; the best time counts.
"""

from __future__ import annotations

import argparse
import ctypes
import json
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.c import library
from ludus.cgt.strips.outcome_pass import Board, Levels, Slots, fill_rows, new_levels, new_slots

BOARDS = (Board(5, 9, 5), Board(6, 7, 6), Board(6, 6, 5, 1))
TARGET = 1.5  # times as long as C, at most
SOURCE = Path(__file__).parent / "c" / "symmetric_pass.c"

Fill = Callable[..., Any]


class CSlots(ctypes.Structure):
    """The tables of moves, as the C code takes them."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in Slots._fields),
        ("slots", ctypes.c_int64),
        ("words", ctypes.c_int64),
    )


class CLevels(ctypes.Structure):
    """The tables of rows, as the C code takes them."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("place", "ways")),
        ("squares", ctypes.c_int64),
        ("counts", ctypes.c_int64),
    )


class Line(NamedTuple):
    """The processor seconds of both on one board."""

    board: Board
    seconds: float
    c_seconds: float

    @property
    def speed(self) -> float:
        """Arrangements per second."""
        return self.board.arrangements / self.seconds

    @property
    def ratio(self) -> float:
        """How many times as long as C it takes."""
        return self.seconds / self.c_seconds


def compiled() -> Fill:
    """The C function, compiled for this processor, called as Ludus's own."""
    function = library(SOURCE).fill_rows
    function.restype = None

    def fill(slots: Slots, levels: Levels, toads: Any, rows: Any, one: Any, two: Any) -> Any:
        left = np.empty(rows.shape[1:], np.uint64)
        moves = CSlots(*(table.ctypes.data for table in slots), *slots.blank.shape)
        places = CLevels(levels.place.ctypes.data, levels.ways.ctypes.data, *levels.ways.shape)
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in (rows, one, two, left)]
        sizes = ctypes.c_int64(len(toads)), ctypes.c_int64(rows.shape[1])
        boards = ctypes.c_void_p(toads.ctypes.data)
        function(ctypes.byref(moves), ctypes.byref(places), boards, *sizes, *pointers)
        return left

    return fill


def whole_pass(board: Board, slots: Slots, levels: Levels, fill: Fill) -> tuple[float, Any]:
    """The processor seconds of a pass on one thread, and what it says of the first row."""
    shape = int(np.diff(levels.start).max()), board.planes, len(slots.blank.T)
    kept = [np.zeros(shape, np.uint64) for _ in range(3)]
    began = process_time()
    for begin, end in zip(levels.start[-2::-1], levels.start[:0:-1], strict=True):
        left = fill(slots, levels, levels.toads[begin:end], kept[0][: end - begin], kept[1], kept[2])
        kept = [kept[-1], *kept[:-1]]
    return process_time() - began, np.stack((left, kept[1][0]))


def contest(repeats: int, report: Callable[[str], None]) -> list[Line]:
    """Runs every board several times in both ways; their results must agree."""
    in_c, lines = compiled(), []
    for board in BOARDS:
        report(f"T^{board.toads} []^{board.gaps} F^{board.frogs}")
        slots, levels = new_slots(board), new_levels(board)
        whole_pass(board, slots, levels, fill_rows)  # compiles
        runs = [[whole_pass(board, slots, levels, fill) for fill in (fill_rows, in_c)] for _ in range(repeats)]
        if any(not np.array_equal(ours[1], theirs[1]) for ours, theirs in runs):
            raise AssertionError(f"{board}: C and Ludus differ")
        lines.append(Line(board, *(min(run[way][0] for run in runs) for way in (0, 1))))
    return lines


def main() -> None:
    """Runs the contest and prints the results."""
    parser = argparse.ArgumentParser(prog="python -m bench.symmetric", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one run each, rougher numbers")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of a table")
    options = parser.parse_args()
    with Console(stderr=True).status("starting") as status:
        lines = contest(1 if options.quick else 5, status.update)
    if options.json:
        print(json.dumps([{**line._asdict(), "speed": line.speed, "ratio": line.ratio} for line in lines], indent=2))
    else:
        print_lines(Console(), lines)


def print_lines(console: Console, lines: list[Line]) -> None:
    """The results as a table."""
    table = Table("start", "games", "arrangements", "a second", "beside C", "target", title="The pass on one core")
    for line in lines:
        board, met = line.board, "[green]met[/]" if line.ratio <= TARGET else "[red]not met[/]"
        start = f"T^{board.toads} _^{board.gaps} F^{board.frogs}"
        counts = str(board.planes), f"{board.arrangements:,}", f"{line.speed / 1e6:,.0f} M"
        table.add_row(start, *counts, f"{line.ratio:.2f}x", f"at most {TARGET:g}x {met}")
    console.print(table)


if __name__ == "__main__":
    main()
