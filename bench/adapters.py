"""Steps per second of Gymnasium environments: compiled games, against Gymnasium's vector of single games."""

from __future__ import annotations

import argparse
import json
from time import perf_counter
from typing import Any, NamedTuple

from gymnasium.vector import SyncVectorEnv
from rich.console import Console
from rich.table import Table

from ludus.adapters.gymnasium import LudusEnv, LudusVectorEnv

GAMES = ("tic-tac-toe", "connect-four", "mancala")
SIZES = (16, 256, 4096)
SECONDS = 2.0
SEED = 1


class Line(NamedTuple):
    """The learner's steps per second, over all games."""

    game: str
    games_at_once: int
    sync: float
    compiled: float

    @property
    def ratio(self) -> float:
        return self.compiled / self.sync


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true", help="a quarter of a second each")
    options = parser.parse_args()
    seconds = SECONDS / 8 if options.quick else SECONDS
    lines = [measured(game, size, seconds) for game in GAMES for size in SIZES]
    if options.json:
        print(json.dumps([line._asdict() | {"ratio": line.ratio} for line in lines], indent=2))
        return
    table = Table("game", "games at once", "SyncVectorEnv", "LudusVectorEnv", "ratio", title="steps/s, against random")
    for line in lines:
        table.add_row(
            line.game, str(line.games_at_once), f"{line.sync:,.0f}", f"{line.compiled:,.0f}", f"{line.ratio:.0f}"
        )
    Console().print(table)


def measured(game: str, size: int, seconds: float) -> Line:
    """Both with the same game, opponent and policy: the first legal action."""
    sync = SyncVectorEnv([lambda: LudusEnv(game)] * size)
    return Line(game, size, speed(sync, seconds), speed(LudusVectorEnv(game, num_envs=size), seconds))


def speed(env: Any, seconds: float) -> float:
    """Steps per second, after compilation."""
    _, infos = env.reset(seed=SEED)
    for _ in range(3):
        infos = env.step(infos["action_mask"].argmax(axis=1))[-1]
    steps, began = 0, perf_counter()
    while (passed := perf_counter() - began) < seconds:
        infos = env.step(infos["action_mask"].argmax(axis=1))[-1]
        steps += env.num_envs
    return steps / passed


if __name__ == "__main__":
    main()
