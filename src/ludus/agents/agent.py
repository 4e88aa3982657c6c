"""The contract of an agent: a policy, the probability of each action in a position.

Three kinds are alike from outside. *Compiled*: a NamedTuple whose `policy(game, pos, out)` writes the probabilities
into `out`; it runs inside kernels like the rules of a game, unless it says `plain = True`. *Batched*: an object with
`policies(game, positions)`, a row of probabilities for each position. *Plain*: any other object; its
`policy(game, pos)` returns the probabilities as a dict or a list over actions, or writes them into a third argument, or
its `choose(game, pos)` returns one action.

An agent that remembers earlier moves says `has_memory = True`. One that must prepare for a game gives
`for_game(game, starts)`, which returns the agent that plays it. A batched or plain one may say `may_resign = True`: it
resigns where no legal action has a probability.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus import face
from ludus.compiled.compiling import helper, hook
from ludus.compiled.masks import Mask, actions, count, first, has, is_empty, without_first
from ludus.compiled.randomness import State, uniform
from ludus.errors import LudusError
from ludus.game import banked, num_actions

Probabilities = npt.NDArray[np.float64]


class Level(NamedTuple):
    """An opponent that the page offers, one of an agent's `levels()`; strength goes from 0 to 1, runs stand at 0.5.

    exported: whether it goes along with every exported game.
    """

    strength: float
    title: str
    words: str
    settings: Mapping[str, Any] = MappingProxyType({})
    exported: bool = True

    @property
    def is_weak(self) -> bool:
        """Whether it stands below trained agents."""
        return self.strength < 0.5


def is_compiled(agent: Any) -> bool:
    """Whether the agent runs inside kernels."""
    cls: Any = type(agent)
    return hasattr(cls, "_fields") and not getattr(agent, "plain", False) and _writes(cls)


@cache
def _writes(cls: Any) -> bool:
    """Whether the class has a `policy` that writes into `out`, its third argument."""
    method = inspect.getattr_static(cls, "policy", None)
    if method is None:
        return not hasattr(cls, "choose")
    is_static = isinstance(method, staticmethod)
    given = inspect.signature(method.__func__ if is_static else method).parameters.values()
    return len(given) - (not is_static) >= 3 or any(one.kind is one.VAR_POSITIONAL for one in given)


def is_batched(agent: Any) -> bool:
    """Whether the agent answers many positions at once."""
    return not is_compiled(agent) and hasattr(agent, "policies")


def has_memory(agent: Any) -> bool:
    """Whether what the agent does depends on more than the position; exact grading refuses such agents."""
    return bool(getattr(agent, "has_memory", False))


def may_resign(agent: Any) -> bool:
    """Whether the agent resigns where it gives no legal action a probability; a compiled one never does."""
    return not is_compiled(agent) and bool(getattr(agent, "may_resign", False))


def agent_for(agent: Any, game: Any, starts: Sequence[Any] = ()) -> Any:
    """What plays this game for the agent: itself, unless it gives `for_game(game, starts)`, which may take its time.

    `starts`: the positions from which it will play, by default the game's own.
    """
    return agent.for_game(game, tuple(starts) or (game.start(),)) if hasattr(agent, "for_game") else agent


def probabilities(agent: Any, game: Any, pos: Any) -> Probabilities:
    """The policy of any kind of agent in one position; for plain Python. Raises LudusError where the game is over."""
    if is_empty(game.legal(pos)):
        raise LudusError("the game is over: there is nothing to choose")
    if is_batched(agent):
        return np.asarray(agent.policies(game, [pos])[0], np.float64)
    out = np.zeros(num_actions(game))
    cls: Any = type(agent)
    if _writes(cls):
        agent.policy(game, pos, out)
    elif hasattr(agent, "policy"):
        _copy_policy(agent.policy(game, pos), out)
    else:
        action = agent.choose(game, pos)
        if action not in actions(game.legal(pos)):
            legal = ", ".join(map(str, actions(game.legal(pos))))
            raise LudusError(f"choose({face.format_position(game, pos)}) returns {action!r}; legal actions: {legal}")
        out[action] = 1.0
    return out


def _copy_policy(given: Any, out: Probabilities) -> None:
    """Write probabilities that are a dict {action: probability}, or a sequence over all actions, into `out`."""
    try:
        if isinstance(given, Mapping):
            out[[*given]] = [*given.values()]
        else:
            out[:] = given
        if not np.isfinite(out).all():
            raise ValueError
    except (TypeError, ValueError, IndexError):
        words = " ".join(repr(given).split())[:80]
        raise LudusError(
            f"policy returns {words}; it must be a dict {{action: probability}}, or {len(out)} probabilities"
        ) from None


def evaluations(agent: Any, game: Any, positions: Sequence[Any]) -> list[dict[str, float] | None]:
    """The agent's value of each action, by position: action values or visit counts; None without `evaluation`."""
    if not hasattr(agent, "evaluation"):
        return [None] * len(positions)
    found = evaluations_of(agent, game, positions)
    return [{str(action): float(value) for action, value in one.items()} for one in found]


def evaluations_of(agent: Any, game: Any, positions: Sequence[Any]) -> Sequence[Any]:
    """The same as the agent gives it, by `evaluations(game, positions)` at once or by `evaluation(game, pos)`."""
    if hasattr(agent, "evaluations"):
        return list(agent.evaluations(game, positions))
    return [agent.evaluation(game, pos) for pos in positions]


def work_of(agent: Any, game: Any) -> float:
    """About how many microseconds the policy of a compiled agent takes as plain Python: its `work(game)`, or 100."""
    return float(agent.work(game)) if hasattr(agent, "work") else 100.0


@hook
def choose(agent: Any, game: Any, pos: Any, mask: Mask, out: Probabilities, state: State) -> int:
    """An action drawn from the policy; `out` is room for it. Agents may give a quicker way to the same distribution."""
    out[:] = 0.0
    agent.policy(game, pos, out)
    return draw_action(out, mask, state)


@helper
def draw_action(probabilities: Probabilities, mask: Mask, state: State) -> int:
    """A legal action, by probabilities that need not add up to one."""
    total = 0.0
    left = mask
    while not is_empty(left):
        total += probabilities[first(left)]
        left = without_first(left)
    point = uniform(state) * total
    left = mask
    while True:
        action = first(left)
        left = without_first(left)
        point -= probabilities[action]
        if (point < 0.0 and probabilities[action] > 0.0) or is_empty(left):
            return action


@helper
def resigns(probabilities: Probabilities, mask: Mask) -> bool:
    """Whether no legal action has a probability."""
    left = mask
    while not is_empty(left):
        if probabilities[first(left)] != 0.0:
            return False
        left = without_first(left)
    return True


@helper
def score_of_resigning(game: Any, pos: Any) -> int:
    """The score if the mover resigns: a loss by one point, or by as many as it is behind in points that are safe."""
    safe = banked(game, pos)
    return min(safe, -1) if game.player(pos) == 0 else max(safe, 1)


@helper
def share_equally(mask: Mask, out: Probabilities) -> None:
    """Give all actions of a mask the same probability, and all others none."""
    each = 1.0 / count(mask)
    for action in range(len(out)):
        out[action] = each if has(mask, action) else 0.0
