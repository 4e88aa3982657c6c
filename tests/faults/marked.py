"""Processes that carry a mark in their environment, which all that they start inherit."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

NAME = "LUDUS_TEST_MARK"


def marked(mark):
    """The ids of all running processes with this mark."""
    words, found = f"{NAME}={mark}".encode(), []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if words in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found


def left(mark, seconds=5.0):
    """The processes with this mark that are still there after some seconds; they are killed."""
    wait_until(lambda: not marked(mark), seconds)
    remaining = marked(mark)
    for process in remaining:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    return remaining


def wait_until(condition, seconds=30.0):
    """Wait until something holds, or for some seconds; whether it holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
