"""`ludus play`: games in the terminal against an agent or a second person."""

from __future__ import annotations

import enum
import secrets
import sys
from contextlib import suppress
from functools import cached_property
from typing import Annotated, Any, NamedTuple

import typer
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from ludus import catalog, face
from ludus.agents.agent import agent_for, draw_action, evaluations, may_resign, probabilities, resigns
from ludus.agents.perfect import Bounded, Searching, truth_about
from ludus.commands.options import AGENT, GAME, INTERRUPTED, MOST_SEED, SeatName, example, screen
from ludus.commands.progress import waiting
from ludus.commands.terminal import (
    LeftError,
    ask,
    bounds_in_words,
    choose,
    name,
    read_action,
    show_board,
    show_evaluation,
    show_menu,
    show_rules,
    value_in_words,
)
from ludus.compiled.masks import actions
from ludus.compiled.randomness import new_state, stream_key, stream_start
from ludus.errors import LudusError
from ludus.game import CHANCE, first_player, max_plies
from ludus.playout import random_action
from ludus.solving.action_bounds import Bounds, narrowed
from ludus.solving.solution import Solution
from ludus.solving.solver import Searched, TooCostlyError, Truth
from ludus.solving.tablebases.tablebase import Tablebase
from ludus.solving.value import Value

app = typer.Typer()


@app.command(epilog=example("play tic-tac-toe --against perfect --hints"))
def play(
    game: Annotated[str | None, typer.Argument(metavar="GAME", help=f"{GAME}; without one a menu opens.")] = None,
    against: Annotated[
        str, typer.Option(metavar="AGENT", help=f"{AGENT}; or [cyan]human[/], a second person.")
    ] = "smart-random",
    seat: Annotated[SeatName, typer.Option(help="Whether you move first or second.")] = SeatName.FIRST,
    hints: Annotated[bool, typer.Option("--hints", help="Show the exact value of each action.")] = False,
    evaluations: Annotated[
        bool, typer.Option("--evaluations", help="Show the value that the agent gives each action.")
    ] = False,
    name: Annotated[str, typer.Option(help="Your name.")] = "You",
    friend: Annotated[str, typer.Option(help="The name of the second person.")] = "Friend",
    seed: Annotated[
        int | None,
        typer.Option(min=0, max=MOST_SEED, metavar="N", help="Seed of the agents' random choices, to repeat a game."),
    ] = None,
) -> None:
    """Play in the terminal against an agent or a second person; without a game, choose from a menu."""
    console, draw = screen(), secrets.randbits(32) if seed is None else seed
    try:
        if game is None:
            open_menu(console, draw, Shown(hints, evaluations))
            return
        chosen = catalog.make_game(game)
        you = Seat(name)
        other = apart(you, Seat(friend) if against == "human" else Seat("Computer", catalog.make_agent(against)))
        first, second = (you, other) if seat is SeatName.FIRST else (other, you)
        sit(chosen, in_order(chosen, first, second), console, draw, Shown(hints, evaluations))
    except LeftError:
        console.print("\nGoodbye.")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)  # the person knows what was pressed


_MOST_NODES = 1 << 21  # of search for one position: a second or less


class Hints:
    """The exact values of a game in one sitting, solved when they are first needed."""

    def __init__(self, game: Any, console: Console) -> None:
        self.game, self.console = game, console

    @cached_property
    def truth(self) -> Truth | None:
        """The solution, or a search; None for a game that is too large for both."""
        with waiting(self.console, f"solving {catalog.name_of(self.game)} ..."):
            try:
                truth: Truth = truth_about(self.game, self.game.start())
            except LudusError:
                return None
        return truth

    @property
    def is_solved(self) -> bool:
        """Whether the value of every position is known."""
        return isinstance(self.truth, Solution | Tablebase)

    def actions(self, pos: Any) -> dict[int, Text]:
        """The value of each action for the side to move, or its bounds where it is not proven within a second or so."""
        if self.truth is None:
            raise LudusError("no hint: the game is too large to solve")
        game, truth = self.game, self.truth
        if not isinstance(truth, Searched):
            values = truth.actions(pos)
            return {a: hint(game, pos, value, chance=truth.gap is not None) for a, value in values.items()}
        found = self._narrowed(truth, pos)
        return {action: bounds_hint(game, pos, bounds) for action, bounds in found.items()}

    def _narrowed(self, truth: Searched, pos: Any) -> dict[int, Bounds]:
        found: dict[int, Bounds] = {}
        with suppress(TooCostlyError), waiting(self.console, "searching ..."), truth.within(_MOST_NODES):
            for found in narrowed(truth.searcher, pos):  # noqa: B007, what is known when time is up
                pass
        return found


