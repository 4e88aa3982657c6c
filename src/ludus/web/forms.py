"""The canonical form of a position, in games in which who cannot move loses."""

from __future__ import annotations

from functools import partial
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel

from ludus import catalog
from ludus.cgt.positions import canonical_form
from ludus.game import gives_parts
from ludus.web.shelf import AskedGame, AskedPosition
from ludus.web.views import PROBLEMS, State
from ludus.web.workshop import InWorkshop, Tell

router = APIRouter(prefix="/api", tags=["hints"], responses=PROBLEMS)


class Form(BaseModel):
    """A canonical form as it is written; nothing in games that have none."""

    state: State
    words: str
    form: str | None = None


@router.get("/form")
def form(game: AskedGame, pos: AskedPosition, workshop: InWorkshop) -> Form:
    """The canonical form of a position; of games that tell the parts of a sum only."""
    if not gives_parts(game):
        return Form(state="refused", words="its positions have no canonical forms")
    job = workshop.ask("form", (catalog.name_of(game), pos), partial(_found, game, pos))
    return Form(state=job.state, words=job.words, form=job.result)


def _found(game: Any, pos: Any, tell: Tell) -> str:
    tell("working out the canonical form")
    return str(canonical_form(game, pos))
