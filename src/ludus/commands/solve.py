"""Commands that know the truth: solve, grade, prove, book."""

from __future__ import annotations

import enum
import json
import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from rich.console import Console, Group
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from ludus import catalog, face
from ludus.commands.options import FromPosition, GameName, Json, example, screen
from ludus.commands.terminal import action_table
from ludus.errors import LudusError
from ludus.parameters import format_value
from ludus.solving.solution import Counts, Solution
from ludus.solving.solver import Method, Searched, solve
from ludus.solving.tablebase import Tablebase, load, save
from ludus.solving.value import Value
from ludus.solving.verify import verify

app = typer.Typer()


class SolveMethod(enum.Enum):
    """How to solve."""

    AUTO = "auto"
    LISTED = "listed"
    SEARCH = "search"


@app.command("solve", epilog=example("solve tic-tac-toe --from XX./OO./... --verify"))
def solve_command(
    game: GameName,
    begin: FromPosition = None,
    method: Annotated[
        SolveMethod, typer.Option(help="List all positions, or search; by default what the size of the game asks for.")
    ] = SolveMethod.AUTO,
    symmetry: Annotated[
        bool, typer.Option("--symmetry", help="List one position for all that are alike up to symmetry.")
    ] = False,
    memory: Annotated[
        float | None,
        typer.Option(
            min=0.01,
            max=1e6,
            help="Use at most so many GB; the table of a search takes the largest power of two of bytes that fits.",
            show_default="70 % of what is free, 1.07 for a search",
        ),
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Check every value against its successors, by other code.")
    ] = False,
    save: Annotated[Path | None, typer.Option(help="Keep the solution in this file.")] = None,
    load: Annotated[Path | None, typer.Option(help="Read it from such a file instead of solving.")] = None,
    as_json: Json = False,
) -> None:
    """Solve a game exactly: who wins from here with perfect play, how soon, and what each action is worth."""
    from ludus import face

    chosen = catalog.make_game(game)
    pos = None if begin is None else face.parse_position(chosen, begin)
    console = screen(stderr=True)
    if load is not None:
        if symmetry or method is not SolveMethod.AUTO or memory is not None:
            raise LudusError("--load reads what is there: --symmetry, --method and --memory are for solving")
        report = report_loaded(chosen, pos, console, load, checked=verify, saved=save)
    else:
        report = solved(
            chosen,
            pos,
            console,
            method=method.value,
            symmetric=symmetry,
            memory=None if memory is None else int(memory * 1e9),
            checked=verify,
            saved=save,
        )
    if as_json:
        typer.echo(json.dumps(to_json(report), indent=2))
    else:
        screen().print(as_text(report))


class Report(NamedTuple):
    """What is told of a solved game.

    counts: of the positions reachable from there, None where it was searched or read from a file that was solved from
    elsewhere; actions: None for a value below the best that a search would take too long for; memory: bytes at most in
    use.
    """

    game: Any
    pos: Any
    method: str
    counts: Counts | None
    value: Value
    actions: dict[int, Value | None]
    gap: float | None
    symmetric: bool
    verified: bool
    seconds: float
    memory: int


def solved(
    game: Any,
    pos: Any,
    console: Console,
    *,
    method: Method = "auto",
    symmetric: bool = False,
    memory: int | None = None,
    checked: bool = False,
    saved: Path | None = None,
) -> Report:
    """Solve a game and say what it is worth from a position on, by default its start."""
    began = time.perf_counter()
    if saved is not None:
        _refuse_if_unwritable(saved)
    with _progress(console) as on_progress:
        truth = solve(game, pos, method=method, symmetric=symmetric, memory=memory, progress=on_progress)
        if isinstance(truth, Solution):
            _finish(truth, on_progress, checked, saved)
        elif checked or saved is not None:
            raise LudusError("the game is searched, and only what is listed can be verified or saved")
        return _told(truth, truth.start, checked, began)


def report_loaded(
    game: Any, pos: Any, console: Console, path: Path, *, checked: bool = False, saved: Path | None = None
) -> Report:
    """The same of a solution on file; unless it is to be verified or saved again, only what is asked for is read."""
    began = time.perf_counter()
    if not checked and saved is None:
        with Tablebase(path, game) as file:
            return _told(file, file.start if pos is None else pos, checked, began)
    with _progress(console) as on_progress:
        solution = load(path, game)
        _finish(solution, on_progress, checked, saved)
        return _told(solution, solution.start if pos is None else pos, checked, began)


def _finish(solution: Solution, on_progress: Any, checked: bool, saved: Path | None) -> None:
    if checked:
        verify(solution, lambda done: on_progress("verifying", done, len(solution)))
    if saved is not None:
        save(solution, saved)


