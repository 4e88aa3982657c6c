"""Questions to a person, asked again until the answer makes sense."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from rich.console import Console
from rich.markup import escape

from ludus.errors import LudusError

T = TypeVar("T")


class LeftError(Exception):
    """The person wants to leave: `quit`, or the end of input."""


def ask(console: Console, question: str, read: Callable[[str], T]) -> T:
    """Put a question until `read` accepts the answer; what it raises as LudusError is told."""
    while True:
        try:
            words = console.input(f"{question} ").strip()
        except EOFError:
            raise LeftError from None
        if words.lower() in ("quit", "exit", "q"):
            raise LeftError
        try:
            return read(words)
        except LudusError as error:
            console.print(str(error), style="yellow", markup=False, highlight=False)


def choose(console: Console, question: str, choices: Sequence[str], default: int = 0) -> int:
    """Let a person pick one of some choices, by number or by the beginning of its name; its place in the list."""

    def read(words: str) -> int:
        if not words:
            return default
        if words.isdigit() and 1 <= int(words) <= len(choices):
            return int(words) - 1
        near = [i for i, choice in enumerate(choices) if choice.lower().startswith(words.lower())]
        if len(near) != 1:
            raise LudusError(f"{words!r} is no choice; say 1 to {len(choices)}, or a name")
        return near[0]

    console.print(f"\n[bold]{question}[/]")
    for i, choice in enumerate(choices):
        enter = "  [dim](enter)[/]" if i == default else ""
        console.print(f"  [cyan]{i + 1}[/]  {escape(choice)}{enter}", highlight=False)
    return ask(console, ">", read)


def name(console: Console, question: str, default: str) -> str:
    """A name of up to 20 letters."""

    def read(words: str) -> str:
        if len(words) > 20:
            raise LudusError("at most 20 letters, please")
        return words or default

    return ask(console, f"{question} [dim]({default})[/]", read)
