"""Commands that know the truth: solve, grade, prove, book."""

from __future__ import annotations

import enum
import hashlib
import json
import os
import re
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from ludus import catalog, face
from ludus.agents.asking import ended_after
from ludus.commands.options import AGENT, FromPosition, GameName, Json, Vouch, example, screen, without_memory
from ludus.errors import LudusError
from ludus.proving.certificate import CHECKER, Certificate, prove, prove_agent, written_for_checker
from ludus.proving.strategy import Strategy
from ludus.solving.solver import solve
from ludus.solving.value import Value

app = typer.Typer()


class ProofSeat(enum.Enum):
    """Whose strategy is proved."""

    FIRST = "first"
    SECOND = "second"
    BOTH = "both"


@app.command("prove", epilog=example("prove tapnswap --out tapnswap.proof.json.gz"))
def prove_command(
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
        Path | None, typer.Option(help="The file to write; .gz compresses it.", show_default="one named after the game")
    ] = None,
    as_json: Json = False,
) -> None:
    """Prove a result: write a strategy to a file, and tell the command that checks it against the rules.

    What checks is a short program of its own, that needs nothing but Python and the file of the game.
    """
    from ludus import face
    from ludus.proving.certificate import write

    if out is not None:
        refuse_if_unwritable(out)
    chosen = catalog.make_game(game)
    start = chosen.start() if begin is None else face.parse_position(chosen, begin)
    if agent is not None:
        certificate = proved_of_agent(chosen, start, without_memory(agent, vouch), seat or ProofSeat.FIRST)
    elif vouch:
        raise LudusError("--vouch is for an outside program: name it with --agent")
    else:
        certificate = demonstrate(chosen, start, screen(stderr=True), seat and players_at(seat, chosen, start))
    path = out or default_path(certificate)
    write(certificate, path)
    if as_json:
        typer.echo(json.dumps(to_json(certificate, path), indent=2))
    else:
        screen().print(as_text(certificate, path), markup=False, highlight=False, soft_wrap=True)


def proved_of_agent(game: Any, start: Any, agent: Any, seat: ProofSeat) -> Any:
    """The certificate of what an agent makes sure of in a seat."""
    if seat is ProofSeat.BOTH:
        raise LudusError("an agent has one seat: say --seat first or --seat second")
    (player,) = players_at(seat, game, start)
    return demonstrate_agent(game, start, screen(stderr=True), agent, player)


def players_at(seat: ProofSeat, game: Any, start: Any) -> tuple[int, ...]:
    """The players who sit there: first is who moves first from the position."""
    from ludus.game import first_player

    first = first_player(game, start)
    return {ProofSeat.FIRST: (first,), ProofSeat.SECOND: (1 - first,), ProofSeat.BOTH: (0, 1)}[seat]


SURE = {"win": "a win", "draw": "a draw", "loss": "no more than a loss"}


def demonstrate(game: Any, start: Any, console: Console, players: Iterable[int] | None = None) -> Certificate:
    """Solve a game from a position on, by default its start, and prove who wins, or what these players make sure of."""
    with console.status("solving") as status:
        truth = solve(game, start, progress=lambda stage, done, total: status.update(f"{stage}: {done:,}"))
        return prove(truth, players=players, progress=lambda done: status.update(f"proving: {done:,} positions"))


def demonstrate_agent(game: Any, start: Any, console: Console, agent: Any, player: int) -> Certificate:
    """Prove what an agent makes sure of in a player's seat."""
    with console.status("proving") as status, ended_after(agent):
        return prove_agent(
            game, agent, player, start, progress=lambda done: status.update(f"proving: {done:,} positions")
        )


def refuse_if_unwritable(path: Path) -> None:
    """Raise LudusError where no file of this name can be written, so that no work is done in vain."""
    if path.is_dir():
        raise LudusError(f"{path} cannot be written: it is a folder")
    if not path.parent.is_dir():
        raise LudusError(f"{path} cannot be written: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise LudusError(f"{path} cannot be written: the folder {path.parent} does not permit it")


def default_path(certificate: Certificate) -> Path:
    """A file in the working directory, named after the game, and the agent and its side if there is one.

    A position that is not the game's start has a part in it by the digest of its fields.
    """
    game, start = certificate.game, certificate.start
    written = [catalog.name_of(game)]
    if start != game.start():
        written.append(hashlib.sha256(repr([int(field) for field in start]).encode()).hexdigest()[:8])
    if certificate.agent:
        written += [certificate.agent, face.players(game)[certificate.strategies[0].player]]
    return Path("-".join(re.findall(r"[\w-]+", " ".join(written))) + ".proof.json")


def check_command(certificate: Certificate, path: Path) -> str:
    """What to type in this directory to check the file."""
    return shlex.join([_near(sys.executable), _near(CHECKER), str(path), written_for_checker(certificate.game)])


def _near(path: str | Path) -> str:
    """A path as seen from here, where that is shorter."""
    return min(os.path.relpath(path), str(path), key=len)


def to_json(certificate: Certificate, path: Path) -> dict[str, Any]:
    """The document that `ludus prove --json` prints."""
    return {
        "game": catalog.name_of(certificate.game),
        "from": face.format_position(certificate.game, certificate.start),
        "agent": certificate.agent,
        "claims": [
            {
                "player": strategy.player,
                "result": result(strategy),
                "at_least": strategy.at_least,
                "answers": len(strategy.answers),
                "positions": strategy.positions,
            }
            for strategy in certificate.strategies
        ],
        "file": str(path),
        "check": check_command(certificate, path),
    }


def result(strategy: Strategy) -> str:
    """What a strategy makes sure of: win, draw or loss for its player."""
    return Value(strategy.at_least).outcome(0)


def as_text(certificate: Certificate, path: Path) -> str:
    """The same for people."""
    game, start = certificate.game, certificate.start
    where = "" if start == game.start() else f" from {face.format_position(game, start)}"
    claims = [f"  {_claim(certificate, strategy)}" for strategy in certificate.strategies]
    command = check_command(certificate, path)
    return "\n".join(
        [
            f"{catalog.name_of(game)}{where}, whatever the other side does:",
            *claims,
            f"written to {path}; check it with",
            f"  {command}",
        ]
    )


def _claim(certificate: Certificate, strategy: Strategy) -> str:
    who = face.players(certificate.game)[strategy.player]
    by = f", played by {certificate.agent}," if certificate.agent else ""
    counts = f"{len(strategy.answers):,} answers, {strategy.positions:,} positions"
    return f"{who}{by} can be sure of {SURE[result(strategy)]} (score at least {strategy.at_least}): {counts}"
