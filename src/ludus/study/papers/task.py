"""One piece of a paper's work: a function and its arguments, whose result is kept and never computed twice."""

from __future__ import annotations

import hashlib
import inspect
import json
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import ludus


class Task(NamedTuple):
    """A top-level function and its arguments, plain values; its result is a JSON value.

    keeps: whether it has a folder of its own, given as `folder`, in which it can go on after a kill, and which lasts;
    needs: tasks that must be done before, whose folders it is given as `folders`; command: what shows the same at the
    command line; games: how many games it plays, to tell how fast all goes.
    """

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    keeps: bool = False
    needs: tuple[Task, ...] = ()
    command: str = ""
    games: int = 0

    @property
    def key(self) -> str:
        """What tells it from all others: what is done, by which code, with what."""
        told = [ludus.__version__, *_code(self.function), self.arguments, [need.key for need in self.needs]]
        return hashlib.blake2b(json.dumps(told).encode(), digest_size=8).hexdigest()

    @property
    def place(self) -> str:
        """The name of what is kept of it."""
        return f"{re.sub(r'[^a-z0-9.=]+', '-', self.name.lower())[:60].strip('-')}-{self.key}"


@cache
def _code(function: Callable[..., Any]) -> tuple[str, ...]:
    return function.__module__, function.__qualname__, inspect.getsource(function)


def commands(tasks: Iterable[Task], seeds: Sequence[int] = ()) -> str:
    """The commands of tasks in a line; of trainings with the first of some seeds, with all of them."""
    return "; ".join(f"{task.command} --seeds {len(seeds)}" if seeds else task.command for task in tasks)


def options(words: Mapping[str, str]) -> str:
    """Settings as they are given at the command line; those that are true or false are switches there."""
    switches = {"true": "--{}", "false": "--no-{}"}
    return " ".join(
        switches[value].format(name) if value in switches else f"--{name} {shlex.quote(value)}"
        for name, value in words.items()
    )
