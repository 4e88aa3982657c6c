"""The page that leads to all reports of a folder."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from html import escape
from importlib import resources
from pathlib import Path

from ludus.files import made_folder, write_whole
from ludus.report.document import (
    AGREES,
    DIFFERS,
    UNSURE,
    VERDICTS,
    Bars,
    Boards,
    Claimed,
    Curves,
    Document,
    Listing,
    Part,
    Result,
    Results,
    Table,
)
from ludus.report.page import board_file, page, picture, whole
from ludus.report.summary import SUMMARY, Summary, read_summaries, summary, verdicts
from ludus.report.svg_figures import draw

_WORDS = {AGREES: "agree", DIFFERS: "differ"}

_ABOUT = (
    "Each built one game and one learner, and measured it against a random opponent. Here is the yardstick. Of each:"
    " how many of its results agree with ours, differ, or cannot be told apart by so few seeds; and which of its claims"
    " are proved, refuted, supported or open."
)


def index(reports: Sequence[tuple[Summary, str]]) -> str:
    """A card for each report, given with the board of its game."""
    cards = "".join(_card(told, board) for told, board in reports)
    head = '<span class="kicker">Ludus</span><h1>Five papers, run again</h1>'
    return whole("Five papers, run again", f'{head}<p>{_ABOUT}</p><div class="cards">{cards}</div>')


def _card(told: Summary, board: str) -> str:
    found = verdicts(told)
    chips = "".join(
        f'<span class="chip {verdict}">{found[verdict]} {_WORDS.get(verdict, verdict)}</span>'
        for verdict in (AGREES, DIFFERS, UNSURE, *VERDICTS)
        if verdict in found
    )
    name = escape(told["paper"])
    return (
        f'<a class="card" href="{name}.html">{picture(board, "")}<h2>{escape(told["title"])}</h2>'
        f'<p class="faint">{escape(told["authors"])}; {escape(told["made"]["scale"])}</p>'
        f'<div class="counts">{chips}</div></a>'
    )


INDEX = "index.html"

_BOARD = "board.svg"


def write_reports(documents: Sequence[Document], folder: Path, order: Sequence[str]) -> Path:
    """Write the pages of some papers, and an index of all that the folder holds, in this order; its path."""
    plotly = resources.files("plotly").joinpath("package_data", "plotly.min.js").read_text()
    for document in documents:
        beside = made_folder(folder / document.name)
        for name, content in _files(document):
            write_whole(beside / name, [content.encode()])
        write_whole(beside / SUMMARY, [json.dumps(summary(document), indent=1).encode() + b"\n"])
        write_whole(page_path(folder, document.name), [page(document, plotly).encode()])
    told = [(each, (folder / each["paper"] / _BOARD).read_text()) for each in read_summaries(folder, order)]
    write_whole(folder / INDEX, [index(told).encode()])
    return folder / INDEX


def page_path(folder: Path, name: str) -> Path:
    """Where the page of a paper is."""
    return folder / f"{name}.html"


def _files(document: Document) -> Iterator[tuple[str, str]]:
    """All that stands beside a page: names and contents."""
    yield "claims.csv", as_csv(Claimed._fields, document.claims)
    yield _BOARD, document.board
    every = [*(part for section in document.sections for part in section.parts), *document.best.parts]
    tables = [document.made.trainings, document.made.config]
    for part in [*every, *(table for table in tables if table is not None)]:
        yield from _files_of(part)


def _files_of(part: Part) -> Iterator[tuple[str, str]]:
    match part:
        case Curves() | Bars():
            yield f"{part.key}.svg", draw(part)
        case Table():
            yield f"{part.key}.csv", as_csv(part.columns, part.rows)
        case Results():
            yield f"{part.key}.csv", as_csv(Result._fields, part.results)
        case Boards():
            yield from ((board_file(part, number), board.svg) for number, board in enumerate(part.boards))
        case Listing():
            yield part.file, part.text


def as_csv(columns: Sequence[str], rows: Sequence[Sequence[str | int | float]]) -> str:
    """A table as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue()
