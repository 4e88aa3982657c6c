"""Hints: what each action is worth, for a person who plays."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from rich.console import Console
from rich.text import Text

from ludus import catalog
from ludus.agents.perfect import truth_about
from ludus.errors import LudusError
from ludus.game import max_plies
from ludus.solving.solution import Solution
from ludus.solving.truth import Searched, TooCostlyError
from ludus.solving.value import Value
from ludus.terminal.values import worth
from ludus.terminal.waiting import waiting

_MOST_NODES = 1 << 22  # of search for one position: a second or so


class Hints:
    """What is known about a game in one sitting; it is solved when first asked for."""

    def __init__(self, game: Any, console: Console) -> None:
        self.game, self.console = game, console

    @cached_property
    def truth(self) -> Solution | Searched | None:
        """The solution, or a search; None for a game that is too large for both."""
        with waiting(self.console, f"solving {catalog.name_of(self.game)} ..."):
            try:
                truth: Solution | Searched = truth_about(self.game, self.game.start())
            except LudusError:
                return None
        return truth

    @property
    def is_solved(self) -> bool:
        """Whether the value of every position is known."""
        return isinstance(self.truth, Solution)

    def actions(self, pos: Any) -> dict[int, Text]:
        """What each action is worth to who moves; raises LudusError where nobody can tell soon."""
        if self.truth is None:
            raise LudusError("no hint: the game is too large to solve")
        chance = isinstance(self.truth, Solution) and self.truth.gap is not None
        values = self._values(self.truth, pos)
        return {action: hint(self.game, pos, value, chance=chance) for action, value in values.items()}

    def _values(self, truth: Solution | Searched, pos: Any) -> dict[int, Value]:
        if isinstance(truth, Solution):
            return truth.actions(pos)
        try:
            with waiting(self.console, "searching ..."), truth.within(_MOST_NODES):
                return truth.actions(pos)
        except TooCostlyError:
            raise LudusError("no hint: too far from the end") from None


def hint(game: Any, pos: Any, value: Value, *, chance: bool) -> Text:
    """A value as it stands behind an action."""
    words, colour = worth(value, game.player(pos), chance=chance, endless=max_plies(game) > 0)
    return Text(f"(expects {words})" if chance else f"({words})", colour)
