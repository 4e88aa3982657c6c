"""Games of OpenSpiel listed into Ludus: every position is visited once, and then they are a graph like any other."""

from __future__ import annotations

import difflib
from collections import deque
from collections.abc import Callable
from functools import cache
from multiprocessing import parent_process
from threading import current_thread, main_thread
from typing import Any, NamedTuple

from rich.console import Console

from ludus.adapters import missing
from ludus.commands.progress import waiting
from ludus.compiled.masks import WORD
from ludus.errors import LudusError
from ludus.graph_game import GraphGame, Node

try:
    import pyspiel
except ModuleNotFoundError as error:
    raise missing("open_spiel") from error

MOST = 1_000_000  # positions that are listed
_REPORT_EVERY = 1_000  # positions between reports of progress
Facts = tuple[int, tuple[int, ...], float]


@cache
def from_open_spiel(text: str) -> GraphGame:
    """The game that OpenSpiel writes so, such as `breakthrough(rows=4,columns=3)`.

    Any deterministic game of two players with perfect information, turns, results that are whole numbers and add up to
    0, at most 63 actions in a position and a million positions; LudusError for others. A position is identified by the
    side to move and OpenSpiel's text; one text for unlike positions is an error.
    """
    game = _loaded(text)
    _refuse(game, text)
    found = _found(game, text)
    graph = GraphGame(
        found.first, found.targets, found.movers, found.scores, max_plies=game.max_game_length(), names=found.names
    )

    class OpenSpielGame(GraphGame, like=graph):
        __doc__ = f"{game.get_type().long_name}, as OpenSpiel plays it."
        _written = f"open-spiel:{text}"
        _action_names = tuple(found.action_names)
        _boards = tuple(found.boards)

        def board(self, pos: Node) -> str:
            return self._boards[pos.node]

        def action_name(self, pos: Node, action: int) -> str:
            return self._action_names[int(self.first[pos.node]) + action]

    return OpenSpielGame()


def _found(game: Any, text: str) -> _Found:
    """All positions of a game; a terminal shows how many there are so far."""
    if parent_process() is not None or current_thread() is not main_thread():  # nobody waits for this alone
        return _Found(game, text, lambda count: None)
    with waiting(Console(stderr=True), f"listing {text}") as line:
        return _Found(game, text, lambda count: setattr(line, "words", f"listing {text}: {count:,} positions"))


class _Found:
    """All positions of a game, in the order of their distance from the start."""

    def __init__(self, game: Any, text: str, on_progress: Callable[[int], None]) -> None:
        self.first, self.targets, self.movers, self.scores = [0], list[int](), list[int](), list[int]()
        self.names, self.boards, self.action_names = list[str](), list[str](), list[str]()
        self._text, self._numbers, self._facts = text, dict[str, int](), list[Facts]()
        self._waiting, self._on_progress = deque[Any](), on_progress
        self._number(game.new_initial_state(), 1)
        while self._waiting:
            self._visit(self._waiting.popleft())

    def _visit(self, state: Any) -> None:
        legal = state.legal_actions()
        if len(legal) > WORD:
            raise LudusError(f"{self._text} has {len(legal)} actions in one position; at most {WORD} can be listed")
        for action in legal:
            self.action_names.append(state.action_to_string(action))
            self.targets.append(self._number(state.child(action), state.current_player()))
        self.first.append(len(self.targets))

    def _number(self, state: Any, before: int) -> int:
        """The number of a position to which this player has moved, a new one for one not met before."""
        name, facts = _name(state), _facts(state)
        number = self._numbers.setdefault(name, len(self._numbers))
        if number == len(self._facts):
            self._add(state, name, facts, before)
        elif facts != self._facts[number]:
            raise LudusError(f"{self._text} cannot be listed: OpenSpiel writes unlike positions alike: {name}")
        return number

    def _add(self, state: Any, name: str, facts: Facts, before: int) -> None:
        if len(self.names) == MOST:
            raise LudusError(f"{self._text} has more than {MOST:,} positions, too many to be listed")
        player, _, result = facts
        if result != int(result):
            raise LudusError(f"{self._text} has the result {result}; only whole numbers can be listed")
        self._facts.append(facts)
        self.names.append(name)
        self.boards.append(str(state).rstrip("\n"))
        self.movers.append(1 - before if state.is_terminal() else player)  # at the end, who would move next
        self.scores.append(int(result))
        self._waiting.append(state)
        if len(self.names) % _REPORT_EVERY == 0:
            self._on_progress(len(self.names))


def _name(state: Any) -> str:
    """A position in one line, with the side to move."""
    board = "/".join(line.strip() for line in str(state).strip().splitlines())
    return f"{board} {'end' if state.is_terminal() else state.current_player()}"


def _facts(state: Any) -> Facts:
    """What must be alike wherever the text of a position is."""
    return state.current_player(), tuple(state.legal_actions()), state.returns()[0] if state.is_terminal() else 0.0


class _Need(NamedTuple):
    """What a game must be."""

    words: str
    holds: bool


def _refuse(game: Any, text: str) -> None:
    """Raise LudusError for a game of a kind that cannot be listed."""
    kind, of = game.get_type(), pyspiel.GameType
    needs = (
        _Need("two players", game.num_players() == 2),
        _Need("turns", kind.dynamics == of.Dynamics.SEQUENTIAL),
        _Need("no chance", kind.chance_mode == of.ChanceMode.DETERMINISTIC),
        _Need("perfect information", kind.information == of.Information.PERFECT_INFORMATION),
        _Need("results that add up to 0", kind.utility == of.Utility.ZERO_SUM),
    )
    for need in needs:
        if not need.holds:
            raise LudusError(f"{text} cannot be listed: games of OpenSpiel need {need.words}")


def _loaded(text: str) -> Any:
    name, known = text.partition("(")[0].strip(), pyspiel.registered_names()
    if name not in known:  # OpenSpiel would print all of them
        near = difflib.get_close_matches(name.replace("-", "_"), known, cutoff=0.5)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise LudusError(f"OpenSpiel has no game {name!r}{hint}")
    try:
        return pyspiel.load_game(text)
    except (pyspiel.SpielError, RuntimeError, ValueError) as error:
        raise LudusError(f"OpenSpiel cannot make {text}: {' '.join(str(error).split())}") from None
