"""`ludus train`: options from the settings of the learner that is named, training with progress, and its outcome."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_type_hints

import typer
from rich.console import Console, Group
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table
from rich.text import Text
from typer.core import TyperCommand

from ludus import catalog
from ludus.cluster import require_place
from ludus.commands import runs as comparison
from ludus.commands.options import (
    GAME,
    LEARNER,
    MOST_SEEDS,
    MOST_TRAINED,
    Json,
    On,
    example,
    parameter,
    screen,
    show,
    with_parameters,
)
from ludus.commands.play import Seat, in_order, sit
from ludus.commands.progress import bars, live_table
from ludus.commands.terminal import LeftError
from ludus.errors import LudusError
from ludus.learning.loop.episodes import CUT, DRAWS, LOSSES, WINS
from ludus.learning.loop.evaluation import Line
from ludus.learning.loop.interrupts import immediate_interrupts
from ludus.learning.loop.plan import Plan
from ludus.learning.loop.training import Training, Watcher
from ludus.learning.presets import configured
from ludus.learning.runs import Run, create, extend, get_run, history, new_path, resume
from ludus.learning.runs.history import parse_evaluation
from ludus.learning.runs.remote import train_runs
from ludus.parameters import format_value, make, parse_written

app = typer.Typer()
_EXAMPLE = example("train tapnswap q-table --games 20000 --opponent random:5000,self")


class Options(NamedTuple):
    """The options of `ludus train` beside the settings of the training plan and of the learner."""

    game: Annotated[str | None, typer.Argument(metavar="GAME", help=f"{GAME}.")] = None
    learner: Annotated[str | None, typer.Argument(metavar="LEARNER", help=f"{LEARNER}.")] = None
    preset: Annotated[str | None, typer.Option(help="Tuned settings: perfect, paper or strong.")] = None
    out: Annotated[Path | None, typer.Option(metavar="RUN", help="Keep the run in this new folder.")] = None
    resume: Annotated[
        str | None, typer.Option(metavar="RUN", help="Resume a run; with --games, to a larger number of games.")
    ] = None
    seeds: Annotated[
        int,
        typer.Option(
            min=1,
            max=MOST_SEEDS,
            metavar="N",
            help="Train N runs side by side, with successive seeds, each as if alone.",
        ),
    ] = 1
    play_every: Annotated[
        int, typer.Option(min=0, max=MOST_TRAINED, metavar="N", help="Let you play against it every N games; 0: never.")
    ] = 0
    on: On = "local"
    as_json: Json = False


class _WithSettings(TyperCommand):
    """A command that has an option for each setting of the learner that its arguments name."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Parse the arguments with the options of their learner, if it can be found."""
        name = learner_in(args)
        try:
            cls = catalog.learner_class(parse_written(name).name) if name else None
        except LudusError:  # the command itself says what is wrong
            cls = None
        try:
            return _command(cls, name or "").make_context(info_name, list(args), parent, **extra)
        except typer.TyperException as error:
            if not hasattr(error, "possibilities"):  # an option that does not exist has them
                raise
            raise LudusError(_unknown(str(getattr(error, "option_name", "")), args, name)) from None


def learner_in(args: Sequence[str]) -> str | None:
    """The learner among arguments, where values of its options may look like arguments."""
    hints = get_type_hints(Options, include_extras=True) | get_type_hints(Plan, include_extras=True)
    valued = {f"--{name.replace('_', '-')}" for name, hint in hints.items() if hint.__origin__ is not bool}
    words = [word for before, word in zip(["", *args], args, strict=False) if before not in valued and word[:1] != "-"]
    known = [word for word in words if word.partition("(")[0].strip() in catalog.names(catalog.LEARNERS)]
    files = [word for word in words[1:] if ".py" in word]
    return next(iter(known or files[-1:] or words[1:2]), None)


def _unknown(option: str, args: Sequence[str], learner: str | None) -> str:
    if "--resume" in args:
        return _RESUMED
    if learner is None:
        return _NOT_NAMED
    name = parse_written(learner).name
    known = ", ".join(catalog.learner_class(name)._fields)
    return f"{name} has no setting {option.lstrip('-')}; it has: {known}; and every training: {', '.join(Plan._fields)}"


