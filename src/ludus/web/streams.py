"""Server-sent events: what is told while it becomes known, until the page leaves."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from fastapi import Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool

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
