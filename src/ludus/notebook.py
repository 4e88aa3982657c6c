"""How results show themselves in a notebook: HTML that needs nothing beside itself, and looks right in the dark.

What takes long says in a line what it does.
"""

from __future__ import annotations

import inspect
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from html import escape
from typing import Any

from ludus import activity
from ludus.activity import Activity

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


# ---- while one waits ----

_EVERY = 0.5  # seconds between two updates of a line


def with_line(function: Callable[..., Any], stage: str) -> Callable[..., Any]:
    """The same function; while it takes long, a line says what it does, and vanishes at the end."""
    reports = "progress" in inspect.signature(function).parameters

    @wraps(function)
    def waited_for(*arguments: Any, **named: Any) -> Any:
        with _line(stage) as on_stage:
            return function(*arguments, **({"progress": on_stage} if reports else {}) | named)

    return waited_for


@contextmanager
def _line(stage: str) -> Iterator[Callable[..., None]]:
    doing, began, show = Activity(stage), time.monotonic(), _Display() if _in_notebook() else _show_in_terminal

    def tick() -> None:
        show(f"{doing.words} ({time.monotonic() - began:.0f} s)")

    def on_progress(*news: Any) -> None:
        if isinstance(news[0], str):  # a stage; some functions report a number only
            doing.on_stage(*news)

    try:
        with activity.following(doing), activity.ticking(tick, _EVERY, activity.PATIENCE):
            yield on_progress
    finally:
        show("")


def _in_notebook() -> bool:
    from IPython import get_ipython

    return hasattr(get_ipython(), "kernel")


class _Display:
    """A line of a notebook, which each call replaces."""

    def __init__(self) -> None:
        self._shown: Any = None

    def __call__(self, words: str) -> None:
        from IPython import display

        line: Any = {"text/html": f"<i>{escape(words)}</i>" if words else "", "text/plain": words}
        if self._shown is not None:
            self._shown.update(line, raw=True)
        elif words:
            self._shown = display.display(line, raw=True, display_id=True)  # type: ignore[no-untyped-call]


def _show_in_terminal(words: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[2K{words}")
        sys.stderr.flush()
