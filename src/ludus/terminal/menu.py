"""The menu that `ludus play` opens without a game: what the TapnSwap paper's program offers, for all games."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from ludus import catalog, face
from ludus.terminal.asking import choose, name
from ludus.terminal.pages import show_rules
from ludus.terminal.play import Seat, apart, first_player, in_order, sit

EASY, DIFFICULT = "random", "smart-random"


def open_menu(console: Console, seed: int) -> None:
    """Choose one game after another until the person quits."""
    names = list(catalog.games())
    while True:
        _stay_with(catalog.make_game(names[choose(console, "Which game?", names)]), console, seed)


def _stay_with(game: Any, console: Console, seed: int) -> None:
    """PLAY or RULES, again and again until the person wants another game."""
    while True:
        wish = choose(console, "PLAY or RULES?", ["PLAY", "RULES", "Another game"])
        if wish == 0:
            sit(game, _seats(game, console), console, seed)
        elif wish == 1:
            show_rules(game, console)
        else:
            return


def _seats(game: Any, console: Console) -> tuple[Seat, Seat]:
    """Ask who plays, and who starts."""
    alone = choose(console, "How many players?", ["One player", "Two players"]) == 0
    you = Seat(name(console, "Your name?", "You" if alone else "Player 1"))
    if alone:
        level = choose(console, "How strong?", [f"EASY ({EASY})", f"DIFFICULT ({DIFFICULT})"])
        other = Seat("Computer", catalog.make_agent((EASY, DIFFICULT)[level]))
    else:
        other = Seat(name(console, "And the other's?", "Player 2"))
    other = apart(you, other)
    side = face.players(game)[first_player(game)]
    first = choose(console, f"Who starts, as {side}?", [you.name, other.name])
    return in_order(game, you, other) if first == 0 else in_order(game, other, you)
