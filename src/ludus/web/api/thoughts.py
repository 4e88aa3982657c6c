"""What an agent thinks of a position: worths, visits, a policy, a value, whatever it can tell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel

from ludus.agents.agent import Probabilities, opinions, probabilities
from ludus.compiled.masks import actions
from ludus.networks.inputs import seen


class Thought(BaseModel):
    """Of one action: how likely the agent takes it, what it thinks of it, and how often it looked at it."""

    probability: float
    worth: float | None = None
    visits: int | None = None


class Thoughts(BaseModel):
    """Of all actions; `worths` says what a worth is, `value` is what the agent expects, if it says so."""

    words: str
    worths: Literal["none", "worth", "policy"] = "none"
    value: float | None = None
    visits: int | None = None
    actions: dict[int, Thought] = {}


def thoughts_of(agent: Any, game: Any, pos: Any) -> Thoughts:
    """All that an agent can tell of a position in which somebody has to choose."""
    return thoughts_by(agent, game, [pos], [probabilities(agent, game, pos)])[0]


def thoughts_by(agent: Any, game: Any, positions: Sequence[Any], policies: Sequence[Probabilities]) -> list[Thoughts]:
    """The same of many positions, by what the agent's policy gives the actions in each."""
    told = [_by_policy(game, pos, policy) for pos, policy in zip(positions, policies, strict=True)]
    if hasattr(agent, "study"):
        for one, pos in zip(told, positions, strict=True):
            _by_search(one, agent.study(game, pos))
    else:
        for one, worths in zip(told, opinions(agent, game, positions), strict=True):
            _by_opinion(one, worths)
    if hasattr(agent, "evaluate"):
        for one, value in zip(told, _evaluated(agent, game, positions), strict=True):
            one.worths, one.value = "policy", value
    for one, pos in zip(told, positions, strict=True):
        _by_visits(one, agent, game, pos)
    return told


def _by_policy(game: Any, pos: Any, policy: Probabilities) -> Thoughts:
    legal = actions(game.legal(pos))
    total = sum(float(policy[action]) for action in legal) or 1.0
    return Thoughts(words="", actions={action: Thought(probability=policy[action] / total) for action in legal})


def _by_search(told: Thoughts, study: dict[int, Any]) -> None:
    for action, found in study.items():
        told.actions[action].worth, told.actions[action].visits = found.worth, found.visits
    told.worths, told.value = "worth", max((found.worth for found in study.values()), default=None)


def _by_opinion(told: Thoughts, worths: dict[str, float] | None) -> None:
    if worths is None:
        return
    for action, worth in worths.items():
        told.actions[int(action)].worth = worth if math.isfinite(worth) else None
    told.worths, told.value = "worth", max((worth for worth in worths.values() if math.isfinite(worth)), default=None)


def _by_visits(told: Thoughts, agent: Any, game: Any, pos: Any) -> None:
    if hasattr(agent, "visits"):
        told.visits = int(agent.visits(game, pos))
        told.words = "" if told.visits else "it has never been here: it guesses"
    if told.worths == "none":
        told.words = "it has no opinion, only a policy"


def _evaluated(agent: Any, game: Any, positions: Sequence[Any]) -> list[float]:
    """What a network with a policy and a value thinks each position is worth to who moves."""
    inputs, _ = seen(game, np.array(positions, np.int64))
    return [float(worth) for worth in np.asarray(agent.evaluate(inputs)[1]).reshape(-1)]
