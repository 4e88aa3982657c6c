"""Heavy questions of the page: a few are computed at a time, so that light ones are answered meanwhile."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Annotated, TypeVar

from anyio import CapacityLimiter, to_thread

from ludus.web.jobs import BusyError
from ludus.web.registry import of_app

T = TypeVar("T")
MOST_WAITING = 60


class Computing:
    """Threads for heavy questions, as many as there are cores."""

    def __init__(self) -> None:
        self._limiter = CapacityLimiter(os.cpu_count() or 1)

    async def __call__(self, work: Callable[[], T]) -> T:
        """Returns the result of some work, after that of earlier questions; BusyError if too many wait."""
        if (waiting := self._limiter.statistics().tasks_waiting) >= MOST_WAITING:
            raise BusyError(f"the server is busy: {waiting} questions are waiting; ask again in a moment")
        return await to_thread.run_sync(work, limiter=self._limiter)


ComputingDep = Annotated[Computing, of_app("computing")]
