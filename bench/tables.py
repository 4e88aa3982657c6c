"""The results as tables."""

from __future__ import annotations

from collections.abc import Iterable

from rich import box
from rich.console import Console
from rich.table import Table

from bench.contest import GAMES, SAMPLED, Entry
from bench.player import Sample
from bench.targets import Row

LABELS = {
    "ludus": "Ludus",
    "openspiel": "OpenSpiel, C++ rollouts",
    "openspiel_python": "OpenSpiel from Python",
    "pgx": "pgx on the CPU",
    "pgx_tuned": "pgx, tuned sampler",
    "match": "Ludus, match",
    "openspiel_bots": "OpenSpiel evaluate_bots",
    "c": "C, same steps",
    "c_tuned": "C, tuned",
    "one_thread": "Ludus, one thread",
    "two_threads": "Ludus, two threads",
}
RESULTS = {True: "[green]met[/]", False: "[red]not met[/]", None: ""}


def print_speeds(console: Console, rows: list[Row]) -> None:
    """One row per contestant and game, with notes."""
    cells = {game: [speed_cells(row) for row in rows if row.game == game] for game in GAMES}
    console.print(table("Random playouts", ("plies/s", "ratio", "target", "result"), cells))
    console.print(
        "Ratios: Ludus over its peer; a match over playouts; C over Ludus, with the same tally; two threads over one."
    )
    for row in rows:
        if row.plies_per_second and footnote(row):
            console.print(f"{row.game}, {LABELS[row.contestant]}: {footnote(row)}", highlight=False, soft_wrap=True)
    console.print()


def footnote(row: Row) -> str:
    """What does not fit into the table: a contestant's own note, or how much of two cores the machine gave."""
    return f"got {row.cores:.2f} cores" if row.contestant == "two_threads" else row.note


def speed_cells(row: Row) -> list[str]:
    """The cells of one contestant's row."""
    label = LABELS[row.contestant]
    if row.plies_per_second is None:
        return [label, "", "", "", row.note]
    speed = f"{row.plies_per_second / 1e6:.2f} M"
    if row.ratio is None:
        return [label, speed, "", "", ""]
    return [label, speed, f"{row.ratio:.2f}x", row.target or "", RESULTS[row.met]]


def print_samples(console: Console, entries: dict[tuple[str, str], Entry]) -> None:
    """What random games look like with each contestant: where the rules are the same, the numbers are."""
    cells = {game: list(sample_rows(entries[game, name] for name in SAMPLED)) for game in GAMES}
    columns = ("games", "plies a game", "first wins", "second wins", "ties")
    console.print(table("Do they play by the same rules?", columns, cells))


def sample_rows(entries: Iterable[Entry]) -> Iterable[list[str]]:
    """A row for each contestant that is there."""
    for entry in entries:
        if entry.sample:
            yield [LABELS[entry.contestant], *sample_cells(entry.sample)]


def sample_cells(sample: Sample) -> list[str]:
    """Games, mean length and shares of results."""
    shares = (sample.first_wins, sample.second_wins, sample.ties)
    means = [f"{share / sample.games:.1%}" for share in shares]
    return [f"{sample.games:,}", f"{sample.plies / sample.games:.2f}", *means]


def table(title: str, columns: Iterable[str], cells: dict[str, list[list[str]]]) -> Table:
    """A table with one section for each game."""
    made = Table(box=box.SIMPLE, title=title, title_justify="left")
    made.add_column(no_wrap=True)
    for column in columns:
        made.add_column(column, justify="right")
    for game, rows in cells.items():
        made.add_row(f"[bold]{game}[/]")
        for label, *others in rows:
            made.add_row(f"  {label}", *others)
        made.add_section()
    return made
