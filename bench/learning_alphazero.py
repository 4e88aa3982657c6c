"""The speed of self-play of `alphazero` at connect four, and the strength of a trained run against `mcts` and a solver.

Both players of such a match answer a position always alike, so that all games from one seat would be the same: here the
seed of `mcts` is another for every two games, one from each seat. The truth is asked in positions of some plies and
more, where it is found in milliseconds, out of games in which one move of two is random.
"""

from __future__ import annotations

import argparse
import json
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

import ludus
from ludus.agents.agent import agent_for, probabilities
from ludus.agents.mcts import Mcts
from ludus.agents.simple import Random
from ludus.compiled.masks import actions, count
from ludus.compiled.randomness import stream_key
from ludus.learning.alphazero import CALLS, UPDATES, AlphaZeroTrainer
from ludus.learning.loop.episodes import LEARNER, Setting
from ludus.learning.loop.plan import Bans
from ludus.learning.loop.restrictions import forbidden
from ludus.learning.presets import configured
from ludus.networks.runtime import device

NEVER = 1 << 62  # plies, games
TARGET = 0.65  # of the points against mcts(sims=1000)
LEAST = 14  # plies of a position whose exact value is found
RANDOM = 0.5  # of the moves that lead there
TOGETHER = 256  # games


class Speed(NamedTuple):
    """The work done in some seconds of training."""

    seconds: float
    moves: int
    simulations: int
    updates: int

    @property
    def rates(self) -> dict[str, float]:
        """Each per second."""
        return {name: round(getattr(self, name) / self.seconds, 1) for name in ("moves", "simulations", "updates")}


def measure(seconds: float) -> Speed:
    """Trains for some time with the preset; compilation does not count."""
    game = ludus.make_game("connect-four")
    config, _ = configured(game, "alphazero", {}, "strong")
    trainer: AlphaZeroTrainer = config.trainer(game)
    setting = Setting(
        np.full((2, 2), LEARNER),
        stream_key(0),
        NEVER,
        config.random_plies,
        2,
        asks=False,
        forbidden=forbidden(game, Bans(())),
    )
    while not trainer.counters[CALLS]:
        trainer.learn(Random(), setting, NEVER)
    calls, plies, began = int(trainer.counters[CALLS]), trainer.plies, perf_counter()
    while perf_counter() - began < seconds:
        trainer.learn(Random(), setting, NEVER)
    moves, updates = trainer.plies - plies, UPDATES * (int(trainer.counters[CALLS]) - calls)
    return Speed(perf_counter() - began, moves, moves * config.sims, updates)


def contest(agent: Any, game: Any, sims: int, games: int) -> list[list[int]]:
    """Wins, draws and losses of an agent against `mcts`, as first and as second player; all games in parallel."""
    positions = [game.start()] * games
    table, going = [[0, 0, 0], [0, 0, 0]], list(range(games))
    while going:
        own = [number for number in going if game.player(positions[number]) == number % 2]
        shares = agent.policies(game, [positions[number] for number in own]) if own else []
        chosen = {number: int(np.argmax(row)) for number, row in zip(own, shares, strict=True)}
        for number in going:
            if number not in chosen:
                mcts = Mcts(sims=sims, seed=number // 2)
                chosen[number] = int(np.argmax(probabilities(mcts, game, positions[number])))
        for number, action in chosen.items():
            positions[number] = game.play(positions[number], action)
        for number in [number for number in going if not game.legal(positions[number])]:
            score = game.score(positions[number]) * (1 - 2 * (number % 2))
            table[number % 2][1 - (score > 0) + (score < 0)] += 1
            going.remove(number)
    return table


def some_positions(agent: Any, game: Any, wanted: int) -> list[Any]:
    """Different positions with a choice, each from another game."""
    rng, found = np.random.default_rng(0), set()
    while len(found) < wanted:
        met = [[game.start()] for _ in range(TOGETHER)]
        while going := [game_so_far for game_so_far in met if game.legal(game_so_far[-1])]:
            shares = agent.policies(game, [game_so_far[-1] for game_so_far in going])
            for game_so_far, row in zip(going, shares, strict=True):
                any_action = rng.choice(actions(game.legal(game_so_far[-1])))
                chosen = any_action if rng.random() < RANDOM else np.argmax(row)
                game_so_far.append(game.play(game_so_far[-1], int(chosen)))
        for game_so_far in met:
            open_ones = [pos for pos in game_so_far[LEAST:] if count(game.legal(pos)) > 1]
            if open_ones:
                found.add(open_ones[rng.integers(len(open_ones))])
    return sorted(found)[:wanted]


def grade(agent: Any, game: Any, wanted: int) -> dict[str, float]:
    """The number of decisions that matter, and how many the agent makes optimally."""
    truth, positions = ludus.solve(game), some_positions(agent, game, wanted)
    decisions = optimal = 0
    for pos, row in zip(positions, agent.policies(game, positions), strict=True):
        side = 1 if game.player(pos) == 0 else -1
        values = {action: side * np.sign(value.score) for action, value in truth.actions(pos).items()}
        if min(values.values()) < max(values.values()):
            decisions += 1
            optimal += int(values[int(np.argmax(row))] == max(values.values()))
    return {
        "positions": len(positions),
        "decisions": decisions,
        "optimal": optimal,
        "accuracy": round(optimal / decisions, 4),
    }


def score_of(table: list[list[int]]) -> float:
    """The fraction of points won, a draw counting half."""
    wins, draws, losses = (sum(column) for column in zip(*table, strict=True))
    return (wins + draws / 2) / (wins + draws + losses)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(prog="python -m bench.learning_alphazero", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="for ten seconds only")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of lines")
    parser.add_argument("--run", help="measure the strength of this run instead of the speed")
    parser.add_argument("--game", default="connect-four", help="what the run plays")
    parser.add_argument("--sims", type=int, default=100, help="simulations of its search; 0: the policy alone")
    parser.add_argument("--against", type=int, default=1000, help="simulations of mcts")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument(
        "--positions", type=int, default=0, help="grade the policy without search in N positions instead"
    )
    options = parser.parse_args()
    if options.run:
        found = _strength(ludus.make_game(options.game), options)
    else:
        found = {"device": device(), **measure(10 if options.quick else 60).rates}
    if options.json:
        print(json.dumps(found, indent=2))
    else:
        print(f"alphazero, {options.game}: {', '.join(f'{name} {value}' for name, value in found.items())}")


def _strength(game: Any, options: argparse.Namespace) -> dict[str, Any]:
    """The strength of a run."""
    if options.positions:
        return grade(agent_for(ludus.make_agent(options.run), game), game, options.positions)
    name = f"guided(run={options.run}, sims={options.sims})" if options.sims else options.run
    agent = agent_for(ludus.make_agent(name), game)
    table = contest(agent, game, options.against, options.games)
    return {"first": table[0], "second": table[1], "score": round(score_of(table), 4), "target": TARGET}


if __name__ == "__main__":
    main()
