"""`ludus crib`: the few positions to know by heart to hold a result."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent
from typing import Annotated, Any

import typer

from ludus import catalog, face
from ludus.agents.policies import ended_after
from ludus.commands.options import (
    AGENT,
    GameName,
    Json,
    SeatName,
    Vouch,
    example,
    finite,
    require_writable,
    screen,
    show,
    without_memory,
)
from ludus.commands.progress import stages
from ludus.errors import LudusError
from ludus.files import write_whole
from ludus.game import first_player
from ludus.puzzles.crib_sheets import Entry, Sheet, crib

app = typer.Typer()


@app.command("crib", epilog=example("crib tapnswap --boards --out tapnswap.txt"))
def crib_command(
    game: GameName,
    seat: Annotated[
        SeatName | None, typer.Option(help="The seat to play from.", show_default="the winner; first in a draw")
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(
            metavar="AGENT", help=f"Describe the play of this agent: {AGENT}.", show_default="the smallest sheet"
        ),
    ] = None,
    vouch: Vouch = False,
    boards: Annotated[bool, typer.Option("--boards", help="Show the board of each position.")] = False,
    seconds: Annotated[
        float,
        typer.Option(
            min=0, callback=finite, help="Search this long for the smallest sheet, then as long for a greedy one."
        ),
    ] = 60.0,
    out: Annotated[Path | None, typer.Option(help="Write the sheet to this file, as text.")] = None,
    as_json: Json = False,
) -> None:
    """Print the positions to know by heart to hold the result in one seat, each with its action."""
    require_writable(out)
    if vouch and agent is None:
        raise LudusError("--vouch is for an outside program: name it with --agent")
    made = None if agent is None else without_memory(agent, vouch)
    with stages(screen(stderr=True)) as on_progress, ended_after(made):
        sheet = crib(catalog.make_game(game), seat and seat.value, made, seconds=seconds, progress=on_progress)
    text = as_text(sheet, boards=boards)
    if out is not None:
        write_whole(out, [text.encode()])
    written = text.rstrip("\n") if out is None else f"{headline(sheet)}\nwritten to {out}"
    show(to_json(sheet) if as_json else written)


def to_json(sheet: Sheet) -> dict[str, Any]:
    """The document that `ludus crib --json` prints."""
    game = sheet.game
    entries = [
        {
            "position": face.format_position(game, entry.position),
            "ply": entry.ply,
            "actions": list(entry.actions),
            "names": _names(game, entry),
            "holding": entry.holding,
            "legal": entry.legal,
        }
        for entry in sheet.entries
    ]
    return {
        "game": catalog.name_of(game),
        "seat": "first" if sheet.player == first_player(game) else "second",
        **{name: getattr(sheet, name) for name in ("player", "result", "agent", "method")},
        "size": len(entries),
        **{name: getattr(sheet, name) for name in ("at_least", "symmetric", "positions")},
        "entries": entries,
    }


def as_text(sheet: Sheet, *, boards: bool = False) -> str:
    """A line for each position, or its board."""
    if not sheet.entries:
        return f"{headline(sheet)}\n"
    scope = "An entry holds for its own position only: the agent is not symmetric. In others any action will do."
    if sheet.symmetric:
        scope = (
            "An entry holds for all positions that are equal to it up to symmetry; in all others any action will do."
        )
    return "\n".join([headline(sheet), scope, "", *(_boards(sheet) if boards else _table(sheet))]) + "\n"


def headline(sheet: Sheet) -> str:
    """The guaranteed result, the size of the sheet, and whether it is the smallest."""
    size = len(sheet.entries)
    known = f"{size:,} position{'s' * (size != 1)}" if size else "nothing: anything will do"
    by = f", playing like {sheet.agent}," if sheet.agent else ""
    who = f"{catalog.name_of(sheet.game)}: {face.players(sheet.game)[sheet.player]}{by}"
    return f"{who} can guarantee a {sheet.result} by knowing {known}{_quality(sheet)}"


def _quality(sheet: Sheet) -> str:
    if sheet.agent or not sheet.entries:
        return ""
    if sheet.method == "exact":
        return ", the fewest possible"
    found = "chosen greedily" if sheet.method == "greedy" else "the best found in time"
    bound = f"no fewer than {sheet.at_least:,} would do" if sheet.at_least else "fewer may do"
    return f", {found}; {bound}"


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
