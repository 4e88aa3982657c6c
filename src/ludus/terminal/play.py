"""One game after another between people and agents, in a terminal."""

from __future__ import annotations

import enum
from typing import Any, NamedTuple

from rich.console import Console
from rich.markup import escape

from ludus import catalog, face
from ludus.agents.agent import agent_for, draw_action, may_resign, opinion, probabilities, resigns
from ludus.errors import LudusError
from ludus.game import CHANCE, first_player, max_plies
from ludus.masks import actions
from ludus.playout import random_action
from ludus.randomness import new_state, stream_key, stream_start
from ludus.terminal.asking import ask
from ludus.terminal.hints import Hints
from ludus.terminal.pages import show_board, show_rules
from ludus.terminal.person import read_action, show_menu
from ludus.terminal.thoughts import show_thoughts
from ludus.terminal.waiting import waiting


class Seat(NamedTuple):
    """Who plays one side: a name, and the agent that chooses (None for a person)."""

    name: str
    agent: Any = None


class Command(enum.Enum):
    """What a person may say instead of an action."""

    UNDO = "undo"
    RESIGN = "resign"
    HINT = "hint"
    RULES = "rules"
    HELP = "help"


class Shown(NamedTuple):
    """What is told beside the game: the truth about each action, and what agents thought of theirs."""

    hints: bool = False
    thoughts: bool = False


def sit(game: Any, seats: tuple[Seat, Seat], console: Console, seed: int, shown: Shown = Shown()) -> None:  # noqa: B008
    """Play until nobody wants another game, then end what agents have started."""
    try:
        first, second = (ready(game, seat, console) for seat in seats)
        Sitting(game, (first, second), console, seed, shown).play()
    finally:
        for seat in seats:
            if hasattr(seat.agent, "close"):
                seat.agent.close()


def ready(game: Any, seat: Seat, console: Console) -> Seat:
    """The seat with its agent prepared for the game: `perfect` solves it first."""
    with waiting(console, f"{seat.name} prepares for {catalog.name_of(game)} ..."):
        prepared = agent_for(seat.agent, game)
        remark = seat.agent.remark(game) if hasattr(seat.agent, "remark") else ""
    if remark:
        console.print(f"[dim]{escape(seat.name)}: {escape(remark)}[/]", highlight=False)
    return seat._replace(agent=prepared)


def in_order(game: Any, first: Seat, second: Seat) -> tuple[Seat, Seat]:
    """The seats of players 0 and 1, given who moves first and who second."""
    return (first, second) if first_player(game) == 0 else (second, first)


def apart(one: Seat, other: Seat) -> Seat:
    """The other seat, with a name that differs from the first one's."""
    same = one.name.lower() == other.name.lower()
    return other._replace(name=f"{other.name} (2)") if same else other


HELP = "Say an action by its name or number; or undo, resign, hint, rules, help, quit."


