"""The web server: its routes and files, where it listens, and how it starts and stops."""

from __future__ import annotations

import logging
import socket
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import uvicorn
from anyio import CapacityLimiter
from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles

from ludus import __version__
from ludus.errors import LudusError
from ludus.svg import DARK, LIGHT, LOOKS
from ludus.web.api import agents, games, leagues, puzzles, runs, saved_games, solutions, studies, trainings
from ludus.web.api.saved_games import SavedGames
from ludus.web.api.views import PROBLEMS
from ludus.web.computing import Computing
from ludus.web.guard import Guard
from ludus.web.jobs import BusyError, JobQueue
from ludus.web.registry import MissingError, Registry
from ludus.web.trainings import Trainings

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


def make_app(own_games: Named = (), hosts: Iterable[str] = ()) -> FastAPI:
    """The application; it offers `own_games` too, and answers to `hosts` besides localhost and this machine's name."""
    app = FastAPI(
        title="Ludus",
        version=__version__,
        description="The JSON API behind the page of `ludus serve`.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
    )
    app.state.registry, app.state.closing = Registry(own_games), threading.Event()
    for module in (games, solutions, agents, puzzles, saved_games, runs, trainings, leagues, studies):
        app.include_router(module.router, prefix="/api", responses=PROBLEMS)
    app.include_router(studies.files)
    app.add_exception_handler(LudusError, _refuse)
    app.add_api_route("/", lambda: FileResponse(STATIC / "index.html"), include_in_schema=False)
    app.add_api_route(
        "/assets/css/board.css", lambda: Response(BOARD_STYLE, media_type="text/css"), include_in_schema=False
    )
    app.mount("/assets", StaticFiles(directory=STATIC / "assets"))
    app.add_middleware(Guard, hosts=tuple(hosts))
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    app.state.jobs, app.state.computing = JobQueue(), Computing()
    app.state.streams = CapacityLimiter(_MOST_STREAMS)
    app.state.saved_games, app.state.trainings = SavedGames(), Trainings()
    yield
    app.state.trainings.close()
    app.state.jobs.close()
    app.state.saved_games.close()


def _refuse(request: Request, error: Exception) -> JSONResponse:
    status = 404 if isinstance(error, MissingError) else 429 if isinstance(error, BusyError) else 400
    return JSONResponse({"detail": str(error)}, status)


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


def address_of(listener: socket.socket) -> str:
    """The address to open in a browser."""
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def serve(listener: socket.socket, games: Named, ready: Callable[[], None], hosts: tuple[str, ...]) -> None:
    """Serves on a socket until Ctrl-C; LudusError if the saved games cannot be used."""
    SavedGames().close()
    config = uvicorn.Config(
        make_app(games, hosts), log_level="warning", access_log=False, timeout_graceful_shutdown=5, server_header=False
    )
    Server(config, ready).run([listener])
