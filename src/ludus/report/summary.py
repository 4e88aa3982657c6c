"""What a report comes to: results, short tables, claims and best agent, as JSON beside its page and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ludus.documents import read_plain, write_document
from ludus.errors import LudusError
from ludus.files import is_there, named_in_folders, read_regular
from ludus.report.document import (
    AGREES,
    DIFFERS,
    NEEDS_FULL,
    UNSURE,
    VERDICTS,
    Best,
    Claimed,
    Curves,
    Document,
    Part,
    Result,
    Results,
    Table,
    format_cell,
)

SUMMARY = "report.json"
_VERSION = 1
_FACTS = {"scale", "seeds", "processor time", "machine"}  # of those how it was made, which are shown
_SHORT = 12  # rows of a table that the summary keeps
Summary = dict[str, Any]


# ---- its form ----


class _Findings(NamedTuple):
    sentences: list[str]
    next: str


class _Figure(NamedTuple):
    file: str
    title: str


class _Table(NamedTuple):
    title: str
    columns: list[str]
    rows: list[list[str]]
    caption: str


class _Experiment(NamedTuple):
    key: str
    title: str
    did: str
    results: list[Result]
    tables: list[_Table]


class _Best(NamedTuple):
    title: str
    agent: str
    cost: str
    grade: str
    command: str
    tables: list[_Table]


class _Summary(NamedTuple):
    paper: str
    title: str
    authors: str
    about: str
    findings: _Findings
    figure: _Figure | None
    experiments: list[_Experiment]
    claims: list[Claimed]
    best: _Best | None
    made: dict[str, str]
    commands: list[str]


def summary(document: Document) -> Summary:
    """The document in short: all but figures, of which one is named, long tables and boards."""
    parts = [part for section in document.sections for part in section.parts]
    figures = [part for part in parts if isinstance(part, Curves) and part.key == document.headline]
    return {
        "paper": document.name,
        **{name: getattr(document, name) for name in ("title", "authors", "about")},
        "findings": {"sentences": list(document.findings.sentences), "next": document.findings.next},
        "figure": next(({"file": f"{one.key}.svg", "title": one.title} for one in figures), None),
        "experiments": [
            {
                **{name: getattr(section, name) for name in ("key", "title", "did")},
                "results": [
                    one._asdict() for part in section.parts if isinstance(part, Results) for one in part.results
                ],
                "tables": _short_tables(section.parts),
            }
            for section in document.sections
        ],
        "claims": [claimed._asdict() for claimed in document.claims],
        "best": document.best and _best(document.best),
        "made": dict(document.made.facts),
        "commands": list(document.made.commands),
    }


def _best(best: Best) -> Summary:
    found = {name: getattr(best, name) for name in ("title", "agent", "cost", "grade", "command")}
    return found | {"tables": _short_tables(best.parts)}


def _short_tables(parts: Sequence[Part]) -> list[Summary]:
    return [
        {
            "title": part.title,
            "columns": list(part.columns),
            "rows": [[format_cell(cell) for cell in row] for row in part.rows],
            "caption": part.caption,
        }
        for part in parts
        if isinstance(part, Table) and len(part.rows) <= _SHORT
    ]


def read_summaries(folder: Path, order: Sequence[str]) -> list[Summary]:
    """Those of all papers whose reports a folder holds: of these papers first, in this order, then others."""
    others = [path.parent.name for path in named_in_folders(folder, SUMMARY) if path.parent.name not in order]
    paths = (folder / name / SUMMARY for name in (*order, *others))
    return [read_summary(path) for path in paths if is_there(path)]


def write_summary(document: Document, folder: Path) -> None:
    """Writes the summary of a document into a folder."""
    write_document(folder / SUMMARY, _VERSION, summary(document))


def read_summary(path: Path) -> Summary:
    """Reads a summary; LudusError if it is damaged."""
    found = read_plain(path, _VERSION, _Summary)
    figure = found["figure"]
    if found["paper"] != path.parent.name or (figure and Path(figure["file"]).name != figure["file"]):
        raise LudusError(f"{path} is damaged: it is not of {path.parent.name}")
    if not (found["made"].keys() >= _FACTS and found["commands"]):
        raise LudusError(f"{path} is damaged: it does not say how it was made")
    return found


def read_figure(folder: Path, report: Summary) -> bytes | None:
    """The figure that stands for a paper, of those in the folder; None if none is named."""
    if not report.get("figure"):
        return None
    path: Path = folder / report["paper"] / report["figure"]["file"]
    try:
        return read_regular(path)
    except LudusError as error:
        raise LudusError(f"{error}; run the paper again") from None


def verdicts(report: Summary) -> dict[str, int]:
    """How often each verdict was given, on results and on claims."""
    found = [result["verdict"] for each in report["experiments"] for result in each["results"]]
    found += [claim["verdict"] for claim in report["claims"]]
    return {verdict: found.count(verdict) for verdict in dict.fromkeys(found) if verdict}


# ---- Markdown ----


def as_markdown(report: Summary) -> str:
    """A paper's results and claims as a page of Markdown; its figure has the paper's name."""
    blocks = [
        f"# {report['title']}",
        *_found(report),
        f"{report['authors']}. {report['about']}",
        f"    {report['commands'][0]}",
        f"Scale {report['made']['scale']}; seeds {report['made']['seeds']}; {report['made']['processor time']}"
        f" ({report['made']['machine']}).",
    ]
    if figure := report.get("figure"):
        blocks += [f"**{figure['title']}**", f"![{figure['title']}]({report['paper']}.svg)"]
    for each in report["experiments"]:
        blocks += [f"## {each['title']}", f"The paper: {each['did']}"]
        if each["results"]:
            rows = [
                [str(one[name]) for name in ("what", "paper", "ours", "seeds", "verdict", "why")]
                for one in each["results"]
            ]
            blocks.append(_table(("", "paper", "Ludus", "seeds", "", "why"), rows))
        blocks += _tables(each.get("tables", ()))
    claims = [(each["claim"], each["verdict"], each["evidence"], f"`{each['command']}`") for each in report["claims"]]
    if claims:
        blocks += ["## Claims", _table(("the paper says", "", "evidence", "command"), claims)]
    if best := report["best"]:
        blocks += [f"## {best['title']}"]
        blocks += [f"{best['agent']}. Cost: {best['cost']}. Grade: {best['grade']}.", f"    {best['command']}"]
        blocks += _tables(best["tables"])
    return "\n\n".join(blocks) + "\n"


def _found(report: Summary) -> list[str]:
    """What was found, and what to do next; nothing for a paper that does not say."""
    findings = report["findings"]
    return [each for each in (" ".join(findings["sentences"]), findings["next"]) if each]


def _tables(tables: Sequence[Summary]) -> list[str]:
    blocks = [(f"**{each['title']}**", _table(each["columns"], each["rows"]), each["caption"]) for each in tables]
    return [block for each in blocks for block in each if block]


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def overview(reports: Sequence[Summary]) -> str:
    """What was found in all papers, and a table of their verdicts, as Markdown."""
    blocks, rows = [], []
    for each in reports:
        found = verdicts(each)
        blocks += [f"**{each['authors']}.** {words}" for words in _found(each)[:1]]
        counted = [str(found.get(word, 0)) for word in (AGREES, DIFFERS, UNSURE, NEEDS_FULL, *VERDICTS)]
        rows.append((f"[{each['title']}]({each['paper']}.md)", *counted))
    table = _table(("paper", "results agree", "differ", UNSURE, NEEDS_FULL, "claims proved", *VERDICTS[1:]), rows)
    return "\n\n".join([*blocks, table])
