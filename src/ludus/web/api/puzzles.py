"""Puzzles: positions in which exactly one action keeps the win."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel

from ludus import catalog, face
from ludus.puzzles import MOST_SIMULATIONS, Puzzle, find_puzzles
from ludus.web.api.views import State, Worth, worth_of
from ludus.web.jobs import JobsDep, Tell
from ludus.web.registry import AskedGame

router = APIRouter(tags=["puzzles"])


_COUNT = 10


class PuzzleView(BaseModel):
    """A puzzle; simulations: from how many on a tree search finds the action, null if ten thousand do not suffice."""

    at: str
    player: int
    plies: int | None
    simulations: int | None
    actions: dict[int, Worth]


class Puzzles(BaseModel):
    """Some puzzles of a game, from easy to hard."""

    state: State
    words: str
    puzzles: list[PuzzleView] = []


@router.get("/puzzles")
def puzzles(
    game: AskedGame,
    jobs: JobsDep,
    seed: Annotated[int, Query(ge=0, le=10**6, description="Another seed gives other puzzles.")] = 0,
) -> Puzzles:
    """Ten puzzles of a game; finding them takes some seconds."""
    job = jobs.ask("puzzles", (catalog.name_of(game), seed), partial(_found, game, seed))
    return Puzzles(state=job.state, words=job.words, puzzles=job.result or [])


def _found(game: Any, seed: int, on_progress: Tell) -> list[PuzzleView]:
    def progress(stage: str, done: int, total: int | None) -> None:
        on_progress(f"{stage}: {done:,}")

    return [_told(game, puzzle) for puzzle in find_puzzles(game, _COUNT, seed=seed, progress=progress)]


def _told(game: Any, puzzle: Puzzle) -> PuzzleView:
    player = int(game.player(puzzle.position))
    return PuzzleView(
        at=face.format_position(game, puzzle.position),
        player=player,
        plies=puzzle.plies,
        simulations=puzzle.simulations if puzzle.simulations <= MOST_SIMULATIONS else None,
        actions={action: worth_of(game, value, player) for action, value in puzzle.values.items()},
    )
