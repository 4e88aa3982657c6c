"""What several responses share: positions, results, exact values, and the fields of a form."""

from __future__ import annotations

import enum
import random
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple, cast

from annotated_types import Interval
from pydantic import BaseModel, ConfigDict

from ludus import face
from ludus.compiled.masks import actions, is_empty
from ludus.errors import LudusError
from ludus.game import CHANCE, max_plies
from ludus.parameters import format_value, type_hints
from ludus.solving.value import Value

CHANCE_NAME = "Chance"
State = Literal["working", "searching", "ready", "refused"]
Outcome = Literal["win", "draw", "loss"]
Kind = Literal["whole", "number", "switch", "choice", "text"]


class Body(BaseModel):
    """The body of a request; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class Problem(BaseModel):
    """What was wrong, in one line."""

    detail: str


PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "The request is invalid; the line says what is allowed."},
    401: {"model": Problem, "description": "The request needs the key of this server."},
    403: {"model": Problem, "description": "A guest, or a page of another site, may not ask for this."},
    404: {"model": Problem, "description": "Nothing has this id."},
    409: {"model": Problem, "description": "It has changed meanwhile, or it runs already."},
    413: {"model": Problem, "description": "The request is too large."},
    422: {"model": Problem, "description": "The request does not have the form that the schema describes."},
    429: {"model": Problem, "description": "Too many requests, or too much work is waiting."},
}


class FormField(BaseModel):
    """A parameter or setting as a form shows it; `changeable`: it may change during a training.

    `least` and `most`: the range of a number, if it states one.
    """

    name: str
    kind: Kind
    default: str
    choices: list[str]
    help: str
    changeable: bool
    least: int | None = None
    most: int | None = None


def form_fields(cls: Any, changeable: Collection[str] = ()) -> list[FormField]:
    """The fields of a NamedTuple class with their defaults, and as help what they are annotated with."""
    hints = type_hints(cls, annotated=True)
    return [_form_field(name, hints[name], cls._field_defaults.get(name), name in changeable) for name in cls._fields]


def _form_field(name: str, hint: Any, default: Any, changeable: bool) -> FormField:
    kind = getattr(hint, "__origin__", hint)
    is_choice = isinstance(kind, type) and issubclass(kind, enum.Enum)
    kinds: dict[Any, Kind] = {bool: "switch", int: "whole", float: "number"}
    notes = getattr(hint, "__metadata__", ())
    limits = next((note for note in notes if isinstance(note, Interval)), Interval())
    return FormField(
        name=name,
        kind="choice" if is_choice else kinds.get(kind, "text"),
        default="" if default is None else format_value(default),
        choices=[format_value(member) for member in kind] if is_choice else [],
        help=next((note for note in notes if isinstance(note, str)), ""),
        changeable=changeable,
        least=cast(int | None, limits.ge),
        most=cast(int | None, limits.le),
    )


class ActionView(BaseModel):
    """A legal action: its number, its name, and the board targets to touch one after another."""

    action: int
    name: str
    path: list[str]


class Note(BaseModel):
    """A hint of the game itself, and the board targets it is about."""

    words: str
    targets: list[str]


class Result(BaseModel):
    """How a game ended: the score for player 0, the winner (null for a draw), and the same in words."""

    score: float
    winner: int | None
    words: str


class Preset(BaseModel):
    """Named settings: of a training, or of the rules of a game."""

    name: str
    settings: dict[str, str]


class PositionView(BaseModel):
    """A position; `player` and `mover` are the side to move, player 2 is chance.

    `squares`: what stands on each target of the board, as it is read aloud.
    """

    at: str
    player: int
    mover: str
    over: bool
    result: Result | None
    svg: str
    squares: dict[str, str]
    board: str
    actions: list[ActionView]
    notes: list[Note]


class ValueView(BaseModel):
    """An exact value: `outcome` and `own` score for the side to move, `score` for player 0.

    `margin`: whether games end with margins, which are then shown rather than plies. During a search `low` and `high`
    bound `own`; `own` and `score` are then the middle.
    """

    outcome: Outcome | None
    own: float
    score: float
    plies: int | None = None
    low: float | None = None
    high: float | None = None
    margin: bool = False
    words: str


def position_view(game: Any, pos: Any) -> PositionView:
    """A position with its board, its legal actions and the game's notes."""
    legal, player = actions(game.legal(pos)), int(game.player(pos))
    picture = face.draw(game, pos)
    return PositionView(
        at=face.format_position(game, pos),
        player=player,
        mover=mover_name(game, player),
        over=not legal,
        result=None if legal else result_view(game, float(game.score(pos))),
        svg=picture.bare,
        squares=face.descriptions(game, pos, picture),
        board=face.board(game, pos),
        actions=[
            ActionView(
                action=action, name=face.action_name(game, pos, action), path=list(face.action_path(game, pos, action))
            )
            for action in legal
        ],
        notes=[Note(words=note.words, targets=list(note.targets)) for note in face.notes(game, pos)],
    )


