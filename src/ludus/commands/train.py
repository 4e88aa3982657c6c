"""Commands that teach: train, tables."""

from __future__ import annotations

import enum
import inspect
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from rich.console import Console, Group
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from ludus import catalog
from ludus.cluster import require_place
from ludus.commands.dialogue import LeftError
from ludus.commands.options import GAME, LEARNER, Json, On, example, screen
from ludus.commands.play import Seat, in_order, sit
from ludus.commands.progress import live_table
from ludus.commands.runs import in_words
from ludus.errors import LudusError
from ludus.learning.loop.episodes import CUT, DRAWS, LOSSES, WINS
from ludus.learning.loop.evaluation import Line
from ludus.learning.loop.plan import Plan
from ludus.learning.loop.training import Training, Watcher
from ludus.learning.presets import configured
from ludus.learning.runs import Run, create, extend, get_run, new_path, resume
from ludus.learning.runs.history import parse_evaluation
from ludus.learning.runs.locks import immediate_interrupts
from ludus.learning.runs.remote import train_runs
from ludus.parameters import format_value, make

app = typer.Typer()


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
    require_place(on)
    if play_every and (seeds > 1 or on != "local"):
        raise LudusError("--play-every is for one run, trained here: leave out --seeds and --on")
    if resume is not None:
        if game or learner or preset or out or seeds > 1 or settings.keys() - {"games"}:
            raise LudusError("--resume goes on with what was set: only --games may be given with it")
        run = resumed(resume, settings.get("games"))
    elif game is None or learner is None:
        raise LudusError("say what to learn and how: ludus train tapnswap q-table")
    elif seeds > 1:
        runs = created_seeds(catalog.make_game(game), learner, settings, preset, out, seeds)
        _train_seeds(runs, on, as_json=as_json)
        return
    else:
        run = created(catalog.make_game(game), learner, settings, preset, out)
    _train_one(run, play_every, on, as_json=as_json)


def _train_one(run: Any, play_every: int, on: str, *, as_json: bool) -> None:
    """Train, here unless it is to be elsewhere, and tell what came of it."""
    if on == "local":
        told = follow(run, screen(stderr=True), play_every)
    else:
        follow_seeds([run], screen(stderr=True), on)
        told = outcome(run)
    if as_json:
        typer.echo(json.dumps(told, indent=2))
    else:
        screen().print(as_text(run, told))


def _train_seeds(made: Any, on: str, *, as_json: bool) -> None:
    """Train with several seeds, and compare what came of them."""
    from ludus.commands import runs as shown
    from ludus.learning.runs import history

    follow_seeds(made, screen(stderr=True), on)
    found = history.read_histories([str(run.path) for run in made])
    if as_json:
        typer.echo(json.dumps(shown.compared_as_json(found), indent=2))
    else:
        screen().print(shown.compared_as_text(found, screen().width))


def created(game: Any, learner: str, settings: dict[str, str], preset: str | None, out: Path | None) -> Run:
    """A new run with these settings, of the preset, of the learner as written, and of the options."""
    config, plan = configured(game, learner, settings, preset)
    return create(game, config, plan, new_path(game, config) if out is None else out)


def resumed(name: str, games: str | None) -> Run:
    """The run of this name, to be gone on with."""
    run = get_run(name)
    return run if games is None else extend(run, make(Plan, "train", {"games": games}).games)


def follow(run: Run, console: Console, play_every: int) -> dict[str, Any]:
    """Train to the end, and say what came of it."""
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _Speed(), TimeRemainingColumn(),
        console=console, transient=True, disable=not console.is_terminal,
    )  # fmt: skip
    console.print(f"[dim]run {escape(str(run.path))}[/]", soft_wrap=True)
    with bar:
        view = _View(run, bar, console, play_every)
        resume(run, Watcher(progress=view.progress, every=play_every, line=view.line))
    return outcome(run)


