"""What the tables of the Fox and Hounds paper know: positions met, guarantees, and where they lose or repeat games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import ludus
from ludus import face
from ludus.compiled.masks import count, has
from ludus.solving.solution import Solution
from ludus.study.paper.tasks import exact_solution

GAME = "fox-and-hounds"
FOX, HOUNDS = 0, 1
NEW, UNTRIED, MISJUDGED = KINDS = ("new", "untried", "misjudged")
_GREEDY_GAMES = 100
_EXAMINED = 50  # lost games
_SEED = 1_000_000  # of games beside the tests
Visits = npt.NDArray[np.uint32]  # [players, positions, actions]


@cache
def game() -> Any:
    """The paper's game."""
    return ludus.make_game(GAME)


@cache
def solution() -> Solution:
    """The exact solution of the paper's game."""
    found = exact_solution(GAME)
    assert isinstance(found, Solution)
    return found


class Exploring(NamedTuple):
    """An agent that takes a uniformly random action with probability epsilon."""

    agent: Any
    epsilon: float

    def policy(self, game: Any, pos: Any, out: npt.NDArray[np.float64]) -> None:
        """The agent's own policy, mixed with a uniform one."""
        self.agent.policy(game, pos, out)
        mask = game.legal(pos)
        each = self.epsilon / count(mask)
        for action in range(len(out)):
            out[action] = (1 - self.epsilon) * out[action] + (each if has(mask, action) else 0.0)


# ---- positions met ----


def positions_met(game: Any, visits: Visits) -> list[int]:
    """In how many positions the fox, and the hounds, were taught an action, and how many final ones were met."""
    counts, ends = np.zeros(3, np.int64), np.zeros(game.num_positions, np.bool_)
    count_met(game, visits, counts, ends)
    return [int(each) for each in counts]


@ludus.kernel
def count_met(game: Any, visits: Visits, counts: npt.NDArray[np.int64], ends: npt.NDArray[np.bool_]) -> None:
    """Count the positions of each player that were met, and the final ones to which an action led, each once."""
    for player in range(2):
        for number in range(game.num_seat_positions(player)):
            is_met = False
            for action in range(game.num_actions):
                if visits[player, number, action] > 0:
                    is_met = True
                    after = game.play(game.seat_position_at(player, number), action)
                    index = game.index(after)
                    if game.legal(after) == 0 and not ends[index]:
                        ends[index] = True
                        counts[2] += 1
            counts[player] += is_met


class Reachable(NamedTuple):
    """How many positions can be reached at all: on each side's move, and final ones; and the most actions of each."""

    fox: int
    hounds: int
    final: int
    most: tuple[int, int]


@cache
def reachable() -> Reachable:
    """Those of the paper's game."""
    graph = ludus.explore(game()).graph
    actions, movers = np.diff(graph.first), (graph.mover == FOX, graph.mover == HOUNDS)
    fox, hounds = (int(mover.sum()) for mover in movers)
    most = int(actions[movers[FOX]].max()), int(actions[movers[HOUNDS]].max())
    return Reachable(fox, hounds, len(actions) - fox - hounds, most)


# ---- play by a table ----


def own_play(agent: Any) -> list[float]:
    """The decisions that the hounds can meet, how many of them are optimal, and their guaranteed score."""
    graded = ludus.standing(agent, solution())
    assert graded.guarantee
    met = graded.own_play.second
    return [met.decisions, met.optimal, float(graded.guarantee.second.score)]


def lost_games(greedy: Any, visits: Visits, epsilon: float, games: int) -> dict[str, Any]:
    """How many games greedy hounds lose to a fox that explores, and the first 50 by the mistake that lost each.

    A mistake is the last action that gave the win away: in a position where no action was ever taught (new), where no
    winning action was (untried), or where one was, but another had a higher value (misjudged). examples: the first of
    each kind, as the position, what the hounds did, and what would have won.
    """
    rival, found = Exploring(greedy, epsilon), list[Any]()
    seat = ludus.Seats.SECOND
    ludus.play_match(game(), greedy, rival, games, seed=_SEED, seats=seat, threads=1, record=found.append)
    lost = [each.actions for each in found if not _is_won(each.actions)]
    mistakes = [_mistake(actions, visits) for actions in lost[:_EXAMINED]]
    counts = Counter(mistake.kind for mistake in mistakes)
    examples = {mistake.kind: [mistake.position, mistake.played, mistake.winning] for mistake in reversed(mistakes)}
    return {"games": games, "lost": len(lost), **{kind: counts[kind] for kind in KINDS}, "examples": examples}


class _Mistake(NamedTuple):
    kind: str
    position: str
    played: str
    winning: str


def _is_won(actions: Sequence[int]) -> bool:
    """Whether the hounds won a game."""
    return bool(game().score(_positions(actions)[-1]) < 0)


def _positions(actions: Sequence[int]) -> list[Any]:
    return list(accumulate(actions, game().play, initial=game().start()))


def _mistake(actions: Sequence[int], visits: Visits) -> _Mistake:
    """The mistake that lost a game."""
    course = _positions(actions)
    pos, played, _ = [step for step in zip(course, actions, course[1:], strict=False) if _gives_away(step[0], step[2])][
        -1
    ]
    return _described(pos, played, visits[HOUNDS, game().seat_index(pos)])


def _gives_away(pos: Any, after: Any) -> bool:
    return game().player(pos) == HOUNDS and _wins(pos) and not _wins(after)


def _wins(pos: Any) -> bool:
    """Whether the hounds can still win."""
    return solution().value(pos).score < 0


def _described(pos: Any, played: int, taught: Visits) -> _Mistake:
    winning = [action for action in ludus.actions(game().legal(pos)) if _wins(game().play(pos, action))]
    kind = NEW if not taught.any() else MISJUDGED if taught[winning].any() else UNTRIED
    names = " or ".join(face.action_name(game(), pos, action) for action in winning)
    return _Mistake(kind, face.format_position(game(), pos), face.action_name(game(), pos, played), names)


def repeated_games(greedy: Any) -> list[int]:
    """Of 100 games in which both sides play greedily, how many are unlike, and how often the commonest was played."""
    found = list[Any]()
    ludus.play_match(
        game(), greedy, greedy, _GREEDY_GAMES, seed=_SEED, seats=ludus.Seats.FIRST, threads=1, record=found.append
    )
    counts = Counter(tuple(one.actions) for one in found)
    return [len(counts), max(counts.values())]
