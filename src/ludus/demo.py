"""A tour of Ludus: every game explored and played at random."""

from __future__ import annotations

import json
import time
from typing import Any, NamedTuple

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from ludus import catalog, listing
from ludus.playout import Tally, playouts
from ludus.solving.explore import Explored, explore

_MOST_POSITIONS = 1_000_000


class Stop(NamedTuple):
    """What the tour saw of one game; plies_per_second leaves out compiling."""

    name: str
    explored: Explored
    tally: Tally
    plies_per_second: float


def tour(games: int, out: Console, err: Console, *, as_json: bool) -> None:
    """List, explore and play all games, with a progress bar on `err` and tables or JSON on `out`."""
    classes = catalog.games()
    if not as_json:
        out.print(listing.table())
    bar = Progress(
        TextColumn("{task.description:<32}"), BarColumn(), TimeRemainingColumn(), console=err, transient=True
    )
    with bar:
        stops = [_visit(name, cls(), games, bar) for name, cls in classes.items()]
    if as_json:
        out.print_json(json.dumps([_as_json(stop) for stop in stops]))
    else:
        out.print(_result_table(stops, games))


def _visit(name: str, game: Any, games: int, bar: Progress) -> Stop:
    task = bar.add_task(f"{name}: exploring", total=None)
    explored = explore(game, limit=_MOST_POSITIONS)
    playouts(game, 1)  # compile before the clock starts
    bar.update(task, description=f"{name}: playing", total=games)
    began = time.perf_counter()
    tally = playouts(game, games, seed=1, progress=lambda played: bar.advance(task, played))
    seconds = time.perf_counter() - began
    return Stop(name, explored, tally, tally.plies / seconds)


def _result_table(stops: list[Stop], games: int) -> Table:
    table = Table(title=f"\nReachable positions, and {games:,} random games of each", header_style="bold", box=None)
    for heading in ("game", "positions", "ended", "first", "second", "neither", "plies", "plies/s"):
        table.add_column(heading, justify="left" if heading == "game" else "right", no_wrap=True)
    for stop in stops:
        table.add_row(f"[cyan]{stop.name}[/]", *_cells(stop))
    return table


def _cells(stop: Stop) -> list[str]:
    found, tally = stop.explored, stop.tally
    count = f"{len(found.positions):,}" if found.complete else f"> {_MOST_POSITIONS:,}"
    ended = f"{found.ended:,}" if found.complete else ""
    shares = [f"{n / tally.games:.1%}" for n in (tally.first_wins, tally.second_wins, tally.ties + tally.unfinished)]
    return [count, ended, *shares, f"{tally.plies / tally.games:.1f}", f"{stop.plies_per_second / 1e6:.0f} M"]


def _as_json(stop: Stop) -> dict[str, Any]:
    return {
        "game": stop.name,
        "positions": len(stop.explored.positions),
        "complete": stop.explored.complete,
        "ended": stop.explored.ended,
        **stop.tally._asdict(),
        "plies_per_second": round(stop.plies_per_second),
    }
