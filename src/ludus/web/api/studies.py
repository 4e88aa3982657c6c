"""Results of benchmarks and reports on papers, as the commands wrote them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from fastapi.responses import FileResponse
from pydantic import BaseModel

from ludus.files import home, named_in_folders
from ludus.report.summary import read_summaries, verdicts
from ludus.study.benchmark import document
from ludus.study.paper import paper_names
from ludus.web.registry import MissingError

router = APIRouter(tags=["studies"])
files = APIRouter()
_NAME = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,79}(\.[a-z]{2,4})?$"
_KINDS = {".html": "text/html", ".svg": "image/svg+xml", ".csv": "text/csv", ".txt": "text/plain"}
_SANDBOX = {
    "content-security-policy": (
        "sandbox allow-scripts allow-downloads; default-src 'none'; script-src 'unsafe-inline';"
        " style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "cross-origin-resource-policy": "cross-origin",  # a sandboxed page has another origin than its own pictures
}

Name = Annotated[str, Path(pattern=_NAME, description="The name of a scale, a report, or a file.")]


@router.get("/benchmarks")
def benchmarks() -> list[dict[str, Any]]:
    """The results of all benchmarks in the user's folder, as docs/benchmark.md describes them."""
    return [document.read(path) for path in reversed(named_in_folders(home() / "benchmarks", document.FILE))]


class Report(BaseModel):
    """A report: `url` is its page; `verdicts` counts its results and claims; `finding`: its first sentence."""

    paper: str
    scale: str
    title: str
    authors: str
    about: str
    finding: str
    verdicts: dict[str, int]
    best: str | None
    url: str
    board: str


@router.get("/papers")
def papers() -> list[Report]:
    """All reports in the user's folder."""
    folders = [folder for folder in sorted((home() / "papers").glob("*")) if folder.is_dir()]
    return [_report(folder.name, summary) for folder in folders for summary in read_summaries(folder, paper_names())]


def _report(scale: str, summary: dict[str, Any]) -> Report:
    return Report(
        **{name: summary[name] for name in ("paper", "title", "authors", "about")},
        scale=scale,
        finding=next(iter(summary["findings"]["sentences"]), ""),
        verdicts=verdicts(summary),
        best=summary["best"] and summary["best"]["agent"],
        url=f"papers/{scale}/{summary['paper']}.html",
        board=f"papers/{scale}/{summary['paper']}/board.svg",
    )


@files.get("/papers/{scale}/{file}", response_class=FileResponse, include_in_schema=False)
def report_page(scale: Name, file: Name) -> FileResponse:
    """The page of a report, in a sandbox of its own."""
    return _file(scale, file)


@files.get("/papers/{scale}/{report}/{file}", response_class=FileResponse, include_in_schema=False)
def report_file(scale: Name, report: Name, file: Name) -> FileResponse:
    """A figure or table of a report."""
    return _file(scale, report, file)


def _file(*names: str) -> FileResponse:
    """A file below the reports' folder, with symbolic links resolved."""
    root = (home() / "papers").resolve()
    path = root.joinpath(*names).resolve()
    if not path.is_relative_to(root) or path.suffix not in _KINDS or not path.is_file():
        raise MissingError("there is no such report")
    return FileResponse(path, media_type=_KINDS[path.suffix], headers=_SANDBOX)
