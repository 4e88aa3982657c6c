"""Kill a training before each change that it makes to its files, resume it, and list the files that then differ.

`python crash_everywhere.py LEARNER FOLDER` prints them as JSON, by the number of the change. Each try is a process of
its own, forked and ended without any clean-up, as by SIGKILL.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ludus import catalog
from ludus.learning.presets import configured
from ludus.learning.runs import create, files, read_run, resume

KILLED = 9
CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.truncate"}
files.MAX_SNAPSHOTS = 3  # so that some are thinned out


def main() -> None:
    """Crash at every change of a file, from the first on."""
    learner, folder = sys.argv[1], Path(sys.argv[2])
    forked(lambda: train(learner, folder / "whole"))
    whole, differences, number = content(folder / "whole"), {}, 0
    while True:
        path = folder / str(number)
        if forked(lambda path=path, number=number: (crash_before(number, path), train(learner, path))) == 0:
            break
        forked(lambda path=path: train(learner, path))
        resumed = content(path)
        differences[number] = sorted(name for name in whole | resumed if whole.get(name) != resumed.get(name))
        number += 1
    sys.stdout.write(json.dumps(differences))


def train(learner: str, path: Path) -> None:
    """A small training with five evaluations, resumed if it has begun."""
    game = catalog.make_game("tic-tac-toe")
    if not (path / files.MANIFEST).exists():
        settings = {"games": "10", "eval_every": "2", "eval_games": "2", "grade": "no"}
        create(game, *configured(game, learner, settings, None), path)
    resume(read_run(path))


def content(path: Path) -> dict[str, bytes]:
    """The bytes of every file but that of the times."""
    return {
        str(file.relative_to(path)): file.read_bytes()
        for file in path.rglob("*")
        if file.is_file() and file.name != "times.json"
    }


def crash_before(number: int, folder: Path) -> None:
    """End this process when it is about to change files below a folder for this time, counted from 0."""
    left = [number]

    def watch(event: str, args: tuple[Any, ...]) -> None:
        written = event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR)
        if (written or event in CHANGES) and str(args[0]).startswith(str(folder)):
            if not left[0]:
                os._exit(KILLED)
            left[0] -= 1

    sys.addaudithook(watch)


def forked(work: Callable[[], Any]) -> int:
    """Do something in a process of its own; its exit status, which must be that of a success or of a kill."""
    if not (child := os.fork()):
        work()
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, KILLED), status
    return status


if __name__ == "__main__":
    main()
