"""Do a work where files cannot grow, then where they can again, and list what misbehaves and which files differ.

`python -m faults.no_room FOLDER WORK [disk]`, in the folder of tests, prints as JSON how many tries were refused, and
what is wrong. A file may have so many bytes at most; with `disk`, the whole folder is on a small one that is mounted.
"""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from faults.calls import Call, Outcome, become_reaper, is_one_line
from faults.contents import contents
from faults.crash_everywhere import PATIENCE, WORKS, Place, make_small
from ludus import commands

ROOM = (0, 500, 3000, 20_000)  # bytes of a file
FREE = (4, 40, 120)  # kilobytes of a disk
DISK = "2m"


def limited(most: int) -> Callable[[], None]:
    """The command line, whose files may have so many bytes; what it prints may have more."""

    def main() -> None:
        for number in (1, 2):
            reading, writing = os.pipe()
            if not os.fork():
                os.close(writing)
                with open(number, "wb", buffering=0) as file:
                    while part := os.read(reading, 1 << 16):
                        file.write(part)
                os._exit(0)
            os.close(reading)
            os.dup2(writing, number)
            os.close(writing)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        commands.main()

    return main


def tried(place: Place, main: Callable[[], None]) -> Outcome:
    """Do a work where files cannot grow."""
    return Call(place.folder, PATIENCE).run(place.work.words, main)


def problems(outcome: Outcome) -> list[str]:
    """What is wrong with the outcome: it must be done, or be refused in one line, below the lines of progress."""
    last = "\n".join([*outcome.err.splitlines()[-1:], ""])
    sound = "Traceback" not in outcome.err and (outcome.status == 0 or (outcome.status == 2 and is_one_line(last)))
    return [] if sound else [f"status {outcome.status}: {outcome.err[-2000:]}"]


def main() -> None:
    """Try with little room, then again, and print."""
    top, name, on_disk = Path(sys.argv[1]), sys.argv[2], len(sys.argv) > 3
    os.environ |= {"NPROC": "1", "XDG_CACHE_HOME": str(top / "cache"), "NUMBA_CACHE_DIR": str(top / "cache")}
    become_reaper()
    make_small()
    place, wrong, refused = Place(top / "folder", WORKS[name]), [], 0
    place.prepare()
    assert place.do(commands.main) == 0
    whole = contents(place.folder)
    for room in FREE if on_disk else ROOM:
        place.prepare()
        outcome = tried_on_small_disk(place, room) if on_disk else tried(place, limited(room))
        refused += outcome.status == 2
        found = place.do_again()
        problem = problems(outcome) + [path for path in whole | found if whole.get(path) != found.get(path)]
        wrong += [f"room for {room}: {one}" for one in problem]
    sys.stdout.write(json.dumps({"refused": refused, "wrong": wrong}))


def tried_on_small_disk(place: Place, room: int) -> Outcome:
    """The same on a small disk with little room left; the folder is copied back from there."""
    disk = place.folder.parent / "disk"
    disk.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", disk], check=True)
    try:
        subprocess.run(["cp", "-a", f"{place.folder}/.", disk], check=True)
        free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
        (disk / "fill").write_bytes(bytes(max(0, free - 1024 * room)))
        outcome = tried(place._replace(folder=disk), commands.main)
        (disk / "fill").unlink()
        subprocess.run(["rm", "-rf", place.folder], check=True)
        subprocess.run(["cp", "-a", f"{disk}/.", place.folder], check=True)
    finally:
        subprocess.run(["umount", disk], check=True)
    return outcome


if __name__ == "__main__":
    main()
