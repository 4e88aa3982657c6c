"""A person as an agent: shown the board and asked, wherever an agent is called for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from rich.console import Console
from rich.markup import escape
from rich.text import Text

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
        """All on the action that the person names; shown beside standard output, which belongs to the match."""
        console = Console(stderr=True)
        show_board(game, pos, console)
        show_menu(game, pos, self.name, console)
        try:
            out[ask(console, f"{escape(self.name)}>", lambda words: read_action(game, pos, words))] = 1.0
        except LeftError:
            raise KeyboardInterrupt from None


def show_menu(game: Any, pos: Any, name: str, console: Console, hints: Mapping[int, Text] | None = None) -> None:
    """Who is to move, and what may be done, with a hint behind each action if there are any."""
    side = face.players(game)[game.player(pos)]
    console.print(f"[bold]{escape(name)}[/] ({escape(side)}) to move:", highlight=False)
    entries = [Text.assemble((label, "cyan"), " " if label else "", words) for label, words in labelled(game, pos)]
    if hints:
        known = [hints[action] for action, _ in face.menu(game, pos)]
        entries = [Text.assemble(entry, " ", hint) for entry, hint in zip(entries, known, strict=True)]
    for line in lines(entries, console.width):
        console.print(line, soft_wrap=True)


def lines(entries: Iterable[Text], width: int) -> Iterator[Text]:
    """Entries side by side in lines of this width, none broken apart; one that is too long has its own line."""
    line = Text()
    for entry in entries:
        if line and line.cell_len + 3 + entry.cell_len > width:
            yield line
            line = Text()
        line = Text.assemble(line, "   " if line else "  ", entry)
    yield line


def read_action(game: Any, pos: Any, words: str) -> int:
    """The action that a person means by a name, or by its number in the menu."""
    labels = [label for label, _ in labelled(game, pos)]
    if words and words in labels:
        return face.menu(game, pos)[labels.index(words)][0]
    return face.parse_action(game, pos, words)


def labelled(game: Any, pos: Any) -> list[tuple[str, str]]:
    """(label, name) of each action: numbers from 1, unless the names begin with numbers themselves."""
    names = [name for _, name in face.menu(game, pos)]
    if any(name[:1].isdecimal() for name in names):
        return [("", name) for name in names]
    return [(str(n), name) for n, name in enumerate(names, 1)]
