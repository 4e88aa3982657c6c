"""Who may ask for what: on a server that others can reach, the owner has a key, and a guest one that is for a game."""

from __future__ import annotations

import hmac
import ipaddress
import re
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.cookies import CookieError, SimpleCookie
from typing import Any, Literal

Role = Literal["owner", "guest"]
_GUESTS = re.compile(  # what somebody needs who plays with a friend, and reviews the game with exact values
    r"GET /api/(me|games|game|position|doing|hints(/stream)?|line|rooms/[^/]+(/stream)?)|POST /api/(values|rooms/[^/]+)"
)
_GUARDED = ("/api/", "/papers/")
_DAYS = 30


class Access:
    """The keys of a server; without `key` everybody who reaches it is its owner."""

    def __init__(self, key: str = "", is_invited: Callable[[str], bool] = lambda key: False) -> None:
        self.key, self.is_invited = key, is_invited

    def role(self, key: str) -> Role | None:
        """The role of somebody with this key; None for nobody."""
        if not self.key or hmac.compare_digest(key.encode(), self.key.encode()):
            return "owner"
        return "guest" if key and self.is_invited(key) else None

    def cookie(self, key: str, port: int) -> str:
        """The cookie that keeps a key in a browser: a guest comes back for some days."""
        lasting = "" if self.role(key) == "owner" else f"; Max-Age={_DAYS * 86400}"
        return f"{_cookie_name(port)}={key}; Path=/; HttpOnly; SameSite=Strict{lasting}"


def new_key() -> str:
    """A key that nobody can guess, of letters, digits, - and _."""
    return secrets.token_urlsafe(16)


def key_of(headers: Mapping[str, str], port: int) -> str:
    """The key that comes with a request: as a bearer token, or in the cookie of this port; empty if there is none."""
    kind, _, token = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return token.strip()
    try:
        cookie = SimpleCookie(headers.get("cookie", "")).get(_cookie_name(port))
    except CookieError:
        return ""
    return cookie.value if cookie else ""


def _cookie_name(port: int) -> str:
    return f"ludus-{port}"  # browsers send cookies to all ports of a host


def is_from_here(scope: Mapping[str, Any]) -> bool:
    """Whether a request comes from this machine itself."""
    client = (scope.get("client") or ("",))[0]
    with suppress(ValueError):
        return ipaddress.ip_address(client).is_loopback or client == scope["server"][0]
    return False


def is_guarded(path: str) -> bool:
    """Whether a path needs a role: the page itself and its scripts hold no secrets."""
    return path.startswith(_GUARDED)


def may_ask(role: Role | None, method: str, path: str) -> bool:
    """Whether somebody may ask for a path that is guarded."""
    return role == "owner" or (role == "guest" and _GUESTS.fullmatch(f"{method} {path}") is not None)
