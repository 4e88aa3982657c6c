"""`ludus prove`: a strategy in a file, and the command that checks it against the rules."""

from __future__ import annotations

import enum
import hashlib
import os
import re
import shlex
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from ludus import catalog, face
from ludus.agents.policies import ended_after
from ludus.commands.options import (
    AGENT,
    FromPosition,
    GameName,
    Json,
    Vouch,
    example,
    require_writable,
    screen,
    show,
    without_memory,
)
from ludus.commands.progress import stages
from ludus.errors import LudusError
from ludus.game import first_player
from ludus.proving.certificate import CHECKER, Certificate, Strategy, prove, prove_agent, write, written_for_checker
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
            metavar="AGENT", help=f"Prove the guaranteed result of this agent: {AGENT}.", show_default="perfect play"
        ),
    ] = None,
    seat: Annotated[
        ProofSeat | None,
        typer.Option(
            help="Whose strategy: the first player's, the second's, or both; an agent has one seat.",
            show_default="the winner, or both in a draw; first for an agent",
        ),
    ] = None,
    vouch: Vouch = False,
    position: FromPosition = None,
    out: Annotated[
        Path | None, typer.Option(help="The file to write; .gz compresses it.", show_default="one named after the game")
    ] = None,
    as_json: Json = False,
) -> None:
    """Prove a result: write a strategy to a file, and print the command that checks it against the rules.

    The checker is a short program of its own that needs nothing but Python and the file of the game.
    """
    require_writable(out)
    chosen = catalog.make_game(game)
    start = chosen.start() if position is None else face.parse_position(chosen, position)
    if agent is not None:
        certificate = proved_of_agent(chosen, start, without_memory(agent, vouch), seat or ProofSeat.FIRST)
    elif vouch:
        raise LudusError("--vouch is for an outside program: name it with --agent")
    else:
        certificate = proved(chosen, start, seat and players_at(seat, chosen, start))
    path = out or default_path(certificate)
    write(certificate, path)
    show(to_json(certificate, path) if as_json else as_text(certificate, path))


def proved(game: Any, start: Any, players: Iterable[int] | None = None) -> Certificate:
    """Solve a game from a position, and prove who wins, or what these players can guarantee."""
    with stages(screen(stderr=True)) as on_progress:
        truth = solve(game, start, progress=on_progress)
        return prove(truth, players=players, progress=partial(on_progress, "proving"))


def proved_of_agent(game: Any, start: Any, agent: Any, seat: ProofSeat) -> Certificate:
    """Prove the guaranteed result of an agent in a seat."""
    if seat is ProofSeat.BOTH:
        raise LudusError("an agent has one seat: say --seat first or --seat second")
    (player,) = players_at(seat, game, start)
    with stages(screen(stderr=True)) as on_progress, ended_after(agent):
        return prove_agent(game, agent, player, start, progress=partial(on_progress, "proving"))


def players_at(seat: ProofSeat, game: Any, start: Any) -> tuple[int, ...]:
    """The players in a seat: first is the side to move in the position."""
    first = first_player(game, start)
    return {ProofSeat.FIRST: (first,), ProofSeat.SECOND: (1 - first,), ProofSeat.BOTH: (0, 1)}[seat]


GUARANTEED = {"win": "a win", "draw": "a draw", "loss": "no more than a loss"}


def default_path(certificate: Certificate) -> Path:
    """A file here named after the game, a digest of another position than its start, and an agent with its side."""
    game, start = certificate.game, certificate.start
    written = [catalog.name_of(game)]
    if start != game.start():
        written.append(hashlib.sha256(repr([int(field) for field in start]).encode()).hexdigest()[:8])
    if certificate.agent:
        written += [certificate.agent, face.players(game)[certificate.strategies[0].player]]
    return Path("-".join(re.findall(r"[\w-]+", " ".join(written))) + ".proof.json")


def check_command(certificate: Certificate, path: Path) -> str:
    """The command that checks the file, to be run in this directory."""
    return shlex.join([_near(sys.executable), _near(CHECKER), str(path), written_for_checker(certificate.game)])


def _near(path: str | Path) -> str:
    """A path relative to this directory, where that is shorter."""
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
    """The guaranteed result of a strategy: win, draw or loss for its player."""
    return Value(strategy.at_least).outcome(0)


def as_text(certificate: Certificate, path: Path) -> str:
    """The claims, the file, and the command that checks it."""
    game, start = certificate.game, certificate.start
    where = "" if start == game.start() else f" from {face.format_position(game, start)}"
    by, claims = f", played by {certificate.agent}," if certificate.agent else "", []
    for strategy in certificate.strategies:
        guaranteed = f"{GUARANTEED[result(strategy)]} (score at least {strategy.at_least})"
        counts = f"{len(strategy.answers):,} answers, {strategy.positions:,} positions"
        claims.append(f"  {face.players(game)[strategy.player]}{by} can guarantee {guaranteed}: {counts}")
    head = f"{catalog.name_of(game)}{where}, whatever the other side does:"
    return "\n".join([head, *claims, f"written to {path}; check it with", f"  {check_command(certificate, path)}"])
