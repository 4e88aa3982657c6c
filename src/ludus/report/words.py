"""Small pieces of HTML: text with code in it, chips, tables, and pictures that lie within the page."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from html import escape

from ludus.report.parts import Result

Cell = str | int | float


def text(words: str) -> str:
    """Words as HTML; what stands in backquotes is code."""
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


def plain(cell: Cell) -> str:
    """A cell as it is read."""
    if isinstance(cell, str):
        return cell
    return f"{cell:,}" if isinstance(cell, int) else f"{cell:,.4g}"


def table(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """A table, numbers to the right."""
    numeric = [bool(rows) and all(isinstance(row[place], int | float) for row in rows) for place in range(len(columns))]
    looks = [' class="number"' if each else "" for each in numeric]
    head = "".join(f"<th{look}>{text(name)}</th>" for name, look in zip(columns, looks, strict=True))
    body = "".join(
        f"<tr>{''.join(f'<td{look}>{text(plain(cell))}</td>' for cell, look in zip(row, looks, strict=True))}</tr>"
        for row in rows
    )
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def results_table(results: Sequence[Result]) -> str:
    """Results with their verdicts."""
    rows = "".join(
        f"<tr><td>{text(each.what)}</td><td class='number'>{text(each.paper) or '-'}</td>"
        f"<td class='number'>{text(each.ours)}</td><td class='number'>{each.seeds}</td>"
        f"<td>{chip(each.verdict) or '-'}</td><td>{_remark(each)}</td></tr>"
        for each in results
    )
    names = ("", "paper", "Ludus", "seeds", "", "why, and where the paper tells it")
    looks = ("", " class='number'", " class='number'", " class='number'", "", "")
    head = "".join(f"<th{look}>{name}</th>" for name, look in zip(names, looks, strict=True))
    return (
        f'<div class="scroll"><table class="results"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _remark(result: Result) -> str:
    source = f'<span class="faint">{text(result.source)}</span>' if result.source else ""
    return "<br>".join(part for part in (text(result.why), source) if part)