def _command(learner: Any = None, name: str = "") -> Any:
    """`ludus train` with the settings of the plan and of a learner; without a learner, its help lists all."""
    hints = get_type_hints(Options, include_extras=True)
    settings = _settings("Training", Plan)
    if learner is None:
        rows = [f"[cyan]{each:13}[/]{escape(catalog.about(cls))}" for each, cls in catalog.learners().items()]
        more = "or a file; [cyan]ludus train GAME LEARNER --help[/] shows the settings of a learner."
        listed = typer.Argument(metavar="LEARNER", help="\n\n".join([*rows, more]))
        hints["learner"] = Annotated[str | None, listed]
    else:
        settings |= _settings(f"Settings of {parse_written(name).name}", learner)
    own = [parameter(each, hint, Options._field_defaults[each]) for each, hint in hints.items()]

    def called(**given: Any) -> None:
        options = Options(**{each: given.pop(each) for each in Options._fields})
        train(options, {each: format_value(value) for each, value in given.items() if value is not None})

    single = typer.Typer()
    single.command("train", epilog=_EXAMPLE)(with_parameters(called, train, [*own, *settings.values()]))
    return typer.main.get_group(single).commands["train"]


def _settings(panel: str, cls: Any) -> dict[str, inspect.Parameter]:
    """An option for every field of a NamedTuple of settings, given as text; None where it is not given."""
    hints, defaults = get_type_hints(cls, include_extras=True), cls._field_defaults
    return {name: _option(panel, name, hint, defaults.get(name)) for name, hint in hints.items()}


def _option(panel: str, name: str, hint: Any, default: Any) -> inspect.Parameter:
    described = hasattr(hint, "__metadata__")  # a learner of an installed package may have bare types
    kind: Any = hint.__origin__ if described else hint if isinstance(hint, type) else str
    words = str(hint.__metadata__[0]) if described else ""
    if issubclass(kind, enum.Enum):
        words += f" {'|'.join(map(format_value, kind))}"
    flag = name.replace("_", "-")
    option = typer.Option(
        f"--{flag}/--no-{flag}" if kind is bool else f"--{flag}",
        metavar=None if kind is bool else {int: "N", float: "X"}.get(kind, "VALUE"),
        help=f"{escape(words)} [dim]{escape(f'[{format_value(default)}]')}[/]",
        rich_help_panel=panel,
    )
    given: Any = bool | None if kind is bool else str | None
    return parameter(name, Annotated[given, option], None)


_NOT_NAMED = "say what to learn and how: ludus train tapnswap q-table"
_RESUMED = "--resume continues a run with its own settings: only --games may be given with it"


def train(options: Options, settings: dict[str, str]) -> None:
    """Train an agent to play a game; Ctrl-C stops, and --resume continues to the identical result."""
    game, learner, as_json = options.game, options.learner, options.as_json
    require_place(options.on)
    if options.play_every and (options.seeds > 1 or options.on != "local"):
        raise LudusError("--play-every is for one run, trained here: leave out --seeds and --on")
    if options.resume is not None:
        if game or learner or options.preset or options.out or options.seeds > 1 or settings.keys() - {"games"}:
            raise LudusError(_RESUMED)
        run = resumed(options.resume, settings.get("games"))
    elif game is None or learner is None:
        raise LudusError(_NOT_NAMED)
    else:
        runs = created(catalog.make_game(game), learner, settings, options)
        if len(runs) > 1:
            follow_seeds(runs, screen(stderr=True), options.on)
            found = history.read_histories([str(run.path) for run in runs])
            show(comparison.compared_as_json(found) if as_json else comparison.compared_as_text(found, screen().width))
            return
        (run,) = runs
    if options.on == "local":
        follow(run, screen(stderr=True), options.play_every)
    else:
        follow_seeds([run], screen(stderr=True), options.on)
    if warning := history.unlearned(run):
        screen(stderr=True).print(warning, style="yellow", markup=False, highlight=False, soft_wrap=True)
    show(to_json(run) if as_json else as_text(run))


app.command("train", cls=_WithSettings)(with_parameters(lambda: None, train, []))


