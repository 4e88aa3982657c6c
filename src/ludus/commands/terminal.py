"""What the terminal shows of a game, and asks: boards, actions with their values, questions to a person."""

from __future__ import annotations

import contextlib
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from ludus import face
from ludus.agents.agent import Probabilities
from ludus.commands.progress import at_rest, screen
from ludus.errors import LudusError
from ludus.game import CHANCE, max_plies
from ludus.solving.action_bounds import Bounds
from ludus.solving.value import Value

COLOURS = {"win": "green", "draw": "yellow", "loss": "red"}


def value_in_words(value: Value, player: int, *, chance: bool, endless: bool = True) -> tuple[str, str]:
    """A value in words for a player, and its colour; a draw without plies is endless in an endless game."""
    own = -value.score if player == 1 else value.score
    outcome = value.outcome(1 if player == 1 else 0)
    if chance:
        return f"{own:+.4f}", COLOURS[outcome]
    margin = f" by {abs(own):.16g}" if abs(own) > 1 else ""
    plies = f" in {value.plies}" if value.plies is not None else " for ever" if endless and outcome == "draw" else ""
    return f"{outcome}{margin}{plies}", COLOURS[outcome]


def bounds_in_words(bounds: Bounds, player: int) -> str:
    """What bounds say of a value for a player; nothing if they leave any result open."""
    least, most = (-value.score if player == 1 else value.score for value in bounds)
    if max(abs(least), abs(most)) > 1:
        return f"{least:+g} to {most:+g}"
    outcomes = list(dict.fromkeys(value.outcome(player) for value in bounds))
    return "" if least < 0 < most else " or ".join(outcomes)


def action_table(game: Any, pos: Any, values: Mapping[int, Value | None], *, chance: bool) -> Table:
    """Each action with its value for the side to move, the best first; None for one that is below the best."""
    player, endless = game.player(pos), max_plies(game) > 0
    table = Table("action", "value" if player != CHANCE else "leads to", box=None, header_style="bold")
    for action, name in sorted(face.menu(game, pos), key=lambda entry: rank(player, values[entry[0]])):
        words, value = ("less than the best", "dim"), values[action]
        if value:
            words = value_in_words(value, player, chance=chance, endless=endless)
        table.add_row(Text(name), Text(*words))
    return table


def rank(player: int, value: Value | None) -> tuple[float, int]:
    """A key that sorts values from the best for a player to the worst, then those that are not known."""
    if value is None:
        return math.inf, 0
    side = -1 if player == 1 else 1
    plies = value.plies or 0
    return -side * value.score, plies if side * value.score > 0 else -plies if value.score else 0


with contextlib.suppress(ImportError):
    import readline  # noqa: F401, arrow keys at the prompts


T = TypeVar("T")


class LeftError(Exception):
    """The person wants to leave: `quit`, or the end of input."""


def ask(console: Console, question: str, read: Callable[[str], T]) -> T:
    """Ask a question until `read` accepts the answer; print what it raises as LudusError."""
    while True:
        try:
            with at_rest():
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
    """A line that a person types; line editing needs the prompt, and works in a terminal only."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return console.input(prompt)
    with console.capture() as drawn:
        console.print(prompt, end="", soft_wrap=True)
    return input(re.sub(r"(\x1b\[[0-9;]*m)", "\001\\1\002", drawn.get()))


def choose(console: Console, question: str, choices: Sequence[str], default: int = 0) -> int:
    """The index of the choice that a person picks by number or by the start of its name."""
    console.print(f"\n[bold]{question}[/]")
    for i, choice in enumerate(choices):
        enter = "  [dim](enter)[/]" if i == default else ""
        console.print(f"  [cyan]{i + 1}[/]  {escape(choice)}{enter}", highlight=False)
    return ask(console, ">", lambda words: read_choice(words, choices) if words else default)


def read_choice(words: str, choices: Sequence[str]) -> int:
    """The index of a choice, given by its number, its whole name, or the start of one name only."""
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


def show_rules(game: Any, console: Console) -> None:
    """Show the tutorial page by page, on enter; `quit` leaves it."""
    pages = face.rules(game)
    for number, page in enumerate(pages, 1):
        console.print(f"\n[bold]{escape(page.title)}[/]  [dim]{number}/{len(pages)}[/]")
        console.print(escape(page.words), highlight=False)
        if page.position is not None:
            show_board(game, page.position, console)
        if number < len(pages):
            try:
                ask(console, "[dim]enter for the next page, quit to leave[/]", lambda words: None)
            except LeftError:
                return


def show_board(game: Any, pos: Any, console: Console) -> None:
    """The text board in a frame; without one where the terminal is too narrow."""
    board = Text(face.board(game, pos))
    if console.measure(board).maximum + 4 > console.width:  # a frame takes four columns
        console.print(board, soft_wrap=True)
    else:
        console.print(Panel.fit(board, border_style="cyan"))


class Person(NamedTuple):
    """Somebody at the terminal; may remember, so exact grading refuses it."""

    name: str = "You"

    plain = True
    has_memory = True

    def policy(self, game: Any, pos: Any, out: Probabilities) -> None:
        """All on the action that the person names; asked on standard error, as the match prints on the other."""
        console = screen(stderr=True)
        show_board(game, pos, console)
        show_menu(game, pos, self.name, console)
        try:
            out[ask(console, f"{escape(self.name)}>", lambda words: read_action(game, pos, words))] = 1.0
        except LeftError:
            raise KeyboardInterrupt from None


def show_menu(game: Any, pos: Any, name: str, console: Console, hints: Mapping[int, Text] | None = None) -> None:
    """Show the side to move and its actions, with a hint behind each if there are any."""
    side = face.players(game)[game.player(pos)]
    console.print(f"[bold]{escape(name)}[/] ({escape(side)}) to move:", highlight=False)
    entries = [Text.assemble((label, "cyan"), " " if label else "", words) for label, words in labelled(game, pos)]
    if hints:
        known = [hints[action] for action, _ in face.menu(game, pos)]
        entries = [Text.assemble(entry, " ", hint) for entry, hint in zip(entries, known, strict=True)]
    for line in lines(entries, console.width):
        console.print(line, soft_wrap=True)


def lines(entries: Iterable[Text], width: int) -> Iterator[Text]:
    """Entries side by side in lines of this width; one that is too long has a line of its own."""
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


def show_evaluation(game: Any, pos: Any, evaluation: Mapping[str, float] | None, console: Console) -> None:
    """Show the evaluation of each action beside its name; nothing if there is none."""
    if evaluation:
        words = [f"{face.action_name(game, pos, int(action))} {value:.4g}" for action, value in evaluation.items()]
        console.print(f"[dim]evaluation: {escape(', '.join(words))}[/]", highlight=False)
