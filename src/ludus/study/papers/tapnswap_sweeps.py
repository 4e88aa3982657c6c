"""The TapnSwap paper's whole schedule as one task: grid search, change of opponents, retraining of the best."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from ludus import catalog
from ludus.agents.simple import Random
from ludus.arena.match import play_match
from ludus.learning.runs import read_run
from ludus.study.papers.lab import Lab
from ludus.study.papers.tapnswap_trainings import GAME
from ludus.study.papers.task import Task
from ludus.study.sweep import FILE, Candidate, Kind, Order, Round, Sweep
from ludus.study.sweep_files import Tested, tests
from ludus.study.sweep_rounds import MEETING, PAPER_GRID, PAPER_ORDERS, go_on_with, new_sweep

HISTORIES = {
    ("random",): "vsRandom",
    ("twin",): "vsSelf",
    ("random", "twin"): "vsRandomvsSelf",
    ("twin", "random"): "vsSelfvsRandom",
}


class Schedule(NamedTuple):
    """Which values of epsilon take part, the rounds, and the games of each test."""

    epsilons: tuple[str, ...]
    orders: tuple[Order, ...]
    matches: int


def schedule(lab: Lab) -> Schedule:
    """The paper's, or a smaller one with as many kinds of rounds."""
    whole = Schedule(PAPER_GRID["epsilon"], PAPER_ORDERS, 10_000)
    return lab.pick(full=whole, quick=_smaller(1000, 8000, 4, 1000), tiny=_smaller(20, 40, 0, 20))


def _smaller(games: int, best: int, more: int, matches: int) -> Schedule:
    first = Order(Kind.GRID, games, games // 2)
    again = Order(Kind.RETRAIN, games, games // 2, change_opponent=True)
    return Schedule(("0.2", "0.8"), (first, again, *[Order(Kind.RETRAIN_BEST, best, keep=0.3)] * (1 + more)), matches)


def sweeping(lab: Lab, over: str, seed: int) -> Task:
    """The schedule for one seed; its result is what `swept` returns."""
    epsilons, orders, matches = schedule(lab)
    told = [[order.kind.value, *order[1:]] for order in orders]
    command = f"ludus sweep paper --grid over={over} --seed {seed} --out SWEEP"
    games = sum(2 * len(epsilons) * order.games for order in orders)
    name = f"schedule of the paper, best of {over} actions, seed {seed}"
    return Task(name, swept, (over, seed, list(epsilons), told, matches), keeps=True, command=command, games=games)


def swept(
    over: str, seed: int, epsilons: list[str], orders: list[Any], matches: int, folder: Path, folders: Sequence[Path]
) -> dict[str, Any]:
    """Do the schedule in a folder, and tell of every round and of every test."""
    if not (folder / FILE).is_file():
        grid = PAPER_GRID | {"epsilon": tuple(epsilons), "matches": (str(matches),), "over": (over,)}
        new_sweep(GAME, "q-table", grid, [Order(Kind(kind), *rest) for kind, *rest in orders], seed, folder)
    sweep = go_on_with(folder, "local=1")
    return {
        "rounds": [_round(done, folder) for done in sweep.rounds],
        "curves": {name: [_test(one) for one in found] for name, found in tests(sweep, folder).items()},
        "games": sum(done.order.games for done in sweep.rounds for agent in done.agents if agent.trained),
        "rankings": "\n".join(_ranking(sweep, number, folder) for number in range(1, len(sweep.rounds) + 1)),
    }


def _ranking(sweep: Sweep, number: int, folder: Path) -> str:
    agents = len(sweep.rounds[number - 1].agents)
    text = (folder / "results" / f"tournament{number}.txt").read_text()
    return f"Tournament {number}, {agents} agents, {MEETING * agents} points at most\n{text}"


def _test(test: Tested) -> list[float]:
    """Games, the share won against random, and the share of right decisions."""
    return [test.games, test.measure.against["random"].share, (test.measure.right or 0.0) / test.measure.decisions]


def _round(done: Round, folder: Path) -> dict[str, Any]:
    most = MEETING * len(done.agents)
    agents = [_agent(agent, most, folder) for agent in done.agents]
    chances = [_against_random(folder / agent.run) for agent in done.agents]
    return {"agents": agents, "dropped": len(done.dropped), "random": fmean(chances)}


def _agent(agent: Candidate, most: int, folder: Path) -> dict[str, Any]:
    """An agent in a round; all, second: decisions and right ones, everywhere and in its own play as second player.

    erred: whether it was put back although its training had made it better.
    """
    now = _grade(folder / agent.run)
    erred = agent.put_back and _graded(folder / agent.trained) > _graded(folder / agent.run)
    told = {"name": agent.name, "epsilon": agent.point["epsilon"], "history": HISTORIES[agent.opponents]}
    kept = {"games": agent.games, "is_trained": bool(agent.trained), "put_back": agent.put_back, "erred": erred}
    seen = {"all": [now["decisions"], now["optimal"]], "second": now["own_play"]["second"]}
    share = (agent.points or 0) / most
    return (
        told | kept | seen | {"share": share, "right": _graded(folder / agent.run), "sure": now["guarantee"]["second"]}
    )


@cache
def _grade(run: Path) -> Any:
    """The grade of a run in the end."""
    return read_run(run).metrics()[-1]["grade"]


def _graded(run: Path) -> float:
    """The share of its decisions that are right."""
    return float(_grade(run)["optimal"]) / int(_grade(run)["decisions"])


@cache
def _against_random(run: Path) -> float:
    """What random play wins of a match with it."""
    agent = read_run(run).agent()
    return play_match(catalog.make_game(GAME), Random(), agent, MEETING, threads=1).all.a_wins / MEETING
