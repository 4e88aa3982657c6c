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
from ludus.checking.explain import explain, is_of_compiler
from ludus.checking.notes import ending, notes_on
from ludus.checking.patience import impatient
from ludus.checking.plain import Broken, Sample, take_sample, unexpected
from ludus.errors import LudusError, in_one_line, own_frames


class Verdict(NamedTuple):
    """The verdict on one rule of the contract: `problem` is empty when the game keeps it; lines: of the author's."""

    rule: str
    problem: str = ""
    detail: str = ""
    lines: tuple[str, ...] = ()


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
    ("tiers never grow along play", hooks.check_tier),
    ("the index by seat has an inverse", hooks.check_seat_index),
    ("the observation fits", hooks.check_observation),
    ("shaping is a number", hooks.check_shaping),
    ("compiled and plain hooks agree", compiled.check_hooks),
    ("people can see, name and write it", faces.check_faces),
)


_FEW = 300  # positions on which hooks and faces are tried after a failure


class Checked(NamedTuple):
    """The verdicts on a game, one per rule up to the first that is broken, and notes on what is hardly meant."""

    verdicts: list[Verdict]
    notes: list[str]

    @property
    def problem(self) -> str:
        """What is broken; empty if nothing is."""
        return self.verdicts[-1].problem


POSITIONS, GAMES = 6000, 100  # of the sample


def check(game: Any, *, positions: int = POSITIONS, games: int = GAMES, seed: int = 0) -> Checked:
    """Verdicts on all rules, up to the first that is broken, and notes if none is.

    A game of at most `positions` positions is explored whole, a larger one is also sampled by random games. What the
    game prints goes to stderr.
    """
    verdicts: list[Verdict] = []
    rule = ""
    with contextlib.redirect_stdout(sys.stderr):
        try:
            with impatient():
                for rule, prove in FOUNDATIONS:
                    prove(game)
                    verdicts.append(Verdict(rule))
                rule = "actions are legal, positions hold whole numbers, games end with a score"
                sample = take_sample(game, positions, games, seed)
            verdicts.append(Verdict(rule, detail=f"{sample.summary}; {ending(game, sample)}"))
            for rule, prove_on in RULES:
                detail = prove_on(game, sample)
                verdicts.append(Verdict(rule, detail=detail or ""))
            return Checked(verdicts, notes_on(game, sample))
        except Broken as broken:
            problem = broken
        except (Exception, SystemExit) as error:  # a broken game may raise anything, anywhere
            problem = unexpected(game, rule, error)
    return Checked([*verdicts, Verdict(rule, str(problem), lines=tuple(problem.lines))], [])


def diagnosed(error: Exception) -> LudusError | None:
    """What `check` finds wrong with a user's game or agent on which a command failed; None for no answer."""
    seen = list(_seen(error))
    own = [one for one in seen if hasattr(type(one), "_written")]
    game = next((one for one in seen if hasattr(one, "legal")), None)
    if not own or game is None:
        return None
    agents = [one for one in own if hasattr(one, "policy")]
    if own_frames(error) and not _is_of(error, game):
        return None  # the error itself shows the lines of an agent
    try:
        sample = take_sample(game, POSITIONS, GAMES)
        compiled.check_rules(game, sample)
        for _, prove in RULES:
            if prove is not compiled.check_hooks or is_of_compiler(error):  # compiling all hooks takes a while
                prove(game, sample.first(_FEW))
        _check_agents(game, agents, sample)
        if agents and is_of_compiler(error):
            raise explain(agents[0], game.start(), "policy", error)
    except Broken as broken:
        return broken.as_error()
    except Exception as found:
        problem = LudusError(in_one_line(found))
        problem.__cause__ = found
        return problem
    return None if own_frames(error) else LudusError(f"{type(own[0])._written}: {in_one_line(error)}")


def _check_agents(game: Any, agents: list[Any], sample: Sample) -> None:
    for agent, number in product(agents, set(range(len(sample.positions))) - set(sample.ended)):
        probabilities(agent, game, sample.positions[number])


def _is_of(error: Exception, game: Any) -> bool:
    """Whether an error was raised in the file of a game."""
    file = getattr(sys.modules.get(type(game).__module__), "__file__", None)
    return any(frame.f_code.co_filename == file for frame, _ in traceback.walk_tb(error.__traceback__))


def _seen(error: Exception) -> Iterator[Any]:
    """The games and agents among the variables of the functions that an error passed through, the innermost first."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)][::-1]
    for value in [value for frame in frames for value in frame.f_locals.values()]:
        within = value if isinstance(value, tuple) else vars(value).values() if hasattr(value, "__dict__") else ()
        for one in (value, *within, *(part for inner in within if isinstance(inner, tuple) for part in inner)):
            if isinstance(one, tuple) and (hasattr(one, "policy") or hasattr(one, "legal")):
                yield one
