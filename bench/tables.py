"""The results as tables for people."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from bench.contest import GAMES, Entry
from bench.targets import Row

LABELS = {
    "ludus": "Ludus",
    "openspiel": "OpenSpiel, C++ rollouts",
    "openspiel_python": "OpenSpiel from Python",
    "pgx": "pgx on the CPU",
    "ceiling": "C by hand (the ceiling)",
    "one_thread": "Ludus, unpinned",
    "two_threads": "Ludus, two threads",
}
RATIOS = {
    "ceiling": "C / Ludus",
    "two_threads": "two / one",
}


def print_speeds(console: Console, rows: list[Row]) -> None:
    """One row for each contestant at each game."""
    table = Table("game", "contestant", title="Random playouts on one core", title_justify="left")
    for column in ("plies/s", "ratio"):
        table.add_column(column, justify="right")
    for column in ("of", "target", "met", "note"):
        table.add_column(column, overflow="fold")
    for game in GAMES:
        for row in (row for row in rows if row.game == game):
            table.add_row(*speed_cells(row))
        table.add_section()
    console.print(table)


def speed_cells(row: Row) -> list[str]:
    """The cells of a row."""
    label = LABELS[row.contestant]
    if row.plies_per_second is None:
        return [row.game, label, "missing", "", "", "", "", row.note]
    speed = f"{row.plies_per_second / 1e6:,.2f} M"
    if row.ratio is None:
        return [row.game, label, speed, "", "", "", "", row.note]
    met = "[green]met[/]" if row.met else "[red]not met[/]"
    of = RATIOS.get(row.contestant, "Ludus / this")
    return [row.game, label, speed, f"{row.ratio:,.2f}x", of, row.target or "", met, row.note]


def print_samples(console: Console, entries: dict[tuple[str, str], Entry]) -> None:
    """What random games look like with each contestant: where the rules are the same, the numbers are."""
    table = Table("game", "contestant", title="Do they play by the same rules?", title_justify="left")
    for column in ("games", "plies a game", "first wins", "second wins", "ties"):
        table.add_column(column, justify="right")
    for game in GAMES:
        for name in ("ludus", "openspiel", "pgx"):
            if entries[game, name].sample:
                table.add_row(*sample_cells(entries[game, name]))
        table.add_section()
    console.print(table)


def sample_cells(entry: Entry) -> list[str]:
    """The cells of a row."""
    sample = entry.sample
    shares = (sample.first_wins, sample.second_wins, sample.ties)
    return [
        entry.game,
        LABELS[entry.contestant],
        f"{sample.games:,}",
        f"{sample.plies / sample.games:.2f}",
        *(f"{share / sample.games:.1%}" for share in shares),
    ]
