"""`ludus solve`: the exact value of a position."""

from __future__ import annotations

import enum
import resource
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from rich.console import Group
from rich.text import Text

from ludus import catalog, face
from ludus.cluster import Job, require_place, run_jobs
from ludus.commands.options import (
    FromPosition,
    GameName,
    Json,
    bytes_of,
    example,
    finite,
    require_writable,
    screen,
    show,
    takes_options,
)
from ludus.commands.progress import OnStage, stages
from ludus.commands.terminal import action_table
from ludus.errors import LudusError
from ludus.parameters import format_value
from ludus.solving.outcomes import Outcomes
from ludus.solving.proof_number import obstacle_to_proof
from ludus.solving.solution import Counts, Solution, verify
from ludus.solving.solution_file import SolutionFile, load, save
from ludus.solving.solver import Searched, solve
from ludus.solving.tablebases.building import Task, Workers, in_threads, require_no_chance
from ludus.solving.tablebases.estimates import estimated
from ludus.solving.tablebases.keys import Keying
from ludus.solving.tablebases.tablebase import Tablebase, copy
from ludus.solving.tablebases.tabulation import tabulate
from ludus.solving.tablebases.verification import verify as verify_tablebase
from ludus.solving.value import Value

app = typer.Typer()


class SolveMethod(enum.Enum):
    """How to solve."""

    AUTO = "auto"
    LISTED = "listed"
    TABLEBASE = "tablebase"
    SEARCH = "search"
    PROOF = "proof"


class Options(NamedTuple):
    """The options of `ludus solve`."""

    game: GameName
    position: FromPosition = None
    method: Annotated[
        SolveMethod,
        typer.Option(
            help="Retrograde analysis of all positions in memory (listed) or on disk (tablebase), or search; by the"
            " game's size if auto. proof: who wins, plies not counted."
        ),
    ] = SolveMethod.AUTO
    symmetry: Annotated[
        bool, typer.Option("--symmetry", help="Store one position for all that are equal up to symmetry.")
    ] = False
    memory: Annotated[
        float | None,
        typer.Option(
            min=0.01,
            max=1e6,
            callback=finite,
            help="Use at most this many GB; a search takes a transposition table of a power of two.",
            show_default="70 % of what is free, 1.07 for a search",
        ),
    ] = None
    disk: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1e6,
            callback=finite,
            help="Use at most this many GB of disk for a tablebase.",
            show_default="90 % of what is free",
        ),
    ] = None
    on: Annotated[
        str | None,
        typer.Option(
            "--on",
            metavar="PLACE",
            help="Where to expand a tablebase: processes on [cyan]local[/] or [cyan]local=N[/], or [cyan]ray[/] or"
            " [cyan]ray=ADDRESS[/] with a shared folder.",
            show_default="threads of this process",
        ),
    ] = None
    estimate: Annotated[bool, typer.Option("--estimate", help="Print what a tablebase would take, and make none.")] = (
        False
    )
    verify: Annotated[
        bool, typer.Option("--verify", help="Check every value against its successors, by other code.")
    ] = False
    save: Annotated[Path | None, typer.Option(help="Write the solution to this file, a tablebase to this folder.")] = (
        None
    )
    load: Annotated[Path | None, typer.Option(help="Read it from such a file or folder instead of solving.")] = None
    as_json: Json = False


@app.command("solve", epilog=example("solve tic-tac-toe --from XX./OO./... --verify"))
@takes_options
def solve_command(options: Options) -> None:
    """Solve a game exactly: the result of perfect play, the plies to it, and the value of every action."""
    given = options.symmetry, options.estimate, options.memory, options.disk, options.on
    if options.load and (any(given) or options.method is not SolveMethod.AUTO):
        raise LudusError("--load reads what is there: --symmetry, --method, --memory and the like are for solving")
    game = catalog.make_game(options.game)
    pos = None if options.position is None else face.parse_position(game, options.position)
    if options.estimate:
        show(_estimate(game, pos, as_json=options.as_json))
        return
    report = loaded(game, pos, options) if options.load else solved(game, pos, options)
    show(to_json(report) if options.as_json else as_text(report))


class Report(NamedTuple):
    """A solved game; None for a value of an action below the best that a search would take too long for."""

    game: Any
    pos: Any
    method: str
    counts: Counts | None  # of all reachable positions, None after a search or from a file solved from elsewhere
    value: Value
    actions: dict[int, Value | None]
    gap: float | None
    symmetric: bool
    verified: bool
    seconds: float
    memory: int  # the most bytes in use


