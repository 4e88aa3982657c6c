"""The menu that `ludus play` opens without a game: what the TapnSwap paper's program offers, for all games."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from ludus import catalog, face
from ludus.terminal.asking import choose, name
from ludus.terminal.pages import show_rules
from ludus.terminal.play import Seat, Sitting

EASY, DIFFICULT = "random", "smart-random"


def open_menu(console: Console, seed: int) -> None:
    """Choose a game; then PLAY or RULES, again and again until the person quits."""
    names = list(catalog.games())
    game = catalog.make_game(names[choose(console, "Which game?", names)])
    while True:
        if choose(console, "PLAY or RULES?", ["PLAY", "RULES"]) == 1:
            show_rules(game, console)
        else:
            Sitting(game, _seats(game, console), console, seed).play()


def _seats(game: Any, console: Console) -> tuple[Seat, Seat]:
    """Ask who plays, and who starts."""
    alone = choose(console, "How many players?", ["One player", "Two players"]) == 0
    you = Seat(name(console, "Your name?", "You" if alone else "Player 1"))
    if alone:
        level = choose(console, "How strong?", [f"EASY ({EASY})", f"DIFFICULT ({DIFFICULT})"])
        other = Seat("Computer", catalog.make_agent((EASY, DIFFICULT)[level]))
    else:
        other = Seat(name(console, "And the other's?", "Player 2"))
    sides = face.players(game)
    first = choose(console, f"Who starts, as {sides[0]}?", [you.name, other.name])
    return (you, other) if first == 0 else (other, you)
