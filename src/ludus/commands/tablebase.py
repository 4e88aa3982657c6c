"""`ludus tablebase`: the tablebases that are kept for the user, listed, verified and removed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from rich.table import Table

from ludus import catalog, face
from ludus.commands.options import GameName, Json, example, screen, show
from ludus.commands.progress import stages
from ludus.errors import LudusError
from ludus.solving.forecast import in_bytes
from ludus.solving.tablebases.tablebase import NotCompleteError, Tablebase, kept_folders, remove
from ludus.solving.tablebases.verification import verify

app = typer.Typer()


class Entry(NamedTuple):
    """A tablebase of a game; None where it is not complete."""

    folder: Path
    bytes: int
    tablebase: Tablebase | None
    checked: int | None = None  # positions whose values follow from their successors


@app.command(epilog=example("tablebase dobutsu-shogi --verify --sample 1000000"))
def tablebase(
    game: GameName,
    folder: Annotated[
        Path | None, typer.Option(help="The tablebase in this folder instead of those kept for you.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--verify", help="Check every value against its successors, by other code.")
    ] = False,
    sample: Annotated[
        int | None, typer.Option(min=1, max=10**12, help="Check about so many positions instead of all.")
    ] = None,
    drop: Annotated[bool, typer.Option("--remove", help="Remove the tablebases listed.")] = False,
    as_json: Json = False,
) -> None:
    """List the tablebases of a game, verify or remove them; `ludus solve GAME --method tablebase` makes one."""
    chosen = catalog.make_game(game)
    folders = kept_folders(chosen) if folder is None else [folder]
    entries = [_entry(chosen, path, damaged_too=drop) for path in folders]
    if check or sample is not None:
        entries = [_verified(entry, sample) for entry in entries]
    found = [_to_json(entry) for entry in entries] if as_json else _as_table(chosen, entries, removed=drop)
    if drop:
        for entry in entries:
            remove(entry.folder)
    show(found)


def _entry(game: Any, folder: Path, *, damaged_too: bool) -> Entry:
    if not folder.is_dir():
        raise LudusError(f"{folder} is no folder with a tablebase")
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    try:
        return Entry(folder, size, Tablebase(game, folder))
    except NotCompleteError:
        return Entry(folder, size, None)
    except LudusError:
        if not damaged_too:
            raise
        return Entry(folder, size, None)


def _verified(entry: Entry, sample: int | None) -> Entry:
    if entry.tablebase is None:
        return entry
    total = len(entry.tablebase) if sample is None else min(sample, len(entry.tablebase))
    with stages(screen(stderr=True)) as on_progress:
        checked = verify(
            entry.tablebase, sample, progress=lambda done: on_progress("verifying", min(done, total), total)
        )
    return entry._replace(checked=checked)


def _to_json(entry: Entry) -> dict[str, Any]:
    found = entry.tablebase
    return {
        "folder": str(entry.folder),
        "bytes": entry.bytes,
        "complete": found is not None,
        "from": found and face.format_position(found.game, found.start),
        "symmetry": found and found.symmetric,
        "tiers": found and len(found.numbers),
        **(found.counts()._asdict() if found else {}),
        "checked": entry.checked,
    }


def _as_table(game: Any, entries: list[Entry], *, removed: bool) -> Table | str:
    name = catalog.name_of(game)
    if not entries:
        return f"{name} has no tablebase; ludus solve '{name}' --method tablebase makes one"
    table = Table("from", "positions", "tiers", "size", "bytes a position", "checked", "folder")
    for entry in entries:
        found, size = entry.tablebase, in_bytes(entry.bytes)
        if found is None:
            table.add_row("", "not complete", "", size, "", "", str(entry.folder))
            continue
        start = "the start" if found.start == game.start() else face.format_position(game, found.start)
        each, checked = f"{entry.bytes / len(found):.2f}", "" if entry.checked is None else f"{entry.checked:,}"
        table.add_row(start, f"{len(found):,}", f"{len(found.numbers)}", size, each, checked, str(entry.folder))
    if removed:
        table.title = "removed"
    return table
