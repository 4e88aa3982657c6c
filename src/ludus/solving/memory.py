"""How much memory there is."""

from __future__ import annotations

import os
import resource
from pathlib import Path

_SHARE = 0.7  # of what is free, so that the machine does not swap


# Where the limit of a container, and what it uses of it, are told: by the second and the first form of cgroups.
_GROUPS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)


def free_bytes() -> int:
    """The memory that can be taken without swapping, within the limits of the container and of the process."""
    limits = [os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    for line in _lines("/proc/meminfo"):
        if line.startswith("MemAvailable:"):
            limits = [int(line.split()[1]) * 1024]
    for allowed, used in _GROUPS:
        most, now = _lines(allowed), _lines(used)
        if most and now and most[0].isdecimal():
            limits.append(int(most[0]) - int(now[0]))
    most_addresses, _ = resource.getrlimit(resource.RLIMIT_AS)
    taken = _lines("/proc/self/statm")
    if most_addresses != resource.RLIM_INFINITY and taken:
        limits.append(most_addresses - int(taken[0].split()[0]) * os.sysconf("SC_PAGE_SIZE"))
    return max(0, min(limits))


def budget() -> int:
    """How much of it a solution may take by default."""
    return int(_SHARE * free_bytes())


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []
