"""`ludus check`: whether a game keeps the contract."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from ludus import catalog, checking
from ludus.commands.options import GameName, Json, example, screen, show
from ludus.commands.progress import waiting

app = typer.Typer()


@app.command(epilog=example("check ./nim.py"))
def check(
    game: GameName,
    as_json: Json = False,
    positions: Annotated[int, typer.Option(min=1, help="Check all positions up to this many.")] = 6000,
    random_games: Annotated[int, typer.Option("--games", min=0, help="Random games to check beyond that.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random games.")] = 0,
) -> None:
    """Check that a game keeps the contract, or say what breaks it and what to write instead."""
    chosen = catalog.make_game(game)
    with waiting(screen(stderr=True), f"checking {game}"):
        verdicts = checking.check(chosen, positions=positions, games=random_games, seed=seed)
    broken = [verdict for verdict in verdicts if verdict.problem]
    if as_json:
        show({"game": catalog.name_of(chosen), "ok": not broken, "rules": [v._asdict() for v in verdicts]})
    else:
        for verdict in verdicts:
            mark = "[red]broken[/]" if verdict.problem else "[green]kept[/]  "
            detail = f" [dim]({escape(verdict.detail)})[/]" if verdict.detail else ""
            screen().print(f"{mark}  {verdict.rule}{detail}", highlight=False, soft_wrap=True)
        if broken:
            screen(stderr=True).print(broken[0].problem, style="red", markup=False, highlight=False, soft_wrap=True)
    raise typer.Exit(1 if broken else 0)
