"""The checkpoints of a run: after how many games it is known what it knew."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel

from ludus.learning.recorded import as_measure
from ludus.learning.runs import Run
from ludus.web.shelf import ID, run_of
from ludus.web.views import PROBLEMS

router = APIRouter(prefix="/api", tags=["agents"], responses=PROBLEMS)


class Checkpoint(BaseModel):
    """The games played so far, and how many of the decisions were right then, if it was graded."""

    games: int
    right: float | None
    decisions: int | None


@router.get("/checkpoints")
def checkpoints(run: Annotated[str, Query(pattern=ID, description="The id of a run.")]) -> list[Checkpoint]:
    """The checkpoints of a run, the earliest first; none of a run whose tables are large."""
    return checkpoints_of(run_of(run))


def checkpoints_of(found: Run) -> list[Checkpoint]:
    """The same of a run that was found."""
    measures = {measure.games: measure for measure in map(as_measure, found.metrics())}
    told = []
    for games in found.snapshots():
        measure = measures.get(games)
        graded = measure is not None and measure.right is not None
        right, decisions = (measure.right, measure.decisions) if measure and graded else (None, None)
        told.append(Checkpoint(games=games, right=right, decisions=decisions))
    return told
