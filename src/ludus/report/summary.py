"""What a report comes to: its results, claims and best agent, as JSON beside its page and as Markdown."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ludus.errors import LudusError
from ludus.report.parts import AGREES, DIFFERS, UNSURE, VERDICTS, Document, Results

SUMMARY = "report.json"

Summary = dict[str, Any]


def summary(document: Document) -> Summary:
    """The document in short: all but figures, tables and boards."""
    best = {name: getattr(document.best, name) for name in ("title", "agent", "cost", "grade", "command")}
    return {
        "paper": document.name,
        "title": document.title,
        "authors": document.authors,
        "about": document.about,
        "experiments": [
            {
                "key": section.key,
                "title": section.title,
                "did": section.did,
                "results": [
                    each._asdict() for part in section.parts if isinstance(part, Results) for each in part.results
                ],
            }
            for section in document.sections
        ],
        "claims": [claimed._asdict() for claimed in document.claims],
        "best": best,
        "made": dict(document.made.facts),
        "commands": list(document.made.commands),
    }


def read_summaries(folder: Path, order: Sequence[str]) -> list[Summary]:
    """Those of all papers whose reports a folder holds."""
    return [_read(path) for name in order if (path := folder / name / SUMMARY).is_file()]


def _read(path: Path) -> Summary:
    try:
        return dict(json.loads(path.read_text()))
    except (OSError, ValueError) as error:
        raise LudusError(f"{path} is damaged: {error}") from None


def verdicts(told: Summary) -> dict[str, int]:
    """How often each verdict was given, on results and on claims."""
    found = [result["verdict"] for each in told["experiments"] for result in each["results"]]
    found += [claim["verdict"] for claim in told["claims"]]
    return {verdict: found.count(verdict) for verdict in dict.fromkeys(found) if verdict}


# ---- Markdown ----


def as_markdown(told: Summary) -> str:
    """A paper's results and claims as a page of Markdown."""
    best = told["best"]
    blocks = [
        f"# {told['title']}",
        f"{told['authors']}. {told['about']}",
        f"    {told['commands'][0]}",
        f"Scale {told['made']['scale']}; seeds {told['made']['seeds']}; {told['made']['processor time']}"
        f" ({told['made']['machine']}).",
    ]
    for each in told["experiments"]:
        blocks += [f"## {each['title']}", f"The paper: {each['did']}"]
        if each["results"]:
            blocks.append(_results(each["results"]))
    blocks += [
        "## Claims",
        _table(("the paper says", "", "evidence", "command"), [_claim(each) for each in told["claims"]]),
    ]
    blocks += [
        f"## {best.get('title', 'What would have worked')}",
        f"{best['agent']}. Cost: {best['cost']}. Grade: {best['grade']}.",
    ]
    blocks.append(f"    {best['command']}")
    return "\n\n".join(blocks) + "\n"


def _claim(claim: dict[str, str]) -> tuple[str, ...]:
    return claim["claim"], claim["verdict"], claim["evidence"], f"`{claim['command']}`"


def _results(results: list[dict[str, Any]]) -> str:
    rows = [
        (each["what"], each["paper"], each["ours"], str(each["seeds"]), each["verdict"], each["why"])
        for each in results
    ]
    return _table(("", "paper", "Ludus", "seeds", "", "why"), rows)


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def overview(told: Sequence[Summary]) -> str:
    """All papers in a table of Markdown."""
    rows = []
    for each in told:
        found = verdicts(each)
        counted = [str(found.get(word, 0)) for word in (AGREES, DIFFERS, UNSURE, *VERDICTS)]
        rows.append((f"[{each['title']}]({each['paper']}.md)", *counted))
    return _table(("paper", "results agree", "differ", UNSURE, "claims proved", *VERDICTS[1:]), rows)
