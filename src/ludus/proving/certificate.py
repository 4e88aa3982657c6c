"""Certificates (docs/certificates.md): results with closed strategies that prove them, for `checker.py` to check."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable
from operator import index
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ludus import catalog
from ludus.agents.agent import agent_for, has_memory
from ludus.agents.perfect import Searching, Solved
from ludus.agents.policies import check_repeatable, job_size, normalised, policies_in_turn
from ludus.compiled.masks import actions
from ludus.errors import LudusError
from ludus.files import write_whole
from ludus.game import CHANCE, validate
from ludus.loops import cycle_in
from ludus.machine import budget
from ludus.solving.explore import explore
from ludus.solving.retrograde import solve_backwards
from ludus.solving.solution import Answers, Solution

MOST_POSITIONS = 2_000_000  # some two gigabytes of memory here, and in the checker
_BATCH = 4096  # positions that an agent answers at once
Progress = Callable[[int], None]
VERSION = 1  # of the file format
CHECKER = Path(__file__).with_name("checker.py")


class Strategy(NamedTuple):
    """The actions of a player in each position, and the score that they guarantee against all play and all luck."""

    player: int
    at_least: int  # the guaranteed score, where endless play scores 0
    answers: dict[Any, list[int]]
    positions: int  # that can arise, of either side to move


def close(
    game: Any, start: Any, player: int, agent: Any, *, single: bool = False, progress: Progress | None = None
) -> Strategy:
    """The strategy of an agent in a player's seat from `start` on; only its first choices if `single`."""
    answers: dict[Any, list[int]] = {}
    leads_to: dict[Any, list[Any]] = {}
    level = [start]
    while level:
        following: dict[Any, None] = {}
        for begin in range(0, len(level), _BATCH):
            batch = level[begin : begin + _BATCH]
            own = [pos for pos in batch if game.player(pos) == player and actions(game.legal(pos))]
            for pos, taken in zip(own, supports(agent, game, own), strict=True):
                answers[pos] = taken[:1] if single else taken
            for pos in batch:
                leads_to[pos] = [game.play(pos, action) for action in answers.get(pos) or actions(game.legal(pos))]
                following.update(dict.fromkeys(leads_to[pos]))
            if len(leads_to) + len(following) > MOST_POSITIONS:
                raise LudusError(
                    f"more than {MOST_POSITIONS:,} positions can arise: too many for a certificate;"
                    " prove a later position or smaller parameters"
                )
            if progress:
                progress(len(leads_to))
        level = [pos for pos in following if pos not in leads_to]
    return Strategy(player, least_score(game, player, leads_to), answers, len(leads_to))


def least_score(game: Any, player: int, leads_to: dict[Any, list[Any]]) -> int:
    """The least score of a player, given the successors of each position; at most 0 where play may never end."""
    least = min(((1, -1)[player] * int(game.score(pos)) for pos, after in leads_to.items() if not after), default=0)
    return 0 if least > 0 and cycle_in(leads_to) else least


def supports(agent: Any, game: Any, positions: list[Any]) -> list[list[int]]:
    """The actions that an agent may take in each of some positions."""
    if not positions:
        return []
    rows, size = np.array(positions, np.int64), job_size(len(positions))
    jobs = (rows[begin : begin + size] for begin in range(0, len(rows), size))
    table = np.concatenate(list(policies_in_turn(agent, game, jobs)))
    legal = [actions(game.legal(pos)) for pos in positions]
    place = np.repeat(np.arange(len(rows)), [len(several) for several in legal])
    shares = iter(normalised(table[place, np.concatenate(legal)], place, game, rows))
    return [[action for action in several if next(shares) > 0] for several in legal]


class Certificate(NamedTuple):
    """Strategies from one position of a game on, with their guarantees; `agent`: whose strategies, if an agent's."""

    game: Any
    start: Any
    strategies: tuple[Strategy, ...]
    agent: str | None = None


def prove(
    truth: Any, start: Any = None, *, players: Iterable[int] | None = None, progress: Progress | None = None
) -> Certificate:
    """A certificate of the value of a position, by default the start of the solution.

    `players`: whose strategies; by default the winner's, or both where nobody wins. Where chance plays, both have one,
    whose guarantee holds against all luck too.
    """
    start = truth.start if start is None else start
    value = truth.value(start).score
    has_chance = getattr(truth, "gap", None) is not None
    if players is None:
        players = (0, 1) if has_chance or value == 0 else (0,) if value > 0 else (1,)
    strategies = []
    for player in _checked(players):
        known = unlucky(truth.game, start, player) if has_chance else truth
        agent = Solved(known.answers, 0.0, 1.0) if isinstance(known, Solution) else Searching(known, 1.0)
        strategy = close(truth.game, start, player, agent, single=True, progress=progress)
        if strategy.at_least != known.value(start).score * (1, -1)[player]:
            raise LudusError(f"the solution is wrong: player {player} is guaranteed {strategy.at_least} only")
        strategies.append(strategy)
    return Certificate(truth.game, start, tuple(strategies))


