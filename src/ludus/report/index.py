"""The page that leads to all reports of a folder."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ludus.report.page import whole
from ludus.report.parts import AGREES, DIFFERS, UNSURE, VERDICTS
from ludus.report.summary import Summary, verdicts
from ludus.report.words import picture

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