def solved(game: Any, pos: Any, options: Options) -> Report:
    """Solve a game from a position, by default its start, and verify and save the solution if that is wanted."""
    began = time.perf_counter()
    memory, disk = (None if size is None else bytes_of(size) for size in (options.memory, options.disk))
    method: Any = options.method.value
    with stages(screen(stderr=True)) as on_progress:
        if options.on is not None or method == "tablebase":
            return _tabulated(game, pos, options, on_progress, began)
        require_writable(options.save)
        symmetric = options.symmetry
        truth: Any = solve(
            game, pos, method=method, symmetric=symmetric, memory=memory, disk=disk, progress=on_progress
        )
        if isinstance(truth, Solution | Tablebase):
            _finish(truth, on_progress, options)
        elif options.verify or options.save is not None:
            raise LudusError("the game is searched, and only what is listed can be verified or saved")
        elif options.method is SolveMethod.AUTO and _takes_long(truth):
            truth = solve(game, pos, method="proof", memory=memory, progress=on_progress)
        return _report(truth, truth.start, options.verify, began)


def _tabulated(game: Any, pos: Any, options: Options, on_progress: OnStage, began: float) -> Report:
    """Make a tablebase, in the user's folder or where it is to be saved."""
    if options.method not in (SolveMethod.AUTO, SolveMethod.TABLEBASE):
        raise LudusError("--on is for tablebases: say --method tablebase")
    memory, disk = (None if size is None else bytes_of(size) for size in (options.memory, options.disk))
    found = tabulate(
        game,
        pos,
        folder=options.save,
        memory=memory,
        disk=disk,
        workers=in_threads if options.on is None else workers_on(options.on),
        progress=on_progress,
        on_estimate=lambda estimate: screen(stderr=True).print(f"{catalog.name_of(game)}: {estimate}", style="dim"),
    )
    if options.verify:
        verify_tablebase(found, progress=partial(_verifying, on_progress, len(found)))
    return _report(found, found.start, options.verify, began)


def workers_on(on: str) -> Workers:
    """Workers for tablebases on a place as `run_jobs` takes it; one task alone is done here."""
    require_place(on)

    def work(game: Any, keying: Keying, tasks: Sequence[Task]) -> list[Any]:
        if len(tasks) < 2:
            return list(in_threads(game, keying, tasks))
        name, found = catalog.lasting_name(game), dict[int, Any]()
        jobs = [Job(task.name, do_task, (name, keying, task.function, task.arguments)) for task in tasks]
        run_jobs(jobs, on, done=found.__setitem__)
        return [found[number] for number in range(len(tasks))]

    return work


