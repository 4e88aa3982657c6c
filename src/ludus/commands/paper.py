"""`ludus paper`: the experiments of papers again, with a report for a browser."""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from ludus.commands.options import MOST_SEEDS, Json, On, example, screen, show
from ludus.commands.progress import live_table
from ludus.errors import LudusError
from ludus.files import home, made_folder, write_whole
from ludus.report.document import AGREES, DIFFERS, NEEDS_FULL, UNSURE, VERDICTS, Document
from ludus.report.page import INDEX, page_path, write_reports
from ludus.report.summary import as_markdown, overview, read_figure, read_summaries, summary, verdicts
from ludus.study.paper import FULL, QUICK, paper, paper_names, papers
from ludus.study.paper.changing import parse_changes
from ludus.study.paper.running import Order, run_papers

app = typer.Typer()


class PaperScale(enum.Enum):
    """The amount of work; tiny only proves that all works."""

    TINY = "tiny"
    QUICK = "quick"
    FULL = "full"


@app.command("paper", epilog=example("paper fox-and-hounds --scale quick --seeds 3"))
def paper_command(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="A paper that [cyan]ludus paper[/] lists, [cyan]all[/], or a file such as [cyan]./mine.py[/].",
            show_default="list them",
        ),
    ] = None,
    scale: Annotated[
        PaperScale, typer.Option(metavar="quick|full", help="Minutes, or as much as the papers did.")
    ] = PaperScale.QUICK,
    seeds: Annotated[
        int | None,
        typer.Option(
            min=1, max=MOST_SEEDS, metavar="N", help="The number of seeds.", show_default="by the paper and the scale"
        ),
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(metavar="EXPERIMENT", help="Run this experiment only, by its key, such as 2.", show_default="all"),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="SETTING=VALUE",
            help="Also run it with this setting of its learner changed, side by side; may be repeated.",
            show_default="nothing",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Write the report there, and continue with what it holds.", show_default="the user's"
        ),
    ] = None,
    summary: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Also write a summary of all reports there, as Markdown.", show_default="no"
        ),
    ] = None,
    on: On = "local",
    as_json: Json = False,
) -> None:
    """Rerun a paper's experiments, check its claims against the exact solution, and write a report."""
    if name is None:
        show(listed_as_json() if as_json else listed_as_text())
        return
    folder = out or default_folder(scale.value)
    order = Order(scale.value, seeds, folder, on, only, parse_changes(changes or []))
    documents = run(name, order, screen(stderr=True))
    if summary is not None:
        write_summary(folder, summary)
    if as_json:
        show(to_json(documents, folder))
    else:
        show(as_text(documents))
        show(where_to_look(documents, folder), soft_wrap=True)


def default_folder(scale: str) -> Path:
    """The folder of reports that are given none."""
    return home() / "papers" / scale


def listed_as_json() -> list[dict[str, Any]]:
    """The document that `ludus paper --json` prints."""
    return [
        {
            "name": name,
            **{key: getattr(found, key) for key in ("title", "authors", "game", "learner")},
            "experiments": len(found.experiments),
            "claims": len(found.claims),
            "reports": [str(path) for path in _reports(name)],
        }
        for name, found in papers().items()
    ]


def _reports(name: str) -> list[Path]:
    paths = [page_path(default_folder(scale), name) for scale in (QUICK, FULL)]
    return [path for path in paths if path.is_file()]


def listed_as_text() -> Table:
    """All papers."""
    headings = ("", "paper", "learner", "experiments", "claims", "report")
    table = Table(*headings, box=None, header_style="bold", pad_edge=False)
    for name, found in papers().items():
        counts = str(len(found.experiments)), str(len(found.claims))
        reports = ", ".join(path.parent.name for path in _reports(name)) or "none yet"
        table.add_row(Text(name, "cyan"), f"{found.title}\n[dim]{found.authors}[/]", found.learner, *counts, reports)
    return table


def run(name: str, order: Order, console: Console) -> list[Document]:
    """Run a paper again, or all of them, with progress shown, and write the reports."""
    if name == "all" and (order.only is not None or order.changes):
        raise LudusError(f"--only and --set change one paper: name it, one of {', '.join(paper_names())}")
    chosen = list(papers().values()) if name == "all" else [paper(name)]
    with live_table(console) as on_progress:
        documents = run_papers(chosen, order, on_progress)
    write_reports(documents, order.out, paper_names())
    return documents


def report_path(documents: Sequence[Document], folder: Path) -> Path:
    """The page to open."""
    return page_path(folder, documents[0].name) if len(documents) == 1 else folder / INDEX


def to_json(documents: Sequence[Document], folder: Path) -> dict[str, Any]:
    """The document that `ludus paper NAME --json` prints."""
    return {"report": str(report_path(documents, folder).resolve()), "papers": list(map(summary, documents))}


def as_text(documents: Sequence[Document]) -> Group:
    """What was found in each paper, what to do next, and the counts of verdicts."""
    blocks = []
    for document in documents:
        heading = Text.assemble((document.name, "bold"), (f"  {document.authors}", "dim"))
        findings = [" ".join(document.findings.sentences), document.findings.next]
        words = [_with_code(each) for each in findings if each]
        blocks.append(Group(heading, *words, Text(f"{_counts(document)}\n", "dim")))
    return Group(*blocks)


def _with_code(words: str) -> Text:
    """Words, with those in backquotes in colour."""
    return Text.assemble(*((each, "cyan" if place % 2 else "") for place, each in enumerate(words.split("`"))))


def _counts(document: Document) -> str:
    found, facts = verdicts(summary(document)), dict(document.made.facts)
    results = [f"{found[verdict]} {word}" for verdict, word in _RESULTS.items() if verdict in found]
    claims = [f"{found[verdict]} {verdict}" for verdict in VERDICTS if verdict in found]
    counts = [f"{kind}: {', '.join(each)}" for kind, each in (("results", results), ("claims", claims)) if each]
    return "; ".join([f"{facts['scale']} scale", f"seeds: {facts['seeds'].partition(':')[0]}", *counts])


_RESULTS = {AGREES: "agree", DIFFERS: "differ", UNSURE: "unsure", NEEDS_FULL: "need full scale"}


def where_to_look(documents: Sequence[Document], folder: Path) -> Text:
    """The path of the report, as an address too, and the commands for more; lines that must not be broken."""
    path = report_path(documents, folder).resolve()
    words = Text("The report: ").append(str(path), "bold").append(f"\nOpen it in a browser: {path.as_uri()}")
    words.append("\nSee the games in your browser: ").append("ludus serve --open", "cyan")
    if dict(documents[0].made.facts)["scale"] != FULL:
        again = "ludus paper all" if len(documents) > 1 else documents[0].made.commands[0]
        full = f"{_AT_SCALE.sub('', again)} --scale full"
        words.append("\nPlay as many games as the papers did: ").append(full, "cyan")
    return words


_AT_SCALE = re.compile(r" --(scale|seeds) \S+")


def write_summary(reports: Path, folder: Path) -> None:
    """Write the reports of a folder as Markdown: a page and a figure for each paper, and one that leads to them."""
    found = read_summaries(reports, paper_names())
    made_folder(folder)
    for each in found:
        write_whole(folder / f"{each['paper']}.md", [as_markdown(each).encode()])
        if figure := read_figure(reports, each):
            write_whole(folder / f"{each['paper']}.svg", [figure])
    write_whole(folder / "results.md", [f"{_HEAD}\n\n{overview(found)}\n".encode()])


_HEAD = """# The papers, run again: results in short

Written by `ludus paper all --scale SCALE --summary FOLDER`; each page states the scale, seeds and time."""
