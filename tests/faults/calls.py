"""Calls of the command line in forked processes whose whole world is one folder, and what may be said of them."""

import atexit
import ctypes
import gc
import os
import resource
import select
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from ludus import commands

MEMORY = 8_000_000_000  # bytes of addresses
LARGEST = 200_000_000  # bytes of a file
SECONDS_TO_STOP = 15.0  # after Ctrl-C
TOO_LATE = 0.3  # seconds in which a call that is interrupted may as well be done
SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER: what loses its parent becomes a child of this process
TINY = "toads-and-frogs(toads=1, gaps=1, frogs=1)"
SHORT = ["--games", "2", "--eval-games", "2"]
HERE = ["--on", "local=1"]


def become_reaper() -> None:
    """Let this process inherit what its calls leave behind, and not copy all its memory with each of them."""
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    gc.freeze()  # so that a child that collects garbage does not touch all pages


class Outcome(NamedTuple):
    """How a call ended."""

    status: int
    interrupted: bool
    killed: bool
    out: str
    err: str
    seconds: float
    bytes: int  # the most in memory
    left: list[str]  # processes


class Call(NamedTuple):
    """A call of the command line in a forked process whose whole world is one folder."""

    folder: Path
    patience: float  # seconds until it is interrupted, as by Ctrl-C

    def run(self, words: list[str], main: Callable[[], Any] = commands.main) -> Outcome:
        """Call; interrupt what takes long, and kill what then does not end."""
        began = time.monotonic()
        if not (child := os.fork()):
            self._become(words)
            os._exit(status_of(main))
        ended, interrupted, killed = os.pidfd_open(child), False, False
        if not select.select([ended], [], [], self.patience)[0]:
            interrupted = True
            os.killpg(child, signal.SIGINT)
            if not select.select([ended], [], [], SECONDS_TO_STOP)[0]:
                killed = True
                os.kill(child, signal.SIGKILL)
        os.close(ended)
        _, number, usage = os.wait4(child, 0)
        status, seconds, most = os.waitstatus_to_exitcode(number), time.monotonic() - began, 1024 * usage.ru_maxrss
        interrupted &= status not in (0, 1, 2) or seconds > self.patience + TOO_LATE
        left = orphans()
        printed = [path.read_bytes().decode(errors="replace") for path in self._prints()]
        return Outcome(status, interrupted, killed, *printed, seconds, most, left)

    def _prints(self) -> list[Path]:
        return [self.folder.with_name(name) for name in ("stdout", "stderr")]

    def _become(self, words: list[str]) -> None:
        """Turn this process into a fresh call of `ludus`."""
        os.setsid()
        os.chdir(self.folder)
        for number, path in enumerate(self._prints(), 1):
            os.dup2(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC), number)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for limit, most in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_FSIZE, LARGEST), (resource.RLIMIT_CORE, 0)):
            resource.setrlimit(limit, (most, most))
        top = self.folder.parent
        os.environ |= {
            "HOME": str(self.folder), "LUDUS_HOME": str(self.folder / "home"), "TMPDIR": str(top), "COLUMNS": "80",
            "BROWSER": "true", "PATH": f"{top / 'bin'}:{os.environ['PATH']}",
        }  # fmt: skip
        sys.argv = ["ludus", *words]


def status_of(main: Callable[[], Any]) -> int:
    """The exit status of a program, after what Python does at the exit, but for taking itself apart, which is slow."""
    status: Any = 0
    try:
        main()
    except SystemExit as end:
        status = end.code or 0
    except BaseException:
        traceback.print_exc()
        status = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    return status if isinstance(status, int) else 1


def orphans(patience: float = 3.0) -> list[str]:
    """Wait for what a call left behind to end, then kill it; the command lines of the killed."""
    deadline = time.monotonic() + patience
    while left := children():
        with suppress(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)
        if time.monotonic() > deadline:
            break
        time.sleep(0.01)
    for child in left:
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return list(left.values())


def children() -> dict[int, str]:
    """The children of this process with their command lines."""
    found = {}
    for child in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
        with suppress(OSError):
            found[int(child)] = Path(f"/proc/{child}/cmdline").read_text(errors="replace").replace("\0", " ")
    return found


def is_one_line(err: str) -> bool:
    """Whether what is printed ends with one line of Ludus, and at most some of the user's own files below it."""
    *lines, last = err.split("\n")
    said = [place for place, line in enumerate(lines) if line.startswith("ludus: ")]
    below = lines[said[0] + 1 :] if len(said) == 1 else ["two of them"]
    return last == "" and len(below) < 8 and all(line.startswith("  ") for line in below)