def created(game: Any, learner: str, settings: dict[str, str], options: Options) -> list[Run]:
    """A new run, or one for each of several seeds from the one that is set, in folders named after them."""
    config, plan = configured(game, learner, settings, options.preset)
    runs = []
    for seed in range(plan.seed, plan.seed + options.seeds):
        folder = options.out / f"seed-{seed}" if options.out and options.seeds > 1 else options.out
        runs.append(create(game, config, plan._replace(seed=seed), folder or new_path(game, config)))
    return runs


def resumed(name: str, games: str | None) -> Run:
    """The run of this name, to be resumed."""
    run = get_run(name)
    return run if games is None else extend(run, make(Plan, "train", {"games": games}).games)


def follow(run: Run, console: Console, play_every: int) -> None:
    """Train to the end, and show the progress and every evaluation."""
    console.print(f"[dim]run {escape(str(run.path))}[/]", soft_wrap=True)
    with bars(console) as bar:
        view = _View(run, bar, console, play_every)
        resume(run, Watcher(progress=view.progress, every=play_every, line=view.line))


def follow_seeds(runs: Sequence[Run], console: Console, on: str = "local") -> None:
    """Train all runs to the end, on all cores or elsewhere, and print the last evaluation of each."""

    def done(run: Run) -> None:
        console.print(Text(f"seed {run.plan.seed}: {evaluated(run.metrics()[-1])}"), soft_wrap=True)

    with live_table(console) as on_progress:
        train_runs(runs, on, done=done, on_progress=lambda progress: on_progress("train", progress))


class _View:
    """What is shown during training."""

    def __init__(self, run: Run, bar: Progress, console: Console, play_every: int) -> None:
        self.run, self.bar, self.console, self.play_every = run, bar, console, play_every
        self.task = bar.add_task("training", total=run.plan.games, games=True)
        self.played = 0

    def progress(self, training: Training) -> None:
        """Show the progress, and play a game with a person when it is time."""
        if training.games:
            results = training.trainer.results.sum(axis=0)  # of the learner's own games so far
            columns = {"won": WINS, "drawn": DRAWS, "lost": LOSSES} | ({"cut": CUT} if results[CUT] else {})
            shares = {word: results[column] / max(results.sum(), 1) for word, column in columns.items()}
            words = " ".join(f"{word} {share:.0%}" for word, share in shares.items())
            self.bar.update(self.task, completed=training.games, description=words)
        if self.play_every and training.games - self.played >= self.play_every:
            self.played = training.games
            self._ask_to_play(training)

    def _ask_to_play(self, training: Training) -> None:
        self.console.print(f"After {training.games:,} games: your turn to play against the learner.")
        you, other = Seat("You"), Seat("Learner", training.agent())
        try:
            with immediate_interrupts():
                sit(self.run.game, in_order(self.run.game, you, other), self.console, training.games)
        except LeftError:
            self.console.print("No more games, then: the training continues.")
            self.play_every = 0

    def line(self, line: Line) -> None:
        """Print an evaluation."""
        indent = len(f"{self.run.plan.games:,}") - len(f"{line['games']:,}")
        self.bar.console.print(Text(" " * indent + evaluated(line)), soft_wrap=True)


def evaluated(line: Line) -> str:
    """An evaluation in a line: the games so far, accuracy, guaranteed result, and results against agents."""
    return f"{line['games']:,} games  {comparison.in_words(parse_evaluation(line))}"


def to_json(run: Run) -> dict[str, Any]:
    """The document that `ludus train --json` prints."""
    return {"run": str(run.path), "game": catalog.name_of(run.game), "metrics": run.metrics()}


def as_text(run: Run) -> Group:
    """The outcome of a training for people."""
    last = run.metrics()[-1]
    table = Table.grid(padding=(0, 2))
    for name in ("games", "plies"):
        table.add_row(name, f"{last[name]:,}")
    if "visited" in last:
        table.add_row("positions visited", " + ".join(f"{number:,}" for number in last["visited"]))
    for name, words in comparison.evaluation(parse_evaluation(last)).items():
        table.add_row(name, words)
    name, game = escape(str(run.path)), escape(catalog.name_of(run.game))
    return Group(
        Text.from_markup(f"[bold]{game}[/]: trained in [cyan]{name}[/]"),
        table,
        Text.from_markup(f"[dim]ludus grade {name}; ludus play '{game}' --against {name}[/]"),
    )
