"""What the metrics of a training tell, as curves."""

from __future__ import annotations

from collections.abc import Sequence

from ludus.learning.measures import Line
from ludus.learning.recorded import as_measure

SEATS = ("first", "second")


def games(lines: Sequence[Line]) -> tuple[float, ...]:
    """The games played at each measure."""
    return tuple(float(line["games"]) for line in lines)


def right(lines: Sequence[Line]) -> tuple[float, ...]:
    """The share of decisions that were right at each measure; the training must have been graded."""
    return tuple(float(line["grade"]["optimal"]) / line["grade"]["decisions"] for line in lines)


def won(lines: Sequence[Line], rival: str, seat: str | None = None) -> tuple[float, ...]:
    """The share of games won against an agent at each measure, in one seat or in both."""
    return tuple(_won(line["against"][rival], SEATS if seat is None else (seat,)) for line in lines)


def _won(by_seat: Line, seats: Sequence[str]) -> float:
    wins = [int(by_seat[seat]["wins"]) for seat in seats]
    return sum(wins) / max(sum(sum(by_seat[seat].values()) for seat in seats), 1)


def sure(lines: Sequence[Line], seat: str) -> list[str | float]:
    """What the agent was sure of against every opponent in a seat at each measure."""
    return [(as_measure(line).guarantee or {})[seat] for line in lines]
