"""The command that writes crib sheets: crib."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import indent
from typing import Annotated, Any

import typer
from rich.console import Console

from ludus import catalog, face
from ludus.agents.asking import ended_after
from ludus.commands.options import AGENT, GameName, Json, SeatName, Vouch, example, screen, without_memory
from ludus.errors import LudusError
from ludus.game import first_player
from ludus.puzzles.crib_sheets import Entry, Sheet, crib

app = typer.Typer()


@app.command("crib", epilog=example("crib tapnswap --boards --out tapnswap.txt"))
def crib_command(
    game: GameName,
    seat: Annotated[
        SeatName | None,
        typer.Option(help="For who moves first, or for the other.", show_default="who can win; first where nobody can"),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(
            metavar="AGENT", help=f"Write down how this agent plays: {AGENT}.", show_default="the smallest sheet"
        ),
    ] = None,
    vouch: Vouch = False,
    boards: Annotated[bool, typer.Option("--boards", help="Show the board of each position.")] = False,
    seconds: Annotated[
        float, typer.Option(min=0, help="Look so long for the smallest sheet, then as long for a greedy one.")
    ] = 60.0,
    out: Annotated[Path | None, typer.Option(help="Write the sheet to this file, as text.")] = None,
    as_json: Json = False,
) -> None:
    """Print the positions that you must know by heart to hold the result in one seat, each with what to do there."""
    from ludus.commands import prove as proofs
    from ludus.files import write_whole

    if out is not None:
        proofs.refuse_if_unwritable(out)
    if vouch and agent is None:
        raise LudusError("--vouch is for an outside program: name it with --agent")
    made = None if agent is None else without_memory(agent, vouch)
    sheet = work_out(catalog.make_game(game), seat and seat.value, made, seconds, screen(stderr=True))
    text = as_text(sheet, boards=boards)
    if out is not None:
        write_whole(out, [text.encode()])
    if as_json:
        typer.echo(json.dumps(to_json(sheet), indent=2))
    elif out is not None:
        typer.echo(f"{headline(sheet)}\nwritten to {out}")
    else:
        typer.echo(text, nl=False)


def work_out(game: Any, seat: str | None, agent: Any, seconds: float, console: Console) -> Sheet:
    """The sheet of a seat, or of an agent's play in it, telling what is being done."""
    with console.status("solving") as status, ended_after(agent):
        return crib(game, seat, agent, seconds=seconds, progress=status.update)


def to_json(sheet: Sheet) -> dict[str, Any]:
    """The document that `ludus crib --json` prints."""
    game = sheet.game
    return {
        "game": catalog.name_of(game),
        "seat": "first" if sheet.player == first_player(game) else "second",
        "player": sheet.player,
        "result": sheet.result,
        "agent": sheet.agent,
        "method": sheet.method,
        "size": len(sheet.entries),
        "at_least": sheet.at_least,
        "symmetric": sheet.symmetric,
        "positions": sheet.positions,
        "entries": [
            {
                "position": face.format_position(game, entry.position),
                "ply": entry.ply,
                "actions": list(entry.actions),
                "names": _names(game, entry),
                "holding": entry.holding,
                "legal": entry.legal,
            }
            for entry in sheet.entries
        ],
    }


def as_text(sheet: Sheet, *, boards: bool = False) -> str:
    """The same for people: a line for each position, or its board."""
    if not sheet.entries:
        return f"{headline(sheet)}\n"
    written = _boards(sheet) if boards else _table(sheet)
    return "\n".join([headline(sheet), _scope(sheet), "", *written]) + "\n"


def headline(sheet: Sheet) -> str:
    """What the sheet is good for, its size, and whether it is the smallest."""
    size = len(sheet.entries)
    known = f"{size:,} position{'s' * (size != 1)}" if size else "nothing: anything will do"
    by = f", playing like {sheet.agent}," if sheet.agent else ""
    who = face.players(sheet.game)[sheet.player]
    return (
        f"{catalog.name_of(sheet.game)}: {who}{by} can be sure of a {sheet.result} by knowing {known}{_quality(sheet)}"
    )


def _quality(sheet: Sheet) -> str:
    """How small it is."""
    if sheet.agent or not sheet.entries:
        return ""
    if sheet.method == "exact":
        return ", the fewest possible"
    found = "chosen greedily" if sheet.method == "greedy" else "the best found in time"
    bound = f"no fewer than {sheet.at_least:,} would do" if sheet.at_least else "fewer may do"
    return f", {found}; {bound}"


def _scope(sheet: Sheet) -> str:
    """To which positions the entries apply."""
    if sheet.symmetric:
        return "An entry stands for all positions like it up to symmetry; in all others any action will do."
    return "An entry stands for itself: the agent does not play alike in positions alike. In others any action will do."


def _names(game: Any, entry: Entry) -> list[str]:
    return list(dict.fromkeys(face.action_name(game, entry.position, action) for action in entry.actions))


def _table(sheet: Sheet) -> list[str]:
    rows = [("", "ply", "position", "action", "holding")]
    for number, entry in enumerate(sheet.entries, 1):
        written, names = face.format_position(sheet.game, entry.position), " or ".join(_names(sheet.game, entry))
        rows.append((f"{number}.", str(entry.ply), written, names, f"{entry.holding} of {entry.legal}"))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        f"{row[0]:>{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:{widths[2]}}  {row[3]:{widths[3]}}  {row[4]}"
        for row in rows
    ]


def _boards(sheet: Sheet) -> list[str]:
    lines = []
    for number, entry in enumerate(sheet.entries, 1):
        pos = entry.position
        plies = f"after {entry.ply} {'ply' if entry.ply == 1 else 'plies'}"
        names = " or ".join(_names(sheet.game, entry))
        lines += [f"{number}. {plies}: {face.format_position(sheet.game, pos)}", ""]
        lines += [indent(face.board(sheet.game, pos), "   "), ""]
        lines += [f"   {names}  ({entry.holding} of {entry.legal} actions hold)", ""]
    return lines[:-1]
