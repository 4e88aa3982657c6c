"""Commands that teach: train, tables."""

from __future__ import annotations

import enum
import inspect
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from rich.markup import escape

from ludus import catalog
from ludus.cli.options import GAME, Json, On, app, example, screen
from ludus.cluster import require_place
from ludus.errors import LudusError
from ludus.learning.plan import Plan
from ludus.parameters import format_value

LEARNER = (
    "[cyan]q-table[/], [cyan]move-weights[/], [cyan]td-lambda[/], [cyan]dqn[/] or [cyan]alphazero[/];"
    " its settings also as [cyan]'q-table(epsilon=0.2)'[/]"
)


def _options() -> Iterator[inspect.Parameter]:
    """An option for every setting of a training and of each learner, those of one name together."""
    found: dict[str, list[tuple[str, Any, str, Any]]] = {}
    for owner, cls in {"training": Plan, **catalog.learners()}.items():
        for field, hint in get_type_hints(cls, include_extras=True).items():
            found.setdefault(field, []).append((owner, *_kind_and_words(hint), cls._field_defaults.get(field)))
    for field, ((owner, kind, words, default), *others) in found.items():
        also = [f"{name}: {told} [{format_value(its)}]" for name, _, told, its in others]
        yield _option(f"Settings: {owner}", field, kind, " ".join([words, *also]), default)


def _kind_and_words(hint: Any) -> tuple[Any, str]:
    """The type of a setting and what it means; a learner of an installed package may say nothing of that."""
    if not hasattr(hint, "__metadata__"):
        return (hint if isinstance(hint, type) else str), ""
    return hint.__origin__, str(hint.__metadata__[0])


def _option(panel: str, field: str, kind: Any, words: str, default: Any) -> inspect.Parameter:
    flag = f"--{field.replace('_', '-')}"
    option = typer.Option(
        f"{flag}/--no-{flag[2:]}" if kind is bool else flag,
        metavar=_metavar(kind),
        help=escape(words),
        show_default=format_value(default),
        rich_help_panel=panel,
    )
    given: Any = bool | None if kind is bool else str | None
    annotation = Annotated[given, option]
    return inspect.Parameter(field, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _metavar(kind: Any) -> str | None:
    if kind is bool:
        return None
    return "|".join(map(format_value, kind)) if issubclass(kind, enum.Enum) else str(kind.__name__).upper()


def _with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command an option for each setting; what is given arrives as one dictionary of texts."""
    own = inspect.signature(command, eval_str=True)
    kept = [parameter for parameter in own.parameters.values() if parameter.name != "settings"]

    def called(**given: Any) -> None:
        arguments = {parameter.name: given.pop(parameter.name) for parameter in kept}
        settings = {name: format_value(value) for name, value in given.items() if value is not None}
        command(**arguments, settings=settings)

    parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in kept] + list(_options())
    called.__name__, called.__doc__ = command.__name__, command.__doc__
    vars(called)["__signature__"] = inspect.Signature(parameters)
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return called


@app.command(epilog=example("train tapnswap q-table --games 20000 --opponent random:5000,self"))
@_with_settings
def train(
    game: Annotated[str | None, typer.Argument(metavar="GAME", help=f"{GAME}.")] = None,
    learner: Annotated[str | None, typer.Argument(metavar="LEARNER", help=f"{LEARNER}.")] = None,
    preset: Annotated[str | None, typer.Option(help="Settings that were tried: perfect, paper, or strong.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="RUN", help="Keep the run in this new folder.")] = None,
    resume: Annotated[
        str | None, typer.Option(metavar="RUN", help="Go on with a run; with --games, to more games than it had.")
    ] = None,
    seeds: Annotated[
        int, typer.Option(min=1, help="Train so many side by side, with the seed and those after it, each as if alone.")
    ] = 1,
    play_every: Annotated[int, typer.Option(min=0, help="Ask you to play it every so many games; 0 for never.")] = 0,
    on: On = "local",
    as_json: Json = False,
    settings: Any = None,
) -> None:
    """Teach an agent to play a game; Ctrl-C stops, and --resume goes on to the same result."""
    from ludus.terminal import seeds as side_by_side
    from ludus.terminal import training

    require_place(on)
    if play_every and (seeds > 1 or on != "local"):
        raise LudusError("--play-every is for one run, trained here: leave out --seeds and --on")
    if resume is not None:
        if game or learner or preset or out or seeds > 1 or settings.keys() - {"games"}:
            raise LudusError("--resume goes on with what was set: only --games may be given with it")
        run = training.resumed(resume, settings.get("games"))
    elif game is None or learner is None:
        raise LudusError("say what to learn and how: ludus train tapnswap q-table")
    elif seeds > 1:
        runs = side_by_side.created(catalog.make_game(game), learner, settings, preset, out, seeds)
        _train_seeds(runs, on, as_json=as_json)
        return
    else:
        run = training.created(catalog.make_game(game), learner, settings, preset, out)
    _train_one(run, play_every, on, as_json=as_json)


def _train_one(run: Any, play_every: int, on: str, *, as_json: bool) -> None:
    """Train, here unless it is to be elsewhere, and tell what came of it."""
    from ludus.terminal import seeds as side_by_side
    from ludus.terminal import training

    if on == "local":
        told = training.follow(run, screen(stderr=True), play_every)
    else:
        side_by_side.follow([run], screen(stderr=True), on)
        told = training.told(run)
    if as_json:
        typer.echo(json.dumps(told, indent=2))
    else:
        screen().print(training.as_text(run, told))


def _train_seeds(made: Any, on: str, *, as_json: bool) -> None:
    """Train with several seeds, and compare what came of them."""
    from ludus.learning import recorded
    from ludus.terminal import runs as shown
    from ludus.terminal import seeds as side_by_side

    side_by_side.follow(made, screen(stderr=True), on)
    found = recorded.found([str(run.path) for run in made])
    if as_json:
        typer.echo(json.dumps(shown.compared_as_json(found), indent=2))
    else:
        screen().print(shown.compared_as_text(found, screen().width))


tables = typer.Typer(help="Tables as the TapnSwap paper's program keeps them.", no_args_is_help=True)
app.add_typer(tables, name="tables")


@tables.command("export", epilog=example("tables export my-run Models"))
def export_tables(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run of q-table on tapnswap.")],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where to put the files.")],
) -> None:
    """Write the table of a run, its visit counts and its learning curve in the shapes of the TapnSwap paper."""
    from ludus.learning.runs import run_called
    from ludus.learning.tapnswap_files import export_run

    for path in export_run(run_called(run), folder):
        typer.echo(path)


@tables.command("import", epilog=example("tables import Models/greedy_0_1_vsRandom.csv my-run"))
def import_tables(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A table, greedy_0_1_vsRandom.csv.")],
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of the new run.")],
) -> None:
    """Make a run of a table of the TapnSwap paper's program, to be graded, played, or trained on."""
    from ludus.learning.tapnswap_files import import_table

    typer.echo(import_table(file, run).path)
