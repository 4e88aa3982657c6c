"""`ludus games`: all games with their parameters and known results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from ludus import catalog
from ludus.commands.options import Json, example, show
from ludus.parameters import describe

if TYPE_CHECKING:
    from rich.table import Table

app = typer.Typer()


@app.command(epilog=example("games --json"))
def games(as_json: Json = False) -> None:
    """List the games with their parameters, numbers of positions and known results."""
    show(entries() if as_json else table())


def entries() -> list[dict[str, Any]]:
    """Every game: name, description, parameters, positions (None if not known), known results."""
    return [
        {
            "name": name,
            "about": catalog.about(cls),
            "parameters": describe(cls),
            "positions": getattr(cls, "reachable", None),
            "known": getattr(cls, "known", ""),
        }
        for name, cls in catalog.games().items()
    ]


def table() -> Table:
    """The list for a terminal of any width."""
    from rich.markup import escape
    from rich.table import Table

    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True, style="cyan")
    grid.add_column()
    for entry in entries():
        size = f"{entry['positions']:,} positions" if entry["positions"] else "too many positions to enumerate"
        facts = f"{size}; {entry['known']}" if entry["known"] else size
        lines = [escape(entry["about"]), f"[dim]{escape(facts)}[/]"]
        if entry["parameters"]:
            lines.insert(1, f"[green]{escape(', '.join(entry['parameters']))}[/]")
        grid.add_row(entry["name"], "\n".join(lines))
    return grid
