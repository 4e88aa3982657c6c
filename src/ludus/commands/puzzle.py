"""`ludus puzzle`: positions where exactly one action keeps the win."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from ludus import catalog, face
from ludus.commands.options import MOST_LISTED, GameName, Json, Seed, example, screen, show
from ludus.commands.progress import stages
from ludus.commands.terminal import LeftError, action_table, ask, read_action, show_board, show_menu, value_in_words
from ludus.puzzles import MOST_SIMULATIONS, Puzzle, find_puzzles

app = typer.Typer()


@app.command(epilog=example("puzzle tic-tac-toe --count 5"))
def puzzle(
    game: GameName,
    count: Annotated[int, typer.Option(min=1, max=MOST_LISTED, metavar="N", help="The number of puzzles.")] = 10,
    seed: Seed = 0,
    listed: Annotated[bool, typer.Option("--show", help="List them with their solutions instead of asking.")] = False,
    as_json: Json = False,
) -> None:
    """Solve puzzles: positions where exactly one action keeps the win, from easy to hard."""
    chosen = catalog.make_game(game)
    with stages(screen(stderr=True)) as on_progress:
        found = find_puzzles(chosen, count, seed=seed, progress=on_progress)
    if as_json:
        show(to_json(chosen, found, seed))
    elif listed or not found or not sys.stdin.isatty():
        show_all(chosen, found, screen())
    else:
        pose(chosen, found, screen())


SKIP = "skip"


def pose(game: Any, puzzles: list[Puzzle], console: Console) -> None:
    """Ask a person puzzle after puzzle, and count the solved ones; `quit` leaves."""
    console.print(f"[dim]Exactly one action keeps the win: say which, or {SKIP}, or quit.[/]")
    asked = solved = 0
    try:
        for number, puzzle in enumerate(puzzles, 1):
            console.print(f"\n[bold]Puzzle {number} of {len(puzzles)}[/]", highlight=False)
            solved += _is_solved(game, puzzle, console)
            asked += 1
    except LeftError:
        console.print()
    console.print(f"[bold]{solved} of {asked} solved.[/]", highlight=False)


def _is_solved(game: Any, puzzle: Puzzle, console: Console) -> bool:
    """Whether a person finds the action; the values of all are shown in any case."""
    pos = puzzle.position
    show_board(game, pos, console)
    show_menu(game, pos, "You", console)
    answer = ask(console, ">", lambda words: None if words.lower() == SKIP else read_action(game, pos, words))
    right = answer is not None and puzzle.values[answer].outcome(game.player(pos)) == "win"
    only = face.action_name(game, pos, puzzle.action)
    words, colour = ("Right", "green") if right else ("Wrong" if answer is not None else "Skipped", "red")
    console.print(f"[bold {colour}]{words}:[/] {escape(only)} keeps the win, {_found(puzzle)}.", highlight=False)
    console.print(action_table(game, pos, puzzle.values, chance=False))
    return right


def _found(puzzle: Puzzle) -> str:
    """The difficulty in words."""
    if puzzle.simulations > MOST_SIMULATIONS:
        return f"not found by {MOST_SIMULATIONS:,} simulations"
    return f"found by {puzzle.simulations:,} simulation{'s' if puzzle.simulations != 1 else ''}"


def to_json(game: Any, puzzles: list[Puzzle], seed: int) -> dict[str, Any]:
    """The document that `ludus puzzle --json` prints; simulations are null where more than the most are needed."""
    return {
        "game": catalog.name_of(game),
        "seed": seed,
        "most_simulations": MOST_SIMULATIONS,
        "puzzles": [
            {
                "position": face.format_position(game, puzzle.position),
                "player": int(game.player(puzzle.position)),
                "action": puzzle.action,
                "name": face.action_name(game, puzzle.position, puzzle.action),
                "plies": puzzle.plies,
                "simulations": puzzle.simulations if puzzle.simulations <= MOST_SIMULATIONS else None,
            }
            for puzzle in puzzles
        ],
    }


def show_all(game: Any, puzzles: list[Puzzle], console: Console) -> None:
    """Show each board, and the action that keeps the win."""
    if not puzzles:
        console.print("no puzzles: no position was found where exactly one action keeps the win")
    for number, puzzle in enumerate(puzzles, 1):
        pos, player = puzzle.position, game.player(puzzle.position)
        side, written = face.players(game)[player], face.format_position(game, pos)
        console.print(f"\n[bold]{number}.[/] {escape(side)} to move, {escape(written)}", highlight=False)
        show_board(game, pos, console)
        name = face.action_name(game, pos, puzzle.action)
        value = value_in_words(puzzle.values[puzzle.action], player, chance=False)
        console.print(Text.assemble((name, "bold"), ": ", value, f", {_found(puzzle)}"))
