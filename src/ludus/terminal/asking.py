"""Questions to a person, asked again until the answer makes sense."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

from rich.console import Console
from rich.markup import escape

from ludus.errors import LudusError

with contextlib.suppress(ImportError):
    import readline  # noqa: F401, arrow keys at the prompts

T = TypeVar("T")


class LeftError(Exception):
    """The person wants to leave: `quit`, or the end of input."""


def ask(console: Console, question: str, read: Callable[[str], T]) -> T:
    """Put a question until `read` accepts the answer; what it raises as LudusError is told."""
    while True:
        try:
            words = _read_line(console, f"{question} ").strip()
        except EOFError:
            raise LeftError from None
        if words.lower() in ("quit", "exit", "q"):
            raise LeftError
        try:
            return read(words)
        except LudusError as error:
            console.print(str(error), style="yellow", markup=False, highlight=False)


def _read_line(console: Console, prompt: str) -> str:
    """What a person types; line editing needs to know the prompt, and works in a terminal only."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return console.input(prompt)
    with console.capture() as drawn:
        console.print(prompt, end="", soft_wrap=True)
    return input(re.sub(r"(\x1b\[[0-9;]*m)", "\001\\1\002", drawn.get()))


def choose(console: Console, question: str, choices: Sequence[str], default: int = 0) -> int:
    """Let a person pick one of some choices, by number or by the beginning of its name; its place in the list."""
    console.print(f"\n[bold]{question}[/]")
    for i, choice in enumerate(choices):
        enter = "  [dim](enter)[/]" if i == default else ""
        console.print(f"  [cyan]{i + 1}[/]  {escape(choice)}{enter}", highlight=False)
    return ask(console, ">", lambda words: read_choice(words, choices) if words else default)


def read_choice(words: str, choices: Sequence[str]) -> int:
    """The place of the choice that is meant: by its number, its whole name, or the beginning of one name only."""
    numbers = [str(n) for n in range(1, len(choices) + 1)]
    if words in numbers:
        return numbers.index(words)
    names = [choice.lower() for choice in choices]
    if words.lower() in names:
        return names.index(words.lower())
    near = [i for i, name in enumerate(names) if name.startswith(words.lower())]
    if len(near) != 1:
        raise LudusError(f"{words!r} is no choice; say 1 to {len(choices)}, or a name")
    return near[0]


def name(console: Console, question: str, default: str) -> str:
    """A name of up to 20 letters."""

    def read(words: str) -> str:
        if len(words) > 20:
            raise LudusError("at most 20 letters, please")
        return words or default

    return ask(console, f"{question} [dim]({default})[/]", read)
