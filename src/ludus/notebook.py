"""How results show themselves in a notebook: HTML that needs nothing beside itself, and looks right in the dark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_MOST_ROWS = 30
_WIDTH, _HEIGHT = 320, 90  # of a curve


def shown(title: str, *parts: str) -> str:
    """Parts below a title, all of them HTML but the title."""
    return f"<div><p><b>{escape(title)}</b></p>{''.join(parts)}</div>"


def words(text: str) -> str:
    """A paragraph."""
    return f"<p>{escape(text)}</p>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Rows of words below their headings; of very many, the first."""
    lines = list(rows)
    left_out = len(lines) - _MOST_ROWS
    body = "".join(_row("td", line) for line in lines[:_MOST_ROWS])
    more = words(f"and {left_out} more") if left_out > 0 else ""
    return f"<table><thead>{_row('th', head)}</thead><tbody>{body}</tbody></table>{more}"


def _row(cell: str, line: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{cell}>{escape(text)}</{cell}>' for text in line)}</tr>"


def picture(svg: str, width: int = 260) -> str:
    """A picture of at most this width."""
    return f'<div style="max-width:{width}px">{svg}</div>'


def curve(shares: Sequence[tuple[float, float]], title: str) -> str:
    """Shares from 0 to 1 over numbers that grow, as a small picture."""
    last = max((x for x, _ in shares), default=0) or 1
    points = " ".join(f"{_WIDTH * x / last:.1f},{_HEIGHT * (1 - y):.1f}" for x, y in shares)
    line = f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="2"/>'
    frame = f'<path d="M0 0V{_HEIGHT}H{_WIDTH}" fill="none" stroke="currentColor" opacity="0.4"/>'
    box = f'viewBox="-4 -4 {_WIDTH + 8} {_HEIGHT + 8}" width="{_WIDTH + 8}" height="{_HEIGHT + 8}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img"><title>{escape(title)}</title>'
    return f"<div>{head}{frame}{line}</svg></div>"


def share(part: float, whole: float) -> str:
    """A part in per cent; a dash where there is nothing."""
    return f"{part / whole:.1%}" if whole else "-"
