"""The board of a training: where its game stands, what the agent prefers there, and the truth."""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic import BaseModel

from ludus.compiled.rows import unpack
from ludus.solving.value import Value
from ludus.web.api.views import PositionView, ValueView, position_view, value_view


class TrainingBoard(BaseModel):
    """A position of the training, after `games` games: the action that the agent prefers, and the exact values.

    `preferred` is null where nobody chooses, or nothing was learned yet; `actions` is empty where no value is known.
    """

    games: int
    view: PositionView
    preferred: int | None
    is_optimal: bool | None
    words: str
    actions: dict[int, ValueView]


def training_board(game: Any, found: dict[str, Any]) -> TrainingBoard:
    """The board as a training reported it."""
    view = position_view(game, unpack(game.start(), np.array(found["row"], np.int64)))
    values = {int(action): Value(*value) for action, value in (found["values"] or {}).items()}
    expected = bool(found.get("expected"))
    exact = {action: value_view(game, value, view.player, expected=expected) for action, value in values.items()}
    preferred, is_optimal = found["preferred"], None
    if preferred in exact:
        is_optimal = exact[preferred].own >= max(value.own for value in exact.values()) - 1e-9
    words = _in_words(view, preferred, exact, is_optimal=is_optimal)
    return TrainingBoard(
        games=found["game"], view=view, preferred=preferred, is_optimal=is_optimal, words=words, actions=exact
    )


def _in_words(
    view: PositionView, preferred: int | None, exact: dict[int, ValueView], *, is_optimal: bool | None
) -> str:
    """What is seen on the board."""
    if view.over:
        return view.result.words if view.result else ""
    if preferred is None:
        return f"{view.mover} is to move."
    names = {action.action: action.name for action in view.actions}
    if is_optimal is None:
        return f"The agent prefers {names[preferred]}."
    if is_optimal:
        return f"The agent prefers {names[preferred]}: {exact[preferred].words}, the best result there is."
    best = max(exact, key=lambda action: exact[action].own)
    chosen = f"The agent prefers {names[preferred]}: {exact[preferred].words}"
    return f"{chosen}; better is {names[best]}: {exact[best].words}."
