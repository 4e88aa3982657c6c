"""Jobs on threads, their results in order; an interrupt leaves what has not begun undone."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
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
