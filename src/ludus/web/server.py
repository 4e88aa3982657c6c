"""The web server: its routes and files, where it listens, and how it starts and stops."""

from __future__ import annotations

import ipaddress
import json
import logging
import socket
import sys
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import uvicorn
from anyio import CapacityLimiter
from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles

from ludus import __version__
from ludus.errors import LudusError
from ludus.svg import DARK, LIGHT, LOOKS
from ludus.web.access import Access, new_key
from ludus.web.api import (
    agents,
    games,
    leagues,
    practice,
    puzzles,
    rooms,
    runs,
    saved_games,
    solutions,
    started,
    studies,
    trainings,
    visitors,
)
from ludus.web.api.saved_games import SavedGames
from ludus.web.api.views import PROBLEMS
from ludus.web.computing import Computing
from ludus.web.guard import Guard
from ludus.web.jobs import BusyError, JobQueue
from ludus.web.live import Changes
from ludus.web.registry import ConflictError, ForbiddenError, MissingError, Registry
from ludus.web.rooms import Rooms
from ludus.web.studies import Studies
from ludus.web.trainings import Trainings

_ROUTES = (
    visitors,
    games,
    solutions,
    agents,
    puzzles,
    saved_games,
    practice,
    rooms,
    runs,
    trainings,
    leagues,
    studies,
    started,
)
STATIC = Path(str(files("ludus.web"))) / "static"
BOARD_STYLE = (
    f".ludus{{{LIGHT}}}"
    f"@media(prefers-color-scheme:dark){{:root:not([data-theme=light]) .ludus{{{DARK}}}}}"
    f":root[data-theme=dark] .ludus{{{DARK}}}{LOOKS}"
)

_BACKLOG = 256
_MOST_STREAMS = 200  # at once: each has a thread
Named = Sequence[tuple[str, Any]]  # games by name
_SWITCH_INTERVAL = 0.001  # seconds that a background thread may delay a response


class Site(NamedTuple):
    """Where a server is reached: from this machine, and from others in its network if it listens to them.

    `key` makes somebody its owner, where others reach it; `name`: what it answers to besides its addresses.
    """

    here: str = ""
    network: str | None = None
    key: str = ""
    name: str = "localhost"

    def with_key(self, address: str) -> str:
        """An address that lets its owner in."""
        return f"{address}?key={self.key}" if self.key else address


def make_app(own_games: Named = (), site: Site = Site()) -> FastAPI:  # noqa: B008, it is immutable
    """The application; it offers `own_games` too."""
    app = FastAPI(
        title="Ludus",
        version=__version__,
        description="The JSON API behind the page of `ludus serve`.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
    )
    app.state.registry, app.state.closing, app.state.address = Registry(own_games), threading.Event(), site.network
    for module in _ROUTES:
        app.include_router(module.router, prefix="/api", responses=PROBLEMS)
    app.include_router(studies.files)
    app.add_exception_handler(LudusError, _refuse)
    app.add_exception_handler(RequestValidationError, _refuse_form)
    access = Access(site.key, lambda key: app.state.rooms.is_invited(key))
    app.include_router(_entrance(access))
    app.add_api_route(
        "/assets/css/board.css", lambda: Response(BOARD_STYLE, media_type="text/css"), include_in_schema=False
    )
    app.mount("/assets", StaticFiles(directory=STATIC / "assets"))
    app.add_middleware(Guard, access=access, hosts=(site.name,))
    return app


def _entrance(access: Access) -> APIRouter:
    """The ways in: the page, with a key or without one, and invitations."""
    router = APIRouter(include_in_schema=False)

    @router.get("/")
    def index(request: Request, key: str = "") -> Response:
        return let_in(request, key, "/") if access.role(key) and key else FileResponse(STATIC / "index.html")

    @router.get("/join/{key}")
    def join(request: Request, key: str) -> Response:
        return let_in(request, key, f"/#/friend?key={quote(key)}")

    def let_in(request: Request, key: str, to: str) -> Response:
        """Shows a page, and keeps the key in the browser unless its owner is known there."""
        response = RedirectResponse(to, 303)
        if access.role(key) and request.state.role != "owner":
            response.headers["set-cookie"] = access.cookie(key, request.scope["server"][1])
        return response

    return router


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    app.state.jobs, app.state.computing = JobQueue(), Computing()
    app.state.streams = CapacityLimiter(_MOST_STREAMS)
    app.state.saved_games, app.state.rooms, app.state.changes = SavedGames(), Rooms(), Changes()
    app.state.trainings = Trainings()
    app.state.studies = Studies(lambda: app.state.changes.notify(started.CHANGED))
    yield
    app.state.studies.close()
    app.state.trainings.close()
    app.state.jobs.close()
    app.state.computing.close()
    app.state.saved_games.close()
    app.state.rooms.close()


_STATUS = {ForbiddenError: 403, MissingError: 404, ConflictError: 409, BusyError: 429}


def _refuse(request: Request, error: Exception) -> Response:
    return _problem(next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 400), str(error))


def _refuse_form(request: Request, error: Exception) -> Response:
    """What is wrong with the form of a request, without what was sent, which may be no text at all."""
    found = error.errors()[0] if isinstance(error, RequestValidationError) else {"loc": (), "msg": str(error)}
    place = ".".join(str(part) for part in found["loc"])
    return _problem(422, f"{place}: {found['msg']}")


def _problem(status: int, words: str) -> Response:
    """One line as JSON; half a letter, which no answer can hold, is written as its number."""
    return Response(json.dumps({"detail": " ".join(words.split())}), status, media_type="application/json")


class Server(uvicorn.Server):
    """A server that reports when it is ready, and ends its streams before it stops."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self.ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Starts to listen."""
        sys.setswitchinterval(_SWITCH_INTERVAL)
        await super().startup(sockets)
        self.ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Ends streams and waiting requests, then everything else."""
        state = self.config.app.state  # type: ignore[union-attr]
        state.closing.set()
        state.jobs.close()
        state.changes.close()
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # requests cut off now are no errors
        await super().shutdown(sockets)


def bound(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes any free port. LudusError if it cannot be opened."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except (OSError, UnicodeError) as error:  # taken, or no name of a machine
        listener.close()
        raise LudusError(f"cannot listen on {host} port {port}: {getattr(error, 'strerror', error)}") from None
    return listener


def site_of(listener: socket.socket, name: str) -> Site:
    """Where a listening socket is reached; with a key if that is from other machines."""
    host, port = listener.getsockname()[:2]
    found = ipaddress.ip_address(host)
    if found.is_loopback:
        return Site(_address(host, port), name=name)
    if not found.is_unspecified:
        return Site(_address(host, port), _address(host, port), new_key(), name)
    local = "::1" if found.version == 6 else "127.0.0.1"
    return Site(_address(local, port), _address(_network_address(listener.family), port), new_key(), name)


def _address(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


_ELSEWHERE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}  # addresses for examples, which nobody has


def _network_address(family: int) -> str:
    """The address of this machine in its network, else its name; nothing is sent."""
    with socket.socket(family, socket.SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect((_ELSEWHERE[socket.AddressFamily(family)], 9))
        return str(probe.getsockname()[0])
    return socket.gethostname()


def serve(listener: socket.socket, games: Named, ready: Callable[[], None], site: Site) -> None:
    """Serves on a socket until Ctrl-C; LudusError if the saved games cannot be used."""
    SavedGames().close()
    Rooms().close()
    config = uvicorn.Config(
        make_app(games, site),
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=5,
        server_header=False,
        proxy_headers=False,
    )
    Server(config, ready).run([listener])
