"""The colours of figures, on paper and in the dark; told apart by the colour-blind too (Okabe and Ito)."""

from __future__ import annotations

from typing import Any

from ludus.report.document import Bars, Curves, Level, Series

LIGHT = ("#0072b2", "#d55e00", "#009e73", "#aa4499", "#b8860b", "#3b9fd6", "#7a4a1e", "#5b5bd6", "#6b8e23")

DARK = ("#56a8e0", "#f2884b", "#3cc79c", "#d98bc4", "#e0b040", "#8fd0f5", "#c39a6b", "#a5a5f5", "#b2cf6a")


def colour(number: int) -> int:
    """The place in both palettes of the n-th series of a figure."""
    return number % len(LIGHT)


def plot(figure: Curves | Bars) -> dict[str, Any]:
    """The data and layout of a figure."""
    traces = _curves(figure) if isinstance(figure, Curves) else _bars(figure)
    y_axis: dict[str, Any] = {"title": {"text": figure.y_title}, "rangemode": "tozero"}
    if figure.percent:
        y_axis |= {"tickformat": ".0%", "hoverformat": ".2%", "range": [0, 1.02]}
    x_axis: dict[str, Any] = {"automargin": True}
    if isinstance(figure, Curves):
        x_axis |= {"title": {"text": figure.x_title}, "type": "linear"}
        if figure.log:
            x_axis |= {"type": "log", "dtick": "D2"}
    barmode = "stack" if isinstance(figure, Bars) and figure.stacked else "group"
    return {"data": traces, "layout": {"xaxis": x_axis, "yaxis": y_axis, "barmode": barmode}}


def _curves(figure: Curves) -> list[dict[str, Any]]:
    traces: list[dict[str, Any]] = []
    for number, series in enumerate(figure.series):
        if series.low:
            traces.append(_band(number, series))
        traces.append(_curve(number, series))
    xs = [x for series in figure.series for x in series.x]
    levels = [*([figure.random] if figure.random else []), *figure.levels]
    return traces + [_level(level, [min(xs), max(xs)], number) for number, level in enumerate(levels) if xs]


def _curve(number: int, series: Series) -> dict[str, Any]:
    mode = "lines+markers" if len(series.x) <= 12 else "lines"
    points = {"x": list(series.x), "y": list(series.y)}
    return {"type": "scatter", "mode": mode, "name": series.name, **points, "legendgroup": str(number)} | _coloured(
        number
    )


def _band(number: int, series: Series) -> dict[str, Any]:
    """What lies within the interval: to the right along its upper edge, and back."""
    x = [*series.x, *series.x[::-1]]
    y = [*series.high, *series.low[::-1]]
    look = {"fill": "toself", "opacity": 0.16, "mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    return {"type": "scatter", "x": x, "y": y, "legendgroup": str(number), "showlegend": False, **look} | _coloured(
        number
    )


def _level(level: Level, x: list[Any], number: int) -> dict[str, Any]:
    dash = ["dash", "dot", "dashdot", "longdash"][min(number, 3)]
    line = {"dash": dash, "width": 1.5}
    return {"type": "scatter", "mode": "lines", "name": level.name, "x": x, "y": [level.y] * len(x), "line": line}


def _bars(figure: Bars) -> list[dict[str, Any]]:
    traces = []
    for number, (name, heights) in enumerate(zip(figure.series, figure.heights, strict=True)):
        trace: dict[str, Any] = {"type": "bar", "name": name, "x": list(figure.groups), "y": list(heights)} | _coloured(
            number
        )
        if figure.low:
            above = [high - at for high, at in zip(figure.high[number], heights, strict=True)]
            below = [at - low for low, at in zip(figure.low[number], heights, strict=True)]
            trace["error_y"] = {"type": "data", "array": above, "arrayminus": below, "thickness": 1.5}
        traces.append(trace)
    if figure.random:
        traces.append(_level(figure.random, list(figure.groups), 0))
    return traces


def _coloured(number: int) -> dict[str, int]:
    return {"palette": colour(number)}
