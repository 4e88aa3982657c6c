"""Thermographs: what Left and Right can hold on to when every move costs t, for t from 0 up."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

from ludus.cgt.forms import CanonicalForm

Point = tuple[Fraction, Fraction]  # a tax and a worth
Wall = tuple[Point, ...]  # joined by straight lines, taxes ascending from 0; above the last it is upright


class Thermograph(NamedTuple):
    """Both walls, and the mast in which they end: its place is the mean, its foot the temperature."""

    left: Wall
    right: Wall
    mean: Fraction
    temperature: Fraction

    def figure(self) -> Any:
        """A Plotly figure: worth to the left, as is the custom, and tax upwards."""
        import plotly.graph_objects as go  # type: ignore[import-untyped]

        top = max(self.temperature, Fraction(0)) + 1
        figure = go.Figure()
        for wall, word, colour in ((self.left, "Left", "#0072b2"), (self.right, "Right", "#d55e00")):
            points = [*wall, (top, self.mean)]
            figure.add_scatter(
                x=[float(worth) for _, worth in points],
                y=[float(tax) for tax, _ in points],
                name=word,
                mode="lines",
                line={"color": colour, "width": 4 if word == "Left" else 2},
            )
        figure.update_xaxes(autorange="reversed", title_text="worth")
        figure.update_yaxes(rangemode="tozero", title_text="tax on a move")
        figure.update_layout(title_text=f"mean {self.mean}, temperature {self.temperature}", template="plotly_white")
        return figure


_known: dict[int, Thermograph] = {}


def thermograph(form: CanonicalForm) -> Thermograph:
    """The thermograph of a form; a number n/2^k has the temperature -1/2^k."""
    if form.handle not in _known:
        for follower in form.followers():
            if follower.handle not in _known:
                _known[follower.handle] = _drawn(follower)
    return _known[form.handle]


def _drawn(form: CanonicalForm) -> Thermograph:
    """The thermograph of a form whose options have theirs."""
    number = form.number
    if number is not None:
        upright: Wall = ((Fraction(0), number),)
        return Thermograph(upright, upright, number, Fraction(-1, number.denominator))
    left = _tilted(_envelope([_known[option.handle].right for option in form.left], max), -1)
    right = _tilted(_envelope([_known[option.handle].left for option in form.right], min), 1)
    temperature = _meeting(left, right)
    mean = _at(left, temperature, -1)
    return Thermograph(_cut(left, temperature, mean), _cut(right, temperature, mean), mean, temperature)


def _at(wall: Wall, tax: Fraction, slope: int = 0) -> Fraction:
    """The worth at a tax; above the last point the wall goes on with this slope."""
    place = bisect_right(wall, tax, key=lambda point: point[0])
    low, worth = wall[place - 1]
    if place == len(wall):
        return worth + slope * (tax - low)
    high, next_worth = wall[place]
    return worth + (next_worth - worth) * (tax - low) / (high - low)


def _envelope(walls: Sequence[Wall], pick: Callable[..., Fraction]) -> Wall:
    """The highest, or the lowest, of walls at every tax."""
    whole = walls[0]
    for wall in walls[1:]:
        taxes = sorted({tax for tax, _ in whole + wall})
        taxes += [tax for low, high in pairwise(taxes) for tax in _crossing(whole, wall, low, high)]
        whole = _straightened([(tax, pick(_at(whole, tax), _at(wall, tax))) for tax in sorted(taxes)])
    return whole


def _crossing(one: Wall, other: Wall, low: Fraction, high: Fraction) -> list[Fraction]:
    """The tax between two others, between which both walls are straight, at which they cross, if they do."""
    before, after = (_at(one, tax) - _at(other, tax) for tax in (low, high))
    return [low + (high - low) * before / (before - after)] if before * after < 0 else []


def _straightened(points: Sequence[Point]) -> Wall:
    """The points without those in the middle of a line."""
    kept: list[Point] = []
    for point in points:
        while len(kept) > 1 and _slope(kept[-2], kept[-1]) == _slope(kept[-1], point):
            kept.pop()
        kept.append(point)
    while len(kept) > 1 and kept[-1][1] == kept[-2][1]:
        kept.pop()
    return tuple(kept)


def _slope(one: Point, other: Point) -> Fraction:
    return (other[1] - one[1]) / (other[0] - one[0])


def _tilted(wall: Wall, slope: int) -> Wall:
    """The wall after a move that costs the tax; above its last point it goes on with that slope."""
    return tuple((tax, worth + slope * tax) for tax, worth in wall)


def _meeting(left: Wall, right: Wall) -> Fraction:
    """The lowest tax at which the tilted walls meet: from there on nobody wants to move."""
    taxes = sorted({tax for tax, _ in left + right})
    below = taxes[0]
    gap = _at(left, below, -1) - _at(right, below, 1)
    for tax in taxes[1:]:
        if gap <= 0:
            return below
        next_gap = _at(left, tax, -1) - _at(right, tax, 1)
        if next_gap <= 0:
            return below + (tax - below) * gap / (gap - next_gap)
        below, gap = tax, next_gap
    return below + max(gap, Fraction(0)) / 2


def _cut(wall: Wall, temperature: Fraction, mean: Fraction) -> Wall:
    """The wall up to the temperature."""
    return _straightened([*(point for point in wall if point[0] < temperature), (temperature, mean)])
