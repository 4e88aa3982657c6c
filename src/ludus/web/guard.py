"""What keeps the server safe: who may ask, from where, how much, and what a page may load."""

from __future__ import annotations

import ipaddress
import json
import socket
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Any
from urllib.parse import urlsplit

MOST_BYTES = 64 * 1024  # of a request
MOST_REQUESTS = 1000  # a second from one address, and twice as many at once
_MOST_ADDRESSES = 1000

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
        " font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "cache-control": "no-cache",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class Refused(Exception):  # noqa: N818, it is an answer
    """A request that gets no further: the status and the line that it is answered with."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail


class Guard:
    """An ASGI application around another: it refuses what must not pass, and adds headers to every answer."""

    def __init__(self, app: Any, hosts: Iterable[str] = ()) -> None:
        self.app, self.hosts = app, {"localhost", socket.gethostname().lower(), *hosts}
        self.buckets: dict[str, tuple[float, float]] = {}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer, or let the application do it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        answered = _with_headers(send)
        try:
            headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
            self._check(scope, headers)
            await self.app(scope, await _read(headers, receive), answered)
        except Refused as refused:
            await _answer(refused, answered)

    def _check(self, scope: Message, headers: dict[str, str]) -> None:
        host = headers.get("host", "")
        if not self._is_ours(host):
            raise Refused(421, "this server answers to localhost only")
        if scope["path"].startswith("/api/"):
            _require_same_origin(headers, host)
        self._count(scope["client"][0] if scope.get("client") else "")

    def _is_ours(self, host: str) -> bool:
        """Whether a Host header is an address or one of our names: no other site's name can be made to mean us."""
        name = _split(f"//{host}")[0]
        return name in self.hosts or _is_address(name)

    def _count(self, client: str) -> None:
        """A bucket of requests for each address, which fills up again with time."""
        now = time.monotonic()
        left, since = self.buckets.get(client, (2.0 * MOST_REQUESTS, now))
        left = min(2.0 * MOST_REQUESTS, left + (now - since) * MOST_REQUESTS)
        if left < 1:
            raise Refused(429, "too many requests")
        if len(self.buckets) > _MOST_ADDRESSES:
            self.buckets.clear()
        self.buckets[client] = left - 1, now


def _split(address: str) -> tuple[str, str]:
    """The name in an address, and the name with its port; nothing if it is no address."""
    try:
        parts = urlsplit(address)
        return (parts.hostname or "").lower(), parts.netloc
    except ValueError:
        return "", ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _require_same_origin(headers: dict[str, str], host: str) -> None:
    """Refuse what another site's page asks for; a program that is no browser says nothing of where it comes from."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise Refused(403, "another site may not ask here")
    origin = headers.get("origin")
    if origin is not None and _split(origin)[1] != host:
        raise Refused(403, "another site may not ask here")


async def _read(headers: dict[str, str], receive: Receive) -> Receive:
    """Read the whole body, unless it is too large, and let the application have it."""
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > MOST_BYTES:
        raise Refused(413, f"a request has at most {MOST_BYTES:,} bytes")
    body, more = b"", "content-length" in headers or "transfer-encoding" in headers
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > MOST_BYTES:
            raise Refused(413, f"a request has at most {MOST_BYTES:,} bytes")
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def _with_headers(send: Send) -> Send:
    async def answered(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name.lower() for name, _ in message["headers"]}
            more = [(name.encode(), value.encode()) for name, value in HEADERS.items() if name.encode() not in present]
            message = message | {"headers": [*message["headers"], *more]}
        await send(message)

    return answered


async def _answer(refused: Refused, send: Send) -> None:
    body = json.dumps({"detail": refused.detail}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