def outcome(run: Run) -> dict[str, Any]:
    """What came of a training."""
    return {"run": str(run.path), "game": catalog.name_of(run.game), "metrics": run.metrics()}


class _Speed(ProgressColumn):
    """How many games a second there were lately."""

    def render(self, task: Task) -> Text:
        """In words; nothing before the first game is over."""
        return Text(f"{task.speed:,.0f} games/s" if task.speed else "")


class _View:
    """What is shown while a run goes on."""

    def __init__(self, run: Run, bar: Progress, console: Console, play_every: int) -> None:
        self.run, self.bar, self.console, self.play_every = run, bar, console, play_every
        self.task = bar.add_task("getting ready, compiling", total=run.plan.games)
        self.played = 0

    def progress(self, training: Training) -> None:
        """Show how far it is, and play a game with a person when it is time."""
        if training.games:
            self.bar.update(self.task, completed=training.games, description=_shares(training))
        if self.play_every and training.games - self.played >= self.play_every:
            self.played = training.games
            self._ask_to_play(training)

    def _ask_to_play(self, training: Training) -> None:
        self.bar.stop()
        self.console.print(f"After {training.games:,} games: your turn to play against the learner.")
        you, other = Seat("You"), Seat("Learner", training.agent())
        try:
            with immediate_interrupts():
                sit(self.run.game, in_order(self.run.game, you, other), self.console, training.games)
        except LeftError:
            self.console.print("No more games, then: the training goes on.")
            self.play_every = 0
        self.bar.start()

    def line(self, line: Line) -> None:
        """Show a measure."""
        self.bar.console.print(Text(f"{line['games']:>12,} games  {in_words(parse_evaluation(line))}"), soft_wrap=True)


def _shares(training: Training) -> str:
    """The learner's own games so far, in shares."""
    results = training.student.results.sum(axis=0)
    total = max(int(results.sum()), 1)
    won, drawn, lost = (results[column] / total for column in (WINS, DRAWS, LOSSES))
    cut = f" cut {results[CUT] / total:.0%}" if results[CUT] else ""
    return f"won {won:.0%} drawn {drawn:.0%} lost {lost:.0%}{cut}"


def as_text(run: Run, told: dict[str, Any]) -> Group:
    """What came of a training, for people."""
    last = told["metrics"][-1]
    table = Table.grid(padding=(0, 2))
    table.add_row("games", f"{last['games']:,}")
    table.add_row("plies", f"{last['plies']:,}")
    if "visited" in last:
        table.add_row("positions visited", " + ".join(f"{number:,}" for number in last["visited"]))
    table.add_row("measured", in_words(parse_evaluation(last)))
    name, game = escape(str(run.path)), escape(catalog.name_of(run.game))
    return Group(
        Text.from_markup(f"[bold]{game}[/]: trained in [cyan]{name}[/]"),
        table,
        Text.from_markup(f"[dim]ludus grade {name}; ludus play '{game}' --against {name}[/]"),
    )


def created_seeds(
    game: Any, learner: str, settings: dict[str, str], preset: str | None, out: Path | None, seeds: int
) -> list[Run]:
    """New runs with so many seeds from the one that is set, in folders of `out` named by them, or else of the user."""
    config, plan = configured(game, learner, settings, preset)
    runs = []
    for seed in range(plan.seed, plan.seed + seeds):
        path = new_path(game, config) if out is None else out / f"seed-{seed}"
        runs.append(create(game, config, plan._replace(seed=seed), path))
    return runs


def follow_seeds(runs: Sequence[Run], console: Console, on: str = "local") -> None:
    """Train all to the end, on all cores or elsewhere, and tell the last measure of each."""

    def done(run: Run) -> None:
        last = run.metrics()[-1]
        words = f"seed {run.plan.seed}: {last['games']:,} games  {in_words(parse_evaluation(last))}"
        console.print(Text(words), soft_wrap=True)

    with live_table(console) as on_progress:
        train_runs(runs, on, done=done, on_progress=lambda progress: on_progress("train", progress))
