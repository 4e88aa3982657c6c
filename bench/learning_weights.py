"""Training by move weights beside the program of its author: self-play at Mancala, as many games as the paper's."""

from __future__ import annotations

import argparse
import json
from time import process_time
from typing import NamedTuple

import numpy as np
from rich.console import Console

import ludus
from ludus.agents.simple import Random
from ludus.compiled.randomness import stream_key
from ludus.learning.loop.episodes import LEARNER, Limits, Setting
from ludus.learning.loop.plan import Bans
from ludus.learning.loop.restrictions import forbidden
from ludus.learning.move_weights import MoveWeights

AUTHOR = 3_300  # games a second of the author's program
TARGET = 20  # times as fast
GAMES = 150_500  # of each training in the paper
WARM_UP = 200  # enough for a table to grow, which compiles that too
NEVER = 1 << 62  # plies


class Line(NamedTuple):
    """A training: the processor's seconds, and the positions visited."""

    games: int
    seconds: float
    positions: int

    @property
    def speed(self) -> float:
        """Games a second on one core."""
        return self.games / self.seconds

    @property
    def ratio(self) -> float:
        """How many times as fast as the author's program."""
        return self.speed / AUTHOR


def measure(games: int, repeats: int) -> Line:
    """Trains a new learner several times on one core, including the growth of its tables; the best time counts."""
    trained(WARM_UP)
    return min((trained(games) for _ in range(repeats)), key=lambda line: line.seconds)


def trained(games: int) -> Line:
    """One training from the first game on."""
    trainer = MoveWeights().trainer(ludus.make_game("mancala"))
    both = np.full((2, 2), LEARNER)
    setting = Setting(
        both,
        stream_key(0),
        cap=NEVER,
        random_plies=0,
        random_side=0,
        asks=False,
        forbidden=forbidden(trainer.game, Bans(())),
    )
    began = process_time()
    trainer.play(Random(), setting, Limits(games, NEVER))
    return Line(games, process_time() - began, trainer.metrics()["visited"][0])


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(prog="python -m bench.learning_weights", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one shorter training")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of a line")
    options = parser.parse_args()
    line = measure(10_000, 1) if options.quick else measure(GAMES, 3)
    if options.json:
        print(json.dumps({**line._asdict(), "speed": line.speed, "ratio": line.ratio}, indent=2))
    else:
        print_line(Console(), line)


def print_line(console: Console, line: Line) -> None:
    """The result as text."""
    met = "[green]met[/]" if line.ratio >= TARGET else "[red]not met[/]"
    console.print(
        f"move-weights, {line.games:,} games of mancala against itself, {line.positions:,} positions:"
        f" {line.speed:,.0f} games/s, {line.ratio:.1f}x the author's {AUTHOR:,} (target {TARGET}x {met})",
        highlight=False,
        soft_wrap=True,
    )


if __name__ == "__main__":
    main()
