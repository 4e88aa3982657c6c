"""`ludus replay`: a recorded game, position by position."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from ludus import catalog, face
from ludus.arena.record import Record, read
from ludus.commands.options import MOST_GAMES, Json, example, screen, show
from ludus.commands.terminal import LeftError, ask, show_board, show_evaluation
from ludus.errors import LudusError

app = typer.Typer()


@app.command(epilog=example("replay games.jsonl --game 3"))
def replay(
    file: Annotated[Path, typer.Argument(help="A file of recorded games.")],
    number: Annotated[
        int, typer.Option("--game", min=1, max=MOST_GAMES, metavar="N", help="The number of the game, from 1.")
    ] = 1,
    given: Annotated[
        str | None,
        typer.Option("--with", metavar="GAME", help="The game, if the records name a file, which they may not load."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Step through a recorded game in the terminal."""
    records = list(read(file, None if given is None else catalog.make_game(given)))
    if not 1 <= number <= len(records):
        raise LudusError(f"there is no game {number} in {file}; it holds {len(records)}")
    record = records[number - 1]
    if as_json:
        boards = [face.format_position(record.game, pos) for pos in record.positions()]
        show(json.dumps({"game": catalog.name_of(record.game), "positions": boards, "score": record.score}))
    else:
        step_through(record, screen())


KEYS = "[dim]enter forwards, b back, a number to go there, quit to leave[/]"


def step_through(record: Record, console: Console) -> None:
    """Show a game position by position, as the person asks; all of it where nobody can be asked."""
    positions = record.positions()
    console.print(f"[bold]{escape(catalog.name_of(record.game))}[/]: {escape(' against '.join(record.agents))}")
    ply = 0
    try:
        while ply < len(positions):
            _show(record, positions, ply, console)
            if console.is_terminal and ply < len(positions) - 1:
                ply = ask(console, KEYS, lambda words, here=ply: _read(words, here, len(positions) - 1))  # type: ignore[misc]
            else:
                ply += 1
    except LeftError:
        return
    console.print(f"[bold green]{escape(_end(record))}[/]", highlight=False)


def _show(record: Record, positions: list[object], ply: int, console: Console) -> None:
    if ply:
        before, action = positions[ply - 1], record.actions[ply - 1]
        player, said = record.game.player(before), face.action_name(record.game, before, action)
        who = f"{face.players(record.game)[player]} ({record.agents[player]})" if player in (0, 1) else "Chance"
        console.print(f"\n[dim]{ply}.[/] {escape(who)} plays [bold]{escape(said)}[/]", highlight=False)
        if record.evaluations:
            show_evaluation(record.game, before, record.evaluations[ply - 1], console)
    show_board(record.game, positions[ply], console)


def _read(words: str, here: int, last: int) -> int:
    if words.lower() == "b":
        return max(here - 1, 0)
    if words == "":
        return here + 1
    if words.isdecimal() and len(words) < 10 and int(words) <= last:
        return int(words)
    raise LudusError(f"say enter, b, a number up to {last}, or quit")


def _end(record: Record) -> str:
    if record.score is None:
        return "The game was cut: a draw."
    if record.score == 0:
        return "A draw."
    winner = 0 if record.score > 0 else 1
    resigned = f"{record.agents[1 - winner]} resigns. " if record.resigned else ""
    return f"{resigned}Winner: {face.players(record.game)[winner]}, score {record.score:+d}."
