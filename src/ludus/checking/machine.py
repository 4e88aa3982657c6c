"""Compiled and plain answers side by side: each question is asked both ways of the same sample."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ludus import game as contract
from ludus.checking.broken import Broken, raised
from ludus.checking.explain import explain
from ludus.checking.questions import HOOKS, RULES, Ints, Question
from ludus.checking.sample import Sample
from ludus.compiling import jit_disabled, member
from ludus.rows import Row

_MOST = 20_000  # answers compared per hook
_SKIPPED = "skipped: the JIT is off"


class Asked(NamedTuple):
    """The sample as arrays: positions as rows, and (row, action) for each transition."""

    like: Any
    rows: Row
    steps: Ints


def check_rules(game: Any, sample: Sample) -> str:
    """The five methods compile, and say the same as in plain Python."""
    if jit_disabled():
        return _SKIPPED
    asked = _as_arrays(sample)
    for question in RULES:
        _compare(game, question, asked)
    return ""


def check_hooks(game: Any, sample: Sample) -> str:
    """The hooks that a game gives compile, and say the same as in plain Python."""
    if jit_disabled():
        return _SKIPPED
    asked = _as_arrays(sample)
    for question in HOOKS:
        if member(type(game), question.method) is not None:
            _compare(game, question, _some_of(asked, question, _MOST // contract.symmetries(game)))
    return ""


def _as_arrays(sample: Sample) -> Asked:
    rows = np.array([list(pos) for pos in sample.positions], np.int64)
    steps = np.array([(number, action) for number, action, _ in sample.transitions], np.int64).reshape(-1, 2)
    return Asked(sample.positions[0], rows, steps)


def _some_of(asked: Asked, question: Question, most: int) -> Asked:
    """About so many of what the question is asked of, at least one; steps still need all rows."""
    if question.of == "rows":
        return asked._replace(rows=asked.rows[:: len(asked.rows) // max(most, 1) + 1].copy())
    return asked._replace(steps=asked.steps[:: len(asked.steps) // max(most, 1) + 1].copy())


# ---- comparing ----


def _compare(game: Any, question: Question, asked: Asked) -> None:
    """Let the kernel answer both ways; raise at the first difference."""
    count = {"game": 1, "rows": len(asked.rows), "steps": len(asked.steps)}[question.of]
    plain = np.zeros((count, *question.shape(game, asked.like)), question.numbers)
    compiled = plain.copy()
    try:
        question.ask.plain(game, *asked, plain)
    except (Exception, SystemExit) as error:  # a broken game may raise anything
        raise Broken(game, question.method, raised(error), "it must return for every position") from error
    _run_compiled(game, question, asked, compiled)
    different = np.argwhere(compiled != plain)
    if len(different):
        at = tuple(different[0])
        raise _difference(game, question, compiled[at], plain[at], _position_of(asked, question, at[0]))


def _run_compiled(game: Any, question: Question, asked: Asked, out: npt.NDArray[Any]) -> None:
    try:
        question.ask(game, *asked, out)
    except Exception as error:  # Numba raises many kinds
        if type(error).__module__.startswith("numba"):
            raise explain(game, asked.like, question.method, error) from error
        advice = "do not rely on exceptions, and keep within tuples and 63 bits"
        raise Broken(game, question.method, f"{raised(error)} when compiled only", advice) from error


def _position_of(asked: Asked, question: Question, number: int) -> Any:
    """The position that an answer is about; None where it is about the game."""
    if question.of == "game":
        return None
    row = asked.rows[asked.steps[number, 0] if question.of == "steps" else number]
    return type(asked.like)(*(int(field) for field in row))


def _difference(game: Any, question: Question, compiled: Any, plain: Any, pos: Any) -> Broken:
    how = f"gives {compiled} when compiled and {plain} in plain Python"
    advice = "keep within 63 bits, and read no global that changes: compiled code takes globals as constants"
    return Broken(game, question.method, how, advice, pos)
