"""The command line."""

from __future__ import annotations

import enum
import json
import secrets
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ludus import __version__, catalog
from ludus.arena.seats import Seats
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


class PersonSeat(enum.Enum):
    """Which seat a person takes."""

    FIRST = "first"
    SECOND = "second"


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
    from rich.markup import escape

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
            detail = f" [dim]({escape(verdict.detail)})[/]" if verdict.detail else ""
            _console().print(f"{mark}  {verdict.rule}{detail}", highlight=False, soft_wrap=True)
        if broken:
            _console(stderr=True).print(broken[0].problem, style="red", markup=False, highlight=False, soft_wrap=True)
    raise typer.Exit(1 if broken else 0)


AgentName = Annotated[
    str,
    typer.Argument(
        help="[cyan]random[/], [cyan]first[/], [cyan]last[/], [cyan]smart-random[/], [cyan]human[/] (asked here), an"
        " outside program as [cyan]'cmd:./bot'[/], or one that an installed package brings.",
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same games.")]


@app.command()
def match(
    game: GameName,
    a: AgentName,
    b: AgentName,
    games: Annotated[int, typer.Option(min=1, help="How many games.")] = 1000,
    seats: Annotated[Seats, typer.Option(help="Where the first agent sits.")] = Seats.ALTERNATE,
    alternate_starter: Annotated[
        bool, typer.Option(help="Let both sides begin in turns; with `--seats first` agents keep their sides.")
    ] = False,
    cap: Annotated[
        int | None,
        typer.Option(min=0, help="Cut games after so many plies as draws; 0 for never.", show_default="the game's own"),
    ] = None,
    record: Annotated[Path | None, typer.Option(help="Append every game to this file, for `ludus replay`.")] = None,
    seed: Seed = 0,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads to use.", show_default="all cores")] = None,
    as_json: Json = False,
) -> None:
    """Let two agents play many games, and count who wins, from which seat, and how surely."""
    from ludus.terminal import matches

    chosen = catalog.make_game(game)
    agents = catalog.make_agent(a), catalog.make_agent(b)
    settings = {"seats": seats, "alternate_starter": alternate_starter, "cap": cap, "seed": seed, "threads": threads}
    result = matches.hold(chosen, agents, games, record, _console(stderr=True), settings)
    if as_json:
        typer.echo(json.dumps(matches.as_json(chosen, agents, result), indent=2))
    else:
        _console().print(matches.as_table(chosen, agents, result))


@app.command()
def replay(
    file: Annotated[Path, typer.Argument(help="A file of recorded games.")],
    number: Annotated[int, typer.Option("--game", min=1, help="Which of its games, counted from 1.")] = 1,
    given: Annotated[
        str | None,
        typer.Option("--with", metavar="GAME", help="The game, where the records name a file: they may not load it."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Step through a recorded game in the terminal."""
    from ludus import face
    from ludus.arena.record import read
    from ludus.terminal.replay import replay as step_through

    records = list(read(file, None if given is None else catalog.make_game(given)))
    if not 1 <= number <= len(records):
        raise LudusError(f"there is no game {number} in {file}; it holds {len(records)}")
    record = records[number - 1]
    if as_json:
        boards = [face.format_position(record.game, pos) for pos in record.positions()]
        typer.echo(json.dumps({"game": catalog.name_of(record.game), "positions": boards, "score": record.score}))
    else:
        step_through(record, _console())


@app.command()
def play(
    game: Annotated[
        str | None, typer.Argument(metavar="GAME", help="As for `check`; without one a menu opens.")
    ] = None,
    against: Annotated[
        str, typer.Option(help="An agent as for `match`, or human for a second person.")
    ] = "smart-random",
    seat: Annotated[PersonSeat, typer.Option(help="Whether you move first or second.")] = PersonSeat.FIRST,
    name: Annotated[str, typer.Option(help="What you are called.")] = "You",
    friend: Annotated[str, typer.Option(help="What the second person is called.")] = "Friend",
    seed: Annotated[int | None, typer.Option(min=0, help="For agents that repeat themselves.")] = None,
) -> None:
    """Play in the terminal against an agent or a second person; without a game, choose from a menu."""
    from ludus.terminal.asking import LeftError
    from ludus.terminal.menu import open_menu
    from ludus.terminal.play import Seat, apart, in_order, sit

    console, draw = _console(), secrets.randbits(32) if seed is None else seed
    try:
        if game is None:
            open_menu(console, draw)
            return
        chosen = catalog.make_game(game)
        you = Seat(name)
        other = apart(you, Seat(friend) if against == "human" else Seat("Computer", catalog.make_agent(against)))
        first, second = (you, other) if seat is PersonSeat.FIRST else (other, you)
        sit(chosen, in_order(chosen, first, second), console, draw)
    except LeftError:
        console.print("\nGoodbye.")


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
