"""Results of benchmarks and reports on papers, as the commands wrote them."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Annotated, Any

from fastapi import APIRouter, Path
from fastapi.responses import FileResponse
from pydantic import BaseModel, ValidationError

from ludus.errors import LudusError
from ludus.files import home
from ludus.report.summary import read_summaries, verdicts
from ludus.study.paper import paper_names
from ludus.web.registry import MissingError

router = APIRouter(tags=["studies"])


class Mean(BaseModel):
    """A mean over seeds and its standard error, null for a single seed."""

    mean: float
    error: float | None


class Seats(BaseModel):
    """Of the agent moving first, and moving second."""

    first: Mean
    second: Mean


class Outcome(BaseModel):
    """One seed: plies played and optimal decisions at each measure."""

    decisions: int
    plies: list[int]
    optimal: list[float]


class Score(BaseModel):
    """An entry at a game, as docs/benchmark.md tells it."""

    game: str
    name: str
    entry: str
    games: int
    seeds: int
    accuracy: Mean
    reached: int
    plies: float | None
    seconds: float | None
    regret: Mean | None
    short: Seats
    outcomes: list[Outcome]


class Document(BaseModel):
    """A benchmark that was held."""

    scale: str
    enough: float
    scores: list[Score]


@router.get("/benchmarks")
def benchmarks() -> list[Document]:
    """All benchmarks that were held where `ludus benchmark` keeps them."""
    found = []
    for path in sorted((home() / "benchmarks").glob("*/benchmark.json"), reverse=True):
        try:
            found.append(Document.model_validate_json(path.read_bytes()))
        except (OSError, ValidationError):
            raise LudusError(f"the results of the benchmark {path.parent.name} are damaged") from None
    return found


pages = APIRouter()


_NAME = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,79}(\.[a-z]{2,4})?$"


_KINDS = {".html": "text/html", ".svg": "image/svg+xml", ".csv": "text/csv", ".txt": "text/plain"}


_FENCED = {
    "content-security-policy": (
        "sandbox allow-scripts allow-downloads; default-src 'none'; script-src 'unsafe-inline';"
        " style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "cross-origin-resource-policy": "cross-origin",  # a fenced page is a stranger to the pictures beside it
}


Name = Annotated[str, Path(pattern=_NAME, description="The name of a scale, a report, or a file.")]


class Report(BaseModel):
    """A report: `url` is its page; `verdicts` counts what became of results and claims."""

    paper: str
    scale: str
    title: str
    authors: str
    about: str
    verdicts: dict[str, int]
    best: str
    url: str
    board: str


@router.get("/papers")
def papers() -> list[Report]:
    """All reports where `ludus paper` keeps them."""
    folders = [folder for folder in sorted((home() / "papers").glob("*")) if folder.is_dir()]
    return [_report(folder.name, told) for folder in folders for told in _summaries(folder)]


def _summaries(folder: FilePath) -> list[dict[str, Any]]:
    return read_summaries(folder, paper_names())


def _report(scale: str, told: dict[str, Any]) -> Report:
    try:
        return Report(
            paper=told["paper"],
            scale=scale,
            title=told["title"],
            authors=told["authors"],
            about=told["about"],
            verdicts=verdicts(told),
            best=told["best"]["agent"],
            url=f"papers/{scale}/{told['paper']}.html",
            board=f"papers/{scale}/{told['paper']}/board.svg",
        )
    except (KeyError, TypeError) as error:
        raise LudusError(f"a report of the papers at scale {scale} is damaged: {error}") from None


@pages.get("/papers/{scale}/{file}", response_class=FileResponse, include_in_schema=False)
def page(scale: Name, file: Name) -> FileResponse:
    """The page of a report."""
    return _file(scale, file)


@pages.get("/papers/{scale}/{report}/{file}", response_class=FileResponse, include_in_schema=False)
def beside(scale: Name, report: Name, file: Name) -> FileResponse:
    """A figure or a table that stands beside it."""
    return _file(scale, report, file)


def _file(*names: str) -> FileResponse:
    """A file below the reports, whatever links there are on the way."""
    root = (home() / "papers").resolve()
    path = root.joinpath(*names).resolve()
    if not path.is_relative_to(root) or path.suffix not in _KINDS or not path.is_file():
        raise MissingError("there is no such report")
    return FileResponse(path, media_type=_KINDS[path.suffix], headers=_FENCED)
