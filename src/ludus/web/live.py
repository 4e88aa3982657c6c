"""Documents that pages follow while they change: a saved game, a room. Each change wakes whoever waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Annotated

from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from ludus.errors import LudusError
from ludus.web.registry import of_app

_HEARTBEAT = 15.0  # seconds between two signs of life, which show a connection that was lost


class Changes:
    """Who waits for the change of which document; used in the event loop, but for `notify`."""

    def __init__(self) -> None:
        self._waiting: dict[Hashable, set[asyncio.Event]] = {}
        self._loop = asyncio.get_running_loop()
        self.is_closed = False

    @contextmanager
    def subscribed(self, key: Hashable) -> Iterator[asyncio.Event]:
        """An event that every change of a document sets."""
        event = asyncio.Event()
        self._waiting.setdefault(key, set()).add(event)
        try:
            yield event
        finally:
            self._waiting[key].discard(event)
            if not self._waiting[key]:
                del self._waiting[key]

    def notify(self, key: Hashable) -> None:
        """Wakes all who wait for a document, from any thread."""
        self._loop.call_soon_threadsafe(self._wake, key)

    def _wake(self, key: Hashable) -> None:
        for event in self._waiting.get(key, ()):
            event.set()

    def close(self) -> None:
        """Ends all streams."""
        self.is_closed = True
        for key in self._waiting:
            self._wake(key)


ChangesDep = Annotated[Changes, of_app("changes")]


def live(
    changes: Changes,
    key: Hashable,
    view: Callable[[], BaseModel],
    present: AbstractContextManager[None] = nullcontext(),  # noqa: B008, it holds nothing
) -> StreamingResponse:
    """A document as server-sent events: now, and whenever it has changed; `present` holds while the stream is open."""
    headers = {"cache-control": "no-store"}
    return StreamingResponse(_versions(changes, key, view, present), media_type="text/event-stream", headers=headers)


async def _versions(
    changes: Changes, key: Hashable, view: Callable[[], BaseModel], present: AbstractContextManager[None]
) -> AsyncIterator[str]:
    with changes.subscribed(key) as changed, present:
        sent = ""
        while not changes.is_closed:
            changed.clear()
            try:
                now = view().model_dump_json()
            except LudusError:  # it was deleted
                return
            yield ": still here\n\n" if now == sent else f"data: {now}\n\n"
            sent = now
            with suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), _HEARTBEAT)
