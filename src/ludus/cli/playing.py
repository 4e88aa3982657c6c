"""Commands that play: play, match, replay, puzzle."""

from __future__ import annotations

import json
import secrets
import sys
from pathlib import Path
from typing import Annotated

import typer

from ludus import catalog
from ludus.arena.seats import Seats
from ludus.cli.options import (
    AGENT,
    GAME,
    INTERRUPTED,
    AgentOrHuman,
    GameName,
    Json,
    On,
    SeatName,
    Seed,
    app,
    example,
    screen,
)
from ludus.errors import LudusError


@app.command(epilog=example("play tic-tac-toe --against perfect --hints"))
def play(
    game: Annotated[str | None, typer.Argument(metavar="GAME", help=f"{GAME}; without one a menu opens.")] = None,
    against: Annotated[
        str, typer.Option(metavar="AGENT", help=f"{AGENT}; or [cyan]human[/], a second person.")
    ] = "smart-random",
    seat: Annotated[SeatName, typer.Option(help="Whether you move first or second.")] = SeatName.FIRST,
    hints: Annotated[
        bool, typer.Option("--hints", help="Show what each action is worth, by the truth about the game.")
    ] = False,
    thoughts: Annotated[
        bool, typer.Option("--thoughts", help="Show what the agent thought each of its actions was worth.")
    ] = False,
    name: Annotated[str, typer.Option(help="What you are called.")] = "You",
    friend: Annotated[str, typer.Option(help="What the second person is called.")] = "Friend",
    seed: Annotated[int | None, typer.Option(min=0, help="For agents that repeat themselves.")] = None,
) -> None:
    """Play in the terminal against an agent or a second person; without a game, choose from a menu."""
    from ludus.terminal.asking import LeftError
    from ludus.terminal.menu import open_menu
    from ludus.terminal.play import Seat, Shown, apart, in_order, sit

    console, draw = screen(), secrets.randbits(32) if seed is None else seed
    try:
        if game is None:
            open_menu(console, draw, Shown(hints, thoughts))
            return
        chosen = catalog.make_game(game)
        you = Seat(name)
        other = apart(you, Seat(friend) if against == "human" else Seat("Computer", catalog.make_agent(against)))
        first, second = (you, other) if seat is SeatName.FIRST else (other, you)
        sit(chosen, in_order(chosen, first, second), console, draw, Shown(hints, thoughts))
    except LeftError:
        console.print("\nGoodbye.")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)  # who plays knows what was pressed


@app.command(epilog=example("match connect-four 'mcts(sims=200)' smart-random --games 100"))
def match(
    game: GameName,
    a: AgentOrHuman,
    b: AgentOrHuman,
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
    on: On = "local",
    as_json: Json = False,
) -> None:
    """Let two agents play many games, and count who wins, from which seat, and how surely."""
    from ludus.terminal import matches

    chosen = catalog.make_game(game)
    agents = catalog.make_agent(a), catalog.make_agent(b)
    settings = {"seats": seats, "alternate_starter": alternate_starter, "cap": cap, "seed": seed}
    play = matches.played_on(on, chosen, agents, (a, b), threads)
    result = matches.hold(chosen, agents, games, record, screen(stderr=True), settings, play)
    if as_json:
        typer.echo(json.dumps(matches.as_json(chosen, agents, result), indent=2))
    else:
        screen().print(matches.as_table(chosen, agents, result))


@app.command(epilog=example("replay games.jsonl --game 3"))
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
        step_through(record, screen())


@app.command(epilog=example("puzzle tic-tac-toe --count 5"))
def puzzle(
    game: GameName,
    count: Annotated[int, typer.Option(min=1, help="How many puzzles.")] = 10,
    seed: Seed = 0,
    show: Annotated[bool, typer.Option("--show", help="List them with their solutions instead of asking.")] = False,
    as_json: Json = False,
) -> None:
    """Solve puzzles: positions in which exactly one action keeps the win, from easy to hard."""
    from ludus.terminal import puzzles

    chosen = catalog.make_game(game)
    found = puzzles.collect(chosen, count, seed, screen(stderr=True))
    if as_json:
        typer.echo(json.dumps(puzzles.as_json(chosen, found, seed), indent=2))
    elif show or not found or not sys.stdin.isatty():
        puzzles.show(chosen, found, screen())
    else:
        puzzles.pose(chosen, found, screen())
