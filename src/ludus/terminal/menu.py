"""The menu that `ludus play` opens without a game: what the TapnSwap paper's program offers, for all games."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from ludus import catalog, face
from ludus.game import first_player
from ludus.terminal.asking import choose, name
from ludus.terminal.hints import Hints
from ludus.terminal.pages import show_rules
from ludus.terminal.play import Seat, Shown, apart, in_order, sit

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
        other = Seat("Computer", catalog.make_agent(_level(game, console)))
    else:
        other = Seat(name(console, "And the other's?", "Player 2"))
    other = apart(you, other)
    side = face.players(game)[first_player(game)]
    first = choose(console, f"Who starts, as {side}?", [you.name, other.name])
    return in_order(game, you, other) if first == 0 else in_order(game, other, you)


def _level(game: Any, console: Console) -> str:
    """Ask how strong the computer shall be: the agent that is. A game too large to list has no perfect one."""
    levels = SOLVED if Hints(game, console).is_solved else UNSOLVED
    chosen = choose(console, "How strong?", [f"{level} ({agent})" for level, agent in levels.items()])
    return list(levels.values())[chosen]
