"""Pages for a browser: reports of papers with an index, and pages of figures, each a file that needs nothing else."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from html import escape
from importlib import resources
from pathlib import Path

from ludus.files import made_folder, read_regular, write_whole
from ludus.report.document import (
    AGREES,
    DIFFERS,
    NEEDS_FULL,
    UNSURE,
    VERDICTS,
    Bars,
    Best,
    Boards,
    Claimed,
    Curves,
    Document,
    Figure,
    Findings,
    HeatMap,
    Listing,
    Made,
    NotCovered,
    Part,
    Result,
    Results,
    Section,
    Table,
    Words,
    format_cell,
)
from ludus.report.plotly_figures import DARK, LIGHT, plot
from ludus.report.summary import Summary, read_summaries, summary, verdicts, write_summary
from ludus.report.svg_figures import draw

Cell = str | int | float


def text(words: str) -> str:
    """Words as HTML; words in backquotes become code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(words, quote=False))


def code(command: str) -> str:
    """A command as HTML, nothing for none."""
    return f"<code>{escape(command)}</code>" if command else ""


def chip(word: str) -> str:
    """A verdict, nothing for none."""
    return f'<span class="chip {word}">{word}</span>' if word else ""


def picture(svg: str, alt: str, look: str = "") -> str:
    """An SVG that is carried by the page."""
    carried = base64.b64encode(svg.encode()).decode()
    return f'<img class="{look}" alt="{escape(alt)}" src="data:image/svg+xml;base64,{carried}">'


