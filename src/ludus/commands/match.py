"""Commands that play: play, match, replay, puzzle."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ludus import catalog
from ludus.agents.program import Program
from ludus.arena import Seats
from ludus.arena.match import Count, MatchResult, play_match
from ludus.arena.record import Recorder
from ludus.arena.spread import play_spread
from ludus.cluster import JobProgress, require_place
from ludus.commands.options import AgentOrHuman, GameName, Json, On, Seed, example, screen
from ludus.commands.progress import live_table, one_job
from ludus.errors import LudusError

app = typer.Typer()


@app.command(epilog=example("match connect-four 'mcts(sims=200)' smart-random --games 100"))
def match(
    game: GameName,
    a: AgentOrHuman,
    b: AgentOrHuman,
    games: Annotated[int, typer.Option(min=1, help="How many games.")] = 1000,
    seats: Annotated[Seats, typer.Option(help="Where the first agent sits.")] = Seats.ALTERNATE,
    alternate_starter: Annotated[
        bool, typer.Option(help="Let both sides begin in turns; with `--seats first` agents keep their sides.")
    ] = False,
    cap: Annotated[
        int | None,
        typer.Option(min=0, help="Cut games after so many plies as draws; 0 for never.", show_default="the game's own"),
    ] = None,
    record: Annotated[Path | None, typer.Option(help="Append every game to this file, for `ludus replay`.")] = None,
    seed: Seed = 0,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads to use.", show_default="all cores")] = None,
    on: On = "local",
    as_json: Json = False,
) -> None:
    """Let two agents play many games, and count who wins, from which seat, and how surely."""
    chosen = catalog.make_game(game)
    agents = catalog.make_agent(a), catalog.make_agent(b)
    settings = {"seats": seats, "alternate_starter": alternate_starter, "cap": cap, "seed": seed}
    play = played_on(on, chosen, agents, (a, b), threads)
    result = hold(chosen, agents, games, record, screen(stderr=True), settings, play)
    if as_json:
        typer.echo(json.dumps(to_json(chosen, agents, result), indent=2))
    else:
        screen().print(as_table(chosen, agents, result))


def hold(
    game: Any,
    agents: tuple[Any, Any],
    games: int,
    path: Path | None,
    console: Console,
    settings: dict[str, Any],
    play: Callable[..., MatchResult],
) -> MatchResult:
    """Let `play` hold a match, with progress shown; append its games to the file at `path`, if one is given."""
    try:
        with live_table(console) as on_progress:
            told = partial(on_progress, "match")
            if path is None:
                return play(games, on_progress=told, **settings)
            with _opened(path) as file, Recorder(game, agents, settings["seed"], file) as recorder:
                return play(games, record=recorder.add, on_progress=told, **settings)
    finally:
        for agent in agents:
            if isinstance(agent, Program):
                agent.close()


def played_on(
    on: str, game: Any, agents: tuple[Any, Any], written: tuple[str, str], threads: int | None
) -> Callable[..., MatchResult]:
    """What holds a match of agents, which are written so, on a place: this process on local, else jobs."""
    require_place(on)
    if on == "local":
        return partial(_played_here, game, agents, threads)
    if threads is not None:
        raise LudusError("--threads is for --on local: a job has one thread")
    return partial(play_spread, game, *written, on=on)


def _played_here(
    game: Any,
    agents: tuple[Any, Any],
    threads: int | None,
    games: int,
    *,
    on_progress: Callable[[JobProgress], None],
    **settings: Any,
) -> MatchResult:
    return play_match(game, *agents, games, threads=threads, progress=one_job(on_progress, games), **settings)


def _opened(path: Path) -> TextIO:
    """The file to append to."""
    try:
        return path.open("a")
    except OSError as error:
        raise LudusError(f"{path} cannot be written: {error}") from None


def to_json(game: Any, agents: tuple[Any, Any], result: MatchResult) -> dict[str, Any]:
    """The document that `ludus match --json` prints."""
    return {
        "game": catalog.name_of(game),
        "a": catalog.name_of(agents[0]),
        "b": catalog.name_of(agents[1]),
        "games": result.all.games,
        **_count(result.all),
        "first": _count(result.first),
        "second": _count(result.second),
        "mean_score": result.mean_score,
        "mean_plies": result.mean_plies,
        "cut": sum(result.cut),
        "remarks": remarks(game, agents),
        "seconds": round(result.seconds, 3),
    }


def remarks(game: Any, agents: tuple[Any, Any]) -> list[str]:
    """What people should know of how the agents play this game, each once."""
    told = [agent.remark(game) for agent in agents if hasattr(agent, "remark")]
    return [remark for remark in dict.fromkeys(told) if remark]


def _count(count: Count) -> dict[str, Any]:
    low, high = count.interval
    return {**count._asdict(), "a_wins_interval": [round(low, 4), round(high, 4)]}


def as_table(game: Any, agents: tuple[Any, Any], result: MatchResult) -> Table:
    """The same for people."""
    a, b = (escape(catalog.name_of(agent)) for agent in agents)
    title = f"{a} (a) against {b} (b) at {escape(catalog.name_of(game))}"
    caption = f"mean score for a {result.mean_score:+.3f}, {result.mean_plies:.1f} plies a game, {result.seconds:.1f} s"
    caption = "\n".join([caption, *remarks(game, agents)])
    table = Table(title=title, caption=caption, box=None, header_style="bold", title_justify="left")
    for heading in ("", "games", "a wins", "b wins", "draws", "a's wins, 95 % interval"):
        table.add_column(heading, justify="left" if not heading else "right", no_wrap=True)
    for words, count in {"a first": result.first, "a second": result.second, "all": result.all}.items():
        if count.games:
            low, high = count.interval
            share = f"{count.a_wins / count.games:.1%} ({low:.1%} to {high:.1%})"
            table.add_row(words, *(f"{n:,}" for n in (count.games, *count)), share)
    return table
