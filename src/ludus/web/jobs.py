"""Background jobs in worker threads, and server-sent events."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Hashable, Iterator
from concurrent.futures import Future, wait
from queue import SimpleQueue
from typing import Annotated, Any, Literal

from fastapi import Depends, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool

from ludus.errors import LudusError

_TURN = 1.0  # seconds between two looks at whether anybody listens


Told = Callable[[threading.Event], Iterator[BaseModel]]


def events(model: type[BaseModel]) -> dict[str, Any]:
    """The content of such an answer, for the schema: events whose data is this model as JSON."""
    return {"text/event-stream": {"schema": {"type": "string", "description": f"Events of {model.__name__}."}}}


def stream(request: Request, told: Told) -> StreamingResponse:
    """An answer that tells everything that `told` yields; its event is set when the page has left."""
    return StreamingResponse(
        _lines(request, told), media_type="text/event-stream", headers={"cache-control": "no-store"}
    )


async def _lines(request: Request, told: Told) -> AsyncIterator[str]:
    left, closing = threading.Event(), request.app.state.closing
    updates = told(left)
    try:
        while not closing.is_set():
            waiting = asyncio.ensure_future(run_in_threadpool(next, updates, None))
            while not waiting.done() and not closing.is_set():
                await asyncio.wait([waiting], timeout=_TURN)
                if not waiting.done():
                    yield ": still here\n\n"
            update = None if closing.is_set() else waiting.result()
            if update is None:
                return
            yield f"data: {update.model_dump_json()}\n\n"
    finally:
        left.set()


Tell = Callable[[str], None]


Work = Callable[[Tell], Any]


MOST_WAITING = 12


KEPT = {"truth": 6}  # finished jobs of a kind


LANES = {"truth": 0, "agent": 1}  # kinds that a person waits for have workers of their own


_WORKERS = 2, 1, 1  # in each lane; small games are soon solved beside a large one


_KEPT_OTHERWISE = 48


_LONGEST = 180.0  # seconds for one job


_FORGOTTEN = 10.0  # seconds after which what nobody asks for any more is given up


class BusyError(LudusError):
    """Too much is waiting to be done."""


class Job:
    """Some work, and how far it is."""

    def __init__(self, work: Work, *, patience: float) -> None:
        self.work, self.patience = work, patience
        self.state: Literal["working", "ready", "refused"] = "working"
        self.words = "waiting for other work"
        self.result: Any = None
        self.done: Future[None] = Future()
        self.stopped = self.is_forgotten = False
        self.asked = time.monotonic()

    def run(self) -> None:
        """Do it; whatever is wrong ends up in its words."""
        end = time.monotonic() + self.patience
        try:
            self._on_progress("beginning", end)
            self.result = self.work(lambda words: self._on_progress(words, end))
            self.state, self.words = "ready", ""
        except LudusError as error:
            self.state, self.words = "refused", str(error)
        except MemoryError:
            self.state, self.words = "refused", "there is not enough memory for it"
        except Exception as error:  # an agent or a game from elsewhere may raise anything
            self.state, self.words = "refused", f"{type(error).__name__}: {' '.join(str(error).split())}"
        self.done.set_result(None)

    def _on_progress(self, words: str, end: float) -> None:
        self.words, now = words, time.monotonic()
        self.is_forgotten = now > self.asked + _FORGOTTEN
        if self.stopped or self.is_forgotten:
            raise LudusError("stopped")
        if now > end:
            raise LudusError("it takes too long")

    def wait(self, seconds: float) -> Any:
        """The result; LudusError if it was refused, or takes longer than this."""
        end = time.monotonic() + seconds
        while not self.done.done():
            self.asked = time.monotonic()
            if self.stopped or self.asked > end:
                raise BusyError(f"still {self.words or 'at work'}: ask again")
            wait([self.done], 1.0)
        if self.state == "refused":
            raise LudusError(self.words)
        return self.result


class JobQueue:
    """Some workers, the jobs that wait for them, and those that are done."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[tuple[str, Hashable], Job] = OrderedDict()
        self._queues: tuple[SimpleQueue[Job | None], ...] = SimpleQueue(), SimpleQueue(), SimpleQueue()
        self._lock = threading.Lock()
        for queue in self._at_work():
            threading.Thread(target=_work, args=[queue], daemon=True, name="jobs").start()

    def _at_work(self) -> Iterator[SimpleQueue[Job | None]]:
        """The queue of each worker."""
        for queue, workers in zip(self._queues, _WORKERS, strict=True):
            yield from [queue] * workers

    def ask(self, kind: str, key: Hashable, work: Work, *, patience: float = _LONGEST) -> Job:
        """The job of this kind and key, begun now unless it was before; BusyError if too many wait."""
        with self._lock:
            job = self._jobs.get((kind, key))
            if job is None or job.is_forgotten:
                if sum(other.state == "working" for other in self._jobs.values()) >= MOST_WAITING:
                    raise BusyError("too much is waiting to be worked out: ask again in a moment")
                job = self._jobs[kind, key] = Job(work, patience=patience)
                self._queues[LANES.get(kind, -1)].put(job)
            job.asked = time.monotonic()
            self._jobs.move_to_end((kind, key))
            self._forget(kind)
        return job

    def find(self, kind: str) -> list[Job]:
        """The finished jobs of a kind, the latest asked for first."""
        with self._lock:
            return [job for key, job in reversed(self._jobs.items()) if key[0] == kind and job.state == "ready"]

    def _forget(self, kind: str) -> None:
        """Let the oldest finished jobs of a kind go."""
        over = [key for key, job in self._jobs.items() if key[0] == kind and job.state != "working"]
        for key in over[: max(0, len(over) - KEPT.get(kind, _KEPT_OTHERWISE))]:
            del self._jobs[key]

    def close(self) -> None:
        """Stop what is being done, and do nothing more."""
        with self._lock:
            for job in self._jobs.values():
                job.stopped = True
        for queue in self._at_work():
            queue.put(None)


def _work(queue: SimpleQueue[Job | None]) -> None:
    while (job := queue.get()) is not None:
        job.run()


def _jobs(request: Request) -> JobQueue:
    jobs: JobQueue = request.app.state.jobs
    return jobs


JobsDep = Annotated[JobQueue, Depends(_jobs)]
