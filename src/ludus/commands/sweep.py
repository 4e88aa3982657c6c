"""`ludus sweep`: agents over a grid of settings, trained in rounds that end with a tournament."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from rich.console import Group
from rich.table import Table
from rich.text import Text
from typer.core import TyperGroup

from ludus.cluster import require_place
from ludus.commands.options import (
    MOST_GAMES,
    MOST_TRAINED,
    GameName,
    Json,
    LearnerName,
    On,
    Seed,
    example,
    finite,
    screen,
    show,
    takes_options,
)
from ludus.commands.progress import live_table
from ludus.errors import LudusError
from ludus.parameters import split_at_commas
from ludus.report.document import Curves, HeatMap, Series
from ludus.report.page import write_figures
from ludus.study.sweep import Candidate, Kind, Order, Round, Sweep, load
from ludus.study.sweep import as_json as document
from ludus.study.sweep.files import Tested, tests
from ludus.study.sweep.rounds import (
    PAPER_GRID,
    PAPER_ORDERS,
    PROGRAM_GAME,
    PROGRAM_GRID,
    PROGRAM_ORDERS,
    add_order,
    new_sweep,
    resume_sweep,
)


class _FirstIsGrid(TyperGroup):
    """`ludus sweep GAME LEARNER` is `ludus sweep grid GAME LEARNER`."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        named = not args or args[0] == "--help" or args[0] in self.list_commands(ctx)
        return super().parse_args(ctx, args if named else ["grid", *args])


app = typer.Typer(
    cls=_FirstIsGrid,
    help="Train agents over a grid of settings, in rounds that end with a tournament: ludus sweep GAME LEARNER.",
    no_args_is_help=True,
)


Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of the sweep.")]
Out = Annotated[Path, typer.Option(metavar="FOLDER", help="Keep the sweep in this new folder.")]
Games = Annotated[int, typer.Option(min=1, max=MOST_TRAINED, metavar="N", help="Games for each agent in this round.")]
EvalEvery = Annotated[
    int,
    typer.Option(min=0, max=MOST_TRAINED, metavar="N", help="Evaluate each agent every N games; 0: at the end only."),
]


class GridOptions(NamedTuple):
    """The options of `ludus sweep grid`."""

    game: GameName
    learner: LearnerName
    out: Out
    values: Annotated[
        list[str] | None,
        typer.Option(
            "--grid",
            metavar="SETTING=VALUE,...",
            help="Values of a setting of the learner or of the training; one value holds for all agents.",
        ),
    ] = None
    games: Games = 10_000
    eval_every: EvalEvery = 0
    eval_games: Annotated[
        int, typer.Option(min=1, max=MOST_GAMES, metavar="N", help="Games against random at each evaluation.")
    ] = 1000
    seed: Seed = 0
    on: On = "local"
    as_json: Json = False


@app.command(epilog=example("sweep tapnswap q-table --grid epsilon=0.1,0.2 --grid opponent=random,twin --out my-sweep"))
@takes_options
def grid(options: GridOptions) -> None:
    """Train an agent for each point of the grid, and hold a tournament."""
    require_place(options.on)
    whole = {"eval_games": (str(options.eval_games),)} | _grid(options.values or [])
    order = Order(Kind.GRID, options.games, options.eval_every)
    new_sweep(options.game, options.learner, whole, (order,), options.seed, options.out)
    _follow(options.out, options.on, as_json=options.as_json)


def _grid(values: list[str]) -> dict[str, tuple[str, ...]]:
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


@app.command(epilog=example("sweep retrain my-sweep --games 5000 --change-opponent"))
def retrain(
    folder: Folder,
    games: Games,
    eval_every: EvalEvery = 0,
    change_opponent: Annotated[
        bool, typer.Option("--change-opponent", help="Also branch each agent, to continue against the other opponents.")
    ] = False,
    on: On = "local",
    as_json: Json = False,
) -> None:
    """Train all agents further; one that loses 10 games to its old self is put back; then a tournament."""
    _add(folder, Order(Kind.RETRAIN, games, eval_every, change_opponent=change_opponent), on, as_json=as_json)


