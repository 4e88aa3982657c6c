"""Commands that know the truth: solve, grade, prove, book."""

from __future__ import annotations

import enum
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from ludus import catalog
from ludus.cli.options import AGENT, GAME, AgentName, FromPosition, GameName, Json, On, app, example, screen
from ludus.errors import LudusError

Vouch = Annotated[
    bool, typer.Option("--vouch", help="Your word that an outside program always answers a position alike.")
]


def without_memory(agent: str, vouch: bool) -> Any:
    """The agent of this name; for an outside program the user must vouch."""
    from ludus.agents.program import Program

    made = catalog.make_agent(agent)
    if isinstance(made, Program):
        if not vouch:
            raise LudusError(f"{agent} may remember earlier moves; say --vouch if it does not remember")
        made.has_memory = False
    return made


class SolveMethod(enum.Enum):
    """How to solve."""

    AUTO = "auto"
    LISTED = "listed"
    SEARCH = "search"


@app.command(epilog=example("solve tic-tac-toe --from XX./OO./... --verify"))
def solve(
    game: GameName,
    begin: FromPosition = None,
    method: Annotated[
        SolveMethod, typer.Option(help="List all positions, or search; by default what the size of the game asks for.")
    ] = SolveMethod.AUTO,
    symmetry: Annotated[
        bool, typer.Option("--symmetry", help="List one position for all that are alike up to symmetry.")
    ] = False,
    memory: Annotated[
        float | None,
        typer.Option(
            min=0.01,
            max=1e6,
            help="Use at most so many GB; the table of a search takes the largest power of two of bytes that fits.",
            show_default="70 % of what is free, 1.07 for a search",
        ),
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Check every value against its successors, by other code.")
    ] = False,
    save: Annotated[Path | None, typer.Option(help="Keep the solution in this file.")] = None,
    load: Annotated[Path | None, typer.Option(help="Read it from such a file instead of solving.")] = None,
    as_json: Json = False,
) -> None:
    """Solve a game exactly: who wins from here with perfect play, how soon, and what each action is worth."""
    from ludus import face
    from ludus.terminal import solutions

    chosen = catalog.make_game(game)
    pos = None if begin is None else face.parse_position(chosen, begin)
    console = screen(stderr=True)
    if load is not None:
        if symmetry or method is not SolveMethod.AUTO or memory is not None:
            raise LudusError("--load reads what is there: --symmetry, --method and --memory are for solving")
        report = solutions.report_loaded(chosen, pos, console, load, checked=verify, saved=save)
    else:
        report = solutions.report(
            chosen,
            pos,
            console,
            method=method.value,
            symmetric=symmetry,
            memory=None if memory is None else int(memory * 1e9),
            checked=verify,
            saved=save,
        )
    if as_json:
        typer.echo(json.dumps(solutions.as_json(report), indent=2))
    else:
        screen().print(solutions.as_text(report))


@app.command(epilog=example("grade 'mcts(sims=100)' tic-tac-toe"))
def grade(
    agent: AgentName,
    game: Annotated[str | None, typer.Argument(metavar="GAME", help=f"{GAME}; a run knows its own.")] = None,
    positions: Annotated[
        int, typer.Option(min=1, help="Where the game is too large to list: so many positions of its play.")
    ] = 100,
    mistakes: Annotated[int, typer.Option(min=0, help="How many of its worst mistakes to show.")] = 5,
    vouch: Vouch = False,
    seed: Annotated[
        int, typer.Option(min=0, help="Of the sample, where the game is too large to list; else it changes nothing.")
    ] = 0,
    on: On = "local",
    as_json: Json = False,
) -> None:
    """Measure an agent against the truth: its share of optimal decisions, its blunders, and what it is sure of."""
    from ludus.terminal import grades

    graded = without_memory(agent, vouch)
    chosen = _own_game(graded, agent) if game is None else catalog.make_game(game)
    console = screen(stderr=True)
    result = grades.measure(graded, chosen, console, positions=positions, mistakes=mistakes, seed=seed, on=on)
    if as_json:
        typer.echo(json.dumps(grades.as_json(graded, chosen, result), indent=2))
    else:
        screen().print(grades.as_report(graded, chosen, result))


