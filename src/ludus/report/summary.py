"""What a report comes to: results, short tables, claims and best agent, as JSON beside its page and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from ludus.documents import OtherVersionError, read_plain, write_document
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
    Document,
    NotCovered,
    Part,
    Result,
    Results,
    Table,
    format_cell,
)

SUMMARY = "report.json"
_VERSION = 2
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
    answers: str
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
    not_covered: list[NotCovered]
    made: dict[str, str]
    commands: list[str]


def summary(document: Document) -> Summary:
    """The document in short: all but figures, of which one is named, long tables and boards."""
    figure = document.figure
    return {
        "paper": document.name,
        **{name: getattr(document, name) for name in ("title", "authors", "about")},
        "findings": {"sentences": list(document.findings.sentences), "next": document.findings.next},
        "figure": figure and {"file": f"{figure.key}.svg", "title": figure.title},
        "experiments": [
            {
                **{name: getattr(section, name) for name in ("key", "title", "did", "answers")},
                "results": [
                    one._asdict() for part in section.parts if isinstance(part, Results) for one in part.results
                ],
                "tables": _short_tables(section.parts),
            }
            for section in document.sections
        ],
        "claims": [claimed._asdict() for claimed in document.claims],
        "best": document.best and _best(document.best),
        "not_covered": [each._asdict() for each in document.not_covered],
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
    """Those of all papers whose reports a folder holds: of these papers first, in this order, then others.

    Those that another version of Ludus wrote are left out.
    """
    others = [path.parent.name for path in named_in_folders(folder, SUMMARY) if path.parent.name not in order]
    found = []
    for path in (folder / name / SUMMARY for name in (*order, *others)):
        if is_there(path):
            with suppress(OtherVersionError):
                found.append(read_summary(path))
    return found


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
    blocks = [f"# {report['title']}", *_found(report)]
    if figure := report["figure"]:
        blocks += [f"**{figure['title']}**", f"![{figure['title']}]({report['paper']}.svg)"]
    claims = [(each["claim"], each["verdict"], _evidence(each)) for each in report["claims"]]
    if claims:
        blocks += ["## Claims", _table(("the paper says", "", "evidence, and the command that shows it"), claims)]
    blocks += ["## The paper", f"{report['authors']}. {report['about']}"]
    for each in report["experiments"]:
        blocks += _experiment(each)
    if best := report["best"]:
        blocks += [f"## {best['title']}"]
        blocks += [f"{best['agent']}. Cost: {best['cost']}. Grade: {best['grade']}.", f"    {best['command']}"]
        blocks += _tables(best["tables"])
    if left_out := report["not_covered"]:
        rows = [(each["what"], each["why"]) for each in left_out]
        blocks += ["## What is not covered", _table(("the paper", "why it is not repeated here"), rows)]
    made = report["made"]
    blocks += ["## How this was made", f"    {report['commands'][0]}"]
    blocks += [f"Scale {made['scale']}; seeds {made['seeds']}; {made['processor time']} ({made['machine']})."]
    return "\n\n".join(blocks) + "\n"


def _evidence(claim: Summary) -> str:
    settled_by = f" To settle it: {claim['settled_by']}." if claim["settled_by"] else ""
    return f"{claim['evidence'].removesuffix('.')}.{settled_by} `{claim['command']}`"


def _experiment(found: Summary) -> list[str]:
    answers = f" Answers: {found['answers']}." if found["answers"] else ""
    blocks = [f"## {found['title']}", f"The paper: {found['did']}{answers}"]
    if found["results"]:
        columns = ("what", "paper", "ours", "seeds", "verdict", "why")
        rows = [[str(one[name]) for name in columns] for one in found["results"]]
        blocks.append(_table(("", "paper", "Ludus", "seeds", "", "why"), rows))
    return blocks + _tables(found["tables"])


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
