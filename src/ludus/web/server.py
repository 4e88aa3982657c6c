"""The server as a program: where it listens, and what it says."""

from __future__ import annotations

import logging
import socket
import sys
from collections.abc import Callable, Mapping
from typing import Any

import uvicorn

from ludus.errors import LudusError
from ludus.web.app import make_app

_BACKLOG = 256

_TURN = 0.001  # seconds that work in the background may keep an answer waiting


class Server(uvicorn.Server):
    """A server that says when it is ready, and that streams do not hold up."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self.ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        sys.setswitchinterval(_TURN)
        await super().startup(sockets)
        self.ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let streams end, and who waits for work, then all else."""
        state = self.config.app.state  # type: ignore[union-attr]
        state.closing.set()
        state.workshop.close()
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # what is cut off now is no error
        await super().shutdown(sockets)


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens there; any free port with 0. LudusError if it cannot be."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise LudusError(f"cannot listen on {host} port {port}: {error.strerror}") from None
    return listener


def address_of(listener: socket.socket) -> str:
    """What to type into a browser."""
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def serve(listener: socket.socket, games: Mapping[str, Any], ready: Callable[[], None], hosts: tuple[str, ...]) -> None:
    """Answer on a socket until Ctrl-C."""
    config = uvicorn.Config(
        make_app(games, hosts), log_level="warning", access_log=False, timeout_graceful_shutdown=5, server_header=False
    )
    Server(config, ready).run([listener])
