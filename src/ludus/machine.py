"""The machine: jobs on its threads, its free memory, its description."""

from __future__ import annotations

import os
import platform
import resource
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
_NICENESS = 5  # of threads that give way: about a third of the time of others, where all are busy


def run_in_threads(jobs: Iterable[Callable[[], T]], threads: int | None = None) -> Iterator[T]:
    """Runs jobs on threads, by default one a core, and yields their results in order.

    An interrupt drops the jobs that have not begun, and does not wait for the others.
    """
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
        pool.shutdown(wait=False, cancel_futures=True)  # all are done, or nobody waits for them


def give_way() -> None:
    """Lets other threads go before this one, where the system ranks threads."""
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)


MEMORY = 4 << 30  # bytes that a confined process may use
_LARGEST = 2 << 30  # bytes of a file that it may write


def confine() -> None:
    """Limits the memory and the files of this process, which begins to work at low priority."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST, _LARGEST))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(5)


def most_workers() -> int:
    """The most processes, or threads, that are of use on this machine: four a core, at least 16."""
    return max(16, 4 * (os.cpu_count() or 1))


# Where cgroups, of version 2 and 1, give the limit of a container and its usage.
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
    """The memory that a solution may take by default: 70 % of what is free."""
    return int(0.7 * free_bytes())


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []


def processor() -> str:
    """The name of the processor."""
    for line in _lines("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def machine() -> str:
    """Processor, cores, system and Python."""
    cores, system = len(os.sched_getaffinity(0)), f"{platform.system()} {platform.machine()}"
    return f"{processor()}, {cores} cores, {system}, Python {platform.python_version()}"
