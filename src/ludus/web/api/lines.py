"""The truth along a game: the value of each of its positions, and perfect play from one of them on."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, Field, StringConstraints

from ludus import face
from ludus.compiled.masks import is_empty
from ludus.game import CHANCE
from ludus.solving.solution import Solution
from ludus.solving.solver import Searched, TooCostlyError
from ludus.web.api.hints import listed_hints, rank
from ludus.web.api.views import PROBLEMS, Body, State, View, Worth, view_of, worth_of
from ludus.web.registry import LONGEST, AskedGame, AskedPosition, OnShelf, position_of
from ludus.web.solutions import Truth, own_search, truth_of
from ludus.web.workshop import InWorkshop

router = APIRouter(prefix="/api", tags=["lines"], responses=PROBLEMS)


_NODES_EACH = 1 << 20  # of search for one position

_NODES_IN_ALL = 1 << 23

_LONGEST_LINE = 60  # plies


PositionTexts = list[Annotated[str, StringConstraints(max_length=LONGEST)]]


class Line(Body):
    """Positions whose values are asked for."""

    game: str = Field(max_length=LONGEST)
    at: PositionTexts = Field(max_length=2000)


class Values(BaseModel):
    """The value of each, as player 0 sees it; null where it is not soon known."""

    state: State
    words: str
    values: list[Worth | None] = []


class Move(BaseModel):
    """One ply of a line: who does what, and the position after it."""

    player: int
    action: int
    name: str
    at: str


class BestLine(BaseModel):
    """Perfect play from a position on; `words` says why it breaks off, if it does."""

    state: State
    words: str
    moves: list[Move] = []
    view: View | None = None


@router.post("/values")
def values(line: Line, shelf: OnShelf, workshop: InWorkshop) -> Values:
    """The value of each position of a game, as player 0 sees it."""
    game = shelf.game(line.game)
    positions = [position_of(game, at) for at in line.at]
    job = truth_of(workshop, game, positions[0] if positions else game.start())
    if job.state != "ready":
        return Values(state=job.state, words=job.words)
    found = [_value(truth, game, pos) for truth in [_thrifty(job.result)] for pos in positions]
    return Values(state="ready", words="", values=found)


def _thrifty(truth: Truth) -> Truth:
    return own_search(truth) if isinstance(truth, Searched) else truth


def _value(truth: Truth, game: Any, pos: Any) -> Worth | None:
    if isinstance(truth, Solution):
        return worth_of(game, truth.value(pos), 0, expected=truth.gap is not None) if pos in truth else None
    if truth.searcher.nodes > _NODES_IN_ALL and not is_empty(game.legal(pos)):
        return None
    try:
        with truth.within(_NODES_EACH):
            return worth_of(game, truth.value(pos), 0)
    except TooCostlyError:
        return None


@router.get("/line")
def best_line(game: AskedGame, pos: AskedPosition, workshop: InWorkshop) -> BestLine:
    """Perfect play from a position on: the first of the best actions at every ply."""
    job = truth_of(workshop, game, pos)
    if job.state != "ready":
        return BestLine(state=job.state, words=job.words)
    return _best_line(game, pos, _thrifty(job.result))


def _best_line(game: Any, pos: Any, truth: Truth) -> BestLine:
    moves: list[Move] = []
    words = ""
    while not words and not is_empty(game.legal(pos)) and len(moves) < _LONGEST_LINE:
        if game.player(pos) == CHANCE:
            words = "then chance decides"
            break
        try:
            action = _best_action(truth, game, pos)
        except TooCostlyError:
            words = "the rest is not soon known"
            break
        name, player = face.action_name(game, pos, action), int(game.player(pos))
        pos = game.play(pos, action)
        moves.append(Move(player=player, action=action, name=name, at=face.format_position(game, pos)))
    return BestLine(state="ready", words=words, moves=moves, view=view_of(game, pos))


def _best_action(truth: Truth, game: Any, pos: Any) -> int:
    if isinstance(truth, Searched):
        with truth.within(_NODES_EACH):
            return truth.best(pos)[0]
    told = listed_hints(game, pos, truth).actions
    return max(told, key=lambda action: rank(told[action]))
