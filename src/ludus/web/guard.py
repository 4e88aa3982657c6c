"""Request checks: host, origin, key, size and rate; and the security headers of every response."""

from __future__ import annotations

import ipaddress
import json
import socket
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from ludus.web.access import Access, Role, is_guarded, key_of, may_ask

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


class Refused(Exception):  # noqa: N818, it is a response
    """A refused request: the status and the line of its response."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail


class Guard:
    """ASGI middleware that refuses requests and adds headers to every response."""

    def __init__(self, app: Any, access: Access, hosts: Iterable[str] = ()) -> None:
        name = socket.gethostname().lower()
        self.app, self.access, self.hosts = app, access, {"localhost", name, f"{name}.local", *hosts}
        self.buckets: dict[str, tuple[float, float]] = {}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Refuses a request, or passes it on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        respond = _with_headers(send)
        try:
            headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
            self._check(scope, headers)
            scope.setdefault("state", {})["role"] = self._role(scope, headers)
            await self.app(scope, await _read(headers, receive), respond)
        except Refused as refused:
            await _respond(refused, respond)

    def _check(self, scope: Message, headers: dict[str, str]) -> None:
        """Refuses other hosts, and other sites' pages; only browsers send `sec-fetch-site` and `origin`."""
        host = headers.get("host", "")
        if not self._is_ours(host, scope["server"][0]):
            raise Refused(421, "this server answers to its own address only")
        is_same_site = headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")
        is_same_origin = "origin" not in headers or _split(headers["origin"])[1] == host
        if scope["path"].startswith("/api/") and not (is_same_site and is_same_origin):
            raise Refused(403, "requests from other sites are refused")
        self._count(scope["client"][0] if scope.get("client") else "")

    def _is_ours(self, host: str, address: str) -> bool:
        """Whether a Host header is a name of ours, or the address at which the request arrived."""
        name = _split(f"//{host}")[0]
        with suppress(ValueError):
            return name in self.hosts or _plain(name) == _plain(address)
        return False

    def _role(self, scope: Message, headers: dict[str, str]) -> Role | None:
        """The role of whoever asks; refuses what that role may not ask for."""
        role = self.access.role(key_of(headers, scope["server"][1]))
        if is_guarded(scope["path"]) and not may_ask(role, scope["method"], scope["path"]):
            if role is None:
                raise Refused(401, "this server answers to whoever was given its address with a key: ask for that")
            raise Refused(403, "a guest can play the game of the invitation, and nothing else")
        return role

    def _count(self, client: str) -> None:
        """A token bucket for each address."""
        now = time.monotonic()
        left, since = self.buckets.get(client, (2.0 * MOST_REQUESTS, now))
        left = min(2.0 * MOST_REQUESTS, left + (now - since) * MOST_REQUESTS)
        if left < 1:
            raise Refused(429, "too many requests")
        if len(self.buckets) > _MOST_ADDRESSES:
            self.buckets.clear()
        self.buckets[client] = left - 1, now


def _plain(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """An address of the internet; ValueError for anything else. One of version 4 may come in the form of version 6."""
    found = ipaddress.ip_address(address)
    return getattr(found, "ipv4_mapped", None) or found


def _split(address: str) -> tuple[str, str]:
    """The host of an address, and the host with its port; empty if it is no address."""
    try:
        parts = urlsplit(address)
        return (parts.hostname or "").lower(), parts.netloc
    except ValueError:
        return "", ""


async def _read(headers: dict[str, str], receive: Receive) -> Receive:
    """Reads the body, refuses one that is too large, and replays it to the application."""
    too_large = Refused(413, f"a request has at most {MOST_BYTES:,} bytes")
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > MOST_BYTES:
        raise too_large
    body, more = b"", "content-length" in headers or "transfer-encoding" in headers
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > MOST_BYTES:
            raise too_large
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay


def _with_headers(send: Send) -> Send:
    async def respond(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name.lower() for name, _ in message["headers"]}
            more = [(name.encode(), value.encode()) for name, value in HEADERS.items() if name.encode() not in present]
            message = message | {"headers": [*message["headers"], *more]}
        await send(message)

    return respond


async def _respond(refused: Refused, send: Send) -> None:
    body = json.dumps({"detail": refused.detail}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
