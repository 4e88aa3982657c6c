"""The contract of an agent: `policy(game, pos, out)` writes the probability of each action into `out`.

Three kinds are alike from outside. A NamedTuple is compiled (unless it says `plain = True`): its `policy` runs inside
kernels like the rules of a game.
An object with `policies(game, positions)` answers many positions at once. Any other object with `policy` runs in plain
Python. An agent that remembers earlier moves says so with `has_memory = True`; one that must prepare for a game gives
`for_game(game, starts)`, which returns the agent that plays it. One of the last two kinds may say `may_resign = True`:
it resigns where it gives no legal action a probability.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ludus.compiled.compiling import helper, hook
from ludus.compiled.masks import Mask, count, first, has, is_empty, without_first
from ludus.compiled.randomness import State, uniform
from ludus.errors import LudusError
from ludus.game import banked, num_actions

Probabilities = npt.NDArray[np.float64]


def is_compiled(agent: Any) -> bool:
    """Whether the agent runs inside kernels."""
    return isinstance(agent, tuple) and hasattr(agent, "_fields") and not getattr(agent, "plain", False)


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
    """What any kind of agent would do in one position; for plain Python. Raises LudusError where the game is over."""
    if is_empty(game.legal(pos)):
        raise LudusError("the game is over: there is nothing to choose")
    if is_batched(agent):
        return np.asarray(agent.policies(game, [pos])[0], np.float64)
    out = np.zeros(num_actions(game))
    agent.policy(game, pos, out)
    return out


def opinion(agent: Any, game: Any, pos: Any) -> dict[str, float] | None:
    """What the agent thinks each action is worth, if it says so by a method `opinion(game, pos)`."""
    return opinions(agent, game, [pos])[0]


def opinions(agent: Any, game: Any, positions: Sequence[Any]) -> list[dict[str, float] | None]:
    """The same in many positions, asked at once if the agent gives a method `opinions(game, positions)`."""
    if not hasattr(agent, "opinion"):
        return [None] * len(positions)
    told = opinions_of(agent, game, positions)
    return [{str(action): float(worth) for action, worth in one.items()} for one in told]


def opinions_of(agent: Any, game: Any, positions: Sequence[Any]) -> Sequence[Any]:
    """What an agent that has opinions says of each position."""
    if hasattr(agent, "opinions"):
        return list(agent.opinions(game, positions))
    return [agent.opinion(game, pos) for pos in positions]


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
