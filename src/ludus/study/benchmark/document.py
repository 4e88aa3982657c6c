"""What a benchmark found as a document: printed as JSON, kept beside the results, and read by the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import ludus
from ludus.documents import Count, Share, read_plain, write_document
from ludus.study.benchmark import ENOUGH, Benchmark, Mean, Scores, scores
from ludus.study.benchmark.jobs import Outcome

FILE = "benchmark.json"
_VERSION = 1


class _BySeat(NamedTuple):
    first: Mean
    second: Mean


class _Entry(NamedTuple):
    game: str
    name: str
    entry: str
    games: Count
    seeds: Count
    accuracy: Mean
    reached: Count
    plies: float | None
    seconds: float | None
    regret: Mean | None
    exploitability: _BySeat
    outcomes: list[Outcome]


class _Document(NamedTuple):
    version: str
    scale: str
    enough: Share
    scores: list[_Entry]


def to_json(held: Benchmark) -> dict[str, Any]:
    """The document that `ludus benchmark --json` prints."""
    head = {"version": ludus.__version__, "scale": held.scale, "enough": ENOUGH}
    return head | {"scores": [_entry(one) for one in scores(held)]}


def _entry(one: Scores) -> dict[str, Any]:
    return {
        "game": one.game,
        "name": one.entry.name,
        "entry": one.entry.written,
        "games": one.entry.games,
        "seeds": one.seeds,
        "accuracy": one.accuracy._asdict(),
        "reached": one.reached,
        "plies": one.plies,
        "seconds": one.seconds,
        "regret": one.regret and one.regret._asdict(),
        "exploitability": {"first": one.exploitability[0]._asdict(), "second": one.exploitability[1]._asdict()},
        "outcomes": [outcome._asdict() for outcome in one.outcomes],
    }


def write(held: Benchmark, folder: Path) -> None:
    """Writes the document into a folder."""
    write_document(folder / FILE, _VERSION, to_json(held))


def read(path: Path) -> dict[str, Any]:
    """Reads such a document; LudusError if it is damaged."""
    return read_plain(path, _VERSION, _Document)
