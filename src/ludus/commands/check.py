"""Commands about games and their rules: games, check, demo."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from ludus import catalog
from ludus.commands.options import GameName, Json, example, screen

app = typer.Typer()


@app.command(epilog=example("check ./nim.py"))
def check(
    game: GameName,
    as_json: Json = False,
    positions: Annotated[int, typer.Option(min=1, help="Explore whole up to so many positions.")] = 6000,
    random_games: Annotated[int, typer.Option("--games", min=0, help="Random games beyond that.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random games.")] = 0,
) -> None:
    """Prove that a game keeps the contract, or say what breaks it and what to write instead."""
    from rich.markup import escape

    from ludus import checking

    chosen = catalog.make_game(game)
    with screen(stderr=True).status(f"checking {game}"):
        verdicts = checking.check(chosen, positions=positions, games=random_games, seed=seed)
    broken = [verdict for verdict in verdicts if verdict.problem]
    if as_json:
        document = {"game": catalog.name_of(chosen), "ok": not broken, "rules": [v._asdict() for v in verdicts]}
        typer.echo(json.dumps(document, indent=2))
    else:
        for verdict in verdicts:
            mark = "[red]broken[/]" if verdict.problem else "[green]kept[/]  "
            detail = f" [dim]({escape(verdict.detail)})[/]" if verdict.detail else ""
            screen().print(f"{mark}  {verdict.rule}{detail}", highlight=False, soft_wrap=True)
        if broken:
            screen(stderr=True).print(broken[0].problem, style="red", markup=False, highlight=False, soft_wrap=True)
    raise typer.Exit(1 if broken else 0)
