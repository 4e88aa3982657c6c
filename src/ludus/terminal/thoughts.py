"""What an agent thinks each action is worth, in a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.markup import escape

from ludus import face


def show_thoughts(game: Any, pos: Any, opinion: Mapping[str, float] | None, console: Console) -> None:
    """Show the worth of each action beside its name; nothing if there is no opinion."""
    if opinion:
        words = [f"{face.action_name(game, pos, int(action))} {worth:.4g}" for action, worth in opinion.items()]
        console.print(f"[dim]thought: {escape(', '.join(words))}[/]", highlight=False)
