"""Run the bench: `python -m bench [--quick] [--json]`."""

from __future__ import annotations

import argparse
import json
import os
import platform
from pathlib import Path
from typing import Any

from rich.console import Console

from bench.contest import QUICK, Entry, Pace, hold
from bench.tables import print_samples, print_speeds
from bench.targets import rows


def main() -> None:
    """Runs the contest and prints the results."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="How fast random playouts are, beside others.")
    parser.add_argument("--quick", action="store_true", help="shorter runs, rougher numbers")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of tables")
    options = parser.parse_args()
    pace = QUICK if options.quick else Pace()
    before = conditions(pace)
    with Console(stderr=True).status("starting") as status:
        entries = hold(pace, status.update)
    if options.json:
        print(json.dumps({**before, **document(entries)}, indent=2))
    else:
        print_all(before, entries)


def conditions(pace: Pace) -> dict[str, Any]:
    """The conditions of the contest."""
    load = os.getloadavg()[0]
    return {"processor": processor(), "cores": os.cpu_count(), "load": load, "method": pace.in_words()}


def print_all(before: dict[str, Any], entries: dict[tuple[str, str], Entry]) -> None:
    """The results as text."""
    console = Console()
    console.print("{processor}, {cores} cores, load before the run {load:.2f}\n".format(**before))
    print_speeds(console, rows(entries))
    print_samples(console, entries)
    console.print(before["method"], highlight=False, soft_wrap=True)


def document(entries: dict[tuple[str, str], Entry]) -> dict[str, Any]:
    """The results as JSON data."""
    samples = [(entry, entry.sample._asdict()) for entry in entries.values() if entry.sample]
    return {
        "rows": [row._asdict() for row in rows(entries)],
        "samples": [{"game": entry.game, "contestant": entry.contestant, **sample} for entry, sample in samples],
    }


def processor() -> str:
    """The processor's name, if the system reports it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


if __name__ == "__main__":
    main()