@app.command("retrain-best", epilog=example("sweep retrain-best my-sweep --keep 0.3 --games 50000"))
def retrain_best(
    folder: Folder,
    games: Games,
    keep: Annotated[
        float, typer.Option(callback=finite, help="Survivors have at least this share of the points of the best.")
    ] = 0.3,
    on: On = "local",
    as_json: Json = False,
) -> None:
    """Train the best agents further; settings with no survivor are dropped; all others play the tournament."""
    _add(folder, Order(Kind.RETRAIN_BEST, games, keep=keep), on, as_json=as_json)


@app.command(epilog=example("sweep paper --out tapnswap-paper"))
def paper(
    out: Out,
    values: Annotated[
        list[str] | None,
        typer.Option("--grid", metavar="SETTING=VALUE,...", help="Other values than the paper's, or more settings."),
    ] = None,
    program: Annotated[
        bool, typer.Option("--program", help="As the author's program has it, where that differs from the text.")
    ] = False,
    seed: Seed = 0,
    on: On = "local",
    as_json: Json = False,
) -> None:
    """Run the schedule of the TapnSwap paper: 40 agents, five rounds of the best, seven tournaments."""
    require_place(on)
    game, whole, orders = "tapnswap", PAPER_GRID, PAPER_ORDERS
    if program:
        game, whole, orders = PROGRAM_GAME, PROGRAM_GRID, PROGRAM_ORDERS
    new_sweep(game, "q-table", whole | _grid(values or []), orders, seed, out)
    _follow(out, on, as_json=as_json)


@app.command(epilog=example("sweep resume my-sweep"))
def resume(folder: Folder, on: On = "local", as_json: Json = False) -> None:
    """Resume a sweep that was stopped; the result is identical to an uninterrupted one."""
    _follow(folder, on, as_json=as_json)


@app.command("show", epilog=example("sweep show my-sweep"))
def show_command(folder: Folder, as_json: Json = False) -> None:
    """Show what the rounds of a sweep did, and the ranking of its agents."""
    sweep = load(folder)
    show(document(sweep) if as_json else as_text(sweep, folder))


def _add(folder: Path, order: Order, on: str, *, as_json: bool) -> None:
    require_place(on)
    add_order(order, folder)
    _follow(folder, on, as_json=as_json)


def _follow(folder: Path, on: str, *, as_json: bool) -> None:
    """Do all that is left of a sweep, draw its figure, and print its outcome."""
    with live_table(screen(stderr=True)) as on_progress:
        sweep = resume_sweep(folder, on, on_progress)
    write_figure(sweep, folder, folder / "sweep.html")
    show(document(sweep) if as_json else as_text(sweep, folder))


# ---- text ----


def as_text(sweep: Sweep, folder: Path) -> Group:
    """What each round did, and the ranking of the last one."""
    lines = [Text(f"round {number}: {_summary(done)}") for number, done in enumerate(sweep.rounds, 1)]
    if not sweep.is_finished:
        lines.append(Text(f"not finished: ludus sweep resume {folder}"))
    finished = [done for done in sweep.rounds if done.is_finished]
    return Group(*lines, *(_ranking(done, tests(sweep, folder)) for done in finished[-1:]))


def _summary(done: Round) -> str:
    trained = [agent for agent in done.agents if agent.trained]
    back = [agent for agent in trained if agent.put_back]
    order = f"{done.order.kind.value}, {done.order.games:,} games"
    if done.order.kind is Kind.RETRAIN_BEST:
        order += f", keep {done.order.keep:g}"
    if done.order.change_opponent:
        order += ", also with other opponents"
    words = [f"{order}; {len(trained)} trained, {len(back)} put back"]
    if done.dropped:
        words.append(f"{len(done.dropped)} dropped")
    if done.is_finished:
        best = max(done.agents, key=lambda agent: agent.points or 0.0)
        words.append(f"tournament of {len(done.agents)}, best {best.name} with {best.points:g}")
    return ", ".join(words)


