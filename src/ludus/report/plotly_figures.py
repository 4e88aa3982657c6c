"""Figures for Plotly, and the colours of all figures, light and dark (Okabe and Ito: safe for the colour-blind)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ludus.cgt.forms import CanonicalForm, thermograph
from ludus.report.document import Bars, Curves, Figure, HeatMap, Level, Series

LIGHT = ("#0072b2", "#d55e00", "#009e73", "#aa4499", "#b8860b", "#3b9fd6", "#7a4a1e", "#5b5bd6", "#6b8e23")
DARK = ("#56a8e0", "#f2884b", "#3cc79c", "#d98bc4", "#e0b040", "#8fd0f5", "#c39a6b", "#a5a5f5", "#b2cf6a")


def colour(number: int, series: Series | None = None) -> int:
    """The place in both palettes of the n-th series of a figure, unless it has a colour of its own."""
    own = series.colour if series is not None else None
    return (number if own is None else own) % len(LIGHT)


def plot(figure: Figure) -> dict[str, Any]:
    """The data and layout of a figure; figures.js adds the colours and the look of the page."""
    if isinstance(figure, HeatMap):
        return _heat_map(figure)
    y_axis: dict[str, Any] = {"title": {"text": figure.y_title}, "rangemode": "tozero"}
    if figure.percent:
        y_axis |= {"tickformat": ".0%", "hoverformat": ".2%", "range": [0, 1.02]}
    x_axis: dict[str, Any] = {"automargin": True}
    if isinstance(figure, Curves):
        x_axis |= {"title": {"text": figure.x_title}, "type": "linear"}
        if figure.log:
            x_axis |= {"type": "log", "dtick": "D2"}
        if figure.leftwards:
            x_axis |= {"autorange": "reversed"}
        return {"data": _curves(figure), "layout": {"xaxis": x_axis, "yaxis": y_axis}}
    barmode = "stack" if figure.stacked else "group"
    return {"data": _bars(figure), "layout": {"xaxis": x_axis, "yaxis": y_axis, "barmode": barmode}}


def _heat_map(figure: HeatMap) -> dict[str, Any]:
    cells = {"x": list(figure.columns), "y": list(figure.rows), "z": [list(row) for row in figure.numbers]}
    shares = {"tickformat": ".0%"} if figure.percent else {}
    trace = {"type": "heatmap", **cells, "colorscale": figure.scale.removesuffix("_r"), "zmin": 0, "colorbar": shares}
    if figure.scale.endswith("_r"):  # as Plotly for Python names scales that run the other way
        trace["reversescale"] = True
    if figure.most is not None:
        trace["zmax"] = figure.most
    if figure.words:
        trace |= {"text": [list(row) for row in figure.words], "texttemplate": "%{text}", "showscale": False}
    elif figure.percent:
        trace |= {"texttemplate": "%{z:.0%}"}
    axis = {"type": "category", "automargin": True}
    axes = {
        "xaxis": {"title": {"text": figure.x_title}, **axis},
        "yaxis": {"title": {"text": figure.y_title}, **axis, "autorange": "reversed"},
    }
    return {"data": [trace], "layout": {**axes, "height": max(300, 120 + 26 * len(figure.rows))}}


def _curves(figure: Curves) -> list[dict[str, Any]]:
    traces: list[dict[str, Any]] = []
    for number, series in enumerate(figure.series):
        own = {"type": "scatter", "legendgroup": str(number), "palette": colour(number, series)}
        traces += [own | _band(series)] if series.low else []
        traces.append(own | _curve(series))
    xs = [x for series in figure.series for x in series.x]
    levels = [*([figure.random] if figure.random else []), *figure.levels]
    return traces + [_level(level, [min(xs), max(xs)], number) for number, level in enumerate(levels) if xs]


def _curve(series: Series) -> dict[str, Any]:
    mode = "lines+markers" if len(series.x) <= 12 else "lines"
    points: dict[str, Any] = {"mode": mode, "name": series.name, "x": list(series.x), "y": list(series.y)}
    if series.notes:
        points["text"] = list(series.notes)
    if series.crossed:
        points["marker"] = {"symbol": ["x-thin-open" if crossed else "circle" for crossed in series.crossed]}
    return points


def _band(series: Series) -> dict[str, Any]:
    """The area between low and high: to the right along its upper edge, and back."""
    look = {"fill": "toself", "opacity": 0.16, "mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    edge = {"x": [*series.x, *series.x[::-1]], "y": [*series.high, *series.low[::-1]]}
    return {**edge, "showlegend": False, **look}


def _level(level: Level, x: list[Any], number: int) -> dict[str, Any]:
    line = {"dash": ["dash", "dot", "dashdot", "longdash"][min(number, 3)], "width": 1.5}
    return {"type": "scatter", "mode": "lines", "name": level.name, "x": x, "y": [level.y] * len(x), "line": line}


def _bars(figure: Bars) -> list[dict[str, Any]]:
    traces = []
    for number, (name, heights) in enumerate(zip(figure.series, figure.heights, strict=True)):
        bars = {"name": name, "x": list(figure.groups), "y": list(heights)}
        trace: dict[str, Any] = {"type": "bar", **bars, "palette": colour(number)}
        if figure.low:
            above = [high - at for high, at in zip(figure.high[number], heights, strict=True)]
            below = [at - low for low, at in zip(figure.low[number], heights, strict=True)]
            trace["error_y"] = {"type": "data", "array": above, "arrayminus": below, "thickness": 1.5}
        traces.append(trace)
    if figure.random:
        traces.append(_level(figure.random, list(figure.groups), 0))
    return traces


def thermograph_curves(form: CanonicalForm, title: str) -> Curves:
    """The thermograph of a form as a figure: scores grow to the left, as is the custom, and taxes upwards."""
    drawn = thermograph(form)
    mast = max(drawn.temperature, Fraction(0)) + 1, drawn.mean
    walls = [
        Series(side, [float(score) for _, score in (*wall, mast)], [float(tax) for tax, _ in (*wall, mast)])
        for side, wall in (("Left", drawn.left), ("Right", drawn.right))
    ]
    title = f"{title}: mean {drawn.mean}, temperature {drawn.temperature}"
    return Curves("thermograph", title, "score", "tax on a move", walls, None, percent=False, leftwards=True)


def notebook_figure(figure: Curves) -> Any:
    """Curves as a Plotly figure object, for notebooks."""
    import plotly.graph_objects as go  # type: ignore[import-untyped]

    shown = go.Figure(layout={"title": {"text": figure.title}, "template": "plotly_white", **plot(figure)["layout"]})
    for number, series in enumerate(figure.series):
        line = {"color": LIGHT[colour(number, series)], "width": 4 if number == 0 else 2}
        shown.add_scatter(x=list(series.x), y=list(series.y), name=series.name, mode="lines", line=line)
    return shown
