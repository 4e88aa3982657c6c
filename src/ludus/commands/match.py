"""`ludus match`: two agents play many games, counted by seat."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from rich.markup import escape
from rich.table import Table

from ludus import catalog
from ludus.agents.program import Program
from ludus.arena import Seats
from ludus.arena.match import Count, Match, MatchResult, play_spread
from ludus.arena.record import Recorder, open_records
from ludus.cluster import require_place
from ludus.commands.options import (
    MOST_GAMES,
    MOST_PLIES,
    AgentOrHuman,
    GameName,
    Json,
    On,
    Seed,
    example,
    screen,
    show,
    takes_options,
)
from ludus.commands.progress import live_table, one_job
from ludus.errors import LudusError
from ludus.machine import most_workers

app = typer.Typer()


class Options(NamedTuple):
    """The options of `ludus match`."""

    game: GameName
    a: AgentOrHuman
    b: AgentOrHuman
    games: Annotated[int, typer.Option(min=1, max=MOST_GAMES, metavar="N", help="The number of games.")] = 1000
    seats: Annotated[Seats, typer.Option(help="The seat of the first agent.")] = Seats.ALTERNATE
    alternate_starter: Annotated[
        bool, typer.Option(help="Let both sides start in turn; with `--seats first` agents keep their sides.")
    ] = False
    cap: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=MOST_PLIES,
            metavar="N",
            help="Cut games after this many plies as draws; 0: never.",
            show_default="the game's own",
        ),
    ] = None
    record: Annotated[Path | None, typer.Option(help="Append every game to this file, for `ludus replay`.")] = None
    seed: Seed = 0
    threads: Annotated[
        int | None, typer.Option(min=1, max=most_workers(), help="Threads to use.", show_default="all cores")
    ] = None
    on: On = "local"
    as_json: Json = False


@app.command(epilog=example("match connect-four 'mcts(sims=200)' smart-random --games 100"))
@takes_options
def match(options: Options) -> None:
    """Let two agents play many games, and count the results by seat, with 95 % intervals."""
    game = catalog.make_game(options.game)
    agents = catalog.make_agent(options.a), catalog.make_agent(options.b)
    result = played(game, agents, options)
    show(to_json(game, agents, result) if options.as_json else as_table(game, agents, result))


def played(game: Any, agents: tuple[Any, Any], options: Options) -> MatchResult:
    """Play the match in this process, or as jobs elsewhere, and append its games to a file if one is given."""
    require_place(options.on)
    if options.on != "local" and options.threads is not None:
        raise LudusError("--threads is for --on local: a job has one thread")
    setup: Any = {name: getattr(options, name) for name in ("seats", "alternate_starter", "cap")}
    try:
        with live_table(screen(stderr=True)) as on_jobs, ExitStack() as stack:
            on_progress, record = partial(on_jobs, "match"), None
            if options.record is not None:
                file = stack.enter_context(open_records(options.record))
                record = stack.enter_context(Recorder(game, agents, options.seed, file)).add
            if options.on == "local":
                match = Match(game, agents, recorded=record is not None, **setup).prepared()
                for remark in remarks(game, agents):
                    screen(stderr=True).print(remark, style="dim", markup=False, highlight=False, soft_wrap=True)
                more: Any = {"threads": options.threads, "progress": one_job(on_progress, options.games)}
                return match.result(options.games, seed=options.seed, record=record, **more)
            places: Any = {"on": options.on, "seed": options.seed, "on_progress": on_progress, "record": record}
            return play_spread(game, options.a, options.b, options.games, **places, **setup)
    finally:
        for agent in agents:
            if isinstance(agent, Program):
                agent.close()


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
    """What the agents remark on how they play this game, each remark once."""
    found = [agent.remark(game) for agent in agents if hasattr(agent, "remark")]
    return [remark for remark in dict.fromkeys(found) if remark]


def _count(count: Count) -> dict[str, Any]:
    low, high = count.interval
    return {**count._asdict(), "a_wins_interval": [round(low, 4), round(high, 4)]}


def as_table(game: Any, agents: tuple[Any, Any], result: MatchResult) -> Table:
    """The counts by seat."""
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
