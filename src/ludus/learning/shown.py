"""A run as a notebook shows it: its measures as a table, and its curve."""

from __future__ import annotations

from collections.abc import Sequence

from ludus.learning.measures import Line
from ludus.notebook import curve, share, shown, table, words


def run_as_html(title: str, lines: Sequence[Line]) -> str:
    """The measures of a run, one below the other, and the share of right decisions, or of wins, as a curve."""
    if not lines:
        return shown(title, words("not measured yet"))
    rivals = list(lines[-1]["against"])
    head = ["games", "right decisions", *(f"wins against {rival}" for rival in rivals)]
    rows = [[f"{line['games']:,}", _right(line), *(_wins(line, rival) for rival in rivals)] for line in lines]
    told = table(head, rows)
    graded = [(line["games"], _part(line)) for line in lines if _decisions(line)]
    return shown(title, told, curve([(0, 0), *graded], "right decisions by games")) if graded else shown(title, told)


def _decisions(line: Line) -> int:
    return int((line.get("grade") or {}).get("decisions", 0))


def _part(line: Line) -> float:
    return float(line["grade"]["optimal"]) / _decisions(line)


def _right(line: Line) -> str:
    return share(line["grade"]["optimal"], _decisions(line)) if _decisions(line) else "-"


def _wins(line: Line, rival: str) -> str:
    seats = line["against"].get(rival, {}).values()
    return share(
        sum(seat["wins"] for seat in seats), sum(seat["wins"] + seat["draws"] + seat["losses"] for seat in seats)
    )
