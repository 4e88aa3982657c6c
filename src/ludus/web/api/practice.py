"""The positions that a person practises: their own mistakes and crib sheets, which come back after some days."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from ludus.documents import read_document, write_document
from ludus.files import home, is_there, made_folder
from ludus.locks import waited_for
from ludus.web.api.views import Body
from ludus.web.registry import Text

router = APIRouter(tags=["practice"])
MOST = 500  # positions; those that were changed longest ago are forgotten
_VERSION = 1
_LATEST = 1 << 40  # seconds since 1970
_Time = Annotated[int, Field(ge=0, lt=_LATEST)]


class PracticeItem(BaseModel):
    """A position to practise, and the player who has to find an action there.

    `played`: the mistake that was made there; `words`: what it lost; `level`: how often in a row it was answered well
    when it came back, 4 when it is learned, -1 before it was seen; `due` and `changed` in seconds since 1970.
    """

    model_config = ConfigDict(extra="forbid")
    game: Text
    at: Text
    kind: Literal["mistake", "crib"]
    played: Text = ""
    words: Text = ""
    level: int = Field(ge=-1, le=4)
    due: _Time
    changed: _Time


class Items(Body):
    """Positions to add or to change."""

    items: list[PracticeItem] = Field(max_length=MOST)


class _Document(NamedTuple):
    items: list[PracticeItem]


@router.post("/practice")
def practice(new: Items) -> list[PracticeItem]:
    """Adds positions; of two versions of one, the later is kept. Returns all, the last changed first."""
    path = made_folder(home()) / "practice.json"
    with waited_for(path.with_suffix(".lock")):
        before = _read(path)
        kept = _merged(before, new.items)
        if kept != before:
            write_document(path, _VERSION, {"items": [item.model_dump() for item in kept]})
    return kept


def _read(path: Path) -> list[PracticeItem]:
    return read_document(path, _VERSION, _Document).items if is_there(path) else []


def _merged(*lists: list[PracticeItem]) -> list[PracticeItem]:
    found: dict[tuple[str, str], PracticeItem] = {}
    for item in (item for items in lists for item in items):
        before = found.get((item.game, item.at))
        if before is None or item.changed >= before.changed:
            found[item.game, item.at] = item
    return sorted(found.values(), key=lambda item: (-item.changed, item.game, item.at))[:MOST]
