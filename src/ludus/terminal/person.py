"""A person as an agent: shown the board and asked, wherever an agent is called for."""

from __future__ import annotations

from typing import Any, NamedTuple

from rich.console import Console
from rich.markup import escape

from ludus import face
from ludus.agents.agent import Probabilities
from ludus.terminal.asking import LeftError, ask
from ludus.terminal.pages import show_board


class Person(NamedTuple):
    """Somebody at the terminal; may remember, so exact grading refuses it."""

    name: str = "You"

    plain = True
    has_memory = True

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """All on the action that the person names."""
        console = Console()
        show_board(game, pos, console)
        show_menu(game, pos, self.name, console)
        try:
            out[ask(console, f"{self.name}>", lambda words: read_action(game, pos, words))] = 1.0
        except LeftError:
            raise KeyboardInterrupt from None


def show_menu(game: Any, pos: Any, name: str, console: Console) -> None:
    """Who is to move, and what may be done."""
    side = face.players(game)[game.player(pos)]
    console.print(f"[bold]{escape(name)}[/] ({escape(side)}) to move:", highlight=False)
    entries = [f"[cyan]{escape(label)}[/] {escape(words)}".strip() for label, words in labelled(game, pos)]
    console.print("  " + "   ".join(entries), highlight=False)


def read_action(game: Any, pos: Any, words: str) -> int:
    """The action that a person means by a name, or by its number in the menu."""
    labels = [label for label, _ in labelled(game, pos)]
    if words and words in labels:
        return face.menu(game, pos)[labels.index(words)][0]
    return face.parse_action(game, pos, words)


def labelled(game: Any, pos: Any) -> list[tuple[str, str]]:
    """(label, name) of each action: numbers from 1, unless the names begin with numbers themselves."""
    names = [name for _, name in face.menu(game, pos)]
    if any(name[:1].isdigit() for name in names):
        return [("", name) for name in names]
    return [(str(n), name) for n, name in enumerate(names, 1)]