def hint(game: Any, pos: Any, value: Value, *, chance: bool) -> Text:
    """A value as it is shown behind an action."""
    words, colour = value_in_words(value, game.player(pos), chance=chance, endless=max_plies(game) > 0)
    return Text(f"(expects {words})" if chance else f"({words})", colour)


def bounds_hint(game: Any, pos: Any, bounds: Bounds) -> Text:
    """The bounds of a value as they are shown behind an action."""
    if bounds.is_exact:
        return hint(game, pos, bounds.low, chance=False)
    words = bounds_in_words(bounds, game.player(pos))
    return Text(f"({words}, not proven)" if words else "(not proven)", "dim")


class Seat(NamedTuple):
    """The player of one side: a name and an agent, None for a person."""

    name: str
    agent: Any = None


class Command(enum.Enum):
    """The commands that a person may type instead of an action."""

    UNDO = "undo"
    RESIGN = "resign"
    HINT = "hint"
    RULES = "rules"
    HELP = "help"


class Shown(NamedTuple):
    """What is shown beside the game: exact values of actions, and the evaluations of agents."""

    hints: bool = False
    evaluations: bool = False


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
        if isinstance(prepared, Searching) and isinstance(
            prepared.truth, Searched
        ):  # it remarks on each move that is not proven
            return seat._replace(agent=Bounded(prepared.truth, prepared.skill))
        remark = seat.agent.remark(game) if hasattr(seat.agent, "remark") else ""
    if remark:
        console.print(f"[dim]{escape(seat.name)}: {escape(remark)}[/]", highlight=False)
    return seat._replace(agent=prepared)


def in_order(game: Any, first: Seat, second: Seat) -> tuple[Seat, Seat]:
    """The seats of players 0 and 1, given the first and the second to move."""
    return (first, second) if first_player(game) == 0 else (second, first)


def apart(one: Seat, other: Seat) -> Seat:
    """The other seat, with a name that differs from the first one's."""
    same = one.name.lower() == other.name.lower()
    return other._replace(name=f"{other.name} (2)") if same else other


HELP = "Say an action by its name or number; or undo, resign, hint, rules, help, quit."


