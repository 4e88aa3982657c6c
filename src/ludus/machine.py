"""Jobs on threads, their results in order; an interrupt leaves what has not begun undone."""

from __future__ import annotations

import os
import platform
import resource
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def run_in_threads(jobs: Iterable[Callable[[], T]], threads: int | None = None) -> Iterator[T]:
    """Run jobs on so many threads, all cores by default, and yield what they return, in their order."""
    count = threads or os.cpu_count() or 1
    waiting: deque[Future[T]] = deque()
    pool = ThreadPoolExecutor(count)
    try:
        for job in jobs:
            waiting.append(pool.submit(job))
            if len(waiting) > 2 * count:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


_SHARE = 0.7  # of what is free, so that the machine does not swap


# Where the limit of a container, and what it uses of it, are found: by the second and the first form of cgroups.
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
