"""Press Ctrl-C at many moments of a command, and list what misbehaves: `python -m faults.interrupts FOLDER COUNT`.

It is pressed between the moment at which Ludus begins to be loaded and a few seconds later; once,
or twice, as by somebody impatient; for the command alone, or for all that it has started, as by a terminal. Either the
command was done already, or it ends by 130, with one line at last, no traceback, and nothing left behind.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from faults.calls import HERE, SHORT, TINY
from faults.marked import NAME, left

STOPPED = 130
FAILED = 2  # of the program that answers nothing of use
LATEST = 4.0  # seconds
PATIENCE = 60.0  # seconds until a command that was interrupted must have ended
BOTH = ["--on", "local=2"]
RUN = ["--games", "200", "--eval-every", "40", "--eval-games", "10", "--grade", "no", "--out", "run"]
NETWORK = "alphazero(width=8, blocks=1, lanes=4, sims=4, random_plies=2, buffer=40, batch=8)"
GRID = ["grid", TINY, "q-table", "--grid", "epsilon=0.1,0.2", *SHORT, "--out", "sweep"]
CALLS = {
    "games": ["games"],
    "train": ["train", "tic-tac-toe", "q-table", *RUN],
    "a network": ["train", TINY, NETWORK, *SHORT, "--out", "run"],
    "sweep": ["sweep", *GRID, *BOTH],
    "tournament": ["tournament", TINY, "first", "last", "random", "--games", "4", "--out", "out", *BOTH],
    "benchmark": [
        "benchmark",
        "first",
        "--game",
        "toads-and-frogs(toads=2, gaps=2, frogs=2)",
        "--games",
        "20",
        "--seeds",
        "1",
        "--out",
        "out",
        *HERE,
    ],
    "paper": ["paper", "toads-and-frogs", "--scale", "tiny", "--out", "out", *BOTH],
    "book": ["book", "connect-four(width=4, height=4)", "--plies", "1", "--memory", "0.02"],
    "solve": ["solve", "tic-tac-toe", "--save", "solution"],
    "match": ["match", TINY, "first", "last", "--games", "2000", "--record", "games.jsonl"],
    "a program": ["match", TINY, "first", "cmd:sh -c 'while read line; do sleep 2; echo {}; done'", "--games", "2"],
    "export": ["export", TINY, "--out", "site"],
}
LOADED = """
import os
from ludus import __main__ as program

set_handler = program._set_handler

def loaded(*handlers):
    set_handler(*handlers)
    os.write({pipe}, b'!')
    program._set_handler = set_handler

program._set_handler = loaded
program.main()
"""


class Ended(NamedTuple):
    """How a command ended."""

    status: int
    err: str
    left: list[int]


class Press(NamedTuple):
    """When Ctrl-C is pressed, in seconds since Ludus begins to be loaded, and whether all processes get it."""

    moments: list[float]
    everywhere: bool


def run(folder: Path, words: list[str], press: Press) -> tuple[Ended, float]:
    """Run a command, and press; how it ended, and how long it took."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    reading, writing = os.pipe()
    mark = f"{os.getpid()}-{folder.name}"
    process = subprocess.Popen(
        [sys.executable, "-c", LOADED.format(pipe=writing), *words], cwd=folder, pass_fds=[writing],
        env=os.environ | {NAME: mark, "LUDUS_HOME": str(folder / "home")}, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    os.close(writing)
    os.read(reading, 1)
    os.close(reading)
    began = time.monotonic()
    for moment in press.moments:
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, moment - (time.monotonic() - began)))
        if process.poll() is None:
            (os.killpg if press.everywhere else os.kill)(process.pid, signal.SIGINT)
    try:
        err = process.communicate(timeout=PATIENCE)[1]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        err = process.communicate()[1] + "\nhangs"
    return Ended(process.returncode, err, left(mark)), time.monotonic() - began


def problem(ended: Ended) -> str:
    """What is wrong with how a command ended; empty for nothing."""
    lines = ended.err.splitlines()
    stopped = ended.status == STOPPED and lines[-1:] == ["ludus: stopped"] and lines.count("ludus: stopped") == 1
    is_sound = stopped or ended.status in (0, FAILED)
    words = any(word in ended.err for word in ("Traceback", "KeyboardInterrupt", "hangs"))
    return "" if is_sound and not words and not ended.left else str(ended)


def main() -> None:
    """Press, and print what misbehaves."""
    top, count, names = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:] or list(CALLS)
    os.environ |= {"NPROC": "1", "XDG_CACHE_HOME": str(top / "cache"), "NUMBA_CACHE_DIR": str(top / "cache")}
    found: dict[str, list[str]] = {name: [] for name in names}
    stopped = 0
    for name in names:
        latest, seconds = run(top / "folder", CALLS[name], Press([LATEST], True))
        assert not problem(latest), (name, latest)
        draw = random.Random(name)
        for number in range(count):
            moment = min(seconds, LATEST) * (number + draw.random()) / count
            moments = [moment, moment + draw.random()][: draw.choice([1, 1, 2])]
            press = Press(moments, draw.random() < 0.5)
            ended, _ = run(top / "folder", CALLS[name], press)
            stopped += ended.status == STOPPED
            if wrong := problem(ended):
                found[name].append(f"{press}: {wrong}")
    sys.stdout.write(json.dumps({"stopped": stopped, "wrong": {name: each for name, each in found.items() if each}}))


if __name__ == "__main__":
    main()
