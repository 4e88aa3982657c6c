"""Matches from the command line: with progress shown, recorded if wanted, as a table or as JSON."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ludus import catalog
from ludus.agents.program import Program
from ludus.arena.match import Count, MatchResult, play_match
from ludus.arena.record import Recorder
from ludus.arena.spread import play_spread
from ludus.cluster import Progress, require_place
from ludus.errors import LudusError
from ludus.terminal.jobs import live_table, one_job


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
        with live_table(console) as tell:
            told = partial(tell, "match")
            if path is None:
                return play(games, tell=told, **settings)
            with _opened(path) as file, Recorder(game, agents, settings["seed"], file) as recorder:
                return play(games, record=recorder.add, tell=told, **settings)
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
    tell: Callable[[Progress], None],
    **settings: Any,
) -> MatchResult:
    return play_match(game, *agents, games, threads=threads, progress=one_job(tell, games), **settings)


def _opened(path: Path) -> TextIO:
    """The file to append to."""
    try:
        return path.open("a")
    except OSError as error:
        raise LudusError(f"{path} cannot be written: {error}") from None


def as_json(game: Any, agents: tuple[Any, Any], result: MatchResult) -> dict[str, Any]:
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
