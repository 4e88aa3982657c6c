"""How long a person waits for a first answer: `python -m bench.latency [--moves] [--make]`.

Processor seconds of one core for a command in a new process: cold (nothing compiled before), warm (the same again, the
least of three), and after an edit of the rules of a user's game (all else compiled before). `--moves` adds the first
move of every game against every agent but networks, in the terminal and on the page; `--make` times `make run`, `make
check` and `make test` in a fresh clone by the clock, which takes long.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx
from rich.console import Console
from rich.table import Table

from bench.serving import free_port, wait_for

LUDUS = [sys.executable, "-c", "from ludus.commands import main; main()"]
AGENTS = ("random", "smart-random", "mcts", "minimax", "perfect")
MAKE = {"run": 4, "check": 3, "test": 10}  # minutes


class Aim(NamedTuple):
    """What a command may take, in processor seconds; None where nothing is asked."""

    cold: float | None
    warm: float | None = None


COMMANDS = {
    "solve tapnswap": Aim(2, 0.6),
    "grade smart-random tic-tac-toe": Aim(4, 0.8),
    "value TTT__FFF": Aim(4, 0.7),
    "train tapnswap q-table --games 100 --out RUN": Aim(5, 1.0),
    "match connect-four random smart-random --games 1000": Aim(2, 0.7),
}
EDITED = {"check": 2, "solve": 2, "grade smart-random": 4}
EDIT = ("1 - pos.turn", "pos.turn ^ 1")


def main() -> None:
    """Measures and prints the tables."""
    parser = argparse.ArgumentParser(prog="python -m bench.latency", description=__doc__.splitlines()[0])
    parser.add_argument("--moves", action="store_true", help="also the first move against every agent, at every game")
    parser.add_argument("--make", action="store_true", help="also make run, make check and make test in a fresh clone")
    options = parser.parse_args()
    console = Console()
    console.print(f"load before the run {os.getloadavg()[0]:.2f}")
    console.print(commands())
    console.print(edited())
    if options.moves:
        console.print(first_moves())
    if options.make:
        console.print(made())


def commands() -> Table:
    """The commands of the first table, cold and warm."""
    table = columns("processor seconds", "cold", "aim", "warm", "aim")
    for command, aim in COMMANDS.items():
        with empty() as folder:
            words = command.replace("RUN", str(folder / "run")).split()
            cold = processor_seconds(words)
            warm = []
            for _ in range(3):
                shutil.rmtree(folder / "run", ignore_errors=True)
                warm.append(processor_seconds(words))
        table.add_row(
            f"ludus {command.removesuffix(' --out RUN')}", *judged(cold, aim.cold), *judged(min(warm), aim.warm)
        )
    return table


def edited() -> Table:
    """A user's game, the one that `ludus new-game` writes, before and after an edit of its rules."""
    table = columns("a user's game, processor seconds", "cold", "warm", "edited", "aim")
    for command, aim in EDITED.items():
        with empty() as folder:
            subprocess.run([*LUDUS, "new-game", "my-game"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
            path = folder / "my_game.py"
            words = [*command.split(), str(path)]
            cold, warm = processor_seconds(words), processor_seconds(words)
            rules = path.read_text()
            assert EDIT[0] in rules
            path.write_text(rules.replace(*EDIT))
            after = processor_seconds(words)
        table.add_row(f"ludus {command} my_game.py", f"{cold:.2f}", f"{warm:.2f}", *judged(after, aim))
    return table


def first_moves() -> Table:
    """The first move of each agent at each game: `ludus play` up to it, and that of a server that is ready."""
    from ludus import catalog

    table = columns("first move (aims 3, 0.5)", "play, cold", "warm", "page, cold", "warm")
    for game in catalog.games():
        for agent in AGENTS:
            cells = []
            for first_move in (move_in_terminal, move_on_page):
                with empty():
                    cold, *warm = (first_move(game, agent) for _ in range(4))
                cells += [judged(cold, 3)[0], judged(min(warm), 0.5)[0]]
            table.add_row(f"{game}, {agent}", *cells)
    return table


def made() -> Table:
    """The targets of the Makefile in a fresh clone with nothing compiled, by the clock."""
    table = columns("by the clock, minutes", "took", "aim")
    for target, aim in MAKE.items():
        with empty() as folder:
            subprocess.run(["git", "clone", "--quiet", ".", str(folder / "clone")], check=True)
            began = time.perf_counter()
            subprocess.run(["make", "--silent", target], cwd=folder / "clone", check=True, stdout=subprocess.DEVNULL)
            table.add_row(f"make {target}", *judged((time.perf_counter() - began) / 60, aim))
    return table


@contextmanager
def empty() -> Iterator[Path]:
    """A folder for files, with neither machine code nor data of earlier runs."""
    changed = ("NUMBA_CACHE_DIR", "LUDUS_HOME", "PYTHONDONTWRITEBYTECODE")
    before = {name: os.environ.get(name) for name in changed}
    with tempfile.TemporaryDirectory() as name:
        os.environ |= dict(zip(changed, (f"{name}/cache", f"{name}/home", ""), strict=True))
        try:
            yield Path(name)
        finally:
            for variable, value in before.items():
                os.environ.pop(variable)
                os.environ |= {} if value is None else {variable: value}


def processor_seconds(words: list[str]) -> float:
    """What a command takes in a new process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*LUDUS, *words], text=True, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def move_in_terminal(game: str, agent: str) -> float:
    """What `ludus play` takes from its start to the first move of an agent."""
    words = [*LUDUS, "play", game, "--against", agent, "--seat", "second"]
    with subprocess.Popen(words, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as playing:
        assert playing.stdout is not None
        assert any("plays" in line for line in iter(playing.stdout.readline, ""))
        took = used_by(playing.pid)
        playing.communicate("quit\n")
    return took


def move_on_page(game: str, agent: str) -> float:
    """What a server that is ready takes for the first move of an agent."""
    port = free_port()
    server = subprocess.Popen(
        [*LUDUS, "serve", "--port", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        address = f"http://127.0.0.1:{port}/"
        wait_for(address)
        httpx.get(f"{address}api/position", params={"game": game}).raise_for_status()
        before = used_by(server.pid)
        httpx.post(f"{address}api/move", json={"game": game, "agent": agent}, timeout=600).raise_for_status()
        return used_by(server.pid) - before
    finally:
        server.terminate()
        server.wait()


def used_by(process: int) -> float:
    """The processor seconds of a running process."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def columns(*titles: str) -> Table:
    """A table whose first column is text and whose others are numbers."""
    table = Table(box=None)
    table.add_column(titles[0])
    for title in titles[1:]:
        table.add_column(title, justify="right")
    return table


def judged(took: float, aim: float | None) -> tuple[str, str]:
    """A number and its aim, coloured by whether it is met."""
    if aim is None:
        return f"{took:.2f}", ""
    return f"[{'green' if took <= aim else 'red'}]{took:.2f}[/]", f"{aim:g}"


if __name__ == "__main__":
    main()
