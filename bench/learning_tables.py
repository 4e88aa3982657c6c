"""Q-learning beside its peers, on one core: OpenSpiel's tabular learner, and the Java of Fox and Hounds' authors."""

from __future__ import annotations

import argparse
import json
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

import ludus
from ludus import catalog
from ludus.agents.simple import Random
from ludus.compiled.randomness import stream_key
from ludus.learning.loop.episodes import ANY, LEARNER, PAUSED, Limits, Setting
from ludus.learning.loop.plan import Bans
from ludus.learning.loop.restrictions import forbidden

PLIES = 20_000_000
WARM_UP = 100_000
AUTHORS = 800_000  # plies per second of the authors' Java, as reported in the paper
NEVER = 1 << 62


class Line(NamedTuple):
    """What was trained, the peer, and both speeds in plies a second; target: how many times as fast, None for none."""

    what: str
    peer: str
    ludus: float
    theirs: float
    target: float

    @property
    def ratio(self) -> float:
        """How many times as fast Ludus is."""
        return self.ludus / self.theirs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true", help="a tenth of the plies")
    options = parser.parse_args()
    plies = PLIES // 10 if options.quick else PLIES
    lines = [
        Line("tic-tac-toe", "OpenSpiel's tabular_qlearner", speed("tic-tac-toe", "q-table", plies), openspiel(), 200),
        Line(
            "fox-and-hounds",
            "the authors' Java (published)",
            speed("fox-and-hounds", "q-table(tables=roles, alpha=0.5, gamma=0.99)", plies),
            AUTHORS,
            5,
        ),
    ]
    if options.json:
        print(json.dumps([line._asdict() | {"ratio": line.ratio} for line in lines], indent=2))
        return
    table = Table("self-play", "plies/s", "peer", "plies/s", "ratio", "target", title="Q-learning, one core")
    for line in lines:
        numbers = f"{line.theirs:,.0f}", f"{line.ratio:,.1f}x", f"{line.target:g}x"
        table.add_row(line.what, f"{line.ludus:,.0f}", line.peer, *numbers)
    Console().print(table)


def speed(name: str, learner: str, plies: int) -> float:
    """Plies a second of one table against itself."""
    game: Any = ludus.make_game(name)
    trainer = catalog.make_learner(learner).trainer(game)
    both = np.full((2, 2), LEARNER)
    setting = Setting(
        both,
        stream_key(0),
        cap=NEVER,
        random_plies=0,
        random_side=ANY,
        asks=False,
        forbidden=forbidden(trainer.game, Bans(())),
    )
    trainer.play(Random(), setting, Limits(NEVER, WARM_UP))
    began = process_time()
    assert trainer.play(Random(), setting, Limits(NEVER, plies)) == PAUSED
    return plies / (process_time() - began)


def openspiel(games: int = 2_000) -> float:
    """Plies a second of OpenSpiel's learner, one for each player, on tic-tac-toe."""
    from open_spiel.python import rl_environment
    from open_spiel.python.algorithms import tabular_qlearner

    environment = rl_environment.Environment("tic_tac_toe")
    actions = environment.action_spec()["num_actions"]
    agents = [tabular_qlearner.QLearner(player_id=player, num_actions=actions) for player in (0, 1)]
    plies, began = 0, process_time()
    for _ in range(games):
        step = environment.reset()
        while not step.last():
            player = step.observations["current_player"]
            step = environment.step([agents[player].step(step).action])
            plies += 1
        for agent in agents:
            agent.step(step)
    return plies / (process_time() - began)


if __name__ == "__main__":
    main()
