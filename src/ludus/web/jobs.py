"""Background jobs in worker threads, and server-sent events."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Hashable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from queue import SimpleQueue
from typing import Annotated, Any, Literal

from anyio import to_thread
from fastapi import Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from ludus.activity import Activity
from ludus.compiled import compiling
from ludus.errors import LudusError, diagnosed, in_one_line
from ludus.machine import give_way
from ludus.web.registry import of_app

MOST_WAITING = 12
KEPT = {"solution": 6}  # finished jobs of a kind
_WORKERS = {"solution": 2, "agent": 1, "": 1}  # for kinds that a person waits for; two: a small game beside a large one
_KEPT_OTHERWISE = 48
_LONGEST = 180.0  # seconds for one job
_ABANDONED = 10.0  # seconds without a request after which a job is cancelled
_HEARTBEAT = 1.0  # seconds between two signs of life in a stream
OnProgress = Callable[[str], None]
Work = Callable[[OnProgress], Any]


class BusyError(LudusError):
    """Too much work is waiting."""


class Job:
    """Some work, its progress, and at last its result."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.state: Literal["working", "ready", "refused"] = "working"
        self.activity = Activity("waiting for other work")
        self.result: Any = None
        self.done: Future[None] = Future()
        self.stopped = self.is_abandoned = False
        self.requested = time.monotonic()

    @property
    def words(self) -> str:
        """What is being done, or why it was refused."""
        return self.activity.words

    def run(self) -> None:
        """Does the work; any error becomes its words."""
        end = time.monotonic() + _LONGEST
        _thread.activity = self.activity
        try:
            self._on_progress("starting", end)
            self.result = self.work(lambda words: self._on_progress(words, end))
            self._end("ready", "")
        except LudusError as error:
            self._end("refused", str(error))
        except MemoryError:
            self._end("refused", "not enough memory")
        except Exception as error:  # an agent or a game from elsewhere may raise anything
            self._end("refused", in_one_line(diagnosed(error)))
        self.done.set_result(None)

    def _end(self, state: Literal["ready", "refused"], words: str) -> None:
        self.activity, self.state = Activity(words), state

    def _on_progress(self, words: str, end: float) -> None:
        self.activity.stage, now = words, time.monotonic()
        self.is_abandoned = now > self.requested + _ABANDONED
        if self.stopped or self.is_abandoned:
            raise LudusError("stopped")
        if now > end:
            raise LudusError("it takes too long")

    async def wait(self, seconds: float) -> Any:
        """Returns the result; LudusError if it was refused, BusyError if it takes longer than this."""
        end = time.monotonic() + seconds
        while not self.done.done():
            self.requested = time.monotonic()
            if self.stopped or self.requested > end:
                raise BusyError(f"still {self.words or 'working'}: ask again")
            await asyncio.wait([asyncio.wrap_future(self.done)], timeout=min(1.0, seconds))
        if self.state == "refused":
            raise LudusError(self.words)
        return self.result


_thread = threading.local()  # `activity`: of the job that this thread works on


class JobQueue:
    """Worker threads, the jobs that wait for them, and the latest finished ones."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[tuple[str, Hashable], Job] = OrderedDict()
        self._lanes: dict[str, SimpleQueue[Job | None]] = {kind: SimpleQueue() for kind in _WORKERS}
        self._lock, self._compiling = threading.Lock(), Activity("")
        compiling.listeners.append(self._on_kernel)
        for kind, workers in _WORKERS.items():
            for _ in range(workers):
                threading.Thread(target=_work, args=[self._lanes[kind]], daemon=True, name="worker").start()

    def submit(self, kind: str, key: Hashable, work: Work) -> Job:
        """Returns the job of this kind and key, started now if there is none; BusyError if too many wait."""
        with self._lock:
            job = self._jobs.get((kind, key))
            if job is None or job.is_abandoned:
                if sum(other.state == "working" for other in self._jobs.values()) >= MOST_WAITING:
                    raise BusyError("too much work is waiting: ask again in a moment")
                job = self._jobs[kind, key] = Job(work)
                self._lanes[kind if kind in _WORKERS else ""].put(job)
            job.requested = time.monotonic()
            self._jobs.move_to_end((kind, key))
            finished = [key for key, job in self._jobs.items() if key[0] == kind and job.state != "working"]
            for old in finished[: max(0, len(finished) - KEPT.get(kind, _KEPT_OTHERWISE))]:
                del self._jobs[old]
        return job

    def find(self, kind: str) -> list[Job]:
        """The finished jobs of a kind, the latest requested first."""
        with self._lock:
            return [job for key, job in reversed(self._jobs.items()) if key[0] == kind and job.state == "ready"]

    def doing(self) -> str:
        """What is being done for whoever waits: a kernel that is compiled, or the job that was asked for last."""
        with self._lock:
            working = [job for job in reversed(self._jobs.values()) if job.state == "working"]
        return self._compiling.words or next((job.words for job in working), "")

    def _on_kernel(self, kernel: Any, done: int, total: int) -> None:
        for activity in (self._compiling, getattr(_thread, "activity", None)):
            if activity is not None:
                activity.on_kernel(kernel, done, total)

    def close(self) -> None:
        """Stops all jobs and workers."""
        with suppress(ValueError):  # it is closed twice: before the server stops, and with the application
            compiling.listeners.remove(self._on_kernel)
        with self._lock:
            for job in self._jobs.values():
                job.stopped = True
        for kind, workers in _WORKERS.items():
            for _ in range(workers):
                self._lanes[kind].put(None)


def _work(lane: SimpleQueue[Job | None]) -> None:
    give_way()
    while (job := lane.get()) is not None:
        job.run()


JobsDep = Annotated[JobQueue, of_app("jobs")]
Updates = Callable[[threading.Event], Iterator[BaseModel]]


def events(model: type[BaseModel]) -> dict[str, Any]:
    """The schema of a stream whose events are this model as JSON."""
    return {"text/event-stream": {"schema": {"type": "string", "description": f"Events of {model.__name__}."}}}


def stream(request: Request, updates: Updates) -> StreamingResponse:
    """Sends everything that `updates` yields; its event is set when the page has left."""
    return StreamingResponse(
        _lines(request, updates), media_type="text/event-stream", headers={"cache-control": "no-store"}
    )


async def _lines(request: Request, updates: Updates) -> AsyncIterator[str]:
    left, closing = threading.Event(), request.app.state.closing
    iterator = updates(left)
    try:
        while not closing.is_set():
            limiter = request.app.state.streams
            waiting = asyncio.ensure_future(to_thread.run_sync(next, iterator, None, limiter=limiter))
            while not waiting.done() and not closing.is_set():
                await asyncio.wait([waiting], timeout=_HEARTBEAT)
                if not waiting.done():
                    yield ": still here\n\n"
            update = None if closing.is_set() else waiting.result()
            if update is None:
                return
            yield f"data: {update.model_dump_json()}\n\n"
    finally:
        left.set()
