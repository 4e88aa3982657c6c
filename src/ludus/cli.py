"""The command line."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer

from ludus import __version__, catalog
from ludus.errors import LudusError

app = typer.Typer(
    help="A school for small two-player games: write rules once, play them at native speed, check and explore them.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
GameName = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="A name, [cyan]mancala[/], one with parameters, [cyan]'mancala(stones=3, capture=standard)'[/],"
        " or a file, [cyan]./nim.py[/].",
    ),
]


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ludus {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options of `ludus` itself."""


@app.command()
def games(as_json: Json = False) -> None:
    """List the games, their parameters, how many positions they have, and what is known of them."""
    from ludus import listing

    if as_json:
        typer.echo(json.dumps(listing.entries(), indent=2))
    else:
        _console().print(listing.table())


@app.command()
def check(
    game: GameName,
    as_json: Json = False,
    positions: Annotated[int, typer.Option(min=1, help="Explore whole up to so many positions.")] = 6000,
    random_games: Annotated[int, typer.Option("--games", min=0, help="Random games beyond that.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random games.")] = 0,
) -> None:
    """Prove that a game keeps the contract, or say what breaks it and what to write instead."""
    from ludus import checking

    chosen = catalog.make_game(game)
    with _console(stderr=True).status(f"checking {game}"):
        verdicts = checking.check(chosen, positions=positions, games=random_games, seed=seed)
    broken = [verdict for verdict in verdicts if verdict.problem]
    if as_json:
        document = {"game": catalog.name_of(chosen), "ok": not broken, "rules": [v._asdict() for v in verdicts]}
        typer.echo(json.dumps(document, indent=2))
    else:
        for verdict in verdicts:
            mark = "[red]broken[/]" if verdict.problem else "[green]kept[/]  "
            _console().print(f"{mark}  {verdict.rule}" + (f" [dim]({verdict.detail})[/]" if verdict.detail else ""))
        if broken:
            _console(stderr=True).print(f"[red]{broken[0].problem}[/]", highlight=False)
    raise typer.Exit(1 if broken else 0)


@app.command()
def demo(
    as_json: Json = False,
    random_games: Annotated[int, typer.Option("--games", min=1, help="Random games of each game.")] = 200_000,
) -> None:
    """Take a tour in under a minute: list the games, explore each, play random games, and print what came out."""
    from ludus.demo import tour

    tour(random_games, _console(), _console(stderr=True), as_json=as_json)


def _console(*, stderr: bool = False) -> Any:
    from rich.console import Console

    return Console(stderr=stderr)


def main() -> None:
    """Run the command line; whatever is wrong with the input is told in one line."""
    try:
        status = app(standalone_mode=False)
    except (typer.Abort, KeyboardInterrupt):
        _stop("stopped", 130)
    except typer.TyperException as error:
        _stop(error.format_message(), 2)
    except LudusError as error:
        _stop(str(error), 2)
    sys.exit(status)


def _stop(message: str, status: int) -> None:
    if message:
        typer.echo(f"ludus: {message}", err=True)
    sys.exit(status)
