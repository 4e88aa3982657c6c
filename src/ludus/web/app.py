"""The server as an application: its routes, its files, and what it keeps while it runs."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles

from ludus import __version__
from ludus.errors import LudusError
from ludus.svg import DARK, LIGHT, LOOKS
from ludus.web.api import (
    agents,
    benchmarks,
    games,
    hints,
    kept_games,
    leagues,
    lines,
    mistakes,
    papers,
    puzzles,
    runs,
    trainings,
)
from ludus.web.api.kept_games import KeptGames
from ludus.web.guard import Guard
from ludus.web.registry import MissingError, Shelf
from ludus.web.trainers import School
from ludus.web.workshop import BusyError, Workshop

ROUTERS = (
    games.router,
    hints.router,
    lines.router,
    agents.router,
    mistakes.router,
    puzzles.router,
    kept_games.router,
    runs.router,
    trainings.router,
    leagues.router,
    benchmarks.router,
    papers.router,
)

STATIC = Path(str(files("ludus.web"))) / "static"
BOARD_STYLE = (
    f".ludus{{{LIGHT}}}"
    f"@media(prefers-color-scheme:dark){{:root:not([data-theme=light]) .ludus{{{DARK}}}}}"
    f":root[data-theme=dark] .ludus{{{DARK}}}{LOOKS}"
)


def make_app(games: Mapping[str, Any] | None = None, hosts: Iterable[str] = ()) -> FastAPI:
    """The server; `games` of the user's own are offered too, and `hosts` are more names that it answers to."""
    app = FastAPI(
        title="Ludus",
        version=__version__,
        description="What the page of `ludus serve` asks for.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
    )
    app.state.shelf, app.state.closing = Shelf(games), threading.Event()
    for router in ROUTERS:
        app.include_router(router)
    app.add_exception_handler(LudusError, _refuse)
    app.add_api_route("/", _page, include_in_schema=False)
    app.add_api_route("/assets/css/board.css", _board_style, include_in_schema=False)
    app.mount("/assets", StaticFiles(directory=STATIC / "assets"))
    app.add_middleware(Guard, hosts=tuple(hosts))
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    app.state.workshop, app.state.kept, app.state.school = Workshop(), KeptGames(), School()
    yield
    app.state.school.close()
    app.state.workshop.close()
    app.state.kept.close()


def _refuse(request: Request, error: Exception) -> JSONResponse:
    status = 404 if isinstance(error, MissingError) else 429 if isinstance(error, BusyError) else 400
    return JSONResponse({"detail": str(error)}, status)


def _page() -> FileResponse:
    return FileResponse(STATIC / "index.html")


def _board_style() -> Response:
    return Response(BOARD_STYLE, media_type="text/css")
