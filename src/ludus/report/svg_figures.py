"""Figures as SVG, which look right in the light and in the dark."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

from ludus.report.document import Bars, Curves, Level, Series
from ludus.report.plotly_figures import DARK, LIGHT, colour

_MARKS = 6  # on an axis, about


class Axis(NamedTuple):
    """From which number to which, and whether it is logarithmic."""

    low: float
    high: float
    log: bool = False

    def place(self, number: float) -> float:
        """The place of a number, from 0 to 1; one beyond an end is put there."""
        within = min(max(number, self.low), self.high)
        if self.log:
            return math.log(within / self.low) / math.log(self.high / self.low)
        return (within - self.low) / (self.high - self.low)

    def marks(self) -> list[float]:
        """Round numbers to mark: powers of ten on a long logarithmic axis, 1, 2, 5, 10 on a short one."""
        if self.log:
            powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            every = [factor * 10.0**power for power in powers for factor in (1, 2, 5)]
            marks = [mark for mark in every if self.low * (1 - 1e-9) <= mark <= self.high * (1 + 1e-9)]
            return marks if len(marks) <= _MARKS + 2 else [mark for mark in marks if math.log10(mark) % 1 < 1e-9]
        about = (self.high - self.low) / _MARKS
        power = 10.0 ** math.floor(math.log10(about))
        step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= about * (1 - 1e-9))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [step * number for number in range(first, last + 1)]


def axis_over(numbers: Iterable[float], *, log: bool = False, from_zero: bool = False) -> Axis:
    """An axis that shows all of some numbers."""
    found = [number for number in numbers if number > 0 or not log] or [0.0 if not log else 1.0]
    low, high = min(found), max(found)
    if log:
        return Axis(low, high if high > low else 10 * low, log=True)
    if from_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    return Axis(low, high) if high > low else Axis(low - 0.5, high + 0.5)


def written(number: float, *, percent: bool) -> str:
    """The label of a mark."""
    if percent:
        return f"{100 * number:.4g} %"
    for power, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(number) >= power:
            return f"{number / (1e3 if letter == 'k' else power):.4g} {letter}"
    return f"{number:.4g}"


_WIDTH, _PLOT = 720, 300  # of the picture, and of what is drawn upon
_LEFT, _RIGHT, _TOP = 64, 16, 14
_LETTER = 6.6  # about as wide as a letter of the legend
_LINE = 20  # from one line of the legend to the next


class _Item(NamedTuple):
    """An entry of the legend: a sample and its name."""

    sample: str
    name: str


class _Frame(NamedTuple):
    """Where numbers are drawn."""

    x: Axis
    y: Axis
    leftwards: bool = False

    def at(self, xs: Iterable[float], ys: Iterable[float]) -> list[tuple[float, float]]:
        return [(self.across(x), self.up(y)) for x, y in zip(xs, ys, strict=True)]

    def across(self, x: float) -> float:
        place = 1 - self.x.place(x) if self.leftwards else self.x.place(x)
        return _LEFT + place * (_WIDTH - _LEFT - _RIGHT)

    def up(self, y: float) -> float:
        return _TOP + (1 - self.y.place(y)) * _PLOT


def draw(figure: Curves | Bars) -> str:
    """A figure as SVG."""
    return _draw_curves(figure) if isinstance(figure, Curves) else _draw_bars(figure)


# ---- curves ----


def _draw_curves(figure: Curves) -> str:
    levels = _levels(figure)
    xs = [x for series in figure.series for x in series.x]
    ys = [y for series in figure.series for part in (series.y, series.low, series.high) for y in part]
    heights = _heights([*ys, *(level.y for level in levels)], figure.percent)
    frame = _Frame(axis_over(xs, log=figure.log), heights, figure.leftwards)
    shapes = [*_grid(frame, figure.y_title, percent=figure.percent), *_marks_below(frame, figure.x_title)]
    shapes += [_level(frame, number, level) for number, level in enumerate(levels)]
    for number, series in enumerate(figure.series):
        shapes += _curve(frame, number, series)
    legend = [_Item(_sample(f"c{colour(n, series)}"), series.name) for n, series in enumerate(figure.series)]
    legend += [_Item(_sample(f"level l{n}"), level.name) for n, level in enumerate(levels)]
    return _picture(figure.title, shapes, legend)


def _levels(figure: Curves | Bars) -> list[Level]:
    others = figure.levels if isinstance(figure, Curves) else ()
    return [*([figure.random] if figure.random else []), *others]


def _heights(numbers: list[float], percent: bool) -> Axis:
    return Axis(0.0, 1.0) if percent else axis_over(numbers, from_zero=True)


def _curve(frame: _Frame, number: int, series: Series) -> list[str]:
    shapes = []
    name = f"c{colour(number, series)}"
    points = frame.at(series.x, series.y)
    if series.low:
        around = [*frame.at(series.x, series.high), *frame.at(series.x, series.low)[::-1]]
        shapes.append(f'<polygon class="band {name}" points="{_points(around)}"/>')
    if len(points) > 1:
        shapes.append(f'<polyline class="curve {name}" points="{_points(points)}"/>')
    if len(points) <= 12:
        shapes += [f'<circle class="dot {name}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in points]
    return shapes


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _level(frame: _Frame, number: int, level: Level) -> str:
    y = frame.up(level.y)
    return f'<line class="level l{number}" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'


def _sample(name: str) -> str:
    return f'<line class="curve {name}" x1="0" x2="22" y1="-4" y2="-4"/>'


# ---- bars ----


def _draw_bars(figure: Bars) -> str:
    levels = _levels(figure)
    if figure.stacked:
        tops = [sum(column) for column in zip(*figure.heights, strict=True)]
    else:
        tops = [height for part in (figure.heights, figure.low, figure.high) for row in part for height in row]
    frame = _Frame(Axis(0, len(figure.groups)), _heights([*tops, *(each.y for each in levels)], figure.percent))
    shapes = _grid(frame, figure.y_title, percent=figure.percent)
    names, depth = _names_below(frame, figure.groups)
    shapes += names
    for place in range(len(figure.groups)):
        shapes += _stack(frame, figure, place) if figure.stacked else _row(frame, figure, place)
    shapes += [_level(frame, number, level) for number, level in enumerate(levels)]
    samples = [f'<rect class="bar c{colour(n)}" y="-10" width="22" height="11"/>' for n in range(len(figure.series))]
    legend = list(map(_Item, samples, figure.series))
    legend += [_Item(_sample(f"level l{n}"), level.name) for n, level in enumerate(levels)]
    return _picture(figure.title, shapes, legend, depth)


def _names_below(frame: _Frame, groups: Sequence[str]) -> tuple[list[str], float]:
    """The names of groups, slanted where they would overlap, and the height that this takes."""
    y, longest = _TOP + _PLOT + 18, _LETTER * max(map(len, groups))
    slanted = longest > frame.across(1) - frame.across(0) - _LETTER
    shapes = []
    for place, group in enumerate(groups):
        x = frame.across(place + 0.5)
        turned = f'text-anchor="end" transform="rotate(-45 {x:.1f} {y})"' if slanted else 'text-anchor="middle"'
        shapes.append(f'<text class="mark" x="{x:.1f}" y="{y}" {turned}>{escape(group)}</text>')
    return shapes, longest * math.sin(math.pi / 4) if slanted else 0.0


def _row(frame: _Frame, figure: Bars, place: int) -> list[str]:
    """The bars of a group side by side, with their intervals."""
    shapes, width = [], 0.8 / len(figure.series)
    for number, heights in enumerate(figure.heights):
        left = place + 0.1 + width * number
        shapes.append(_bar(frame, number, (left, left + width), (0.0, heights[place])))
        if figure.low:
            x = frame.across(left + width / 2)
            low, high = frame.up(figure.low[number][place]), frame.up(figure.high[number][place])
            shapes.append(f'<line class="error" x1="{x:.1f}" x2="{x:.1f}" y1="{low:.1f}" y2="{high:.1f}"/>')
    return shapes


def _stack(frame: _Frame, figure: Bars, place: int) -> list[str]:
    """The bars of a group, stacked."""
    shapes, below = [], 0.0
    for number, heights in enumerate(figure.heights):
        shapes.append(_bar(frame, number, (place + 0.15, place + 0.85), (below, below + heights[place])))
        below += heights[place]
    return shapes


def _bar(frame: _Frame, number: int, x: tuple[float, float], y: tuple[float, float]) -> str:
    left, right = map(frame.across, x)
    bottom, top = sorted(map(frame.up, y), reverse=True)
    place = f'x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{bottom - top:.1f}"'
    return f'<rect class="bar c{colour(number)}" {place}/>'


# ---- what all figures have ----


def _grid(frame: _Frame, title: str, *, percent: bool) -> list[str]:
    shapes = []
    for number in frame.y.marks():
        y = frame.up(number)
        shapes.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        words = written(number, percent=percent)
        shapes.append(f'<text class="mark" x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{words}</text>')
    middle = _TOP + _PLOT / 2
    turned = f'transform="rotate(-90 14 {middle})" x="14" y="{middle}"'
    return [*shapes, f'<text class="title" {turned} text-anchor="middle">{escape(title)}</text>']


def _marks_below(frame: _Frame, title: str) -> list[str]:
    bottom = _TOP + _PLOT
    shapes = [f'<line class="axis" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{bottom}" y2="{bottom}"/>']
    for number in frame.x.marks():
        place = f'x="{frame.across(number):.1f}" y="{bottom + 18}" text-anchor="middle"'
        shapes.append(f'<text class="mark" {place}>{written(number, percent=False)}</text>')
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    return [*shapes, f'<text class="title" x="{middle}" y="{bottom + 38}" text-anchor="middle">{escape(title)}</text>']


def _picture(title: str, shapes: Sequence[str], legend: list[_Item], depth: float = 0.0) -> str:
    top = _TOP + _PLOT + 60 + round(depth)
    lines = _lines(legend)
    height = top + _LINE * len(lines)
    drawn = []
    for number, items in enumerate(lines):
        for place, item in enumerate(items):
            x, label = _LEFT + _wide(items[:place]), f'<text class="mark" x="28" y="0">{escape(item.name)}</text>'
            drawn.append(f'<g transform="translate({x:.1f} {top + _LINE * number})">{item.sample}{label}</g>')
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}"'
    named = f'role="img"><title>{escape(title)}</title><style>{_STYLE}</style>'
    return f"{head} {named}{''.join([*shapes, *drawn])}</svg>"


def _lines(legend: list[_Item]) -> list[list[_Item]]:
    """The legend in lines that fit."""
    lines: list[list[_Item]] = [[]]
    for item in legend:
        if lines[-1] and _wide([*lines[-1], item]) > _WIDTH - _LEFT - _RIGHT:
            lines.append([])
        lines[-1].append(item)
    return lines


def _wide(items: Sequence[_Item]) -> float:
    return sum(48 + _LETTER * len(item.name) for item in items)


def _colours(palette: Sequence[str]) -> str:
    return "".join(f".c{number}{{--c:{shade}}}" for number, shade in enumerate(palette))


_STYLE = (
    "text{font:12px system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;fill:#444}.title{font-size:13px}"
    ".grid{stroke:#0000001c}.axis{stroke:#888}.curve{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round}"
    ".band{fill:var(--c);opacity:.16}.dot{fill:var(--c)}.bar{fill:var(--c)}.error{stroke:#222;stroke-width:1.5}"
    ".level{--c:#777;stroke:#777;stroke-width:1.5;stroke-dasharray:7 5}.l1{stroke:#111;stroke-dasharray:2 4}"
    ".l2{stroke:#111;stroke-dasharray:9 3 2 3}.l3{stroke:#111;stroke-dasharray:14 4}"
    + _colours(LIGHT)
    + "@media(prefers-color-scheme:dark){text{fill:#c8c4bb}.grid{stroke:#ffffff22}.error{stroke:#eee}"
    ".level{stroke:#999}.l1,.l2,.l3{stroke:#eee}" + _colours(DARK) + "}"
)