class Sitting:
    """Several games between the same two players, with a running score."""

    def __init__(self, game: Any, seats: tuple[Seat, Seat], console: Console, seed: int, shown: Shown) -> None:
        self.game, self.seats, self.console, self.shown = game, seats, console, shown
        self.hints, self.wins = Hints(game, console), [0, 0]
        self.ties = self.played = 0
        self.key, self.state = stream_key(seed), new_state()

    def play(self) -> None:
        """Play until nobody wants another game; raises LeftError when somebody quits."""
        self.console.print(f"[dim]{HELP}[/]")
        while True:
            self._play_one()
            if not ask(self.console, "\nPlay again? [dim](y/n)[/]", _read_yes_or_no):
                return

    def _play_one(self) -> None:
        self.state[0] = stream_start(self.key, self.played)
        self.played += 1
        line, cap = [self.game.start()], max_plies(self.game)
        while actions(self.game.legal(line[-1])) and not (cap and len(line) > cap):
            player = self.game.player(line[-1])
            answer = (self._ask_person if self._is_asked(line[-1]) else self._let_choose)(line[-1], player)
            if answer is Command.RESIGN:
                self._count(1 - player, f"{self.seats[player].name} resigns.")
                return
            if answer is Command.UNDO:
                self._undo(line)
            else:
                line.append(self.game.play(line[-1], answer))
        self._show_end(line[-1])

    def _is_asked(self, pos: Any) -> bool:
        """Whether a person is to move."""
        player = self.game.player(pos)
        return player != CHANCE and self.seats[player].agent is None

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
        """Show the actions, with hints if wanted, or the reason why there are none."""
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
        remark = getattr(self.seats[player].agent, "remark", "") if player != CHANCE else ""
        why = f" [dim]({escape(remark)})[/]" if isinstance(remark, str) and remark else ""
        self.console.print(f"[magenta]{escape(who)}[/] plays [bold]{escape(said)}[/]{why}", highlight=False)
        if self.shown.evaluations and player != CHANCE:
            show_evaluation(self.game, pos, evaluations(self.seats[player].agent, self.game, [pos])[0], self.console)
        return action

    def _undo(self, line: list[Any]) -> None:
        """Take back the last move that a person made, and what agents and chance did after it."""
        earlier = [i for i, pos in enumerate(line[:-1]) if self._is_asked(pos)]
        if earlier:
            del line[earlier[-1] + 1 :]
        else:
            self.console.print("[yellow]There is nothing to take back.[/]")

    def _show_end(self, pos: Any) -> None:
        self.console.print()
        show_board(self.game, pos, self.console)
        if actions(self.game.legal(pos)):
            self._count(None, f"Nobody wins within {max_plies(self.game)} plies.")
        elif (score := self.game.score(pos)) == 0:
            self._count(None, "A draw.")
        else:
            winner, margin = 0 if score > 0 else 1, f" by {abs(score)}" if abs(score) > 1 else ""
            name = self.seats[winner].name
            self._count(winner, f"{name} {'win' if name == 'You' else 'wins'}{margin}.")

    def _count(self, winner: int | None, words: str) -> None:
        if winner is None:
            self.ties += 1
        else:
            self.wins[winner] += 1
        standing = "   ".join(f"{seat.name} {wins}" for seat, wins in zip(self.seats, self.wins, strict=True))
        draws = f"   draws {self.ties}" if self.ties else ""
        self.console.print(f"[bold green]{escape(words)}[/]\nScore: {escape(standing)}{draws}", highlight=False)


def read(game: Any, pos: Any, words: str) -> int | Command:
    """The command or action that a person typed."""
    if words.lower() in [command.value for command in Command]:
        return Command(words.lower())
    return read_action(game, pos, words)


def _read_yes_or_no(words: str) -> bool:
    if words.lower() in ("y", "yes", ""):
        return True
    if words.lower() in ("n", "no"):
        return False
    raise LudusError("say y or n")


# Agents by strength; a game too large to enumerate has no perfect one.
SOLVED = {"EASY": "random", "MEDIUM": "perfect(skill=0.8)", "DIFFICULT": "perfect"}
UNSOLVED = {"EASY": "random", "MEDIUM": "smart-random", "DIFFICULT": "mcts(sims=200000)"}


def open_menu(console: Console, seed: int, shown: Shown = Shown()) -> None:  # noqa: B008, a tuple
    """Choose one game after another until the person quits."""
    names = list(catalog.games())
    while True:
        _stay_with(catalog.make_game(names[choose(console, "Which game?", names)]), console, seed, shown)


def _stay_with(game: Any, console: Console, seed: int, shown: Shown) -> None:
    """PLAY or RULES, again and again until the person wants another game."""
    while True:
        wish = choose(console, "PLAY or RULES?", ["PLAY", "RULES", "Another game"])
        if wish == 0:
            sit(game, _seats(game, console), console, seed, shown)
        elif wish == 1:
            show_rules(game, console)
        else:
            return


def _seats(game: Any, console: Console) -> tuple[Seat, Seat]:
    """Ask who plays, and who starts."""
    alone = choose(console, "How many players?", ["One player", "Two players"]) == 0
    you = Seat(name(console, "Your name?", "You" if alone else "Player 1"))
    if alone:
        levels = SOLVED if Hints(game, console).is_solved else UNSOLVED
        level = choose(console, "How strong?", [f"{level} ({agent})" for level, agent in levels.items()])
        other = Seat("Computer", catalog.make_agent(list(levels.values())[level]))
    else:
        other = Seat(name(console, "And the other's?", "Player 2"))
    other = apart(you, other)
    side = face.players(game)[first_player(game)]
    first = choose(console, f"Who starts, as {side}?", [you.name, other.name])
    return in_order(game, *((you, other) if first == 0 else (other, you)))
