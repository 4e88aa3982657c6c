"""Commands about many agents: tournament, ratings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from ludus import catalog
from ludus.cli.options import AGENT, GameName, Json, On, Seed, app, example, screen


@app.command(epilog=example("tournament tapnswap my-run smart-random --anchors"))
def tournament(
    game: GameName,
    agents: Annotated[list[str] | None, typer.Argument(metavar="AGENT...", help=f"{AGENT}.")] = None,
    games: Annotated[
        int, typer.Option(min=1, help="So many games for each pair, half of them from either seat.")
    ] = 1000,
    anchors: Annotated[
        bool, typer.Option("--anchors", help="Let perfect and random take part, so that ratings have a meaning.")
    ] = False,
    seed: Seed = 0,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write tournamentK.csv, .txt, .json and .html (heat maps) there."),
    ] = None,
    on: On = "local",
    as_json: Json = False,
) -> None:
    """Let all pairs of agents play, rank and rate them; what the league has seen before is not played again."""
    from ludus.arena.tournament import ANCHORS
    from ludus.files import made_folder
    from ludus.terminal import tournaments

    if out:
        made_folder(out)
    named = agents or []
    added = [anchor for anchor in ANCHORS if anchor not in named] if anchors else []
    held = tournaments.hold(catalog.make_game(game), [*named, *added], games, seed, on, screen(stderr=True))
    files = tournaments.write(held, out) if out else []
    if as_json:
        typer.echo(json.dumps(tournaments.as_json(held), indent=2))
        return
    screen().print(tournaments.as_text(held))
    for path in files:
        typer.echo(path)


@app.command(epilog=example("ratings tapnswap"))
def ratings(game: GameName, as_json: Json = False) -> None:
    """How the league of a game stands: everybody who played in tournaments, rated by all results."""
    from ludus.terminal import tournaments

    stood = tournaments.stands(catalog.make_game(game))
    if as_json:
        typer.echo(json.dumps(tournaments.standing_as_json(stood), indent=2))
    else:
        screen().print(tournaments.standing_as_text(stood))
