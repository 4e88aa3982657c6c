"""Boards as SVG: a few shapes, marks for what can be touched, and pieces with ids that last from move to move.

Colours are CSS classes, so that one drawing serves dark and light. Fills: `board`, `alternate` and `hole` for the
ground, `first`, `second` and `neutral` for what belongs to whom, `ink`, `faint` and `paper` for words and what lies on
pieces, `white` and `black` for what is so in dark and light alike. Strokes: `line`, `first-line`, `second-line`,
`paper-line`, and `mark` for what an eye should find. `rim` beside a fill gives it a thin edge.
"""

from __future__ import annotations

import re
from html import escape
from typing import NamedTuple

LIGHT = (
    "--board:#f2ead8;--alternate:#c9ad84;--hole:#ddcfae;--line:#7d6a4d;--first:#c2402f;--second:#28588f;"
    "--neutral:#5f8f4e;--ink:#2b2b2b;--faint:#8a8172;--paper:#fffdf8;--mark:#e8a020;--rim:#00000055"
)
DARK = (
    "--board:#3a352c;--alternate:#57492f;--hole:#2b2721;--line:#a8956f;--first:#ee7a66;--second:#76aee8;"
    "--neutral:#94c57f;--ink:#efe9dc;--faint:#a39a88;--paper:#211f1b;--mark:#ffc24a"
)
LOOKS = """
.ludus .board{fill:var(--board)}.ludus .alternate{fill:var(--alternate)}.ludus .hole{fill:var(--hole)}
.ludus .first{fill:var(--first)}.ludus .second{fill:var(--second)}.ludus .neutral{fill:var(--neutral)}
.ludus .ink{fill:var(--ink)}.ludus .faint{fill:var(--faint)}.ludus .paper{fill:var(--paper)}
.ludus .white{fill:#fffdf8}.ludus .black{fill:#2b2b2b}
.ludus .line,.ludus .first-line,.ludus .second-line,.ludus .paper-line,.ludus .mark{fill:none;stroke-linecap:round;
stroke-linejoin:round}
.ludus .line{stroke:var(--line);stroke-width:2}.ludus .mark{stroke:var(--mark);stroke-width:4}
.ludus .first-line{stroke:var(--first);stroke-width:9}.ludus .second-line{stroke:var(--second);stroke-width:9}
.ludus .paper-line{stroke:var(--paper);stroke-width:5}
.ludus .rim{stroke:var(--rim);stroke-width:1.5}
.ludus text{font-family:system-ui,sans-serif;text-anchor:middle;dominant-baseline:central}
.ludus .target{fill:transparent}
""".replace("\n", "")
THEME = f".ludus{{{LIGHT}}}@media(prefers-color-scheme:dark){{.ludus{{{DARK}}}}}{LOOKS}"
Key = tuple[str, str]  # kind and place of a piece


class Picture(NamedTuple):
    """A finished SVG document, the id that each piece has in it, and the names of its targets."""

    svg: str
    ids: dict[Key, str]
    targets: tuple[str, ...] = ()

    @property
    def bare(self) -> str:
        """The same without any style, for pages that bring `LOOKS` themselves."""
        return re.sub(r'<style>.*?</style>| style="[^"]*"', "", self.svg)


def rect(x: float, y: float, width: float, height: float, look: str, *, corner: float = 0) -> str:
    """A rectangle by its upper left corner."""
    return f'<rect class="{look}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{corner:g}"/>'


def circle(x: float, y: float, radius: float, look: str) -> str:
    """A circle by its middle."""
    return f'<circle class="{look}" cx="{x:g}" cy="{y:g}" r="{radius:g}"/>'


def path(commands: str, look: str) -> str:
    """A path by its SVG commands, e.g. M0 0L10 10."""
    return f'<path class="{look}" d="{commands}"/>'


def mirrored(commands: str, across: int, down: int) -> str:
    """Path commands of absolute whole points, mirrored where `across` or `down` is -1."""
    return re.sub(r"(-?\d+) (-?\d+)", lambda point: f"{across * int(point[1])} {down * int(point[2])}", commands)


def text(x: float, y: float, words: str, size: float, look: str = "ink") -> str:
    """Words around a point."""
    return f'<text class="{look}" x="{x:g}" y="{y:g}" font-size="{size:g}">{escape(words)}</text>'


class Drawing:
    """A picture in the making, on a board with round corners if any; a square is about 100 units wide."""

    def __init__(self, width: float, height: float, title: str, *, corner: float = 0) -> None:
        self.size = width, height
        self.title = title
        self.ground = [rect(0, 0, width, height, "board", corner=corner)] if corner else []
        self.pieces: list[tuple[Key, str]] = []
        self.targets: dict[str, str] = {}

    def add(self, *shapes: str) -> None:
        """Put shapes under the pieces."""
        self.ground += shapes

    def piece(self, kind: str, place: str, x: float, y: float, *shapes: str) -> None:
        """Put a piece at a place that no other of its kind has, drawn by shapes around its own middle."""
        where = f'data-place="{escape(place)}" transform="translate({x:g} {y:g})"'
        self.pieces.append(((kind, place), f'class="piece" {where}>{"".join(shapes)}</g>'))

    def target(self, name: str, x: float, y: float, width: float, height: float) -> None:
        """Let a rectangle be touched, under the name that paths of actions use."""
        place = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="8"'
        self.targets[name] = f'<rect class="target" data-target="{escape(name)}" {place}/>'

    def finish(self, before: Picture | None = None) -> Picture:
        """The document; a piece that stayed, or moved, since the picture `before` keeps its id."""
        ids = follow(before.ids if before else {}, [key for key, _ in self.pieces])
        pieces = "".join(f'<g id="{escape(ids[key])}" {drawn}' for key, drawn in self.pieces)
        box = f'viewBox="0 0 {self.size[0]:g} {self.size[1]:g}"'
        width = f'style="max-width:{self.size[0] * 1.5:g}px"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" class="ludus" {box} {width} role="img">'
        words = f"<title>{escape(self.title)}</title><style>{THEME}</style>"
        shown = f"{head}{words}{''.join(self.ground)}{pieces}{''.join(self.targets.values())}</svg>"
        return Picture(shown, ids, tuple(self.targets))


def follow(before: dict[Key, str], now: list[Key]) -> dict[Key, str]:
    """The ids of the pieces that stand now: what stayed keeps its id, what moved takes a vacant one of its kind."""
    ids = {key: before[key] for key in now if key in before}
    gone = {key: name for key, name in before.items() if key not in ids}
    for key in now:
        if key not in ids:
            same_kind = [other for other in gone if other[0] == key[0]]
            taken = {*before.values(), *ids.values()}
            names = (f"{key[0]}-{number}" for number in range(len(taken) + 1))
            ids[key] = gone.pop(same_kind[0]) if same_kind else next(name for name in names if name not in taken)
    return ids
