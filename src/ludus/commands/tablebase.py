"""`ludus tablebase`: the tablebases and endgame tables that are kept for the user, made, listed, verified, removed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from rich.table import Table

from ludus import catalog, face
from ludus.commands.options import GameName, Json, example, screen, show
from ludus.commands.progress import stages
from ludus.errors import LudusError
from ludus.game import gives_endgames
from ludus.solving import endgame_verification
from ludus.solving.endgame_files import EndgameFiles
from ludus.solving.endgame_tables import require_room, size_of, tabulate
from ludus.solving.endgames import LARGEST
from ludus.solving.forecast import in_bytes
from ludus.solving.tablebases.tablebase import NotCompleteError, Tablebase, kept_folders, remove
from ludus.solving.tablebases.tabulation import limits_of
from ludus.solving.tablebases.verification import verify

app = typer.Typer()


class Entry(NamedTuple):
    """A tablebase of a game; None where it is not complete."""

    folder: Path
    bytes: int
    tablebase: Tablebase | None
    checked: int | None = None  # positions whose values follow from their successors


class EndgameEntry(NamedTuple):
    """The endgame tables of a game, up to `most` in the heaps."""

    game: Any
    files: EndgameFiles
    most: int
    positions: int
    bytes: int
    checked: int | None = None


@app.command(epilog=example("tablebase dobutsu-shogi --verify --sample 1000000"))
def tablebase(
    game: GameName,
    folder: Annotated[
        Path | None, typer.Option(help="The tablebase in this folder instead of those kept for you.")
    ] = None,
    heaps: Annotated[
        int | None,
        typer.Option(
            "--endgames",
            metavar="N",
            min=0,
            max=LARGEST,
            help="Compute all positions with at most N in their heaps, such as [cyan]mancala[/]'s stones.",
        ),
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
    if heaps is not None and (folder is not None or drop):
        raise LudusError("--endgames makes tables that are kept for you: leave out --folder and --remove")
    chosen = catalog.make_game(game)
    if heaps is not None:
        _make_endgames(chosen, heaps)
    folders = kept_folders(chosen) if folder is None else [folder]
    entries = [_entry(chosen, path, damaged_too=drop) for path in folders]
    endgames = _endgames(chosen) if folder is None else []
    if check or sample is not None:
        entries = [_verified(entry, sample) for entry in entries]
        endgames = [_verified_endgames(entry, sample) for entry in endgames]
    if as_json:
        shown: Any = [*map(_to_json, entries), *map(_endgames_to_json, endgames)]
    else:
        shown = _as_table(chosen, entries, endgames, removed=drop)
    if drop:
        _remove(entries, endgames)
    show(shown)


def _remove(entries: list[Entry], endgames: list[EndgameEntry]) -> None:
    for entry in entries:
        remove(entry.folder)
    for each in endgames:
        each.files.remove()


def _make_endgames(game: Any, most: int) -> None:
    """Computes the endgames up to `most` that are not there, if they fit."""
    size = size_of(game, most)
    screen(stderr=True).print(f"{catalog.name_of(game)}: {size}", style="dim")
    require_room(size, limits_of(None, None, EndgameFiles(game).folder))
    with stages(screen(stderr=True)) as on_progress:
        tabulate(game, most, progress=lambda done: on_progress("computing endgames", done, size.positions))


def _endgames(game: Any) -> list[EndgameEntry]:
    """The endgame tables of a game; none if it has none."""
    files = EndgameFiles(game)
    if not files.folder_is_there:
        return []
    return [EndgameEntry(game, files, files.most, size_of(game, files.most).positions, files.bytes)]


def _verified_endgames(entry: EndgameEntry, sample: int | None) -> EndgameEntry:
    require_room(size_of(entry.game, entry.most), limits_of(None, None, entry.files.folder))
    total = entry.positions if sample is None else min(sample, entry.positions)
    with stages(screen(stderr=True)) as on_progress:
        checked = endgame_verification.verify(
            entry.game,
            tabulate(entry.game, entry.most),
            sample,
            progress=lambda done: on_progress("verifying endgames", min(done, total), total),
        )
    return entry._replace(checked=checked)


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


def _endgames_to_json(entry: EndgameEntry) -> dict[str, Any]:
    return {
        "folder": str(entry.files.folder),
        "bytes": entry.bytes,
        "endgames": entry.most,
        "tiers": entry.most + 1,
        "positions": entry.positions,
        "checked": entry.checked,
    }


def _as_table(game: Any, entries: list[Entry], endgames: list[EndgameEntry], *, removed: bool) -> Table | str:
    name = catalog.name_of(game)
    if not entries and not endgames:
        more = f", and ludus tablebase '{name}' --endgames N endgame tables" if gives_endgames(game) else ""
        return f"{name} has no tablebase; ludus solve '{name}' --method tablebase makes one{more}"
    table = Table("from", "positions", "tiers", "size", "bytes a position", "checked", "folder")
    for entry in entries:
        found, size = entry.tablebase, in_bytes(entry.bytes)
        if found is None:
            table.add_row("", "not complete", "", size, "", "", str(entry.folder))
            continue
        start = "the start" if found.start == game.start() else face.format_position(game, found.start)
        cells = f"{len(found):,}", f"{len(found.numbers)}", size, f"{entry.bytes / len(found):.2f}"
        table.add_row(start, *cells, "" if entry.checked is None else f"{entry.checked:,}", str(entry.folder))
    for tables in endgames:
        of_heaps, each = f"at most {tables.most} in the heaps", tables.bytes / max(1, tables.positions)
        cells = f"{tables.positions:,}", f"{tables.most + 1}", in_bytes(tables.bytes), f"{each:.2f}"
        checked = "" if tables.checked is None else f"{tables.checked:,}"
        table.add_row(of_heaps, *cells, checked, str(tables.files.folder))
    if removed:
        table.title = "removed"
    return table
