"""What was measured of a run, as the page draws it."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from ludus.learning.measures import Line
from ludus.learning.recorded import as_measure


class Score(BaseModel):
    """Games against one agent, from both seats."""

    wins: int
    draws: int
    losses: int


class MeasureView(BaseModel):
    """After so many games: `right` is the share of right decisions, `sure` what it is sure of, moving first and second.

    Both are null where the truth is not known; `loss` is that of a network, `error` the mean one of a table's values.
    """

    games: int
    decisions: int
    right: float | None
    sure: list[str] | None
    against: dict[str, Score]
    loss: float | None
    error: float | None


def measure_view(line: Line) -> MeasureView:
    """A line of metrics; KeyError, TypeError or ValueError for one that is damaged."""
    found = as_measure(line)
    sure = found.guarantee and [_sure(found.guarantee[seat]) for seat in ("first", "second")]
    right = None if found.right is None else found.right / max(found.decisions, 1)
    against = {
        name: Score(wins=result.wins, draws=result.draws, losses=result.losses)
        for name, result in found.against.items()
    }
    loss = line.get("loss")
    return MeasureView(
        games=found.games,
        decisions=found.decisions,
        right=right,
        sure=sure or None,
        against=against,
        loss=None if loss is None else float(loss),
        error=_mean_error(found.error),
    )


def _sure(result: str | float) -> str:
    return result if isinstance(result, str) else f"{result:+.2f}"


def _mean_error(columns: Any) -> float | None:
    """Of all values that were taught."""
    entries = sum(columns.entries) if columns else 0
    if not entries:
        return None
    return float(sum(count * mean for count, mean in zip(columns.entries, columns.mean, strict=True)) / entries)
