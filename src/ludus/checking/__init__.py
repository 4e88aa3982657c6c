"""Proves that a game keeps the contract, or reports what breaks it, where, and what to write instead."""

from __future__ import annotations

import contextlib
import sys
import traceback
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

from ludus.agents.agent import probabilities
from ludus.checking import compiled, faces, hooks, plain
from ludus.checking.explain import explain
from ludus.checking.plain import Broken, Sample, raised, take_sample
from ludus.errors import LudusError, in_one_line

_DIAGNOSED = 2000  # positions in which a failed game or agent is tried again


class Verdict(NamedTuple):
    """The verdict on one rule of the contract: `problem` is empty when the game keeps it."""

    rule: str
    problem: str = ""
    detail: str = ""


# In this order: each check relies on those before it. A check may return a detail.
FOUNDATIONS: tuple[tuple[str, Callable[[Any], None]], ...] = (
    ("methods and hooks have the right form", plain.check_form),
    ("parameters and sizes are whole numbers and are accepted", plain.check_parameters),
)
RULES: tuple[tuple[str, Callable[[Any, Sample], str | None]], ...] = (
    ("methods are pure", hooks.check_purity),
    ("compiled and plain rules agree", compiled.check_rules),
    ("odds are whole weights", hooks.check_odds),
    ("symmetries commute with the rules", hooks.check_symmetries),
    ("banked points add up", hooks.check_banked),
    ("with_mover changes only the side to move", hooks.check_with_mover),
    ("parts add up to the position", hooks.check_parts),
    ("candidates are legal, bounds hold", hooks.check_search_hooks),
    ("heaps make up the position and never grow", hooks.check_heaps),
    ("perfect play keeps to candidates and bounds", hooks.check_by_solving),
    ("the index has an inverse", hooks.check_index),
    ("the index by seat has an inverse", hooks.check_seat_index),
    ("the observation fits", hooks.check_observation),
    ("shaping is a number", hooks.check_shaping),
    ("compiled and plain hooks agree", compiled.check_hooks),
    ("people can see, name and write it", faces.check_faces),
)


def check(game: Any, *, positions: int = 6000, games: int = 100, seed: int = 0) -> list[Verdict]:
    """One verdict per rule, up to the first that is broken.

    A game of at most `positions` positions is explored whole, a larger one is also sampled by random games. What the
    game prints goes to stderr.
    """
    verdicts: list[Verdict] = []
    rule = ""
    with contextlib.redirect_stdout(sys.stderr):
        try:
            for rule, prove in FOUNDATIONS:
                prove(game)
                verdicts.append(Verdict(rule))
            rule = "actions are legal, positions hold whole numbers, games end with a score"
            sample = take_sample(game, positions, games, seed)
            verdicts.append(Verdict(rule, detail=sample.summary))
            for rule, prove_on in RULES:
                detail = prove_on(game, sample)
                verdicts.append(Verdict(rule, detail=detail or ""))
        except Broken as broken:
            verdicts.append(Verdict(rule, problem=str(broken)))
        except (Exception, SystemExit) as error:  # a broken game may raise anything, anywhere
            how = f"{raised(error)} while it is checked that {rule}"
            verdicts.append(Verdict(rule, problem=str(Broken(game, "", how, "give plain values of the right kind"))))
    return verdicts


def diagnosed(error: Exception) -> LudusError | None:
    """What plain Python finds wrong with a user's game or agent on which compiled code failed; None if not a user's."""
    seen = list(_seen(error))
    own = [one for one in seen if hasattr(type(one), "_written")]
    game = next((one for one in seen if hasattr(one, "legal")), None)
    if not own or game is None:
        return None
    agents = [one for one in own if hasattr(one, "policy")]
    try:
        sample = take_sample(game, _DIAGNOSED, 20, 0)
        compiled.check_rules(game, sample)
        for agent, number in product(agents, set(range(len(sample.positions))) - set(sample.ended)):
            probabilities(agent, game, sample.positions[number])
        if agents and type(error).__module__.startswith("numba"):
            raise explain(agents[0], game.start(), "policy", error)
    except Exception as found:
        is_broken = isinstance(found, Broken)
        problem = LudusError(str(found) if is_broken else in_one_line(found))
        problem.__cause__ = found.__cause__ if is_broken else found
        return problem
    return LudusError(f"{type(own[0])._written}: {in_one_line(error)}, in compiled code only")


def _seen(error: Exception) -> Iterator[Any]:
    """The games and agents among the variables of the functions that an error passed through, the innermost first."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)][::-1]
    for value in [value for frame in frames for value in frame.f_locals.values()]:
        within = value if isinstance(value, tuple) else vars(value).values() if hasattr(value, "__dict__") else ()
        for one in (value, *within, *(part for inner in within if isinstance(inner, tuple) for part in inner)):
            if isinstance(one, tuple) and (hasattr(one, "policy") or hasattr(one, "legal")):
                yield one
