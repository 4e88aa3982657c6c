"""Call commands where files cannot be kept; `python -m faults.places FOLDER` prints as JSON what misbehaves.

The user's folder is a file, all is read-only, or a folder vanishes meanwhile. Each call must be done, or be refused in
one line.
"""

import ctypes
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from faults.calls import HERE, SHORT, TINY, Call, Outcome, become_reaper, is_one_line
from faults.crash_everywhere import make_small
from ludus import commands

CAPABILITIES, DAC_OVERRIDE = 0x20080522, 1  # the version of the sets, and a bit in them
RUN = ["--games", "200", "--eval-every", "10", "--eval-games", "2", "--grade", "no", "--out", "run"]
CALLS = {
    "train": ["train", "tic-tac-toe", "q-table", *RUN],
    "train, the user's": ["train", "tic-tac-toe", "q-table", *RUN[:-2]],
    "runs": ["runs"],
    "match": ["match", TINY, "first", "last", "--games", "2", "--record", "games.jsonl"],
    "solve": ["solve", TINY, "--save", "solution"],
    "prove": ["prove", TINY, "--out", "proof.json"],
    "crib": ["crib", TINY, "--seconds", "1", "--out", "crib.txt"],
    "export": ["export", TINY, "--out", "site"],
    "value": ["value", "--table", "3", "3", "3", "--csv", "table.csv"],
    "new-game": ["new-game", "hop"],
    "sweep": ["sweep", "grid", TINY, "q-table", "--grid", "epsilon=0.1,0.2", *SHORT, "--out", "sweep", *HERE],
    "tournament": ["tournament", TINY, "first", "last", "--games", "2", "--out", "out", *HERE],
    "ratings": ["ratings", TINY],
    "benchmark": ["benchmark", "first", "--seeds", "1", "--out", "out", *HERE],
    "benchmark, the user's": ["benchmark", "first", "--seeds", "1", *HERE],
    "paper": ["paper", "small", "--scale", "tiny", "--out", "out", *HERE],
    "paper, the user's": ["paper", "small", "--scale", "tiny", *HERE],
    "book": ["book", "connect-four(width=4, height=3)", "--plies", "1", "--memory", "0.02"],
    "serve": ["serve", "--port", "0"],
}
READING = {"runs"}  # they write nothing
VANISHING = {"train": "run", "sweep": "sweep", "tournament": "home", "benchmark": "out", "paper": "out"}


def in_a_file(folder: Path) -> None:
    """The user's folder is a file."""
    (folder / "home").write_text("no folder\n")


def read_only(folder: Path) -> None:
    """The command line, which may only read."""
    (folder / "home").mkdir()
    for path in (folder / "home", folder):
        path.chmod(0o555)


def without_override() -> None:
    """The command line without the right of root to write whatever is read-only."""
    sets = (ctypes.c_uint32 * 6)()
    header = (ctypes.c_uint32 * 2)(CAPABILITIES, 0)
    system = ctypes.CDLL(None)
    assert system.capget(header, sets) == 0
    for place in (0, 1, 2):  # effective, permitted, inheritable
        sets[place] &= ~(1 << DAC_OVERRIDE)
    assert system.capset(header, sets) == 0
    commands.main()


def vanishing(folder: Path, name: str, change: int) -> Callable[[], None]:
    """The command line, during which a folder goes away at the n-th change of a file in it."""
    (folder / "home").mkdir()
    left = [change]

    def watch(event: str, args: tuple[Any, ...]) -> None:
        if event == "os.rename" and f"/{name}/" in f"/{os.fsdecode(args[0])}":
            left[0] -= 1
            if left[0] == 0:
                shutil.rmtree(folder / name)

    def main() -> None:
        sys.addaudithook(watch)
        commands.main()

    return main


def problem(outcome: Outcome, *, may_be_done: bool) -> str:
    """What is wrong with an outcome; empty for nothing."""
    last = "\n".join([*outcome.err.splitlines()[-1:], ""])
    refused = outcome.status == 2 and is_one_line(last) and "Traceback" not in outcome.err
    return "" if refused or (may_be_done and outcome.status == 0) else f"status {outcome.status}: {outcome.err[-1500:]}"


def fresh(top: Path) -> Path:
    """An empty folder."""
    folder = top / "folder"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def main() -> None:
    """Call, and print what misbehaves."""
    top, found = Path(sys.argv[1]), {}
    os.environ |= {"NPROC": "1", "XDG_CACHE_HOME": str(top / "cache"), "NUMBA_CACHE_DIR": str(top / "cache")}
    become_reaper()
    make_small()
    for name, words in CALLS.items():
        patience = 5.0 if name == "serve" else 60.0
        if name != "serve":
            folder = fresh(top)
            read_only(folder)
            outcome = Call(folder, patience).run(words, without_override)
            found[f"{name}, read-only"] = problem(outcome, may_be_done=name in READING)
        folder = fresh(top)
        in_a_file(folder)
        found[f"{name}, in a file"] = problem(Call(folder, patience).run(words), may_be_done=name != "serve")
    for name, vanished in VANISHING.items():
        for change in (1, 3, 8):
            folder = fresh(top)
            outcome = Call(folder, 60.0).run(CALLS[name], vanishing(folder, vanished, change))
            found[f"{name}, vanishing at {change}"] = problem(outcome, may_be_done=True)
    sys.stdout.write(json.dumps({name: words for name, words in found.items() if words}))


if __name__ == "__main__":
    main()