def _ranking(done: Round, found: dict[str, list[Tested]]) -> Table:
    table = Table("", "agent", "games", "points", "random", "optimal", "old self", box=None, pad_edge=False)
    table.columns[1].overflow = "fold"
    for column in (0, 2, 3, 4, 5):
        table.columns[column].justify = "right"
    for place, agent in enumerate(sorted(done.agents, key=lambda agent: -(agent.points or 0.0)), 1):
        kept = [test for test in found.get(agent.name, []) if test.was_kept]
        shares = _shares(kept[-1]) if kept else {}
        percents = [
            f"{shares[title]:.1%}" if title in shares else "" for title in ("won against random", "optimal decisions")
        ]
        row = str(place), agent.name, f"{agent.games:,}", f"{agent.points or 0:g}", *percents, _match(agent)
        table.add_row(*row)
    return table


def _match(agent: Candidate) -> str:
    if not agent.trained or agent.match is None:
        return "" if agent.trained else "not trained"
    return f"{agent.match.wins}:{agent.match.losses}" + (", put back" if agent.put_back else "")


def _shares(test: Tested) -> dict[str, float]:
    """The shares that are drawn of an evaluation."""
    shares = {f"won against {name}": result.win_rate for name, result in test.evaluation.against.items()}
    return shares if test.evaluation.accuracy is None else shares | {"optimal decisions": test.evaluation.accuracy}


# ---- figure ----


def write_figure(sweep: Sweep, folder: Path, path: Path) -> None:
    """Write all learning curves, and below them the survivors of each round, as a page."""
    found = tests(sweep, folder)
    titles = list(dict.fromkeys(title for one in found.values() for test in one for title in _shares(test)))
    agents = sorted({agent.name for done in sweep.rounds for agent in done.agents})
    curves = [
        Curves(
            f"curves-{number}", title, "games", "", [_curve(name, found.get(name, []), title) for name in agents], None,
            caption="A cross marks an agent that was put back.", log=True,
        )
        for number, title in enumerate(titles)
    ]  # fmt: skip
    title = f"{sweep.game}, {sweep.learner}: {len(agents)} agents in {len(sweep.rounds)} rounds"
    write_figures(title, [*curves, _survival(sweep, agents)], path)


def _curve(name: str, found: list[Tested], title: str) -> Series:
    """One agent's curve; crosses for what was put back."""
    drawn = [(test, shares[title]) for test in found if title in (shares := _shares(test))]
    return Series(
        name,
        [test.games for test, _ in drawn],
        [share for _, share in drawn],
        notes=[f"round {test.round}{'' if test.was_kept else ', put back'}" for test, _ in drawn],
        crossed=[not test.was_kept for test, _ in drawn],
    )


def _survival(sweep: Sweep, agents: list[str]) -> HeatMap:
    """Points of each agent in each round, and what became of it; nothing where it does not take part."""
    rounds = [{agent.name: agent for agent in done.agents} for done in sweep.rounds]
    best = [max((agent.points or 0.0 for agent in done.agents), default=0.0) or 1.0 for done in sweep.rounds]
    rows = [[known.get(name) for known in rounds] for name in agents]
    shares = [
        [(one.points or 0.0) / most if one else None for one, most in zip(row, best, strict=True)] for row in rows
    ]
    words = [[_cell(one) if one else "" for one in row] for row in rows]
    title = "points in the tournament of each round, the best of it bright"
    columns = [f"{number}: {done.order.kind.value}" for number, done in enumerate(sweep.rounds, 1)]
    return HeatMap("survival", title, "", "", columns, agents, shares, words=words, most=1)


def _cell(agent: Candidate) -> str:
    points = "" if agent.points is None else f"{agent.points:g}"
    return points + (" put back" if agent.put_back else " trained" if agent.trained else "")