class Sitting:
    """Several games of one kind between the same two, with a running score."""

    def __init__(
        self,
        game: Any,
        seats: tuple[Seat, Seat],
        console: Console,
        seed: int = 0,
        shown: Shown = Shown(),  # noqa: B008, a tuple
    ) -> None:
        self.game, self.seats, self.console, self.shown = game, seats, console, shown
        self.hints = Hints(game, console)
        self.wins = [0, 0]
        self.ties = self.played = 0
        self.key, self.state = stream_key(seed), new_state()

    def play(self) -> None:
        """Play until nobody wants another game; raises LeftError when somebody quits."""
        self.console.print(f"[dim]{HELP}[/]")
        while True:
            self._play_one()
            again = ask(self.console, "\nPlay again? [dim](y/n)[/]", _read_yes_or_no)
            if not again:
                return

    def _play_one(self) -> None:
        self.state[0] = stream_start(self.key, self.played)
        self.played += 1
        line = [self.game.start()]
        while not self._is_over(line):
            answer = self._answer(line[-1])
            if answer is Command.RESIGN:
                self._resign(self.game.player(line[-1]))
                return
            if answer is Command.UNDO:
                self._undo(line)
            else:
                line.append(self.game.play(line[-1], answer))
        self._tell_end(line[-1])

    def _answer(self, pos: Any) -> int | Command:
        """What the person, the agent or chance does in a position."""
        player = self.game.player(pos)
        return self._ask_person(pos, player) if self._is_asked(pos) else self._let_choose(pos, player)

    def _is_asked(self, pos: Any) -> bool:
        """Whether a person is to move."""
        player = self.game.player(pos)
        return player != CHANCE and self.seats[player].agent is None

    def _resign(self, player: int) -> None:
        self._count(1 - player, f"{self.seats[player].name} resigns.")

    def _is_over(self, line: list[Any]) -> bool:
        cap = max_plies(self.game)
        return not actions(self.game.legal(line[-1])) or bool(cap and len(line) > cap)

    def _ask_person(self, pos: Any, player: int) -> int | Command:
        """An action, or a command that changes the game; the others are answered here."""
        name = self.seats[player].name
        self.console.print()
        show_board(self.game, pos, self.console)
        self._show_menu(pos, name, hints=self.shown.hints)
        while True:
            answer = ask(self.console, f"[bold]{escape(name)}[/]>", lambda words: read(self.game, pos, words))
            if answer is Command.HELP:
                self.console.print(HELP)
            elif answer is Command.RULES:
                show_rules(self.game, self.console)
                show_board(self.game, pos, self.console)
            elif answer is Command.HINT:
                self._show_menu(pos, name, hints=True)
            else:
                return answer

    def _show_menu(self, pos: Any, name: str, *, hints: bool) -> None:
        """What may be done, with hints if wanted, or with words why there are none."""
        known = None
        if hints:
            try:
                known = self.hints.actions(pos)
            except LudusError as error:
                self.console.print(str(error), style="yellow", markup=False, highlight=False)
        show_menu(self.game, pos, name, self.console, known)

    def _let_choose(self, pos: Any, player: int) -> int | Command:
        legal = self.game.legal(pos)
        if player == CHANCE:
            action, who = random_action(self.game, pos, legal, self.state), "Chance"
        else:
            who = self.seats[player].name
            with waiting(self.console, f"{who} thinks ..."):
                shares = probabilities(self.seats[player].agent, self.game, pos)
            if may_resign(self.seats[player].agent) and resigns(shares, legal):
                return Command.RESIGN
            action = draw_action(shares, legal, self.state)
        said = face.action_name(self.game, pos, action)
        self.console.print(f"[magenta]{escape(who)}[/] plays [bold]{escape(said)}[/]", highlight=False)
        if self.shown.thoughts and player != CHANCE:
            show_thoughts(self.game, pos, opinion(self.seats[player].agent, self.game, pos), self.console)
        return action

    def _undo(self, line: list[Any]) -> None:
        """Take back the last move that a person made, and what agents and chance did after it."""
        earlier = [i for i, pos in enumerate(line[:-1]) if self._is_asked(pos)]
        if earlier:
            del line[earlier[-1] + 1 :]
        else:
            self.console.print("[yellow]There is nothing to take back.[/]")

    def _tell_end(self, pos: Any) -> None:
        self.console.print()
        show_board(self.game, pos, self.console)
        if actions(self.game.legal(pos)):
            self._count(None, f"Nobody wins within {max_plies(self.game)} plies.")
            return
        score = self.game.score(pos)
        margin = f" by {abs(score)}" if abs(score) > 1 else ""
        if score == 0:
            self._count(None, "A draw.")
            return
        winner = 0 if score > 0 else 1
        name = self.seats[winner].name
        self._count(winner, f"{name} {'win' if name == 'You' else 'wins'}{margin}.")

    def _count(self, winner: int | None, words: str) -> None:
        if winner is None:
            self.ties += 1
        else:
            self.wins[winner] += 1
        standing = "   ".join(f"{seat.name} {wins}" for seat, wins in zip(self.seats, self.wins, strict=True))
        self.console.print(f"[bold green]{escape(words)}[/]", highlight=False)
        self.console.print(
            f"Score: {escape(standing)}" + (f"   draws {self.ties}" if self.ties else ""), highlight=False
        )


def read(game: Any, pos: Any, words: str) -> int | Command:
    """What a person means: a command, or an action."""
    if words.lower() in [command.value for command in Command]:
        return Command(words.lower())
    return read_action(game, pos, words)


def _read_yes_or_no(words: str) -> bool:
    if words.lower() in ("y", "yes", ""):
        return True
    if words.lower() in ("n", "no"):
        return False
    raise LudusError("say y or n")