def mover_name(game: Any, player: int) -> str:
    """The name of a player, or of chance."""
    return CHANCE_NAME if player == CHANCE else face.players(game)[player]


def result_view(game: Any, score: float) -> Result:
    """How a game with this score ended."""
    if score == 0:
        return Result(score=score, winner=None, words="A draw.")
    winner, margin = 0 if score > 0 else 1, f" by {abs(score):.16g}" if abs(score) > 1 else ""
    return Result(score=score, winner=winner, words=f"{face.players(game)[winner]} won{margin}.")


class Standing(NamedTuple):
    """The position after some actions, and how the game ended: in words, empty before its end; `winner`: a player."""

    pos: Any
    result: str
    winner: int | None


def played_out(game: Any, pos: Any, played: Sequence[int], resigned: int | None) -> Standing:
    """Where a game stands after some actions; LudusError for one that is not allowed."""
    for ply, action in enumerate(played):
        if action not in actions(game.legal(pos)):
            raise LudusError(f"action {action} at ply {ply} is not allowed")
        pos = game.play(pos, action)
    if resigned is not None:
        names = face.players(game)
        return Standing(pos, f"{names[resigned]} resigned: {names[1 - resigned]} won.", 1 - resigned)
    if not actions(game.legal(pos)):
        ended = result_view(game, float(game.score(pos)))
        return Standing(pos, ended.words, ended.winner)
    cap = max_plies(game)
    return Standing(
        pos,
        f"Nobody wins within {cap} plies, the moves of both players together." if cap and len(played) >= cap else "",
        None,
    )


def value_view(game: Any, value: Value, player: int, *, expected: bool = False) -> ValueView:
    """A value from a player's side, player 0's for chance; `expected`: an expected score."""
    player = 1 if player == 1 else 0
    own, outcome = (-value.score if player else value.score) + 0.0, value.outcome(player)
    margin = has_margins(game) or abs(own) > 1
    by = f" by {abs(own):.16g}" if margin and own else ""
    if expected:
        words = f"expects {own:+.3f}"
    elif value.plies is not None:
        words = f"{outcome}{by} in {value.plies}"
    else:
        words = f"{outcome} for ever" if outcome == "draw" and max_plies(game) > 0 else f"{outcome}{by}"
    return ValueView(
        outcome=cast(Outcome, outcome), own=own, score=value.score, plies=value.plies, margin=margin, words=words
    )


_GAMES, _PLIES = 20, 500  # random games, which show whether a game ends with margins


def has_margins(game: Any) -> bool:
    """Whether a game ends with margins, as some of a few random games show, rather than with wins and losses alone."""
    try:
        return _known_margins(game, str(type(game)))
    except TypeError:  # it holds arrays, and cannot be looked up
        return _shows_margins(game)


@lru_cache(256)
def _known_margins(game: Any, kind: str) -> bool:
    """The same, kept; equal tuples are not the same game if their classes differ."""
    return _shows_margins(game)


def _shows_margins(game: Any) -> bool:
    draw = random.Random(0)
    ends = (_random_end(game, draw) for _ in range(_GAMES))
    return any(is_empty(game.legal(pos)) and abs(int(game.score(pos))) > 1 for pos in ends)


def _random_end(game: Any, draw: random.Random) -> Any:
    pos = game.start()
    for _ in range(_PLIES):
        if is_empty(mask := game.legal(pos)):
            break
        pos = game.play(pos, draw.choice(actions(mask)))
    return pos


def bounds_view(game: Any, low: Value, high: Value, player: int) -> ValueView:
    """The bounds of a value during a search, from a player's side."""
    side = -1 if player == 1 else 1
    least, most = sorted((side * low.score, side * high.score))
    margin = has_margins(game) or max(abs(least), abs(most)) > 1
    outcomes = list(dict.fromkeys((_outcome(least), _outcome(most))))
    unknown = "unknown" if least < 0 < most else " or ".join(outcomes)
    words = f"{least:+g} to {most:+g}" if margin else unknown
    middle = (least + most) / 2
    outcome = outcomes[0] if len(outcomes) == 1 else None
    return ValueView(outcome=outcome, own=middle, score=side * middle, low=least, high=most, margin=margin, words=words)


def _outcome(own: float) -> Outcome:
    return "win" if own > 0 else "loss" if own < 0 else "draw"


def first_paragraph(cls: type) -> str:
    """The first paragraph of a class's docstring, in one line."""
    return " ".join((cls.__doc__ or "").strip().partition("\n\n")[0].split())
