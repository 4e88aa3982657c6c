"""`ludus demo`: a tour of all games."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, NamedTuple

import typer
from rich.columns import Columns
from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.progress import Progress
from rich.table import Table

from ludus import catalog, face
from ludus.agents.simple import Random, SmartRandom
from ludus.arena import Seats
from ludus.arena.match import GameResult, Match, MatchResult
from ludus.commands import games as listing
from ludus.commands.options import MOST_GAMES, Json, example, screen, show
from ludus.commands.progress import bars
from ludus.solving.explore import Explored, explore
from ludus.solving.solver import solve_explored
from ludus.solving.value import Value

app = typer.Typer()


@app.command(epilog=example("demo"))
def demo(
    as_json: Json = False,
    random_games: Annotated[
        int, typer.Option("--games", min=1, max=MOST_GAMES, metavar="N", help="Random games of each game.")
    ] = 200_000,
) -> None:
    """Take a tour in under a minute: list the games, solve the small ones, play random games."""
    tour(random_games, screen(), screen(stderr=True), as_json=as_json)


_MOST_POSITIONS = 1_000_000
_SMART_GAMES = 2_000


class Stop(NamedTuple):
    """What the tour saw of one game: a position in the middle, all positions, the truth, and random play."""

    name: str
    game: Any
    shown: Any
    explored: Explored
    truth: Value | None  # of the start, None where the game is too large to enumerate here
    random: MatchResult
    smart: MatchResult  # smart-random against random


def tour(games: int, out: Console, err: Console, *, as_json: bool) -> None:
    """List, show, solve and play all games, with a progress bar on `err` and tables or JSON on `out`."""
    if not as_json:
        out.print(listing.table())
    with bars(err) as bar:  # the games that can be made without giving parameters
        complete = {name: cls for name, cls in catalog.games().items() if set(cls._field_defaults) == set(cls._fields)}
        stops = [_visit(name, cls(), games, bar) for name, cls in complete.items()]
    if as_json:
        show([_as_json(stop) for stop in stops])
    else:
        out.print()
        boards = {stop.name: escape(face.board(stop.game, stop.shown)) for stop in stops}
        panels = [Panel.fit(board, title=f"[cyan]{name}[/]", border_style="dim") for name, board in boards.items()]
        out.print(Columns(panels, padding=(0, 1)))
        out.print(_table(stops, games))


def _visit(name: str, game: Any, games: int, bar: Progress) -> Stop:
    task = bar.add_task(f"{name}: solving", total=None)
    start = game.start()
    explored = explore(game, limit=_MOST_POSITIONS)
    truth = solve_explored(explored, start).value(start) if explored.complete else None
    bar.update(task, description=f"{name}: playing", total=games + _SMART_GAMES)
    first: list[GameResult] = []
    progress = partial(bar.advance, task)
    match = Match(game, (SmartRandom(), Random()), recorded=True).prepared()
    smart = match.result(_SMART_GAMES, seed=1, progress=progress, record=first.append)
    match = Match(game, (Random(), Random()), Seats.FIRST).prepared()
    random = match.result(games, seed=1, progress=progress)
    shown = first[0].start
    for action in first[0].actions[: (first[0].plies + 1) // 2]:
        shown = game.play(shown, action)
    return Stop(name, game, shown, explored, truth, random, smart)


def _table(stops: list[Stop], games: int) -> Table:
    title = f"\nPerfect play; {games:,} games of random play; smart-random against random"
    table = Table(title=title, header_style="bold", box=None)
    for heading in ("game", "positions", "perfect", "first", "second", "none", "plies", "smart"):
        table.add_column(heading, justify="left" if heading == "game" else "right", no_wrap=True)
    for stop in stops:
        played, smart = stop.random, stop.smart.all.a_wins / _SMART_GAMES
        count = f"{len(stop.explored):,}" if stop.explored.complete else f"> {_MOST_POSITIONS:,}"
        shares = [f"{n / played.all.games:.1%}" for n in played.all]
        plies = f"{played.mean_plies:.1f}"
        table.add_row(f"[cyan]{stop.name}[/]", count, _perfect(stop), *shares, plies, f"{smart:.0%}")
    return table


def _perfect(stop: Stop) -> str:
    """Who wins with perfect play, in how many plies."""
    if stop.truth is None:
        return ""
    if stop.truth.score == 0:
        return "draw"
    winner = face.players(stop.game)[0 if stop.truth.score > 0 else 1]
    return winner if stop.truth.plies is None else f"{winner} in {stop.truth.plies}"


def _as_json(stop: Stop) -> dict[str, Any]:
    return {
        "game": stop.name,
        "position": face.format_position(stop.game, stop.shown),
        "positions": len(stop.explored),
        "complete": stop.explored.complete,
        "ended": stop.explored.ended,
        "score": None if stop.truth is None else stop.truth.score,
        "plies": None if stop.truth is None else stop.truth.plies,
        "games": stop.random.all.games,
        "first_wins": stop.random.all.a_wins,
        "second_wins": stop.random.all.b_wins,
        "draws": stop.random.all.draws,
        "mean_plies": stop.random.mean_plies,
        "smart_beats_random": stop.smart.all.a_wins / _SMART_GAMES,
    }