def table(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """A table, numbers to the right."""
    numeric = [bool(rows) and all(isinstance(row[place], int | float) for row in rows) for place in range(len(columns))]
    looks = [' class="number"' if each else "" for each in numeric]
    head = "".join(f"<th{look}>{text(name)}</th>" for name, look in zip(columns, looks, strict=True))
    cells = (
        [f"<td{look}>{text(format_cell(cell))}</td>" for cell, look in zip(row, looks, strict=True)] for row in rows
    )
    return _scrolled("table", head, "".join(f"<tr>{''.join(row)}</tr>" for row in cells))


def _scrolled(tag: str, head: str, rows: str) -> str:
    return f'<div class="scroll"><{tag}><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'


def results_table(results: Sequence[Result]) -> str:
    """Results with their verdicts."""
    rows = "".join(
        f"<tr><td>{text(each.what)}</td><td class='number'>{text(each.paper) or '-'}</td>"
        f"<td class='number'>{text(each.ours)}</td><td class='number'>{each.seeds}</td>"
        f"<td>{chip(each.verdict) or '-'}</td><td>{_remark(each)}</td></tr>"
        for each in results
    )
    numbers = "".join(f"<th class='number'>{name}</th>" for name in ("paper", "Ludus", "seeds"))
    head = f"<th>result</th>{numbers}<th>verdict</th><th>why, and where it is in the paper</th>"
    return _scrolled('table class="results"', head, rows)


def _remark(result: Result) -> str:
    source = f'<span class="faint">{text(result.source)}</span>' if result.source else ""
    return "<br>".join(part for part in (text(result.why), source) if part)


def page(document: Document) -> str:
    """The report of a paper: the finding and one figure, the claims, then the rest."""
    name, figure = document.name, document.figure
    parts = [_part(name, figure)] if figure else []
    if document.claims:
        parts.append(f'<section id="claims"><h2>Claims</h2>{claims_table(document.claims)}</section>')
    parts.append(f'<section id="about"><h2>The paper</h2><p>{text(document.about)}</p></section>')
    parts += [_section(name, section, figure) for section in document.sections]
    parts += [_best(name, document.best)] if document.best else []
    parts += [_not_covered(document.not_covered)] if document.not_covered else []
    return whole(document.title, _top(document), [*parts, _made(name, document.made), _drawing()])


def write_figures(title: str, figures: Sequence[Figure], path: Path) -> None:
    """Write a page of figures, one below the other."""
    shown = [_framed(figure.title, _drawn(figure), figure.caption) for figure in figures]
    write_whole(path, [whole(title, _head(title), [*shown, _drawing()]).encode()])


def _head(title: str) -> str:
    return f'<header><span class="kicker">Ludus</span><h1>{escape(title)}</h1></header>'


def _drawing() -> str:
    """The scripts that draw the figures of a page."""
    plotly = resources.files("plotly").joinpath("package_data", "plotly.min.js").read_text()
    palettes = f'<script type="application/json" id="palettes">{json.dumps([LIGHT, DARK])}</script>'
    return f"<script>{plotly}</script>\n{palettes}\n<script>{_file('figures.js')}</script>"


def whole(title: str, top: str, parts: Sequence[str]) -> str:
    """A page with its landmarks: a header, perhaps with a nav, and the main content in parts."""
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    head += '<link rel="icon" href="data:,">'  # or a browser asks for one
    head = f"<head>{head}<title>{escape(title)}</title><style>{_file('style.css')}</style></head>"
    body = "\n".join([top, "<main>", *parts, "</main>"])
    return f'<!doctype html>\n<html lang="en">{head}\n<body>\n{body}\n</body></html>\n'


def _file(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text()


# ---- the parts of the page ----


def _top(document: Document) -> str:
    links = [("claims", "Claims")] if document.claims else []
    links += [(f"experiment-{section.key}", section.title) for section in document.sections]
    links += [("best", document.best.title)] if document.best else []
    links += [("not-covered", _LEFT_OUT)] if document.not_covered else []
    links += [("made", "How this was made")]
    nav = "".join(f'<a href="#{place}">{escape(title)}</a>' for place, title in links)
    heads = f"<span>{len(document.results)} results, {len(document.claims)} claims:</span>"
    judged = _counts(heads, verdicts(summary(document))) if document.results or document.claims else ""
    return (
        f'<header class="top"><div><a class="kicker" href="index.html">Ludus: papers, run again</a>'
        f'<h1>{escape(document.title)}</h1><p class="faint">{escape(document.authors)}</p>'
        f"{_found(document.findings)}{judged}</div>"
        f"{picture(document.board, 'The board at the start')}</header>"
        f'<nav aria-label="Parts">{nav}</nav>'
    )


def _found(findings: Findings) -> str:
    parts = " ".join(findings.sentences), findings.next
    return "".join(f'<p class="found">{text(words)}</p>' for words in parts if words)


def _section(name: str, section: Section, figure: Part | None) -> str:
    """An experiment, without the figure that stands above."""
    did = f'<p class="did">The paper: {text(section.did)}</p>' if section.did else ""
    answers = f'<p class="did">Answers: {text(section.answers)}.</p>' if section.answers else ""
    above = '<p class="faint">Its main figure stands at the top.</p>' if figure in section.parts else ""
    head = f'<section id="experiment-{section.key}"><h2>{escape(section.title)}</h2>{did}{answers}{above}'
    return f"{head}{_parts(name, [part for part in section.parts if part is not figure])}</section>"


def claims_table(claims: Sequence[Claimed]) -> str:
    """Claims with their verdicts."""
    rows = "".join(
        f"<tr><td>{text(each.claim)}</td><td>{chip(each.verdict)}</td><td>{text(each.evidence)}"
        f"{_settled_by(each)}{_shown_by(each.command)}</td></tr>"
        for each in claims
    )
    head = "<th>the paper says</th><th>verdict</th><th>evidence, and the command that shows it</th>"
    return _scrolled('table class="claims"', head, rows)


def _settled_by(claim: Claimed) -> str:
    return f'<br><span class="faint">To settle it: {text(claim.settled_by)}</span>' if claim.settled_by else ""


def _shown_by(command: str) -> str:
    return f"<details><summary>command</summary>{code(command)}</details>" if command else ""


_LEFT_OUT = "What is not covered"


def _not_covered(left_out: Sequence[NotCovered]) -> str:
    """What of the paper is not repeated, and why."""
    shown = table(("the paper", "why it is not repeated here"), left_out)
    return f'<section id="not-covered"><h2>{_LEFT_OUT}</h2>{shown}</section>'


def _best(name: str, best: Best) -> str:
    facts = [(title, text(getattr(best, title))) for title in ("agent", "cost", "grade")]
    listed = _facts([*facts, ("command", code(best.command))])
    head = f'<section id="best"><h2>{escape(best.title)}</h2>'
    short = f"<p>{text(_SHORT)}</p>" if best.short else ""
    return f'{head}{short}<div class="best">{listed}</div>{_parts(name, best.parts)}</section>'


_SHORT = (
    "At this scale it is trained for a short time only, here and in all figures; `--scale full` trains it to the end."
)


def _facts(facts: Sequence[tuple[str, str]]) -> str:
    return f'<dl class="facts">{"".join(f"<dt>{escape(name)}</dt><dd>{words}</dd>" for name, words in facts)}</dl>'


def _made(name: str, made: Made) -> str:
    facts = [(title, text(words)) for title, words in made.facts]
    again = _facts([*facts, *(("command", code(command)) for command in made.commands)])
    head = f'<section id="made"><h2>How this was made</h2><p>{text(_RULE)}</p>'
    tables = [table for table in (made.config, made.trainings) if table is not None]
    every = [f"<details><summary>{text(each.title)}</summary>{_part(name, each)}</details>" for each in tables]
    return f"{head}{again}{''.join(every)}</section>"


_RULE = (
    "Ours is the mean over seeds, with its 95 % interval by Student's t. Agreement is tested as equivalence: a margin "
    "that would matter was fixed beforehand for each kind of number. It is widened by the paper's own sampling error "
    "(the exact binomial interval of a share in as many games as it played; for a number of one run, where runs are "
    "far apart, by the spread of ours, three margins at most), and by what was lost in rounding or in reading "
    "figures. A result agrees if our mean is surely within the margin of the paper's number, differs if it is surely "
    "outside, and is unsure otherwise. At full scale seeds are added in rounds, each twice as many, while a result is "
    "unsure or a claim open; the error of 5 % is spent in equal parts on six looks, so that sure means by an interval "
    "of 99.17 %. In figures a curve is the mean over seeds, and its band reaches from the lowest seed to the highest."
)


# ---- the parts of a section ----


def _parts(name: str, parts: Sequence[Part]) -> str:
    return "".join(_part(name, part) for part in parts)


def _part(name: str, part: Part) -> str:
    match part:
        case Curves() | Bars():
            return _framed(part.title, _drawn(part), part.caption, _link(name, f"{part.key}.svg"))
        case Table():
            return _framed(part.title, table(part.columns, part.rows), part.caption, _link(name, f"{part.key}.csv"))
        case Results():
            shown = results_table(part.results)
            return _framed("The paper's numbers and ours", shown, "", _link(name, f"{part.key}.csv"))
        case Boards():
            return _boards(name, part)
        case Listing():
            return _listing(name, part)
        case Words():
            return f"<p>{text(part.text)}</p>"


def _framed(title: str, shown: str, caption: str, files: str = "") -> str:
    head = f"<h3>{text(title)}</h3>" if title else ""
    below = f"<figcaption>{text(caption)}</figcaption>" if caption else ""
    links = f'<p class="files">{files}</p>' if files else ""
    return f"<figure>{head}{shown}{below}{links}</figure>"


def _link(name: str, file: str) -> str:
    return f'<a href="{name}/{file}">{file}</a>'


def _drawn(figure: Figure) -> str:
    """A figure for Plotly and, but for heat maps, as a picture where scripts do not run."""
    data = json.dumps(plot(figure), allow_nan=False).replace("<", "\\u003c")
    live = f'<div class="plot"><script type="application/json">{data}</script><div class="canvas"></div></div>'
    still = "" if isinstance(figure, HeatMap) else picture(draw(figure), figure.title, "static")
    return f'<div id="{figure.key}">{live}{still}</div>'


def _listing(name: str, part: Listing) -> str:
    lines = part.text.splitlines()
    rest = f"The first {part.shown} of {len(lines):,} lines; the file has all." if len(lines) > part.shown else ""
    shown = escape("\n".join(lines[: part.shown]))
    return _framed(part.title, f"<pre>{shown}</pre>", rest, _link(name, part.file))


def _boards(name: str, part: Boards) -> str:
    shown = "".join(f"<div>{picture(each.svg, each.words)}{text(each.words)}</div>" for each in part.boards)
    files = " ".join(_link(name, f"{part.key}-{number}.svg") for number in range(1, len(part.boards) + 1))
    look = "boards wide" if any(_is_wide(each.svg) for each in part.boards) else "boards"
    return _framed(part.title, f'<div class="{look}">{shown}</div>', part.caption, files)


def _is_wide(svg: str) -> bool:
    """Whether a picture is a strip, 2.5 times as wide as high, which takes the whole width."""
    size = re.search(r'viewBox="0 0 ([0-9.]+) ([0-9.]+)"', svg)
    return size is not None and float(size[1]) > 2.5 * float(size[2])


_ABOUT = (
    "Each paper built one game and one learner, and evaluated it against a random opponent. Here the exact solution is"
    " the yardstick. For each paper: the results that agree with ours, differ, or need more seeds; and the claims that"
    " are proved, refuted, supported or open."
)


def index(reports: Sequence[tuple[Summary, str]]) -> str:
    """The page with a card for each report, given with the board of its game."""
    cards = "".join(_card(report, board) for report, board in reports)
    title = "Five papers, run again"
    return whole(title, _head(title), [f"<p>{_ABOUT}</p>", f'<div class="cards">{cards}</div>'])


def _card(report: Summary, board: str) -> str:
    name = escape(report["paper"])
    return (
        f'<a class="card" href="{name}.html">{picture(board, "")}<h2>{escape(report["title"])}</h2>'
        f'<p class="faint">{escape(report["authors"])}; {escape(report["made"]["scale"])}</p>'
        f"{_found(Findings(report['findings']['sentences']))}"
        f"{_counts('', verdicts(report))}</a>"
    )


def _counts(heads: str, found: dict[str, int]) -> str:
    """The numbers of results and claims by verdict."""
    words = {AGREES: "agree", DIFFERS: "differ", NEEDS_FULL: "need full scale"}
    chips = [
        f'<span class="chip {each}">{found[each]} {words.get(each, each)}</span>'
        for each in (AGREES, DIFFERS, UNSURE, NEEDS_FULL, *VERDICTS)
        if each in found
    ]
    return f'<div class="counts">{heads}{"".join(chips)}</div>'


INDEX = "index.html"
_BOARD = "board.svg"


def write_reports(documents: Sequence[Document], folder: Path, order: Sequence[str]) -> Path:
    """Write the pages of some papers, and an index of all that the folder holds, in this order; its path."""
    for document in documents:
        beside = made_folder(folder / document.name)
        for name, content in _files(document):
            write_whole(beside / name, [content.encode()])
        write_summary(document, beside)
        write_whole(page_path(folder, document.name), [page(document).encode()])
    found = [(each, _board_of(folder / each["paper"])) for each in read_summaries(folder, order)]
    write_whole(folder / INDEX, [index(found).encode()])
    return folder / INDEX


def _board_of(folder: Path) -> str:
    return read_regular(folder / _BOARD).decode(errors="replace")


def page_path(folder: Path, name: str) -> Path:
    """The path of the page of a paper."""
    return folder / f"{name}.html"


def _files(document: Document) -> Iterator[tuple[str, str]]:
    """The files beside a page: names and contents."""
    yield "claims.csv", as_csv(Claimed._fields, document.claims)
    yield _BOARD, document.board
    best = document.best.parts if document.best else ()
    every = [*(part for section in document.sections for part in section.parts), *best]
    for part in (*every, document.made.trainings, document.made.config):
        yield from _files_of(part)


def _files_of(part: Part | None) -> Iterator[tuple[str, str]]:
    match part:
        case Curves() | Bars():
            yield f"{part.key}.svg", draw(part)
        case Table():
            yield f"{part.key}.csv", as_csv(part.columns, part.rows)
        case Results():
            rows = [(*one[:-1], " ".join(map(str, one.values))) for one in part.results]
            yield f"{part.key}.csv", as_csv(Result._fields, rows)
        case Boards():
            yield from ((f"{part.key}-{number}.svg", board.svg) for number, board in enumerate(part.boards, 1))
        case Listing():
            yield part.file, part.text


def as_csv(columns: Sequence[str], rows: Sequence[Sequence[str | int | float]]) -> str:
    """A table as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue()
