"""What several answers of the API have in common: positions as the page shows them, values, and how far work is."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from ludus import face
from ludus.compiled.masks import actions
from ludus.game import CHANCE, max_plies
from ludus.solving.value import Value

CHANCE_NAME = "Chance"


State = Literal["working", "searching", "ready", "refused"]

Outcome = Literal["win", "draw", "loss"]


class Body(BaseModel):
    """What a request brings: nothing but what is asked for."""

    model_config = ConfigDict(extra="forbid")


class Problem(BaseModel):
    """What was wrong, in one line."""

    detail: str


PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "What was asked for cannot be; the line says what is allowed."},
    404: {"model": Problem, "description": "There is nothing of this id."},
    413: {"model": Problem, "description": "The request is too large."},
    429: {"model": Problem, "description": "Too much was asked for at once."},
}


class Choice(BaseModel):
    """A legal action: its number, its name, and the targets to touch one after another."""

    action: int
    name: str
    path: list[str]


class Remark(BaseModel):
    """What an expert would point out, and the targets that it speaks of."""

    words: str
    targets: list[str]


class Result(BaseModel):
    """How a game ended: the score for player 0, who won (null: nobody), and the same in words."""

    score: float
    winner: int | None
    words: str


class View(BaseModel):
    """A position as the page shows it; player 2 is chance."""

    at: str
    player: int
    mover: str
    over: bool
    result: Result | None
    svg: str
    board: str
    actions: list[Choice]
    notes: list[Remark]


class Worth(BaseModel):
    """What something is worth: `outcome` and `own` for who moves, `score` for player 0.

    While a search goes on, `low` and `high` are the bounds of `own`, and the others the middle of what is known.
    """

    outcome: Outcome | None
    own: float
    score: float
    plies: int | None = None
    low: float | None = None
    high: float | None = None
    words: str


def view_of(game: Any, pos: Any) -> View:
    """A position with its board, what may be done there, and what there is to note."""
    legal = actions(game.legal(pos))
    player = int(game.player(pos))
    return View(
        at=face.format_position(game, pos),
        player=player,
        mover=mover_name(game, player),
        over=not legal,
        result=None if legal else result_of(game, float(game.score(pos))),
        svg=face.draw(game, pos).bare,
        board=face.board(game, pos),
        actions=[_choice(game, pos, action) for action in legal],
        notes=[Remark(words=note.words, targets=list(note.targets)) for note in face.notes(game, pos)],
    )


def _choice(game: Any, pos: Any, action: int) -> Choice:
    path = list(face.action_path(game, pos, action))
    return Choice(action=action, name=face.action_name(game, pos, action), path=path)


def mover_name(game: Any, player: int) -> str:
    """What the player to move is called."""
    return CHANCE_NAME if player == CHANCE else face.players(game)[player]


def result_of(game: Any, score: float) -> Result:
    """How a game with this score ended."""
    if score == 0:
        return Result(score=score, winner=None, words="A draw.")
    winner = 0 if score > 0 else 1
    margin = f" by {abs(score):g}" if abs(score) > 1 else ""
    return Result(score=score, winner=winner, words=f"{face.players(game)[winner]} wins{margin}.")


def worth_of(game: Any, value: Value, player: int, *, expected: bool = False) -> Worth:
    """A value as a player sees it, player 0 where that is chance; `expected` where chance plays."""
    player = 1 if player == 1 else 0
    own, outcome = (-value.score if player else value.score) + 0.0, value.outcome(player)
    endless = max_plies(game) > 0
    words = f"expects {own:+.3f}" if expected else _words(outcome, own, value.plies, endless=endless)
    return Worth(outcome=outcome, own=own, score=value.score, plies=value.plies, words=words)  # type: ignore[arg-type]


def _words(outcome: str, own: float, plies: int | None, *, endless: bool) -> str:
    margin = f" by {abs(own):g}" if abs(own) > 1 else ""
    if plies is not None:
        return f"{outcome}{margin} in {plies}"
    return f"{outcome} for ever" if endless and outcome == "draw" else f"{outcome}{margin}"


def bounds_of(low: Value, high: Value, player: int) -> Worth:
    """What is known of a value that is still searched, as a player sees it."""
    least, most = (low.score, high.score) if player != 1 else (-high.score, -low.score)
    least, most = min(least, most), max(least, most)
    outcomes = {_outcome(least), _outcome(most)}
    middle = (least + most) / 2
    return Worth(
        outcome=outcomes.pop() if len(outcomes) == 1 else None,
        own=middle,
        score=-middle if player == 1 else middle,
        low=least,
        high=most,
        words=_bounds_in_words(least, most),
    )


def _outcome(own: float) -> Outcome:
    return "win" if own > 0 else "loss" if own < 0 else "draw"


def _bounds_in_words(least: float, most: float) -> str:
    if max(abs(least), abs(most)) > 1:
        return f"{least:+g} to {most:+g}"
    if least == most:
        return _outcome(least)
    return "unknown" if least < 0 < most else f"{_outcome(least)} or {_outcome(most)}"