def do_task(game: str, keying: Keying, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Do a task of a tablebase, in any process; the game is a name."""
    return function(catalog.make_game(game), keying, *arguments)


def _estimate(game: Any, pos: Any, *, as_json: bool) -> dict[str, Any] | str:
    """What a tablebase would take."""
    require_no_chance(game)
    found = estimated(game, game.start() if pos is None else pos)
    if not as_json:
        return f"{catalog.name_of(game)}: {found}"
    likely, least = found.likely_cost._asdict(), found.least_cost._asdict()
    return {
        "game": catalog.name_of(game),
        "least": found.least,
        "most": found.most,
        "actions": found.actions,
        "likely_cost": likely,
        "least_cost": least,
    }


def _takes_long(truth: Searched) -> bool:
    """Whether counting plies takes so long that only who wins is asked, where a proof can answer that."""
    return not obstacle_to_proof(truth.game) and not truth.counts_plies(truth.start)


def loaded(game: Any, pos: Any, options: Options) -> Report:
    """The same from a tablebase; unless it is to be verified or saved again, only what is needed is read."""
    assert options.load is not None
    began = time.perf_counter()
    if options.load.is_dir():
        found = Tablebase(game, options.load)
        with stages(screen(stderr=True)) as on_progress:
            _finish(found, on_progress, options)
        return _report(found, found.start if pos is None else pos, options.verify, began)
    if not options.verify and options.save is None:
        with SolutionFile(options.load, game) as file:
            return _report(file, file.start if pos is None else pos, False, began)
    with stages(screen(stderr=True)) as on_progress:
        solution = load(options.load, game)
        _finish(solution, on_progress, options)
        return _report(solution, solution.start if pos is None else pos, options.verify, began)


def _finish(solution: Solution | Tablebase, on_progress: OnStage, options: Options) -> None:
    progress = partial(_verifying, on_progress, len(solution))
    if isinstance(solution, Tablebase):
        if options.verify:
            verify_tablebase(solution, progress=progress)
        if options.save is not None:
            copy(solution, options.save)
        return
    if options.verify:
        verify(solution, progress)
    if options.save is not None:
        save(solution, options.save)


def _verifying(on_progress: OnStage, total: int, done: int) -> None:
    on_progress("verifying", done, total)


def _report(truth: Any, pos: Any, verified: bool, began: float) -> Report:
    searched = isinstance(truth, Searched | Outcomes)
    return Report(
        truth.game,
        pos,
        truth.method,
        None if searched or pos != truth.start else truth.counts(),
        truth.value(pos),
        truth.known_actions(pos) if isinstance(truth, Searched) else truth.actions(pos),
        None if searched else truth.gap,
        not searched and truth.symmetric,
        verified,
        time.perf_counter() - began,
        1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
    )


def to_json(report: Report) -> dict[str, Any]:
    """The document that `ludus solve --json` prints; what does not apply is null."""
    game, pos = report.game, report.pos
    player, chance = game.player(pos), report.gap is not None
    counts = report.counts._asdict() if report.counts else dict.fromkeys(Counts._fields)
    if chance:
        counts |= dict.fromkeys(("wins", "losses", "draws", "longest"))
    longest = counts.pop("longest")
    return {
        "game": catalog.name_of(game),
        "params": {
            name: value if type(value) in (int, bool) else format_value(value) for name, value in game._asdict().items()
        },
        "from": face.format_position(game, pos),
        "player": int(player),
        "method": report.method,
        "symmetry": report.symmetric,
        **counts,
        "value": None if chance else report.value.outcome(player),
        "score": report.value.score,
        "plies": report.value.plies,
        "longest": longest,
        "gap": report.gap,
        "actions": [
            {
                "action": action,
                "name": face.action_name(game, pos, action),
                "value": None if chance or value is None else value.outcome(player),
                "plies": value and value.plies,
                "score": value and value.score,
            }
            for action, value in report.actions.items()
        ],
        "verified": report.verified,
        "seconds": round(report.seconds, 3),
        "memory": report.memory,
    }


METHODS = {
    "listed": "Retrograde analysis",
    "tablebase": "Tablebase, by retrograde analysis",
    "search": "Alpha-beta search",
    "proof": "Proof-number and alpha-beta search, plies not counted",
}


def as_text(report: Report) -> Group:
    """The result, the counts, the cost, and the value of every action."""
    lines = [Text.assemble((f"{catalog.name_of(report.game)}: ", "bold"), headline(report))]
    if report.counts is not None:
        lines.append(Text(_counted(report.counts, report)))
    how = METHODS.get(report.method, report.method)
    checked = "; each value checked against its successors" if report.verified else ""
    lines.append(Text(f"{how}: {report.seconds:.1f} s, at most {report.memory / 1e9:.2f} GB{checked}.", "dim"))
    if not report.actions:
        return Group(*lines)
    table = action_table(report.game, report.pos, report.actions, chance=report.gap is not None)
    return Group(*lines, Text(), table)


def headline(report: Report) -> Text:
    """Who wins from here, by how much and in how many plies."""
    game, value = report.game, report.value
    if report.gap is not None:
        return Text(f"expected score for {face.players(game)[0]} {value.score:+.6f} (within {report.gap:.1e})")
    if value.score == 0:
        endless = value.plies is None and report.method in ("listed", "tablebase")
        return Text("a draw: nobody can force an end" if endless else "a draw")
    winner = 0 if value.score > 0 else 1
    mover = ", to move," if game.player(report.pos) == winner else ""
    margin = f" by {abs(value.score):.16g}" if abs(value.score) != 1 else ""
    plies = f" in {value.plies} {'ply' if value.plies == 1 else 'plies'}" if value.plies is not None else ""
    return Text.assemble((face.players(game)[winner], "green"), f"{mover} can force a win{margin}{plies}")


def _counted(counts: Counts, report: Report) -> str:
    alike = " up to symmetry" if report.symmetric else ""
    words = f"{counts.positions:,} positions{alike}, {counts.terminal:,} terminal"
    if report.gap is not None:
        return f"{words}."
    longest = "" if counts.longest is None else f"; longest win {counts.longest} plies"
    side = f"Side to move: {counts.wins:,} won, {counts.losses:,} lost, {counts.draws:,} drawn."
    return f"{words}{longest}.\n{side}"
