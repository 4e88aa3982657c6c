"""The small plain part of `check` that every game of a user passes before anything is done with it."""

from __future__ import annotations

import contextlib
import hashlib
import sys
from functools import cache
from pathlib import Path
from typing import Any

from ludus import checking
from ludus.activity import doing
from ludus.checking import compiled, hooks, plain
from ludus.checking.overflow import may_overflow
from ludus.checking.patience import impatient
from ludus.checking.plain import Broken, Sample, take_sample
from ludus.compiled.digests import reached_from
from ludus.memo import recall, remember

_POSITIONS, _GAMES, _SECONDS = 1000, 30, 0.3
_OF_HOOKS = 100  # positions on which hooks are tried
_QUICK = (
    *(hooks.check_symmetries, hooks.check_banked, hooks.check_with_mover, hooks.check_search_hooks),
    *(hooks.check_index, hooks.check_tier, hooks.check_seat_index, hooks.check_observation, hooks.check_shaping),
)


def require_sound(game: Any) -> None:
    """Raise LudusError, in the words of `check`, for a game that breaks the contract near its start or at random.

    A game that passed is remembered by what its rules run and by its parameters.
    """
    key = _key(game)
    if key in _sound or (key and recall("sound", key) is not None):
        return
    with doing(f"checking the rules of {type(game).__name__}"), contextlib.redirect_stdout(sys.stderr):
        try:
            _check(game)
        except Broken as broken:
            raise broken.as_error() from None
    if key:
        _sound.add(key)
        remember("sound", key, {})


def _check(game: Any) -> None:
    with impatient():
        plain.check_form(game)
        plain.check_parameters(game)
        sample = take_sample(game, _POSITIONS, _GAMES, seconds=_SECONDS)
        hooks.check_purity(game, sample)
        hooks.check_odds(game, sample)
        _check_hooks(game, sample.first(_OF_HOOKS))
    if may_overflow(game, sample):
        compiled.check_rules(game, sample)


def _check_hooks(game: Any, sample: Sample) -> None:
    for rule, prove in checking.RULES:
        try:
            if prove in _QUICK:
                prove(game, sample)
        except Broken:
            raise
        except Exception as error:  # a broken hook may return anything
            raise plain.unexpected(game, rule, error) from error


_sound: set[str] = set()


def _key(game: Any) -> str:
    """A digest of the rules, the parameters and the checks; empty for a game that holds arrays."""
    try:
        hash(game)
    except TypeError:
        return ""
    whole = f"{reached_from(game.__class__).digest} {game!r} {_checks()}"
    return hashlib.sha256(whole.encode()).hexdigest()[:24]


@cache
def _checks() -> str:
    """A digest of what is checked here."""
    sources = [Path(str(module.__file__)) for module in (checking, compiled, hooks, plain, sys.modules[__name__])]
    return hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()
