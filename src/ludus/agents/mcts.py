"""The agent `mcts`: Monte Carlo tree search with random games and proven results."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ludus.agents.agent import Probabilities
from ludus.agents.mcts_tree import (
    FIELDS,
    Floats,
    Tree,
    best_action,
    copy_children,
    grow,
    is_proven,
    planted,
    random_score,
    with_more_slots,
)
from ludus.compiling import helper, kernel
from ludus.game import num_actions
from ludus.masks import actions, is_empty
from ludus.randomness import ALL_BITS, State, stream_start
from ludus.rows import Row

EXPLORATION = 1.4
MOST_SIMULATIONS = 10_000_000  # some gigabytes of tree
_SCOUTS = 16  # random games that show how wide margins are


class Found(NamedTuple):
    """What a search found of one action: visits, and its worth for the player to move, between -1 and 1.

    mean: of the simulations; low, high: the bounds under perfect play, where proven ones meet.
    """

    visits: int
    mean: float
    low: float
    high: float

    @property
    def worth(self) -> float:
        """The mean, as far as the bounds allow it."""
        return min(max(self.mean, self.low), self.high) + 0.0  # never -0.0


class Mcts(NamedTuple):
    """The action most visited in `sims` simulations by UCT, with random games from the leaves; proven wins first.

    A position is always answered in the same way: the random numbers are drawn from a stream of the seed and position.
    """

    sims: int = 800
    c: float = EXPLORATION
    seed: int = 0

    def validate(self) -> None:
        """At least one simulation, and no negative numbers."""
        if not 1 <= self.sims <= MOST_SIMULATIONS:
            raise ValueError(f"sims must be 1 to {MOST_SIMULATIONS:,}, not {self.sims}")
        if not 0 <= self.c < math.inf:
            raise ValueError(f"c must be 0 or more, not {self.c}")
        if not 0 <= self.seed < 1 << 63:
            raise ValueError(f"seed must be 0 to 2**63 - 1, not {self.seed}")

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """All on one action; nothing where the game is over."""
        write_choice(game, pos, self.sims, self.c, self.seed, out)

    def study(self, game: Any, pos: Any) -> dict[int, Found]:
        """What the search finds of each action."""
        table = np.tile([0.0, 0.0, -1.0, 1.0], (num_actions(game), 1))
        write_findings(game, pos, self.sims, self.c, self.seed, table)
        return {a: Found(int(table[a, 0]), *(float(x) for x in table[a, 1:])) for a in actions(game.legal(pos))}

    def opinion(self, game: Any, pos: Any) -> dict[int, float]:
        """What each action is worth, from -1, lost, to 1, won."""
        return {action: found.worth for action, found in self.study(game, pos).items()}


def simulations_until(game: Any, pos: Any, action: int, limit: int, seed: int = 0, c: float = EXPLORATION) -> int:
    """The fewest simulations from which on `mcts` takes this action, whatever their number up to the limit.

    One more than the limit if it takes another action at the limit.
    """
    return count_until(game, pos, action, limit, c, seed)


@kernel
def write_choice(game: Any, pos: Any, sims: int, c: float, seed: int, out: Probabilities) -> None:
    """Search, and put all probability on the best action."""
    if is_empty(game.legal(pos)):
        return
    out[best_action(searched(game, pos, sims, c, seed))] = 1.0


@kernel
def write_findings(game: Any, pos: Any, sims: int, c: float, seed: int, table: Floats) -> None:
    """Search, and write what `Found` says into the row of each action that was tried."""
    if is_empty(game.legal(pos)):
        return
    copy_children(searched(game, pos, sims, c, seed), table)


@kernel
def count_until(game: Any, pos: Any, action: int, limit: int, c: float, seed: int) -> int:
    """See `simulations_until`."""
    if is_empty(game.legal(pos)):
        return limit + 1
    tree = planted(game, pos, limit)
    state = np.zeros(1, np.uint64)
    scale = prepared(game, pos, tree, seed, state)
    since = limit + 1
    for sims in range(1, limit + 1):
        while grow(game, pos, tree, sims, c, scale, state):
            tree = with_more_slots(tree)
        if best_action(tree) != action:
            since = limit + 1
        elif since > limit:
            since = sims
        if is_proven(tree):
            break
    return since


@helper
def searched(game: Any, pos: Any, sims: int, c: float, seed: int) -> Tree:
    """The tree after so many simulations, or fewer if the root is proven."""
    tree = planted(game, pos, sims)
    state = np.zeros(1, np.uint64)
    scale = prepared(game, pos, tree, seed, state)
    while grow(game, pos, tree, sims, c, scale, state):
        tree = with_more_slots(tree)
    return tree


@helper
def prepared(game: Any, pos: Any, tree: Tree, seed: int, state: State) -> int:
    """Open the stream of the position, and find the widest margin of some random games."""
    nodes, _, _ = tree
    state[0] = stream_of(nodes[0, FIELDS:], seed)
    mask = game.legal(pos)
    widest = 1
    for _ in range(_SCOUTS):
        widest = max(widest, abs(random_score(game, pos, mask, state)))
    return widest


@helper
def stream_of(row: Row, seed: int) -> int:
    """Where the random numbers for a position begin."""
    word = stream_start(np.uint64(seed), len(row))
    for field in range(len(row)):
        word = stream_start(np.uint64(word), int(row[field]) & ALL_BITS)
    return word
