"""Commands about many trainings at once: sweep."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ludus.cli.learning import LEARNER
from ludus.cli.options import GAME, Json, On, Seed, app, example, screen
from ludus.cluster import require_place
from ludus.errors import LudusError


class _FirstIsGrid(TyperGroup):
    """`ludus sweep GAME LEARNER` is `ludus sweep grid GAME LEARNER`."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        named = not args or args[0] == "--help" or args[0] in self.list_commands(ctx)
        return super().parse_args(ctx, args if named else ["grid", *args])


sweep = typer.Typer(
    cls=_FirstIsGrid,
    help="Train agents over a grid of settings, in rounds that end with a tournament: ludus sweep GAME LEARNER.",
    no_args_is_help=True,
)
app.add_typer(sweep, name="sweep")

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of the sweep.")]
Out = Annotated[Path, typer.Option(metavar="FOLDER", help="Keep the sweep in this new folder.")]
Games = Annotated[int, typer.Option(min=1, help="So many games for each agent in this round.")]
Every = Annotated[int, typer.Option(min=0, help="Test each agent every so many games; 0: at the end only.")]


@sweep.command(
    epilog=example("sweep tapnswap q-table --grid epsilon=0.1,0.2 --grid opponent=random,twin --out my-sweep")
)
def grid(
    game: Annotated[str, typer.Argument(metavar="GAME", help=f"{GAME}.")],
    learner: Annotated[str, typer.Argument(metavar="LEARNER", help=f"{LEARNER}.")],
    out: Out,
    values: Annotated[
        list[str] | None,
        typer.Option(
            "--grid",
            metavar="SETTING=VALUE,...",
            help="Values of a setting of the learner or of the training; one value holds for all agents.",
        ),
    ] = None,
    games: Games = 10_000,
    every: Every = 0,
    matches: Annotated[int, typer.Option(min=1, help="So many games against random at each test.")] = 1000,
    seed: Seed = 0,
    on: On = "local",
    as_json: Json = False,
) -> None:
    """Train an agent for each point of the grid, and hold a tournament."""
    from ludus.study.sweep import Kind, Order
    from ludus.study.sweep_rounds import new_sweep

    require_place(on)
    whole = {"matches": (str(matches),)} | _grid(values or [])
    new_sweep(game, learner, whole, (Order(Kind.GRID, games, every),), seed, out)
    _follow(out, on, as_json=as_json)


def _grid(values: list[str]) -> dict[str, tuple[str, ...]]:
    from ludus.parameters import split_at_commas

    found: dict[str, tuple[str, ...]] = {}
    for text in values:
        name, _, listed = text.partition("=")
        several = tuple(value.strip() for value in split_at_commas(listed))
        if not name.strip() or not several or not all(several):
            raise LudusError(f"cannot read --grid {text}: write --grid epsilon=0.1,0.2")
        if name.strip() in found or len(set(several)) < len(several):
            raise LudusError(f"--grid {text}: a setting, and each of its values, is given once")
        found[name.strip()] = several
    return found


@sweep.command(epilog=example("sweep retrain my-sweep --games 5000 --change-opponent"))
def retrain(
    folder: Folder,
    games: Games,
    every: Every = 0,
    change_opponent: Annotated[
        bool, typer.Option("--change-opponent", help="Also branch each agent, to go on with the other opponents.")
    ] = False,
    on: On = "local",
    as_json: Json = False,
) -> None:
    """Train all agents on; who loses 10 games to its old self is put back; then a tournament."""
    from ludus.study.sweep import Kind, Order

    _add(folder, Order(Kind.RETRAIN, games, every, change_opponent=change_opponent), on, as_json=as_json)


@sweep.command("retrain-best", epilog=example("sweep retrain-best my-sweep --keep 0.3 --games 50000"))
def retrain_best(
    folder: Folder,
    games: Games,
    keep: Annotated[float, typer.Option(help="Survivors have at least this part of the best one's points.")] = 0.3,
    on: On = "local",
    as_json: Json = False,
) -> None:
    """Train the best agents on; settings with no survivor are dropped; all others play the tournament."""
    from ludus.study.sweep import Kind, Order

    _add(folder, Order(Kind.RETRAIN_BEST, games, keep=keep), on, as_json=as_json)


@sweep.command(epilog=example("sweep paper --out tapnswap-paper"))
def paper(
    out: Out,
    values: Annotated[
        list[str] | None,
        typer.Option("--grid", metavar="SETTING=VALUE,...", help="Other values than the paper's, or more settings."),
    ] = None,
    seed: Seed = 0,
    on: On = "local",
    as_json: Json = False,
) -> None:
    """The whole schedule of the TapnSwap paper: 40 agents, five rounds of the best, seven tournaments."""
    from ludus.study.sweep_rounds import PAPER_GRID, PAPER_ORDERS, new_sweep

    require_place(on)
    new_sweep("tapnswap", "q-table", PAPER_GRID | _grid(values or []), PAPER_ORDERS, seed, out)
    _follow(out, on, as_json=as_json)


@sweep.command(epilog=example("sweep resume my-sweep"))
def resume(folder: Folder, on: On = "local", as_json: Json = False) -> None:
    """Go on with a sweep that was stopped, to the same result."""
    _follow(folder, on, as_json=as_json)


@sweep.command(epilog=example("sweep show my-sweep"))
def show(folder: Folder, as_json: Json = False) -> None:
    """Tell what the rounds of a sweep did, and how its agents stand."""
    from ludus.study.sweep import load

    _print(load(folder), folder, as_json=as_json)


def _add(folder: Path, order: Any, on: str, *, as_json: bool) -> None:
    from ludus.study.sweep import load
    from ludus.study.sweep_rounds import ordered

    require_place(on)
    ordered(load(folder), order, folder)
    _follow(folder, on, as_json=as_json)


def _follow(folder: Path, on: str, *, as_json: bool) -> None:
    from ludus.terminal import sweeps

    _print(sweeps.follow(folder, on, screen(stderr=True)), folder, as_json=as_json)


def _print(told: Any, folder: Path, *, as_json: bool) -> None:
    from ludus.study.sweep import as_json as document
    from ludus.terminal import sweeps

    if as_json:
        typer.echo(json.dumps(document(told), indent=2))
    else:
        screen().print(sweeps.as_text(told, folder))
