"""Deep Q-learning as in the Toads and Frogs paper: updates and plies per second, and the duration of its trainings."""

from __future__ import annotations

import argparse
import json
import os
from time import perf_counter
from typing import Any, NamedTuple

os.environ.setdefault("NPROC", "1")  # one thread is quicker: the network is small

from rich.console import Console
from rich.table import Table

import ludus
from ludus import catalog
from ludus.learning.loop.plan import NEVER, Plan
from ludus.learning.loop.training import Training
from ludus.learning.presets import preset_for
from ludus.networks.runtime import device
from ludus.parameters import make

WARM_UP = 100  # games, in which all is compiled
QUICK = 500  # games

# The paper's trainings, their games, its time for them in seconds, and the time allowed here.
BOARDS = (
    ("toads-and-frogs", 6_000, 9 * 60, 30),
    ("toads-and-frogs(toads=6, gaps=9, frogs=6)", 20_000, 2 * 60 * 60, 8 * 60),
)


class Line(NamedTuple):
    """A training: seconds without compilation; paper: the paper's seconds; target: the seconds aimed at."""

    board: str
    games: int
    seconds: float
    updates: float
    plies: float
    paper: float
    target: float


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(prog="python -m bench.learning_dqn", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of a table")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} games of each, times scaled up")
    options = parser.parse_args()
    lines = [measured(*board, quick=options.quick) for board in BOARDS]
    if options.json:
        print(json.dumps({"device": device(), "lines": [line._asdict() for line in lines]}, indent=2))
        return
    table = Table(
        "board", "games", "seconds", "paper", "target", "updates/s", "plies/s", title=f"dqn, preset paper, {device()}"
    )
    for line in lines:
        met = "met" if line.seconds <= line.target else "missed"
        times = f"{line.seconds:,.0f}", f"{line.paper:,.0f}", f"{line.target:,.0f}, {met}"
        table.add_row(line.board, f"{line.games:,}", *times, f"{line.updates:,.0f}", f"{line.plies:,.0f}")
    Console().print(table)


def measured(board: str, games: int, paper: float, target: float, *, quick: bool) -> Line:
    """One training with the preset, without evaluations."""
    game: Any = ludus.make_game(board)
    learner, plan = preset_for("paper", "dqn", game)
    words = plan | {"grade": "no", "eval_against": "none"}
    training = Training(game, make(catalog.learner_class("dqn"), "dqn", learner), make(Plan, "plan", words))
    played_to(training, WARM_UP)
    before, began = progress(training), perf_counter()
    played_to(training, QUICK + WARM_UP if quick else games)
    seconds = perf_counter() - began
    played, updates, plies = (after - earlier for after, earlier in zip(progress(training), before, strict=True))
    return Line(board, games, seconds * games / played, updates / seconds, plies / seconds, paper, target)


def played_to(training: Training, games: int) -> None:
    """Trains up to a number of games."""
    opponent, setting = training._against("random", NEVER)
    while not training.trainer.learn(opponent, setting, games):
        pass


def progress(training: Training) -> tuple[int, int, int]:
    """Games, updates and plies so far."""
    return training.games, training.trainer.metrics()["updates"], training.trainer.plies


if __name__ == "__main__":
    main()