def _own_game(agent: Any, name: str) -> Any:
    """The game that an agent was trained on."""
    from ludus.learning.runs import Trained

    if not isinstance(agent, Trained):
        raise LudusError(f"say which game {name} is to be graded on: ludus grade {name} tic-tac-toe")
    return agent.run.game


class ProofSeat(enum.Enum):
    """Whose strategy is proved."""

    FIRST = "first"
    SECOND = "second"
    BOTH = "both"


@app.command(epilog=example("prove tapnswap --out tapnswap.proof.json.gz"))
def prove(
    game: GameName,
    agent: Annotated[
        str | None,
        typer.Option(
            metavar="AGENT", help=f"Prove what this agent makes sure of: {AGENT}.", show_default="perfect play"
        ),
    ] = None,
    seat: Annotated[
        ProofSeat | None,
        typer.Option(
            help="Whose strategy: of who moves first, of the other, or of both; an agent has one seat.",
            show_default="who wins, or both in a draw; first for an agent",
        ),
    ] = None,
    vouch: Vouch = False,
    begin: FromPosition = None,
    out: Annotated[
        Path | None,
        typer.Option(help="The file to write; .gz compresses it.", show_default="one named after the game"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Prove a result: write a strategy to a file, and tell the command that checks it against the rules.

    What checks is a short program of its own, that needs nothing but Python and the file of the game.
    """
    from ludus import face
    from ludus.proving.certificate import write
    from ludus.terminal import proofs

    if out is not None:
        proofs.refuse_if_unwritable(out)
    chosen = catalog.make_game(game)
    start = chosen.start() if begin is None else face.parse_position(chosen, begin)
    if agent is not None:
        certificate = proved_of_agent(chosen, start, without_memory(agent, vouch), seat or ProofSeat.FIRST)
    elif vouch:
        raise LudusError("--vouch is for an outside program: name it with --agent")
    else:
        certificate = proofs.demonstrate(chosen, start, screen(stderr=True), seat and players_at(seat, chosen, start))
    path = out or proofs.default_path(certificate)
    write(certificate, path)
    if as_json:
        typer.echo(json.dumps(proofs.as_json(certificate, path), indent=2))
    else:
        screen().print(proofs.as_text(certificate, path), markup=False, highlight=False, soft_wrap=True)


def proved_of_agent(game: Any, start: Any, agent: Any, seat: ProofSeat) -> Any:
    """The certificate of what an agent makes sure of in a seat."""
    from ludus.terminal import proofs

    if seat is ProofSeat.BOTH:
        raise LudusError("an agent has one seat: say --seat first or --seat second")
    (player,) = players_at(seat, game, start)
    return proofs.demonstrate_agent(game, start, screen(stderr=True), agent, player)


def players_at(seat: ProofSeat, game: Any, start: Any) -> tuple[int, ...]:
    """The players who sit there: first is who moves first from the position."""
    from ludus.game import first_player

    first = first_player(game, start)
    return {ProofSeat.FIRST: (first,), ProofSeat.SECOND: (1 - first,), ProofSeat.BOTH: (0, 1)}[seat]


@app.command(epilog=example("book connect-four --plies 2"))
def book(
    game: GameName,
    plies: Annotated[int, typer.Option(min=0, help="How deep it goes; each ply more takes several times as long.")] = 2,
    memory: Annotated[
        float,
        typer.Option(
            min=0.01,
            max=1e6,
            help="Use at most so many GB; the table of the search takes the largest power of two of bytes that fits.",
        ),
    ] = 2.2,
    as_json: Json = False,
) -> None:
    """Work out the opening book of a game that is too large to list; stopped, it goes on where it was."""
    from ludus.terminal import books

    chosen = catalog.make_game(game)
    written = books.compile_book(chosen, plies, int(memory * 1e9), screen(stderr=True))
    if as_json:
        typer.echo(json.dumps(books.as_json(chosen, written), indent=2))
    else:
        screen().print(books.as_text(chosen, written), markup=False, highlight=False, soft_wrap=True)