def _checked(players: Iterable[int]) -> tuple[int, ...]:
    """The players; raises LudusError if there is none, or another number."""
    checked = tuple(players)
    if not checked or not set(checked) <= {0, 1}:
        raise LudusError(f"players must be 0, 1 or both, not {', '.join(map(str, checked)) or 'none'}")
    return checked


def prove_agent(
    game: Any, agent: Any, player: int, start: Any = None, *, progress: Progress | None = None
) -> Certificate:
    """A certificate of an agent's guarantee in a player's seat, against all play, all luck and its own dice."""
    validate(game)
    _checked([player])
    if has_memory(agent):
        raise LudusError(
            f"{catalog.name_of(agent)} may remember earlier moves, so that nothing is guaranteed"
            " (has_memory = False says that it does not)"
        )
    start = game.start() if start is None else start
    plays = agent_for(agent, game, (start,))
    strategy = close(game, start, player, plays, progress=progress)
    check_repeatable(plays, game, np.array(list(strategy.answers), np.int64))
    return Certificate(game, start, (strategy,), catalog.name_of(agent))


def unlucky(game: Any, start: Any, player: int) -> Solution:
    """The solution if chance played for this player's opponent."""
    explored = explore(game, start, limit=1 << 30, memory=budget())
    if not explored.complete:
        raise LudusError(f"too large to prove: memory ends after {len(explored):,} positions; prove a later position")
    mover = np.where(explored.graph.mover == CHANCE, 1 - player, explored.graph.mover).astype(np.int8)
    solved = solve_backwards(explored.graph._replace(mover=mover), explored.flips)
    return Solution(game, start, Answers(explored.lookup, solved.score, solved.plies))


def document(certificate: Certificate) -> dict[str, Any]:
    """The contents of a certificate's file; raises LudusError for a game that the checker cannot make."""
    written_for_checker(certificate.game)
    return {
        "certificate": VERSION,
        "game": catalog.name_of(certificate.game),
        "parameters": _parameters(certificate.game),
        "start": _plain(certificate.start),
        "agent": certificate.agent,
        "claims": [
            {
                "player": strategy.player,
                "at_least": strategy.at_least,
                "strategy": [[_plain(pos), taken] for pos, taken in strategy.answers.items()],
            }
            for strategy in certificate.strategies
        ],
    }


def _parameters(game: Any) -> dict[str, Any]:
    """The parameters by name, without arrays, which must be the defaults of the class."""
    parameters = {}
    for name, value in zip(game._fields, game, strict=True):
        if not isinstance(value, np.ndarray):
            parameters[name] = _plain(value)
        elif name not in game._field_defaults or not np.array_equal(value, game._field_defaults[name]):
            raise LudusError(
                f"{type(game).__name__} holds the array {name}, which the checker cannot make again;"
                " write the game in a file, as class Maze(GraphGame, like=...)"
            )
    return parameters


def _plain(value: Any) -> Any:
    """A parameter or position for JSON: an integer, or several."""
    try:
        return [int(index(field)) for field in value] if isinstance(value, tuple) else int(index(value))
    except TypeError:
        raise LudusError(f"a certificate holds whole numbers only, not {value!r}") from None


def write(certificate: Certificate, path: Path) -> None:
    """Writes a certificate to a file, atomically; compressed if its name ends in .gz."""
    content = json.dumps(document(certificate), separators=(",", ":")).encode()
    if path.suffix == ".gz":
        content = gzip.compress(content, mtime=0)
    write_whole(path, [content])


def written_for_checker(game: Any) -> str:
    """The class of a game for the checker: MODULE:CLASS or PATH.py:CLASS; raises LudusError if there is none."""
    cls = type(game)
    if hasattr(cls, "_written"):
        return f"{cls._written.removesuffix(f':{cls.__name__}')}:{cls.__name__}"
    if cls.__module__ == "__main__" or "." in cls.__qualname__:
        raise LudusError(
            f"the checker cannot find {cls.__qualname__} in {cls.__module__};"
            " write the game in a file of its own and make it by its path"
        )
    return f"{cls.__module__}:{cls.__qualname__}"
