"""Puzzles, positions in which exactly one action keeps the win; and crib sheets, positions to know by heart."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel

from ludus import catalog, face
from ludus.puzzles import MOST_SIMULATIONS, Puzzle, find_puzzles
from ludus.puzzles.crib_sheets import Sheet, crib
from ludus.web.api.views import State, ValueView, value_view
from ludus.web.jobs import JobsDep, OnProgress
from ludus.web.registry import GameDep

router = APIRouter(tags=["puzzles"])
_COUNT = 10
_SECONDS = 20.0  # for the smallest sheet, and as many for a greedy one


class PuzzleView(BaseModel):
    """A puzzle; `simulations`: how many a tree search needs to find the action, null for more than ten thousand."""

    at: str
    player: int
    plies: int | None
    simulations: int | None
    actions: dict[int, ValueView]


class Puzzles(BaseModel):
    """Some puzzles of a game, from easy to hard."""

    state: State
    words: str
    puzzles: list[PuzzleView] = []


@router.get("/puzzles")
def puzzles(
    game: GameDep,
    jobs: JobsDep,
    seed: Annotated[int, Query(ge=0, le=10**6, description="Another seed gives other puzzles.")] = 0,
) -> Puzzles:
    """Ten puzzles of a game; finding them takes some seconds."""

    def work(on_progress: OnProgress) -> list[PuzzleView]:
        found = find_puzzles(
            game, _COUNT, seed=seed, progress=lambda stage, done, total: on_progress(f"{stage}: {done:,}")
        )
        return [_view(game, puzzle) for puzzle in found]

    job = jobs.submit("puzzles", (catalog.name_of(game), seed), work)
    return Puzzles(state=job.state, words=job.words, puzzles=job.result or [])


class CribPosition(BaseModel):
    """A position of a crib sheet: its notation, and in words how many actions hold the result there."""

    at: str
    words: str


class Crib(BaseModel):
    """The positions to know by heart to hold the result of a game, for the winner, in a draw for the first player."""

    state: State
    words: str
    positions: list[CribPosition] = []


@router.get("/crib")
def crib_sheet(game: GameDep, jobs: JobsDep) -> Crib:
    """The crib sheet of a game, without positions in which every action holds the result."""

    def work(on_progress: OnProgress) -> list[CribPosition]:
        return _positions(crib(game, seconds=_SECONDS, progress=on_progress))

    job = jobs.submit("crib", catalog.name_of(game), work)
    return Crib(state=job.state, words=job.words, positions=job.result or [])


def _positions(sheet: Sheet) -> list[CribPosition]:
    return [
        CribPosition(
            at=face.format_position(sheet.game, entry.position),
            words=f"{entry.holding} of {entry.legal} moves hold{'s' if entry.holding == 1 else ''} the {sheet.result}",
        )
        for entry in sheet.entries
        if entry.holding < entry.legal
    ]


def _view(game: Any, puzzle: Puzzle) -> PuzzleView:
    player = int(game.player(puzzle.position))
    return PuzzleView(
        at=face.format_position(game, puzzle.position),
        player=player,
        plies=puzzle.plies,
        simulations=puzzle.simulations if puzzle.simulations <= MOST_SIMULATIONS else None,
        actions={action: value_view(game, value, player) for action, value in puzzle.values.items()},
    )
