"""`ludus new-game` and `ludus check`: a small game as a start for one's own, and whether a game keeps the contract."""

from __future__ import annotations

import importlib.util
import keyword
import re
import sys
from importlib import resources
from pathlib import Path
from string import Template
from typing import Annotated, NamedTuple

import typer
from rich.markup import escape

from ludus import catalog, checking
from ludus.commands.options import MOST_LISTED, MOST_SEED, GameName, Json, example, screen, show
from ludus.commands.progress import waiting
from ludus.errors import LudusError
from ludus.files import is_there, write_whole

app = typer.Typer()


@app.command("new-game", epilog=example("new-game my-game"))
def new_game(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name, [cyan]my-game[/].")],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write it.", show_default="my_game.py, here")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a file with a small game that works, as a start for your own."""
    made = write_game(name, out)
    if as_json:
        show({"game": made.name, "class": made.class_name, "file": str(made.path)})
        return
    console = screen()
    console.print(f"{made.path} holds a game that works; change it as you like, then", highlight=False, soft_wrap=True)
    for command in ("check", "play", "solve"):
        console.print(f"  ludus {command} {made.path}", style="cyan", highlight=False, soft_wrap=True)


_TAKEN = {"Position", "NamedTuple"}  # classes that the file has already
_LONGEST = 40


class NewGame(NamedTuple):
    """The name, class and file of a new game."""

    name: str
    class_name: str
    path: Path


def write_game(name: str, out: Path | None = None) -> NewGame:
    """Write a file with a game of this name, `out` or in the folder `out`; LudusError if it cannot be."""
    module, class_name = _names(name)
    path = out or Path(f"{module}.py")
    if path.is_dir():
        path /= f"{module}.py"
    if path.suffix != ".py":
        raise LudusError(f"{path} is no Python file: its name must end in .py")
    words = {"title": name.replace("-", " ").capitalize(), "name": name, "file": path.name, "class_name": class_name}
    text = Template(resources.files("ludus").joinpath("commands/templates/game.txt").read_text()).substitute(words)
    if is_there(path):
        raise LudusError(f"{path} is there already: name another file by --out")
    write_whole(path, [text.encode()])
    return NewGame(name, class_name, path)


def _names(name: str) -> tuple[str, str]:
    """The module and the class of a game; LudusError for a bad name."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name) or len(name) > _LONGEST:
        raise LudusError(
            f"a game is called by small letters, digits and single hyphens, at most {_LONGEST}, a letter first, such as"
            f" my-game, not {name!r}"
        )
    module, class_name = name.replace("-", "_"), "".join(word.capitalize() for word in name.split("-"))
    if name in catalog.GAMES.built_in or class_name in _TAKEN or keyword.iskeyword(module):
        raise LudusError(f"{name} is taken: choose another name")
    spec = importlib.util.find_spec(module)  # of a package that is more than a file in this folder
    is_installed = spec is not None and spec.origin is not None and Path(spec.origin).parent != Path.cwd()
    if module in sys.stdlib_module_names or is_installed:
        raise LudusError(f"{name} is taken: {module}.py would hide the Python module {module}")
    return module, class_name


@app.command(epilog=example("check ./nim.py"))
def check(
    game: GameName,
    as_json: Json = False,
    positions: Annotated[
        int, typer.Option(min=1, max=MOST_LISTED, metavar="N", help="Check all positions up to this many.")
    ] = 6000,
    random_games: Annotated[
        int, typer.Option("--games", min=0, max=MOST_LISTED, metavar="N", help="Random games to check beyond that.")
    ] = 100,
    seed: Annotated[int, typer.Option(min=0, max=MOST_SEED, metavar="N", help="Seed of the random games.")] = 0,
) -> None:
    """Check that a game keeps the contract, or say what breaks it and what to write instead."""
    chosen = catalog.find(catalog.GAMES, game)
    with waiting(screen(stderr=True), f"checking {game}"):
        checked = checking.check(chosen, positions=positions, games=random_games, seed=seed)
    if as_json:
        rules = [verdict._asdict() for verdict in checked.verdicts]
        show({"game": catalog.name_of(chosen), "ok": not checked.problem, "rules": rules, "notes": checked.notes})
    else:
        _print(checked)
    raise typer.Exit(1 if checked.problem else 0)


def _print(checked: checking.Checked) -> None:
    for verdict in checked.verdicts:
        mark = "[red]broken[/]" if verdict.problem else "[green]kept[/]  "
        detail = f" [dim]({escape(verdict.detail)})[/]" if verdict.detail else ""
        screen().print(f"{mark}  {verdict.rule}{detail}", highlight=False, soft_wrap=True)
    for note in checked.notes:
        screen().print(f"[yellow]note[/]    {escape(note)}", highlight=False, soft_wrap=True)
    if checked.problem:
        text = "\n".join([checked.problem, *checked.verdicts[-1].lines])
        screen(stderr=True).print(text, style="red", markup=False, highlight=False, soft_wrap=True)
