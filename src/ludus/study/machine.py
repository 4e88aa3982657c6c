"""The machine that something was measured on, in words."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from pathlib import Path


def processor() -> str:
    """What Linux calls the processor; elsewhere what Python does."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def machine() -> str:
    """Processor, cores, system and Python."""
    cores, system = len(os.sched_getaffinity(0)), f"{platform.system()} {platform.machine()}"
    return f"{processor()}, {cores} cores, {system}, Python {platform.python_version()}"
