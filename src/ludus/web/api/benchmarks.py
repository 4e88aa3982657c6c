"""Results of the benchmark: learners side by side on games whose truth is known."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel, ValidationError

from ludus.errors import LudusError
from ludus.files import home
from ludus.web.api.views import PROBLEMS

router = APIRouter(prefix="/api", tags=["benchmarks"], responses=PROBLEMS)


class Mean(BaseModel):
    """A mean over seeds and its standard error, null for a single seed."""

    mean: float
    error: float | None


class Seats(BaseModel):
    """Of the agent moving first, and moving second."""

    first: Mean
    second: Mean


class Outcome(BaseModel):
    """One seed: plies played and right decisions at each measure."""

    decisions: int
    plies: list[int]
    right: list[float]


class Score(BaseModel):
    """An entry at a game, as docs/benchmark.md tells it."""

    game: str
    name: str
    entry: str
    games: int
    seeds: int
    right: Mean
    reached: int
    plies: float | None
    seconds: float | None
    regret: Mean | None
    short: Seats
    outcomes: list[Outcome]


class Document(BaseModel):
    """A benchmark that was held."""

    scale: str
    enough: float
    scores: list[Score]


@router.get("/benchmarks")
def benchmarks() -> list[Document]:
    """All benchmarks that were held where `ludus benchmark` keeps them."""
    found = []
    for path in sorted((home() / "benchmarks").glob("*/benchmark.json"), reverse=True):
        try:
            found.append(Document.model_validate_json(path.read_bytes()))
        except (OSError, ValidationError):
            raise LudusError(f"the results of the benchmark {path.parent.name} are damaged") from None
    return found