def _refuse_if_unwritable(path: Path) -> None:
    """Raise LudusError for a place where no file can be written, before the work is done."""
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise LudusError(f"{path} cannot be written: name a file in a folder that can be")


def _told(truth: Any, pos: Any, verified: bool, began: float) -> Report:
    counts = None if isinstance(truth, Searched) or pos != truth.start else truth.counts()
    value = truth.value(pos)
    actions = truth.known_actions(pos) if isinstance(truth, Searched) else truth.actions(pos)
    gap = None if isinstance(truth, Searched) else truth.gap
    symmetric = not isinstance(truth, Searched) and truth.symmetric
    seconds = time.perf_counter() - began
    memory = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return Report(truth.game, pos, truth.method, counts, value, actions, gap, symmetric, verified, seconds, memory)


@contextmanager
def _progress(console: Console) -> Iterator[Any]:
    """A bar for each stage."""
    bar = Progress(
        SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        console=console, transient=True, disable=not console.is_terminal,
    )  # fmt: skip
    tasks: dict[str, Any] = {}

    def on_progress(stage: str, done: int, total: int | None) -> None:
        if stage not in tasks:
            tasks[stage] = bar.add_task(stage, total=total)
        bar.update(tasks[stage], completed=done, total=total)

    with bar:
        yield on_progress


def to_json(told: Report) -> dict[str, Any]:
    """The document that `ludus solve --json` prints; what does not apply is null."""
    game, pos = told.game, told.pos
    player, chance = game.player(pos), told.gap is not None
    counted = told.counts._asdict() if told.counts else dict.fromkeys(Counts._fields)
    if chance:
        counted |= dict.fromkeys(("wins", "losses", "draws", "longest"))
    longest = counted.pop("longest")
    return {
        "game": catalog.name_of(game),
        "params": {name: _plain(value) for name, value in game._asdict().items()},
        "from": face.format_position(game, pos),
        "player": int(player),
        "method": told.method,
        "symmetry": told.symmetric,
        **counted,
        "value": None if chance else told.value.outcome(player),
        "score": told.value.score,
        "plies": told.value.plies,
        "longest": longest,
        "gap": told.gap,
        "actions": [
            {
                "action": action,
                "name": face.action_name(game, pos, action),
                "value": None if chance or value is None else value.outcome(player),
                "plies": None if value is None else value.plies,
                "score": None if value is None else value.score,
            }
            for action, value in told.actions.items()
        ],
        "verified": told.verified,
        "seconds": round(told.seconds, 3),
        "memory": told.memory,
    }


def _plain(value: Any) -> Any:
    """A parameter as JSON has it: numbers and truth values as they are, others as they are written."""
    return value if type(value) in (int, bool) else format_value(value)


def as_text(told: Report) -> Group:
    """The same for people."""
    game, pos = told.game, told.pos
    name = escape(catalog.name_of(game))
    lines = [Text.from_markup(f"[bold]{name}[/]: {headline(told)}")]
    lines.append(Text(f"{_counted(told)}{told.method}, {_spent(told)}", "dim"))
    if not told.actions:
        return Group(*lines)
    return Group(*lines, action_table(game, pos, told.actions, chance=told.gap is not None))


def headline(told: Report) -> str:
    """Who wins from here, by how much and in how many plies."""
    game, value = told.game, told.value
    if told.gap is not None:
        side = escape(face.players(game)[0])
        return f"expected score for {side} {value.score:+.6f} (within {told.gap:.1e})"
    if value.score == 0:
        return "a draw: nobody can force an end" if value.plies is None and told.method == "listed" else "a draw"
    winner = 0 if value.score > 0 else 1
    margin = f" by {abs(value.score):g}" if abs(value.score) != 1 else ""
    plies = f" in {value.plies} {'ply' if value.plies == 1 else 'plies'}" if value.plies is not None else ""
    mover = ", who is to move," if game.player(told.pos) == winner else ""
    return f"[green]{escape(face.players(game)[winner])}[/]{mover} can force a win{margin}{plies}"


def _counted(told: Report) -> str:
    counts = told.counts
    if counts is None:
        return ""
    alike = " up to symmetry" if told.symmetric else ""
    words = f"{counts.positions:,} positions{alike} ({counts.terminal:,} ended); "
    if told.gap is None:
        words += f"for who moves {counts.wins:,} won, {counts.losses:,} lost, {counts.draws:,} drawn; "
        words += f"longest win {counts.longest} plies; " if counts.longest is not None else ""
    return words


def _spent(told: Report) -> str:
    checked = "; each value checked against its successors" if told.verified else ""
    return f"{told.seconds:.1f} s and at most {told.memory / 1e9:.2f} GB{checked}"
