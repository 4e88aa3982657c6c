"""Heavy questions of the page: a few are computed at a time, and give way to light ones."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Annotated, Any, TypeVar

from ludus.machine import give_way
from ludus.web.jobs import BusyError
from ludus.web.registry import of_app

T = TypeVar("T")
MOST_WAITING = 60
Question = tuple[Callable[[], Any], Future[Any]]


class Computing:
    """Threads for heavy questions; a core is left to light ones, if there are several."""

    def __init__(self) -> None:
        self._questions: SimpleQueue[Question | None] = SimpleQueue()
        self._threads, self._asked = max((os.cpu_count() or 1) - 1, 1), 0
        for _ in range(self._threads):
            threading.Thread(target=_answer, args=[self._questions], daemon=True, name="computing").start()

    async def __call__(self, work: Callable[[], T]) -> T:
        """Returns the result of some work, after that of earlier questions; BusyError if too many wait."""
        if (waiting := self._asked - self._threads) >= MOST_WAITING:
            raise BusyError(f"the server is busy: {waiting} questions are waiting; ask again in a moment")
        result: Future[T] = Future()
        self._asked += 1
        try:
            self._questions.put((work, result))
            return await asyncio.wrap_future(result)
        finally:
            self._asked -= 1

    def close(self) -> None:
        """Ends the threads, after the questions that wait."""
        for _ in range(self._threads):
            self._questions.put(None)


def _answer(questions: SimpleQueue[Question | None]) -> None:
    give_way()
    while (question := questions.get()) is not None:
        work, result = question
        if not result.set_running_or_notify_cancel():
            continue
        try:
            result.set_result(work())
        except BaseException as error:  # whoever asked gets it
            result.set_exception(error)


ComputingDep = Annotated[Computing, of_app("computing")]
